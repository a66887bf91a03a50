import { html, nothing } from 'lit-html';
import type { TraceAccess } from '../backend.js';
import { percent, savingTime } from '../format.js';
import type { Mark } from '../list.js';
import type { Finding, Place, Stagger } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, fire } from './base.js';
import './copy.js';
import './evidence.js';
import './fix.js';
import './limits.js';
import './places.js';
import './severity.js';
import './stagger.js';
import './text.js';
import './trace.js';

/** One finding: what, how much, how do you know, where, what to do. In this order. */
export class FindingElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
    }
    :host([nested]) {
      background: none;
    }
    h3 {
      font: inherit;
    }
    .head {
      align-items: baseline;
      border-radius: 10px;
      display: grid;
      gap: 2px 14px;
      grid-template-columns: 20px 88px minmax(0, 1fr) auto 14px;
      padding: 12px 18px;
      width: 100%;
    }
    .head:hover {
      background: var(--ground);
    }
    :host([nested]) .head {
      grid-template-columns: 88px minmax(0, 1fr) auto 14px;
      padding: 9px 14px;
    }
    .index {
      color: var(--ink-2);
    }
    .title {
      font-size: 15px;
      font-weight: 600;
    }
    :host([nested]) .title {
      font-size: 14px;
    }
    .saving {
      text-align: right;
      white-space: nowrap;
    }
    .saving b {
      color: var(--ink);
      font-size: 15px;
    }
    .chevron {
      align-self: center;
      border: solid var(--ink-2);
      border-width: 0 1.5px 1.5px 0;
      height: 7px;
      margin: -4px 2px 0;
      transform: rotate(45deg);
      width: 7px;
    }
    [aria-expanded='true'] .chevron {
      margin-top: 4px;
      transform: rotate(225deg);
    }
    .body {
      border-top: 1px solid var(--line);
      padding: 14px 18px 18px 52px;
    }
    :host([nested]) .body {
      padding: 12px 14px 14px;
    }
    .columns {
      display: grid;
      gap: 20px 28px;
      grid-template-columns: minmax(0, 1fr) minmax(0, 400px);
    }
    .columns.plain {
      grid-template-columns: minmax(0, 1fr);
    }
    .main > * + * {
      margin-top: 12px;
    }
    .side tfperf-places {
      margin-top: 14px;
    }
    .folded {
      margin-top: 18px;
    }
    .folded h4 {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 400;
      margin: 0 0 6px;
    }
    .folded tfperf-finding + tfperf-finding {
      margin-top: 6px;
    }
    .actions {
      border-top: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 20px;
      margin-top: 16px;
      padding-top: 10px;
    }
    .actions button {
      color: var(--accent);
      font-size: 13px;
    }
    .actions + tfperf-limits {
      margin-top: 6px;
    }
    @media (min-width: 1600px) {
      .columns:not(.plain) {
        grid-template-columns: minmax(0, 1fr) minmax(0, 600px);
      }
    }
    @media (max-width: 999px) {
      .columns {
        grid-template-columns: minmax(0, 1fr);
      }
      .body {
        padding-left: 18px;
      }
      .head {
        grid-template-columns: 20px 88px minmax(0, 1fr) 14px;
      }
      :host([nested]) .head {
        grid-template-columns: 88px minmax(0, 1fr) 14px;
      }
      .saving {
        grid-column: 3;
        grid-row: 2;
        text-align: left;
        white-space: normal;
      }
      :host([nested]) .saving {
        grid-column: 2;
      }
    }
  `;
  static readonly properties = {
    finding: Object,
    index: Number,
    run: String,
    access: Object,
    stagger: Object,
    nested: Boolean,
    expanded: Boolean,
    mark: String,
    opened: String,
    traced: Object,
  };

  finding!: Finding;
  /** Place in the ranked list, from 1. */
  index: number | undefined;
  run!: string;
  access: TraceAccess | null = null;
  stagger: Stagger | null = null;
  /** Whether it is folded into another one; an attribute, as `mark` is. */
  nested = false;
  expanded = false;
  /** How the user marked it. */
  mark: Mark | null = null;
  /** Id of the finding that the address opens. */
  opened: string | null = null;
  /** The place on which the trace viewer is open, if it is. */
  traced: Place | null = null;

  protected override changed(former: Former): void {
    if ('finding' in former) this.traced = null;
    if ('finding' in former && !this.nested) this.expanded = true;
    if (this.nested && ('finding' in former || 'opened' in former)) this.expanded = this.finding.id === this.opened;
  }

  protected override template() {
    const { finding, expanded } = this;
    const { title, saving } = finding;
    return html`
      <h3>
        <button
          id="head"
          class="bare head"
          aria-expanded=${expanded}
          @click=${this.onToggle}
          @pointerenter=${() => this.hover(true)}
          @pointerleave=${() => this.hover(false)}
          @focus=${() => this.hover(true)}
          @blur=${() => this.hover(false)}
        >
          <span class="index" ?hidden=${this.nested}>${this.index}</span>
          <tfperf-severity .severity=${finding.severity}></tfperf-severity>
          <span class="title name">${title}</span>
          <span class="saving note"
            ><b>${saving ? savingTime(saving) : ''}</b
            >${saving ? ` ${saving.once_ns ? '' : `per step · ${percent(saving.ratio)} `}· ` : ''}${finding.confidence}
            confidence</span
          >
          <span class="chevron" aria-hidden="true"></span>
        </button>
      </h3>
      ${expanded ? this.body(finding) : nothing}
    `;
  }

  private body({ id, title, summary, evidence, saving, fix, guide, where, explains }: Finding) {
    const { run, access, stagger, traced } = this;
    const staggered = id === 'gpu-stagger' && Boolean(stagger?.items.length);
    const basis = saving?.basis;
    const marking = (mark: Mark, words: string) =>
      html`<button
        class="bare"
        aria-pressed=${this.mark === mark}
        @click=${() => this.say(this.mark === mark ? null : mark)}
      >
        ${this.mark === mark ? `✓ ${words}` : words}
      </button>`;
    return html`
      <div class="body">
        <div class="columns ${staggered || where.length > 0 ? '' : 'plain'}">
          <div class="main">
            <p class="name"><tfperf-text .text=${summary}></tfperf-text></p>
            <tfperf-evidence .items=${evidence} ?hidden=${evidence.length === 0}></tfperf-evidence>
            <p class="note" ?hidden=${!basis}>How the saving was estimated: ${basis}</p>
            <tfperf-fix .fix=${fix} .guide=${guide} .rule=${id}></tfperf-fix>
          </div>
          <div class="side" @show-trace=${this.onTrace}>
            ${staggered ? html`<tfperf-stagger .stagger=${stagger} .access=${access}></tfperf-stagger>` : nothing}
            ${
              where.length > 0
                ? html`<tfperf-places
                    .run=${run}
                    .places=${where}
                    .access=${access}
                    .shown=${traced !== null}
                  ></tfperf-places>`
                : nothing
            }
          </div>
        </div>
        ${traced ? html`<tfperf-trace .run=${run} .place=${traced}></tfperf-trace>` : nothing}
        ${
          explains.length > 0
            ? html` <div class="folded">
                <h4>This also explains</h4>
                ${explains.map(
                  (inner) =>
                    html`<tfperf-finding
                      nested
                      .finding=${inner}
                      .run=${run}
                      .access=${access}
                      .stagger=${stagger}
                      .opened=${this.opened}
                    ></tfperf-finding>`,
                )}
              </div>`
            : nothing
        }
        <div class="actions">
          ${this.nested ? nothing : [marking('done', 'Done'), marking('irrelevant', 'Not relevant here')]}
          <tfperf-copy words="Copy link" .link=${id}></tfperf-copy>
        </div>
        <tfperf-limits .rule=${id} .of=${title}></tfperf-limits>
      </div>
    `;
  }

  private onTrace(event: CustomEvent<{ place: Place | null }>): void {
    // A folded finding shows its own viewer.
    event.stopPropagation();
    this.traced = event.detail.place;
  }

  private onToggle(): void {
    this.expanded = !this.expanded;
    if (!this.expanded) this.traced = null;
  }

  /** Its time is drawn in the timeline while the hand or the focus is on it. */
  private hover(on: boolean): void {
    if (!this.nested) fire(this, 'finding-hover', { id: on ? this.finding.id : null });
  }

  private say(mark: Mark | null): void {
    fire(this, 'mark', { id: this.finding.id, mark });
  }
}

customElements.define('tfperf-finding', FindingElement);
