import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { TraceAccess } from '../backend.js';
import { counted } from '../format.js';
import type { Finding, Report } from '../model.js';
import { sharedStyles } from '../theme.js';
import './checks.js';
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
      </style>
      <h2>What to change, most valuable first <small>[[tally(report)]]</small></h2>
      <div class="calm" hidden$="[[!calm]]">
        <span class="mark" aria-hidden="true">[[calm.mark]]</span>
        <p><b>[[calm.sentence]]</b><br><span class="note">[[calm.note]]</span></p>
      </div>
      <template is="dom-repeat" items="[[report.findings]]" initial-count="20">
        <tfperf-finding finding="[[item]]" index="[[number(index)]]" run="[[report.run]]" access="[[access]]"
          stagger="[[report.stagger]]" expanded="[[isOpen(item, index)]]"></tfperf-finding>
      </template>
      <tfperf-checks report="[[report]]"></tfperf-checks>
    `;
  }

  static get properties() {
    return {
      report: Object,
      access: { type: Object, value: null },
      /** Id of the finding that the address opens; without one, see `firstPlaced`. */
      opened: { type: String, value: null },
      calm: { type: Object, computed: 'calmOf(report)' },
    };
  }

  declare report: Report;
  declare access: TraceAccess | null;
  declare opened: string | null;
  declare calm: Calm | null;

  calmOf(report: Report | undefined): Calm | null {
    return report ? calm(report) : null;
  }

  tally(report: Report): string {
    const judged = report.passed.length + report.findings.length;
    if (judged === 0) return '';
    return `${report.findings.length} of ${counted(judged, 'check')} found something`;
  }

  isOpen(finding: Finding, index: number): boolean {
    const named = this.report.findings.some((f) => f.id === this.opened);
    if (named) return finding.id === this.opened;
    return index <= firstPlaced(this.report) && calm(this.report) === null;
  }

  number(index: number): number {
    return index + 1;
  }
}

customElements.define(FindingsElement.is, FindingsElement);
