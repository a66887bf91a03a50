import { html, nothing } from 'lit-html';
import type { TraceAccess } from '../../backend.js';
import { tableOf } from '../../blocks.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import '../checks/element.js';
import '../input/element.js';
import '../machine/element.js';
import '../memory/element.js';
import '../training/element.js';
import type { Finding, Report, Section } from '../../model.js';
import { css } from '../../theme.js';
import { NONE_REFUSED, type Refusals, type Typed, UNTYPED } from '../../typed.js';
import '../communication/element.js';
import '../hosts/element.js';
import '../kernels/element.js';
import { kept } from '../../format.js';
import { type SectionId, openAtFirst, titleOf } from './logic.js';

/** The sections of a run: each says its answer in one line, and opens on demand. */
export class SectionsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: grid;
      gap: 6px;
    }
    section {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      min-width: 0;
    }
    .head {
      align-items: baseline;
      border-radius: 10px;
      display: grid;
      gap: 2px 12px;
      grid-template-columns: 132px minmax(0, 1fr) auto 12px;
      padding: 4px 18px;
      position: relative;
    }
    .head:hover {
      background: var(--ground);
    }
    h2 {
      font-size: 14px;
    }
    /* All of the line opens and closes. */
    .title::after {
      border-radius: 10px;
      content: '';
      inset: 0;
      position: absolute;
    }
    .title:focus-visible {
      outline: none;
    }
    .title:focus-visible::after {
      outline: 2px solid var(--accent);
      outline-offset: -2px;
    }
    .answer {
      color: var(--ink-2);
      max-width: none;
    }
    .open .answer {
      color: var(--ink);
    }
    .chip {
      background: var(--ground);
      border-radius: 10px;
      font-size: 12.5px;
      font-variant-numeric: tabular-nums;
      font-weight: 500;
      padding: 1px 8px;
      white-space: nowrap;
    }
    .head:hover .chip {
      background: var(--panel);
    }
    .arrow {
      color: var(--ink-2);
      grid-column: 4;
      text-align: center;
    }
    .open .arrow {
      transform: rotate(90deg);
    }
    @media (max-width: 600px) {
      .head {
        grid-template-columns: minmax(0, 1fr) auto 12px;
      }
      .answer {
        grid-column: 1 / -1;
        grid-row: 2;
      }
      .arrow {
        grid-column: 3;
      }
    }
    .body {
      --page: var(--panel);
      border-top: 1px solid var(--line);
      display: grid;
      gap: 28px;
      grid-template-columns: minmax(0, 1fr);
      padding: 8px 18px 10px;
    }
  `;
  static readonly properties = {
    report: Object,
    access: Object,
    typed: Object,
    refused: Object,
    recomputing: Boolean,
    finding: Object,
    opened: Object,
  };

  report!: Report;
  access: TraceAccess | null = null;
  typed: Typed = UNTYPED;
  refused: Refusals = NONE_REFUSED;
  recomputing = false;
  /** The finding that is selected when a run is shown; what it touches is open then. */
  finding: Finding | null = null;
  private opened: ReadonlySet<SectionId> = new Set();

  protected override changed(former: Former): void {
    const before = former['report'] as Report | null | undefined;
    if ('report' in former && before?.run !== this.report.run) this.opened = openAtFirst(this.report, this.finding);
  }

  protected override template() {
    return html`${this.report.sections.map((section) => this.section(section))}`;
  }

  /** Opens a section and moves the focus to its heading. */
  show(id: SectionId): void {
    this.opened = new Set([...this.opened, id]);
    this.drawNow();
    this.shadowRoot.getElementById(id)?.querySelector('button')?.focus();
  }

  private section({ id, answer, chip }: Section) {
    const open = this.opened.has(id);
    const toggle = (): void => {
      this.opened = new Set(open ? [...this.opened].filter((one) => one !== id) : [...this.opened, id]);
    };
    return html`
      <section id=${id} class=${open ? 'open' : ''} aria-labelledby="${id}-title">
        <div class="head">
          <h2>
            <button
              id="${id}-title"
              class="bare title"
              aria-expanded=${open}
              aria-controls="${id}-body"
              aria-describedby="${id}-answer"
              @click=${toggle}
            >
              ${titleOf(id, this.report)}
            </button>
          </h2>
          <p id="${id}-answer" class="answer name">${kept(answer)}</p>
          ${chip ? html`<span class="chip">${chip}</span>` : nothing}
          <span class="arrow" aria-hidden="true">›</span>
        </div>
        <div id="${id}-body" class="body" ?hidden=${!open}>${open ? this.body(id) : nothing}</div>
      </section>
    `;
  }

  private body(id: SectionId) {
    const { report } = this;
    switch (id) {
      case 'communication':
        return html`<tfperf-communication
          .report=${report}
          .access=${this.access}
          .typed=${this.typed}
          .refused=${this.refused}
          .recomputing=${this.recomputing}
        ></tfperf-communication>`;
      case 'hosts':
        return html`<tfperf-hosts .report=${report}></tfperf-hosts>`;
      case 'kernels':
        return html`<tfperf-kernels .report=${report}></tfperf-kernels>`;
      case 'input':
        return html`<tfperf-input .report=${report}></tfperf-input>`;
      case 'memory':
        return html`<tfperf-memory .memory=${report.memory} .each=${tableOf(report, 'memory')}></tfperf-memory>`;
      case 'machine':
        return html`<tfperf-machine .machine=${report.machine} .each=${tableOf(report, 'machine')}></tfperf-machine>`;
      case 'checks':
        return html`<tfperf-checks .report=${report}></tfperf-checks>`;
      case 'training':
        return html`<tfperf-training .report=${report}></tfperf-training>`;
    }
  }
}

customElements.define('tfperf-sections', SectionsElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-sections': SectionsElement;
  }
}
