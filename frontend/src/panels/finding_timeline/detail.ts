import { html, nothing } from 'lit-html';
import type { TraceAccess } from '../../backend.js';
import { TfperfElement, fire } from '../../elements/base.js';
import '../../elements/copy.js';
import '../../elements/finding.js';
import '../../elements/fix.js';
import '../../elements/limits.js';
import '../../elements/severity.js';
import '../../elements/text.js';
import { counted, quantity, threshold } from '../../format.js';
import { MARK_WORDS, type Mark } from '../../list.js';
import type { Evidence, Finding, Report } from '../../model.js';
import { css } from '../../theme.js';
import { MEASURED, agentText } from './logic.js';

/** The selected finding: what to do, how that is known, and what else it explains. */
export class ChosenFindingElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      min-width: 0;
      padding: 14px 18px;
    }
    header {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    h2 {
      flex: 1;
      min-width: 150px;
      overflow-wrap: anywhere;
    }
    h3 {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 600;
      margin: 16px 0 4px;
    }
    .rank {
      color: var(--ink-2);
      font-weight: 600;
    }
    .measured {
      list-style: none;
      padding: 0;
    }
    .measured li {
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 0 12px;
      justify-content: space-between;
      overflow-wrap: anywhere;
      padding: 4px 0;
    }
    .measured span:first-child::first-letter {
      text-transform: uppercase;
    }
    .measured b {
      font-weight: 600;
      text-align: right;
    }
    .measured small {
      color: var(--ink-2);
      flex: 1 0 100%;
      font-size: 12.5px;
    }
    .why,
    tfperf-fix {
      margin-top: 10px;
    }
    summary {
      color: var(--accent);
      cursor: pointer;
      font-size: 13px;
      margin-top: 6px;
    }
    tfperf-finding + tfperf-finding {
      margin-top: 6px;
    }
    .actions {
      border-top: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 18px;
      margin-top: 16px;
      padding-top: 10px;
    }
    .actions button {
      color: var(--accent);
      font-size: 13px;
    }
  `;
  static readonly properties = { report: Object, finding: Object, access: Object, mark: String };

  report!: Report;
  finding!: Finding;
  access: TraceAccess | null = null;
  mark: Mark | null = null;

  protected override template() {
    const { report, finding, mark } = this;
    const { id, title, severity, action, cause, summary, evidence, saving, fix, guide, explains } = finding;
    const { findings } = report;
    const at = findings.indexOf(finding);
    const rest = evidence.slice(MEASURED);
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
    const marking = (to: Mark | null, words: string) =>
      html`<button class="bare" @click=${() => fire(this, 'mark', { id, mark: to })}>${words}</button>`;
    return html`
      <header>
        <span class="rank">${at + 1}</span>
        <h2 id="title" class="name" tabindex="-1"><tfperf-text .text=${title}></tfperf-text></h2>
        <span class="note">${at + 1} of ${findings.length}</span>
        ${go(-1, 'Previous finding', '↑')} ${go(1, 'Next finding', '↓')}
      </header>
      <tfperf-severity .severity=${severity}></tfperf-severity>
      ${action ? html`<p class="why name"><b>${action}</b></p>` : nothing}
      <p class="why name"><tfperf-text .text=${cause || summary}></tfperf-text></p>
      <tfperf-fix .fix=${fix} .guide=${guide} .rule=${id} .level=${3}></tfperf-fix>
      ${
        evidence.length > 0
          ? html`<h3>How we know</h3>
              ${measurements(evidence.slice(0, MEASURED))}`
          : nothing
      }
      ${
        rest.length > 0 || saving || (cause && summary)
          ? html` <details>
              <summary>${rest.length > 0 ? counted(rest.length, 'more measurement') : 'More'}</summary>
              ${cause ? html`<p class="name"><tfperf-text .text=${summary}></tfperf-text></p>` : nothing}
              ${rest.length > 0 ? measurements(rest) : nothing}
              <p class="note" ?hidden=${!saving}>How the saving was estimated: ${saving?.basis}</p>
            </details>`
          : nothing
      }
      ${
        explains.length > 0
          ? html`<h3>Also explains</h3>
              ${explains.map(
                (inner) =>
                  html`<tfperf-finding
                    nested
                    .finding=${inner}
                    .run=${report.run}
                    .access=${this.access}
                    .stagger=${report.stagger}
                  ></tfperf-finding>`,
              )}`
          : nothing
      }
      <div class="actions">
        <tfperf-copy words="Copy for agent" .text=${agentText(report, finding)}></tfperf-copy>
        <tfperf-copy words="Link" .link=${id}></tfperf-copy>
        ${
          mark
            ? marking(null, `Undo “${MARK_WORDS[mark]}”`)
            : [marking('done', 'Done'), marking('irrelevant', 'Not relevant')]
        }
      </div>
      <tfperf-limits .rule=${id} .of=${title}></tfperf-limits>
    `;
  }
}

/** Each number, on which side of its threshold it lies, and where that comes from. */
function measurements(items: readonly Evidence[]) {
  return html`<ul class="measured">
    ${items.map((item) => {
      const against = [threshold(item), item.source].filter(Boolean).join(' · ');
      return html`<li>
        <span><tfperf-text .text=${item.label}></tfperf-text></span><b>${quantity(item.value, item.unit)}</b>
        <small ?hidden=${!against}>${against}</small>
      </li>`;
    })}
  </ul>`;
}

customElements.define('tfperf-chosen-finding', ChosenFindingElement);
