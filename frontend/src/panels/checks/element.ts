import { html, nothing } from 'lit-html';
import { count } from '../../format.js';
import { pageHref } from '../../links.js';
import type { Report, Row } from '../../model.js';
import { css } from '../../theme.js';
import { TfperfElement } from '../../elements/base.js';
import '../../elements/limits.js';

/** Every check that is no finding, and what the reader had to guess: counts first, rows on demand. */
export class ChecksElement extends TfperfElement {
  static override readonly styles = css`
    .groups {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 24px;
    }
    .group {
      color: var(--ink-2);
      font-size: 13px;
      padding: 2px 0;
    }
    .group:hover {
      color: var(--ink);
    }
    .group b {
      color: var(--ink);
    }
    .group::before {
      content: '▸';
      display: inline-block;
      margin-right: 6px;
      transition: transform 0.1s;
    }
    .group[aria-expanded='true']::before {
      transform: rotate(90deg);
    }
    .rows {
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 4px 18px;
    }
    li {
      padding: 9px 0;
    }
    li + li {
      border-top: 1px solid var(--line);
    }
    .title {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 0 16px;
      justify-content: space-between;
    }
    .reason {
      overflow-wrap: anywhere;
      white-space: pre-line;
    }
    @media (prefers-reduced-motion: reduce) {
      .group::before {
        transition: none;
      }
    }
  `;
  static readonly properties = { report: Object, open: String };

  report!: Report;
  /** The words of the group that is open. */
  open: string | null = null;

  protected override template() {
    const { open } = this;
    const groups = groupsOf(this.report).filter(([, rows]) => rows.length > 0);
    return html`
      <div class="groups">
        ${groups.map(
          ([words, rows]) =>
            html` <button
              class="bare group"
              aria-expanded=${words === open}
              aria-controls="rows"
              @click=${() => (this.open = words === open ? null : words)}
            >
              <b>${count(rows.length)}</b>${` ${words}`}
            </button>`,
        )}
      </div>
      <div id="rows">
        ${groups.map(([words, rows, rules]) =>
          words === open
            ? html`<ul class="rows" aria-label=${words}>
                ${rows.map((row) => line(row, rules))}
              </ul>`
            : nothing,
        )}
      </div>
    `;
  }
}

function line({ id, title, reason, how }: Row, isRule: boolean) {
  return html`
    <li>
      <div class="title">
        <h3 class="name">${title}</h3>
        ${
          isRule
            ? html`<a
                class="note"
                href=${pageHref(document.baseURI, id)}
                target="_blank"
                rel="noopener"
                aria-label="How this is measured: ${title}"
                >How this is measured</a
              >`
            : nothing
        }
      </div>
      <p class="reason">${reason}</p>
      <p class="note reason" ?hidden=${!how}>${how}</p>
      ${isRule ? html`<tfperf-limits .rule=${id} .of=${title}></tfperf-limits>` : nothing}
    </li>
  `;
}

/** Words, rows, and whether they are rules, which have pages. */
function groupsOf(report: Report): [string, Row[], boolean][] {
  const anomalies = report.anomalies.map((a) => ({
    id: a.name,
    title: `${a.name} (${count(a.count)})`,
    reason: a.sentence,
    how: a.severity === 'data_loss' ? 'Part of the recorded data could not be used.' : '',
  }));
  return [
    ['failed while checking', report.errors, true],
    ['passed', report.passed, true],
    ['could not be checked, and how to', report.missing_data, true],
    [report.not_applicable.length === 1 ? 'does not apply' : 'do not apply', report.not_applicable, true],
    ['to check by hand', report.manual, false],
    [anomalies.length === 1 ? 'oddity in the file' : 'oddities in the file', anomalies, false],
  ];
}

customElements.define('tfperf-checks', ChecksElement);
