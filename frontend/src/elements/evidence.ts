import { html } from 'lit-html';
import { quantity, threshold } from '../format.js';
import type { Evidence } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import './text.js';

/** What a finding rests on: each number beside the threshold it is held against and its source. */
export class EvidenceElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    td {
      overflow-wrap: anywhere;
    }
    td.sentence {
      --first-letter: uppercase;
    }
    td.sentence::first-letter {
      text-transform: uppercase;
    }
    td.number {
      overflow-wrap: normal;
    }
    td.words {
      width: 250px;
      text-align: right;
    }
    .against {
      color: var(--ink-2);
      text-align: right;
      width: 38%;
    }
    .against div + div {
      font-size: 12.5px;
    }
  `;
  static readonly properties = { items: Array };

  items!: Evidence[];

  protected override template() {
    return html`
      <table>
        <caption class="unseen">
          Evidence
        </caption>
        <thead class="unseen">
          <tr>
            <th>What</th>
            <th>Value</th>
            <th>Threshold and source</th>
          </tr>
        </thead>
        <tbody>
          ${this.items.map(row)}
        </tbody>
      </table>
    `;
  }
}

function row(item: Evidence) {
  const value = quantity(item.value, item.unit);
  // Code such as .map(…) keeps its letters.
  const sentence = /^\p{L}/u.test(item.label);
  return html`
    <tr>
      <td class=${sentence ? 'sentence' : ''}><tfperf-text .text=${item.label}></tfperf-text></td>
      <td class=${value.length > 24 ? 'words' : 'number'}>${value}</td>
      <td class="against">
        <div>${threshold(item)}</div>
        <div>${item.source}</div>
      </td>
    </tr>
  `;
}

customElements.define('tfperf-evidence', EvidenceElement);
