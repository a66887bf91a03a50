import { html } from 'lit-html';
import { copy } from '../clipboard.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';

/** Code to copy. */
export class CodeElement extends TfperfElement {
  static override readonly styles = css`
    figure {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 6px;
      margin: 8px 0 0;
    }
    figcaption {
      align-items: center;
      border-bottom: 1px solid var(--line);
      color: var(--ink-2);
      display: flex;
      font-size: 12.5px;
      justify-content: space-between;
      padding: 2px 4px 2px 12px;
    }
    pre {
      overflow: auto hidden;
      overflow-wrap: normal;
      padding: 8px 12px 10px;
      white-space: pre;
    }
    .copy {
      border-radius: 4px;
      color: var(--accent);
      font-size: 12.5px;
      padding: 3px 8px;
    }
  `;
  static readonly properties = { code: String, framework: String, said: String };

  code = '';
  framework = '';
  /** What was done. */
  said = '';

  protected override changed(former: Former): void {
    if ('code' in former) this.said = '';
  }

  protected override template() {
    const { framework, said } = this;
    return html`
      <figure>
        <figcaption>
          <span>${framework}</span>
          <button class="bare copy" @click=${this.onCopy} aria-label="Copy the code for ${framework}">
            ${said || 'Copy'}
          </button>
        </figcaption>
        <pre id="code" tabindex="0" aria-label=${framework}>${this.code}</pre>
      </figure>
      <div class="unseen" role="status">${said}</div>
    `;
  }

  private async onCopy(): Promise<void> {
    const copied = await copy(this.code);
    // Select the text, so that one key copies it.
    if (!copied) window.getSelection()?.selectAllChildren(this.child('code'));
    this.said = copied ? 'Copied' : 'Selected: press Ctrl+C';
  }
}

customElements.define('tfperf-code', CodeElement);
