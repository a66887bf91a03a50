import { html } from 'lit-html';
import { filters, toggled } from '../list.js';
import type { Finding } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement, fire } from './base.js';

/** Limits the list to severities and groups; each button says how many findings it stands for. */
export class FiltersElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    div {
      display: flex;
      flex-wrap: wrap;
      gap: 6px 8px;
      margin-top: 8px;
    }
    .filter {
      border: 1px solid var(--line);
      border-radius: 14px;
      color: var(--ink-2);
      font-size: 13px;
      line-height: 20px;
      padding: 2px 11px;
    }
    .filter:hover {
      color: var(--ink);
    }
    .filter[aria-pressed='true'] {
      background: var(--info-ground);
      border-color: var(--accent);
      color: var(--ink);
    }
    .all {
      color: var(--accent);
      font-size: 13px;
      margin-left: 4px;
    }
  `;
  static readonly properties = { findings: Array, only: String };

  findings: Finding[] = [];
  only: string | null = null;

  protected override template() {
    const { only } = this;
    const items = filters(this.findings, only);
    return html`
      <div role="group" aria-label="Show only findings of" ?hidden=${items.length === 0}>
        ${items.map(
          ({ id, words, count, pressed }) => html`
            <button
              class="bare filter"
              aria-pressed=${pressed}
              @click=${() => fire(this, 'filter', { only: toggled(only, id) })}
            >
              ${words} <b>${count}</b>
            </button>
          `,
        )}
        <button class="bare all" ?hidden=${!only} @click=${this.onAll}>Show all</button>
      </div>
    `;
  }

  private onAll(): void {
    fire(this, 'filter', { only: null });
    this.shadowRoot.querySelector('button')?.focus();
  }
}

customElements.define('tfperf-filters', FiltersElement);
