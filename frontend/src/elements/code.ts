import '@polymer/polymer/lib/elements/dom-if.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { copy } from '../clipboard.js';
import { sharedStyles } from './old.js';

/** Code to copy. */
export class CodeElement extends PolymerElement {
  static get is() {
    return 'tfperf-code';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        figure { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; margin: 8px 0 0; }
        figcaption {
          align-items: center; border-bottom: 1px solid var(--line); color: var(--ink-2); display: flex;
          font-size: 12.5px; justify-content: space-between; padding: 2px 4px 2px 12px;
        }
        pre { overflow-x: auto; padding: 8px 12px 10px; }
        .copy { border-radius: 4px; color: var(--accent); font-size: 12.5px; padding: 3px 8px; }
      </style>
      <figure>
        <figcaption>
          <span>[[framework]]</span>
          <button class="bare copy" on-click="onCopy" aria-label$="Copy the code for [[framework]]">[[done]]</button>
        </figcaption>
        <pre id="code" tabindex="0" aria-label$="[[framework]]">[[code]]</pre>
      </figure>
      <div class="unseen" role="status">[[said]]</div>
    `;
  }

  static get properties() {
    return {
      code: { type: String, observer: 'onCode' },
      framework: String,
      /** What the button says: what it does, then what it did. */
      done: { type: String, value: 'Copy' },
      said: { type: String, value: '' },
    };
  }

  declare code: string;
  declare framework: string;
  declare done: string;
  declare said: string;

  onCode(): void {
    this.done = 'Copy';
    this.said = '';
  }

  async onCopy(): Promise<void> {
    this.done = 'Copied';
    if (!(await copy(this.code))) {
      // Select the text, so that one key copies it.
      const pre = this.shadowRoot?.querySelector('#code');
      if (pre) window.getSelection()?.selectAllChildren(pre);
      this.done = 'Selected: press Ctrl+C';
    }
    this.said = this.done;
  }
}

customElements.define(CodeElement.is, CodeElement);
