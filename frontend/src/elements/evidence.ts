import { html } from 'lit-html';
import { quantity, threshold } from '../format.js';
import type { Evidence } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import './text.js';

/** What a finding rests on: each number, on which side of its threshold it lies, and its source. */
export class EvidenceElement extends TfperfElement {
  static override readonly styles = css`
    li {
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 0 12px;
      justify-content: space-between;
      overflow-wrap: anywhere;
      padding: 4px 0;
    }
    .sentence {
      --first-letter: uppercase;
    }
    .sentence::first-letter {
      text-transform: uppercase;
    }
    b {
      font-weight: 600;
      margin-left: auto;
      text-align: right;
    }
    small {
      color: var(--ink-2);
      flex: 1 0 100%;
      font-size: 12.5px;
    }
  `;
  static readonly properties = { items: Array };

  items!: readonly Evidence[];

  protected override template() {
    return html`<ul>
      ${this.items.map((item) => {
        const against = [threshold(item), item.source].filter(Boolean).join(' · ');
        // Code such as .map(…) keeps its letters.
        const sentence = /^\p{L}/u.test(item.label) ? 'sentence' : '';
        return html`<li>
          <span class=${sentence}><tfperf-text .text=${item.label}></tfperf-text></span>
          <b>${quantity(item.value, item.unit)}</b>
          <small ?hidden=${!against}>${against}</small>
        </li>`;
      })}
    </ul>`;
  }
}

customElements.define('tfperf-evidence', EvidenceElement);
