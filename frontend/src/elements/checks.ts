import '@polymer/polymer/lib/elements/dom-repeat.js';
import '@polymer/polymer/lib/elements/dom-if.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { count } from '../format.js';
import { pageHref } from '../links.js';
import type { Report, Row } from '../model.js';
import { sharedStyles } from './old.js';
import type { RepeatEvent } from './base.js';
import './limits.js';

interface Group {
  id: string;
  count: string;
  words: string;
  rows: Row[];
  /** Whether the rows are rules, which have pages. */
  rules: boolean;
}

/** Every check that is no finding, and what the reader had to guess: counts first, rows on demand. */
export class ChecksElement extends PolymerElement {
  static get is() {
    return 'tfperf-checks';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .groups { display: flex; flex-wrap: wrap; gap: 4px 24px; }
        .group { color: var(--ink-2); font-size: 13px; padding: 2px 0; }
        .group:hover { color: var(--ink); }
        .group b { color: var(--ink); }
        .group::before { content: '▸'; display: inline-block; margin-right: 6px; transition: transform 0.1s; }
        .group[aria-expanded='true']::before { transform: rotate(90deg); }
        .rows { border: 1px solid var(--line); border-radius: 10px; margin-top: 8px; padding: 4px 18px; }
        li { padding: 9px 0; }
        li + li { border-top: 1px solid var(--line); }
        ul { list-style: none; padding: 0; }
        .title { align-items: baseline; display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; }
        h3 { font-size: 14px; font-weight: 600; margin: 0; }
        .reason { overflow-wrap: anywhere; white-space: pre-line; }
        @media (prefers-reduced-motion: reduce) { .group::before { transition: none; } }
      </style>
      <div class="groups">
        <template is="dom-repeat" items="[[groups]]">
          <button class="bare group" aria-expanded$="[[isOpen(item, open)]]" aria-controls="rows" on-click="onOpen">
            <b>[[item.count]]</b> [[item.words]]
          </button>
        </template>
      </div>
      <div id="rows">
        <template is="dom-if" if="[[open]]">
          <ul class="rows" aria-label$="[[open.words]]">
            <template is="dom-repeat" items="[[open.rows]]">
              <li>
                <div class="title">
                  <h3 class="name">[[item.title]]</h3>
                  <a class="note" href$="[[page(item, open)]]" hidden$="[[!open.rules]]" target="_blank" rel="noopener" aria-label$="How this is measured: [[item.title]]">How this is measured</a>
                </div>
                <p class="reason">[[item.reason]]</p>
                <p class="note reason" hidden$="[[!item.how]]">[[item.how]]</p>
                <tfperf-limits rule="[[item.id]]" of="[[item.title]]" hidden$="[[!open.rules]]"></tfperf-limits>
              </li>
            </template>
          </ul>
        </template>
      </div>
    `;
  }

  static get properties() {
    return {
      report: { type: Object, observer: 'onReport' },
      groups: Array,
      open: { type: Object, value: null },
    };
  }

  declare report: Report;
  declare groups: Group[];
  declare open: Group | null;

  onReport(report: Report): void {
    const anomalies = report.anomalies.map((a) => ({
      id: a.name,
      title: `${a.name} (${count(a.count)})`,
      reason: a.sentence,
      how: a.severity === 'data_loss' ? 'Part of the recorded data could not be used.' : '',
    }));
    const groups: [string, string, Row[], boolean][] = [
      ['errors', 'failed while checking', report.errors, true],
      ['passed', 'passed', report.passed, true],
      ['missing_data', 'could not be checked, and how to', report.missing_data, true],
      ['not_applicable', 'do not apply', report.not_applicable, true],
      ['manual', 'to check by hand', report.manual, false],
      ['anomalies', 'oddities in the file', anomalies, false],
    ];
    this.groups = groups
      .filter(([, , rows]) => rows.length > 0)
      .map(([id, words, rows, rules]) => ({ id, words, rows, rules, count: count(rows.length) }));
    this.open = this.groups.find(({ id }) => id === this.open?.id) ?? null;
  }

  onOpen(event: RepeatEvent<Group>): void {
    this.open = this.open === event.model.item ? null : event.model.item;
  }

  page(item: Row, open: Group | null): string | undefined {
    return open?.rules ? pageHref(document.baseURI, item.id) : undefined;
  }

  isOpen(item: Group, open: Group | null): string {
    return String(item === open);
  }
}

customElements.define(ChecksElement.is, ChecksElement);
