import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { afterNextRender } from '@polymer/polymer/lib/utils/render-status.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { TraceAccess } from '../backend.js';
import { counted } from '../format.js';
import { type Line, type Mark, type Marks, lines, tally } from '../list.js';
import type { Finding, Report } from '../model.js';
import { sharedStyles } from './old.js';
import './checks.js';
import './filters.js';
import type { FindingElement } from './finding.js';
import './finding.js';

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
    const lacking = report.devices.length === 0 ? 'GPU time' : 'whole steps';
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
export class FindingsElement extends PolymerElement {
  static get is() {
    return 'tfperf-findings';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        tfperf-finding { margin-top: 8px; }
        .calm { align-items: baseline; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; display: flex; gap: 12px; margin-top: 8px; padding: 14px 18px; }
        .calm b { font-size: 15px; }
        .calm .mark { color: var(--good); font-weight: 700; }
        tfperf-checks { margin-top: 14px; }
        p:empty { display: none; }
        [role='status'] { margin-top: 6px; }
      </style>
      <h2>What to change, most valuable first <small>[[tally(report)]]</small></h2>
      <div class="calm" hidden$="[[!calm]]">
        <span class="mark" aria-hidden="true">[[calm.mark]]</span>
        <p><b>[[calm.sentence]]</b><br><span class="note">[[calm.note]]</span></p>
      </div>
      <tfperf-filters findings="[[report.findings]]" only="[[only]]"></tfperf-filters>
      <p class="note" role="status">[[state]]</p>
      <template is="dom-repeat" items="[[lines]]" initial-count="20">
        <tfperf-finding finding="[[item.finding]]" index="[[item.rank]]" run="[[report.run]]" access="[[access]]" mark="[[item.mark]]"
          stagger="[[report.stagger]]" opened="[[opened]]" expanded="[[isOpen(item, open)]]"></tfperf-finding>
      </template>
      <tfperf-checks report="[[report]]"></tfperf-checks>
    `;
  }

  static get properties() {
    return {
      report: { type: Object, observer: 'onReport' },
      access: { type: Object, value: null },
      /** Id of the finding that the address opens; without one, see `firstPlaced`. */
      opened: { type: String, value: null, observer: 'onOpened' },
      only: { type: String, value: null },
      marks: { type: Object, value: () => ({}) },
      lines: { type: Array, computed: 'linesOf(report, marks, only)' },
      /** What the user opened or closed: id → whether it is open. */
      open: { type: Object, value: () => ({}) },
      state: { type: String, computed: 'stateOf(lines, report, marks)' },
      calm: { type: Object, computed: 'calmOf(report)' },
    };
  }

  declare report: Report;
  declare access: TraceAccess | null;
  declare opened: string | null;
  declare only: string | null;
  declare marks: Marks;
  declare lines: Line[];
  declare open: Readonly<Record<string, boolean>>;
  declare state: string;
  declare calm: Calm | null;

  override ready(): void {
    super.ready();
    this.addEventListener('finding-toggle', (event) => {
      const { id, expanded } = (event as CustomEvent<{ id: string; expanded: boolean }>).detail;
      this.open = { ...this.open, [id]: expanded };
    });
    // Done before the list is drawn anew: what takes the place of the marked one gets the focus.
    this.addEventListener('mark', (event) => {
      const { id, mark } = (event as CustomEvent<{ id: string; mark: Mark | null }>).detail;
      const at = this.lines.findIndex(({ finding }) => finding.id === id);
      this.open = { ...this.open, [id]: mark === null };
      afterNextRender(this, () => this.elements()[mark === null ? this.lines.findIndex((l) => l.finding.id === id) : at]?.focusHead());
    });
  }

  onReport(report: Report | undefined, before: Report | undefined): void {
    if (report?.run !== before?.run) this.open = {};
  }

  onOpened(opened: string | null): void {
    this.open = {};
    if (opened === null) return;
    afterNextRender(this, () => this.reveal(opened));
  }

  linesOf(report: Report | undefined, marks: Marks, only: string | null): Line[] {
    return report ? lines(report.findings, marks, only) : [];
  }

  stateOf(shown: Line[], report: Report | undefined, marks: Marks): string {
    return report ? tally(shown, report.findings, marks) : '';
  }

  calmOf(report: Report | undefined): Calm | null {
    return report ? calm(report) : null;
  }

  tally(report: Report): string {
    const judged = report.passed.length + report.findings.length;
    if (judged === 0) return '';
    return `${report.findings.length} of ${counted(judged, 'check')} found something`;
  }

  isOpen({ finding, rank, mark }: Line, open: Readonly<Record<string, boolean>>): boolean {
    const chosen = open[finding.id];
    if (chosen !== undefined) return chosen;
    const { opened } = this;
    if (opened !== null && this.report.findings.some((f) => within(f, opened))) return within(finding, opened);
    return mark === null && rank <= firstPlaced(this.report) + 1 && calm(this.report) === null;
  }

  /** Long lists are drawn in pieces, so it may take a few frames until the finding is there. */
  private reveal(id: string, frames = 100): void {
    const found = this.elements().find(({ finding }) => finding && within(finding, id));
    if (found) found.show(id);
    else if (frames > 0 && this.lines.some(({ finding }) => within(finding, id))) {
      requestAnimationFrame(() => this.reveal(id, frames - 1));
    }
  }

  private elements(): FindingElement[] {
    return [...(this.shadowRoot?.querySelectorAll('tfperf-finding') ?? [])] as FindingElement[];
  }
}

customElements.define(FindingsElement.is, FindingsElement);
