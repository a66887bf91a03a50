import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { pageHref } from '../links.js';
import type { Finding } from '../model.js';
import { sharedStyles } from './old.js';
import type { RepeatEvent } from './base.js';
import './evidence.js';
import './fix.js';
import './limits.js';
import './severity.js';
import './text.js';

/** How far this profile can be trusted: one chip a note, its whole content on demand. */
export class TrustElement extends PolymerElement {
  static get is() {
    return 'tfperf-trust';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; margin-top: 18px; }
        .chips { display: flex; flex-wrap: wrap; gap: 8px; list-style: none; padding: 0; }
        .chip, .calm { background: var(--ground); border: 1px solid var(--line); border-radius: 15px; color: var(--ink-2); font-size: 13px; line-height: 20px; padding: 4px 12px; text-align: left; }
        .chip:hover, .chip[aria-expanded='true'] { color: var(--ink); }
        .chip[aria-expanded='true'] { border-color: var(--control-line); }
        .chip i, .calm i { font-size: 11px; font-style: normal; margin-right: 6px; }
        .calm { width: fit-content; }
        .calm i { color: var(--good); }
        .critical i { color: var(--critical); }
        .warning i { color: var(--warning); }
        .info i { color: var(--info); font-weight: 700; }
        .note-body { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; margin-top: 8px; padding: 14px 18px; }
        .note-body > * + * { margin-top: 10px; }
        .title { align-items: baseline; display: flex; gap: 10px; }
        h3 { font-size: 15px; font-weight: 600; }
      </style>
      <h2 class="unseen">How far this profile can be trusted</h2>
      <p class="calm" hidden$="[[any(notes)]]"><i aria-hidden="true">✓</i>No check found a reason to doubt this profile.</p>
      <ul class="chips" hidden$="[[!notes.length]]">
        <template is="dom-repeat" items="[[notes]]">
          <li>
            <button class$="chip name [[item.severity]]" aria-expanded$="[[isOpen(item, open)]]" aria-controls="body" on-click="onOpen"><i aria-hidden="true">[[icon(item)]]</i><span class="unseen">[[item.severity]]: </span>[[item.title]]</button>
          </li>
        </template>
      </ul>
      <div id="body">
        <template is="dom-if" if="[[open]]">
          <div class="note-body">
            <div class="title">
              <tfperf-severity severity="[[open.severity]]"></tfperf-severity>
              <h3 class="name">[[open.title]]</h3>
            </div>
            <p class="name"><tfperf-text text="[[open.summary]]"></tfperf-text></p>
            <tfperf-evidence items="[[open.evidence]]" hidden$="[[!open.evidence.length]]"></tfperf-evidence>
            <template is="dom-repeat" items="[[open.explains]]">
              <p class="name">It also explains: [[item.title]]. [[item.summary]] <a class="note" href$="[[page(item)]]" target="_blank" rel="noopener">How this is measured</a></p>
              <tfperf-evidence items="[[item.evidence]]" hidden$="[[!item.evidence.length]]"></tfperf-evidence>
            </template>
            <tfperf-fix fix="[[open.fix]]" guide="[[open.guide]]" rule="[[open.id]]"></tfperf-fix>
            <tfperf-limits rule="[[open.id]]" of="[[open.title]]"></tfperf-limits>
          </div>
        </template>
      </div>
    `;
  }

  static get properties() {
    return {
      notes: { type: Array, observer: 'onNotes' },
      open: { type: Object, value: null },
    };
  }

  declare notes: Finding[];
  declare open: Finding | null;

  onNotes(): void {
    this.open = null;
  }

  any(notes: Finding[] | undefined): boolean {
    return Boolean(notes?.length);
  }

  onOpen(event: RepeatEvent<Finding>): void {
    this.open = this.open === event.model.item ? null : event.model.item;
  }

  page(item: Finding): string {
    return pageHref(document.baseURI, item.id);
  }

  isOpen(item: Finding, open: Finding | null): string {
    return String(item === open);
  }

  icon(item: Finding): string {
    return { critical: '●', warning: '▲', info: 'i' }[item.severity];
  }
}

customElements.define(TrustElement.is, TrustElement);
