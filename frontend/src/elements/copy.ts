import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { copy } from '../clipboard.js';
import { sharedStyles } from './old.js';
import { ask } from './base.js';

/** A button that copies a text, or the link to a finding; where the browser forbids it, it shows the text. */
export class CopyElement extends PolymerElement {
  static get is() {
    return 'tfperf-copy';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: inline; }
        button { color: var(--accent); font-size: 13px; font-weight: 400; }
        input { background: var(--panel); border: 1px solid var(--control-line); border-radius: 4px; color: var(--ink); font: inherit; margin-left: 8px; padding: 1px 6px; width: min(420px, 60vw); }
      </style>
      <button class="bare" on-click="onCopy">[[words]]</button><span role="status" class="note"> [[said]]</span>
      <input readonly value="[[shown]]" aria-label="[[words]]" hidden$="[[!shown]]">
    `;
  }

  static get properties() {
    return {
      words: String,
      text: { type: String, value: '' },
      /** Id of the finding whose link is copied, in place of a text. */
      link: { type: String, value: '', observer: 'onLink' },
      said: { type: String, value: '' },
      shown: { type: String, value: '' },
    };
  }

  declare words: string;
  declare text: string;
  declare link: string;
  declare said: string;
  declare shown: string;

  onLink(): void {
    this.said = this.shown = '';
  }

  async onCopy(): Promise<void> {
    const text = this.link ? (ask<string>(this, 'link', { id: this.link }) ?? '') : this.text;
    const copied = await copy(text);
    this.said = copied ? 'Copied' : 'Press Ctrl+C to copy:';
    this.shown = copied ? '' : text;
    if (copied) return;
    const input = this.shadowRoot?.querySelector('input');
    input?.focus();
    input?.select();
  }
}

customElements.define(CopyElement.is, CopyElement);
