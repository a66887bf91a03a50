import { html, nothing } from 'lit-html';
import type { TraceAccess } from '../backend.js';
import { counted } from '../format.js';
import { type Line, type Mark, type Marks, lines, tally } from '../list.js';
import type { Finding, Report } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import './checks.js';
import './filters.js';
import type { FindingElement } from './finding.js';
import './finding.js';

/** Findings that are drawn at once: a long list grows by as many in each frame. */
const PIECE = 20;

interface Calm {
  mark: string;
  sentence: string;
  note: string;
}

/** What to say when nothing in the list is worth 5 % of a step; null when something is. */
function calm(report: Report): Calm | null {
  if (report.findings.some(({ severity }) => severity !== 'info')) return null;
  if (report.passed.length === 0) {
    return {
      mark: '–',
      sentence: 'Nothing could be judged.',
      note: 'The list below says what is missing and how to record it.',
    };
  }
  if (report.ledger === null) {
    const lacking = report.gpus.total === 0 ? 'GPU time' : 'whole steps';
    return {
      mark: '–',
      sentence: 'The checks that this profile allows found nothing that costs time.',
      note: `${counted(report.passed.length, 'check')} passed. What a step loses cannot be told without ${lacking}.`,
    };
  }
  const less = report.findings.length > 0 ? ' What is listed here is worth less than that.' : '';
  return {
    mark: '✓',
    sentence: 'Nothing to fix above 5 % of a step.',
    note: `${counted(report.passed.length, 'check')} passed; “passed” below shows each with its number.${less}`,
  };
}

/** Index of the last finding that is open at first: the first, and the second if only that has a place. */
function firstPlaced({ findings: [first, second] }: Report): number {
  return first?.where.length === 0 && second !== undefined && second.where.length > 0 ? 1 : 0;
}

/** Whether this is the finding with that id, or holds it. */
function within({ id, explains }: Finding, wanted: string): boolean {
  return id === wanted || explains.some((inner) => inner.id === wanted);
}

/** The ranked list, and below it every check that is no finding. */
export class FindingsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    tfperf-finding {
      margin-top: 8px;
    }
    .calm {
      align-items: baseline;
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: flex;
      gap: 12px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .calm b {
      font-size: 15px;
    }
    .calm .mark {
      color: var(--good);
      font-weight: 700;
    }
    tfperf-checks {
      margin-top: 14px;
    }
    p:empty {
      display: none;
    }
    [role='status'] {
      margin-top: 6px;
    }
  `;
  static readonly properties = {
    report: Object,
    access: Object,
    opened: String,
    only: String,
    marks: Object,
    open: Object,
    count: Number,
  };

  report!: Report;
  access: TraceAccess | null = null;
  /** Id of the finding that the address opens; without one, see `firstPlaced`. */
  opened: string | null = null;
  only: string | null = null;
  marks: Marks = {};
  /** What the user opened or closed: id → whether it is open. */
  open: Readonly<Record<string, boolean>> = {};
  /** How many lines are drawn. */
  private count = PIECE;

  protected override changed(former: Former): void {
    const { report, opened } = this;
    const before = former['report'] as Report | undefined;
    if ('opened' in former || (before && before.run !== report.run)) this.open = {};
    // After the paint: what is drawn later than this list may move it.
    if ('opened' in former && opened !== null) requestAnimationFrame(() => setTimeout(() => this.reveal(opened)));
    // A list that got shorter grows in pieces again.
    this.count = Math.max(PIECE, Math.min(this.count, this.lines().length));
  }

  protected override template() {
    const { report, access, opened, open } = this;
    const { run, findings, passed, stagger } = report;
    const shown = this.lines();
    const judged = passed.length + findings.length;
    const quiet = calm(report);
    const led = opened !== null && findings.some((finding) => within(finding, opened));
    const atFirst = ({ finding, rank, mark }: Line): boolean =>
      led ? within(finding, opened) : mark === null && rank <= firstPlaced(report) + 1 && !quiet;
    return html`
      <h2>
        What to change, by saving and confidence
        <small>${judged > 0 ? `${findings.length} of ${counted(judged, 'check')} found something` : ''}</small>
      </h2>
      ${
        quiet
          ? html` <div class="calm">
              <span class="mark" aria-hidden="true">${quiet.mark}</span>
              <p><b>${quiet.sentence}</b><br /><span class="note">${quiet.note}</span></p>
            </div>`
          : nothing
      }
      <tfperf-filters .findings=${findings} .only=${this.only}></tfperf-filters>
      <p class="note" role="status">${tally(shown, findings, this.marks)}</p>
      ${shown
        .slice(0, this.count)
        .map(
          (line) =>
            html` <tfperf-finding
              .finding=${line.finding}
              .index=${line.rank}
              .run=${run}
              .access=${access}
              mark=${line.mark ?? nothing}
              .stagger=${stagger}
              .opened=${opened}
              .expanded=${open[line.finding.id] ?? atFirst(line)}
            ></tfperf-finding>`,
        )}
      <tfperf-checks .report=${report}></tfperf-checks>
    `;
  }

  protected override drawn(): void {
    const { count } = this;
    if (count < this.lines().length) requestAnimationFrame(() => (this.count = count + PIECE));
  }

  override ready(): void {
    super.ready();
    this.addEventListener('finding-toggle', (event) => {
      const { id, expanded } = (event as CustomEvent<{ id: string; expanded: boolean }>).detail;
      this.open = { ...this.open, [id]: expanded };
    });
    // Done before the list is drawn anew: what takes the place of the marked one gets the focus.
    this.addEventListener('mark', (event) => {
      const { id, mark } = (event as CustomEvent<{ id: string; mark: Mark | null }>).detail;
      const at = this.lines().findIndex(({ finding }) => finding.id === id);
      this.open = { ...this.open, [id]: mark === null };
      requestAnimationFrame(() =>
        this.elements()[mark === null ? this.lines().findIndex((l) => l.finding.id === id) : at]?.focusHead(),
      );
    });
  }

  private lines(): Line[] {
    return lines(this.report.findings, this.marks, this.only);
  }

  /** Long lists are drawn in pieces, so it may take a few frames until the finding is there. */
  private reveal(id: string, frames = 100): void {
    const found = this.elements().find(({ finding }) => within(finding, id));
    if (found) found.show(id);
    else if (frames > 0 && this.lines().some(({ finding }) => within(finding, id))) {
      requestAnimationFrame(() => this.reveal(id, frames - 1));
    }
  }

  private elements(): FindingElement[] {
    return [...this.shadowRoot.querySelectorAll<FindingElement>('tfperf-finding')];
  }
}

customElements.define('tfperf-findings', FindingsElement);
