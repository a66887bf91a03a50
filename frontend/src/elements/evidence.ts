import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { quantity, threshold } from '../format.js';
import type { Evidence } from '../model.js';
import { sharedStyles } from './old.js';
import './text.js';

/** What a finding rests on: each number beside the threshold it is held against and its source. */
export class EvidenceElement extends PolymerElement {
  static get is() {
    return 'tfperf-evidence';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        td { overflow-wrap: anywhere; }
        td.sentence { --first-letter: uppercase; }
        td.sentence::first-letter { text-transform: uppercase; }
        td.number { overflow-wrap: normal; }
        td.words { width: 250px; text-align: right; }
        .against { color: var(--ink-2); text-align: right; width: 38%; }
        .against div + div { font-size: 12.5px; }
      </style>
      <table>
        <caption class="unseen">Evidence</caption>
        <thead class="unseen"><tr><th>What</th><th>Value</th><th>Threshold and source</th></tr></thead>
        <tbody>
          <template is="dom-repeat" items="[[items]]">
            <tr>
              <td class$="[[labelClass(item)]]"><tfperf-text text="[[item.label]]"></tfperf-text></td>
              <td class$="[[valueClass(item)]]">[[value(item)]]</td>
              <td class="against"><div>[[against(item)]]</div><div>[[item.source]]</div></td>
            </tr>
          </template>
        </tbody>
      </table>
    `;
  }

  static get properties() {
    return { items: Array };
  }

  declare items: Evidence[];

  /** Code such as .map(…) keeps its letters. */
  labelClass({ label }: Evidence): string {
    return /^\p{L}/u.test(label) ? 'sentence' : '';
  }

  value(item: Evidence): string {
    return quantity(item.value, item.unit);
  }

  valueClass(item: Evidence): string {
    return this.value(item).length > 24 ? 'words' : 'number';
  }

  against(item: Evidence): string {
    return threshold(item);
  }
}

customElements.define(EvidenceElement.is, EvidenceElement);
