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
      line-height: 20px;
      padding: 2px 0;
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
      line-height: 17px;
    }
    small.brief {
      align-self: center;
      flex: none;
    }
  `;
  static readonly properties = { items: Array, brief: Boolean };

  items!: readonly Evidence[];
  /** Whether sources are left out. */
  brief = false;

  protected override template() {
    return html`<ul>
      ${this.items.map((item) => {
        const against = [threshold(item), this.brief ? '' : item.source].filter(Boolean).join(' · ');
        // Code such as .map(…) keeps its letters.
        const sentence = /^\p{L}/u.test(item.label) ? 'sentence' : '';
        return html`<li>
          <span class=${sentence}><tfperf-text .text=${item.label}></tfperf-text></span>
          <b>${quantity(item.value, item.unit)}</b>
          <small class=${this.brief ? 'brief' : ''} ?hidden=${!against}>${against}</small>
        </li>`;
      })}
    </ul>`;
  }
}

customElements.define('tfperf-evidence', EvidenceElement);
