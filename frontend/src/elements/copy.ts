import { html } from 'lit-html';
import { copy as toClipboard } from '../clipboard.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, ask } from './base.js';

/** A button that copies a text, or the link to a finding; where the browser forbids it, it shows the text. */
export class CopyElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: inline;
    }
    button {
      color: var(--accent);
      font-size: 13px;
      font-weight: 400;
      min-height: 24px;
    }
    input {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 4px;
      color: var(--ink);
      font: inherit;
      margin-left: 8px;
      padding: 1px 6px;
      width: min(420px, 60vw);
    }
  `;
  static readonly properties = { words: String, text: String, link: String, said: String, shown: String };

  words = '';
  text = '';
  /** Id of the finding whose link is copied, in place of a text. */
  link = '';
  said = '';
  shown = '';

  protected override changed(former: Former): void {
    if ('link' in former || 'text' in former) this.said = this.shown = '';
  }

  protected override template() {
    return html`
      <button class="bare" @click=${this.copy}>${this.words}</button
      ><span role="status" class="note"> ${this.said}</span>
      <input readonly .value=${this.shown} aria-label=${this.words} ?hidden=${!this.shown} />
    `;
  }

  async copy(): Promise<void> {
    const text = this.link ? (ask<string>(this, 'link', { id: this.link }) ?? '') : this.text;
    const copied = await toClipboard(text);
    this.said = copied ? 'Copied' : 'Press Ctrl+C to copy:';
    this.shown = copied ? '' : text;
    if (copied) return;
    this.drawNow();
    const input = this.shadowRoot.querySelector('input');
    input?.focus();
    input?.select();
  }
}

customElements.define('tfperf-copy', CopyElement);
