import { html, nothing } from 'lit-html';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import './thresholds.js';

/** A rule's thresholds on demand. */
export class LimitsElement extends TfperfElement {
  static override readonly styles = css`
    button {
      color: var(--accent);
      font-size: 13px;
      min-height: 24px;
    }
    tfperf-thresholds {
      margin-top: 6px;
    }
  `;
  static readonly properties = { rule: String, of: String, open: Boolean };

  rule!: string;
  /** The finding's or check's title, for who does not see it above the button. */
  of = '';
  open = false;

  protected override changed(former: Former): void {
    if ('rule' in former) this.open = false;
  }

  protected override template() {
    return html`
      <button class="bare" aria-expanded=${this.open} aria-label="Thresholds: ${this.of}" @click=${this.onToggle}>
        Thresholds
      </button>
      ${this.open ? html`<tfperf-thresholds .rule=${this.rule}></tfperf-thresholds>` : nothing}
    `;
  }

  private onToggle(): void {
    this.open = !this.open;
  }
}

customElements.define('tfperf-limits', LimitsElement);
