import { html, nothing } from 'lit-html';
import type { TraceAccess } from '../../backend.js';
import { TfperfElement, fire } from '../../elements/base.js';
import type { CopyElement } from '../../elements/copy.js';
import '../../elements/copy.js';
import '../../elements/evidence.js';
import '../../elements/fix.js';
import '../../elements/limits.js';
import '../../elements/severity.js';
import { type Column, number } from '../../elements/table.js';
import '../../elements/text.js';
import { counted, deviceName, duration, kept, placeWords } from '../../format.js';
import type { Mark } from '../../list.js';
import type { Finding, Place, Report, StaggerItem } from '../../model.js';
import { wordsOf } from '../verdict/logic.js';
import { css } from '../../theme.js';
import { MEASURED, furthestApart } from './logic.js';
import { traceLink } from './trace_link.js';

const time = (ns: number | null): string => (ns === null ? 'not recorded' : duration(ns));

const STARTS: Column<StaggerItem>[] = [
  { head: 'GPU', cell: ({ device }) => deviceName(device) },
  number('First launch', (row) => time(row.first_launch_ns)),
  number('First kernel', (row) => time(row.first_kernel_ns)),
  { head: 'Launched by thread', cell: ({ thread }) => thread || 'not recorded', kind: 'name' },
];

/** The selected finding: what to do, how that is known, and what else it explains. */
export class ChosenFindingElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      min-width: 0;
      padding: 10px 18px;
    }
    header {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      min-height: 24px;
    }
    /* Only names that somebody made up to harm are longer; the whole title is its tooltip. */
    h2 {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 3;
      display: -webkit-box;
      flex: 1;
      /* Explained words above each other are 24 px apart, as fingers need it. */
      line-height: 24px;
      min-width: 150px;
      overflow: hidden;
      overflow-wrap: anywhere;
    }
    h3 {
      color: var(--ink-2);
      font-size: 13px;
      margin: 10px 0 2px;
    }
    h4 {
      display: inline;
      font: inherit;
      overflow-wrap: anywhere;
    }
    header .button {
      padding: 1px 10px;
    }
    .rank {
      color: var(--ink-2);
      font-weight: 600;
    }
    .why,
    tfperf-fix {
      margin-top: 8px;
    }
    summary {
      color: var(--accent);
      line-height: 24px;
      margin-top: 4px;
    }
    .inner {
      border: 1px solid var(--line);
      border-radius: 8px;
      margin-top: 6px;
      padding: 0 10px;
    }
    .inner summary {
      color: var(--ink);
      margin: 0;
      padding: 7px 0;
    }
    .inner[open] {
      padding-bottom: 10px;
    }
    .inner > summary .note {
      white-space: nowrap;
    }
    .place {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 4px 8px;
      margin-top: 8px;
    }
    .place p {
      flex: 1 0 100%;
    }
    .actions {
      align-items: center;
      border-top: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 10px;
      margin-top: 10px;
      padding-top: 8px;
    }
    .actions button {
      border-radius: 4px;
      color: var(--accent);
      font-size: 13px;
      min-height: 24px;
      padding: 0 4px;
    }
    .actions [aria-pressed='true'] {
      background: var(--info-ground);
    }
  `;
  static readonly properties = {
    report: Object,
    finding: Object,
    access: Object,
    mark: String,
    opened: String,
    told: Boolean,
    alone: Boolean,
  };

  report!: Report;
  finding!: Finding;
  access: TraceAccess | null = null;
  mark: Mark | null = null;
  /** Id of the finding that the address names: it may be one that this one explains. */
  opened: string | null = null;
  /** Whether the verdict says its cause. */
  told = false;
  /** Whether there is no timeline beside it that has its places. */
  alone = false;

  protected override template() {
    const { report, finding } = this;
    const { id, title, severity, action, cause, summary, evidence, saving, fix, guide, explains } = finding;
    const { findings } = report;
    const at = findings.indexOf(finding);
    const go = (by: number, words: string, sign: string) => {
      const other = findings[at + by];
      return html`<button
        class="button"
        aria-label=${words}
        ?disabled=${!other}
        @click=${() => other && fire(this, 'finding-select', { id: other.id })}
      >
        ${sign}
      </button>`;
    };
    return html`
      <header>
        <span class="rank">${at + 1}</span>
        <h2 id="title" class="name" tabindex="-1" title=${title}><tfperf-text .text=${title}></tfperf-text></h2>
        <tfperf-severity .severity=${severity}></tfperf-severity>
        ${go(-1, 'Previous finding', '↑')} ${go(1, 'Next finding', '↓')}
      </header>
      ${action && !fix.summary ? html`<p class="why name"><b>${action}</b></p>` : nothing}
      <p class="why name" ?hidden=${cause && this.told}><tfperf-text .text=${cause || summary}></tfperf-text></p>
      <tfperf-fix .fix=${fix} .guide=${guide} .rule=${id} .level=${3}></tfperf-fix>
      ${
        evidence.length > 0
          ? html`<h3>How we know</h3>
              <p class="known name" ?hidden=${!cause}><tfperf-text .text=${summary}></tfperf-text></p>
              <tfperf-evidence .items=${evidence.slice(0, MEASURED)} .brief=${true}></tfperf-evidence>`
          : nothing
      }
      ${
        evidence.length > 0 || saving
          ? html`<details class="more">
              <summary>
                ${evidence.length > 0 ? `${counted(evidence.length, 'measurement')}, with sources` : 'More'}
              </summary>
              <tfperf-evidence .items=${evidence}></tfperf-evidence>
              ${this.starts()}
              <p class="note" ?hidden=${!saving}>How the saving was estimated: ${saving?.basis}</p>
            </details>`
          : nothing
      }
      ${
        this.alone && finding.where.length > 0
          ? html`<h3>Places</h3>
              ${finding.where.map((one) => this.place(one))}`
          : nothing
      }
      ${
        explains.length > 0
          ? html`<h3>Also explains</h3>
              ${explains.map((inner) => this.inner(inner))}`
          : nothing
      }
      <div class="actions">
        <tfperf-copy id="agent" words="Copy for agent" .text=${wordsOf(report, id)?.agent}></tfperf-copy>
        <tfperf-copy words="Link" .link=${id}></tfperf-copy>
        ${this.marking('done', 'Done')} ${this.marking('irrelevant', 'Not relevant')}
        <tfperf-limits .rule=${id} .of=${title}></tfperf-limits>
      </div>
    `;
  }

  /** c copies what an agent needs. */
  protected override onPageKey({ key }: KeyboardEvent): void {
    if (key === 'c') void (this.child('agent') as CopyElement).copy();
  }

  private marking(mark: Mark, words: string) {
    const on = this.mark === mark;
    return html`<button
      class="bare"
      aria-pressed=${on}
      @click=${() => fire(this, 'mark', { id: this.finding.id, mark: on ? null : mark })}
    >
      ${words}
    </button>`;
  }

  /** When the host launched for each GPU, and by which thread: the timeline does not say that. */
  private starts() {
    const { stagger } = this.report;
    const rows = this.finding.id === 'gpu-stagger' && stagger ? furthestApart(stagger.items) : [];
    return rows.length > 0
      ? html`<tfperf-table
          heading="Start of each GPU in step ${rows[0]?.step}"
          .columns=${STARTS}
          .items=${rows}
          note="From the first kernel of the step on any GPU; launches come before it."
        ></tfperf-table>`
      : nothing;
  }

  /** A finding that this one explains. */
  private inner(inner: Finding) {
    const { id, title, severity, summary, evidence, fix, guide, where } = inner;
    return html`<details class="inner" data-finding=${id} ?open=${id === this.opened}>
      <summary>
        <tfperf-severity .severity=${severity}></tfperf-severity>
        <h4 class="name">${title}</h4>
        <span class="note">${kept(wordsOf(this.report, id)?.saving ?? '')}</span>
      </summary>
      <p class="name"><tfperf-text .text=${summary}></tfperf-text></p>
      <tfperf-evidence .items=${evidence}></tfperf-evidence>
      ${where.slice(0, 1).map((one) => this.place(one))}
      <tfperf-fix .fix=${fix} .guide=${guide} .rule=${id} .level=${5}></tfperf-fix>
      <tfperf-copy words="Link" .link=${id}></tfperf-copy>
      <tfperf-limits .rule=${id} .of=${title}></tfperf-limits>
    </details>`;
  }

  private place(place: Place) {
    return html`<div class="place">
      <p class="note name">${[place.label, placeWords(place)].filter(Boolean).join(': ')}</p>
      ${
        this.alone || place.step === null
          ? nothing
          : html`<button class="button" @click=${() => fire(this, 'show-in-timeline', { place })}>
              Show in timeline
            </button>`
      }
      ${traceLink(this.report, place, this.access)}
    </div>`;
  }
}

customElements.define('tfperf-chosen-finding', ChosenFindingElement);
