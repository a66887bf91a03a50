import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { type Filter, filters, toggled } from '../list.js';
import type { Finding } from '../model.js';
import { sharedStyles } from './old.js';
import type { RepeatEvent } from './old.js';
import { fire } from './base.js';

/** Limits the list to severities and groups; each button says how many findings it stands for. */
export class FiltersElement extends PolymerElement {
  static get is() {
    return 'tfperf-filters';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        div { display: flex; flex-wrap: wrap; gap: 6px 8px; margin-top: 8px; }
        .filter { border: 1px solid var(--line); border-radius: 14px; color: var(--ink-2); font-size: 13px; line-height: 20px; padding: 2px 11px; }
        .filter:hover { color: var(--ink); }
        .filter[aria-pressed='true'] { background: var(--info-ground); border-color: var(--accent); color: var(--ink); }
        .all { color: var(--accent); font-size: 13px; margin-left: 4px; }
      </style>
      <div role="group" aria-label="Show only findings of" hidden$="[[!items.length]]">
        <template is="dom-repeat" items="[[items]]">
          <button class="bare filter" aria-pressed$="[[text(item.pressed)]]" on-click="onToggle">[[item.words]] <b>[[item.count]]</b></button>
        </template>
        <button class="bare all" hidden$="[[!only]]" on-click="onAll">Show all</button>
      </div>
    `;
  }

  static get properties() {
    return {
      findings: Array,
      only: { type: String, value: null },
      items: { type: Array, computed: 'itemsOf(findings, only)' },
    };
  }

  declare findings: Finding[];
  declare only: string | null;
  declare items: Filter[];

  itemsOf(findings: Finding[] | undefined, only: string | null): Filter[] {
    return filters(findings ?? [], only);
  }

  text(value: boolean): string {
    return String(value);
  }

  onToggle(event: RepeatEvent<Filter>): void {
    fire(this, 'filter', { only: toggled(this.only, event.model.item.id) });
  }

  onAll(): void {
    fire(this, 'filter', { only: null });
    this.shadowRoot?.querySelector('button')?.focus();
  }
}

customElements.define(FiltersElement.is, FiltersElement);
