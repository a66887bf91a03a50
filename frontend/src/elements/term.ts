import { html } from 'lit-html';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import { explain } from './tip.js';

/** A term of the field, with its meaning on hover, focus and tap. */
export class TermElement extends TfperfElement {
  static override readonly styles = css`
    :host { color: inherit; display: inline-block; font: inherit; position: relative; }
    :host([first]) #word::first-letter { text-transform: var(--first-letter, none); }
  `;
  static readonly properties = { word: String, meaning: String };

  word = '';
  meaning = '';

  // Nothing but the word counts as text of the sentence that it stands in.
  protected override template() {
    return html`<button id="word" class="bare term" aria-description=${this.meaning}>${this.word}</button><span id="meaning"></span>`;
  }

  override ready(): void {
    super.ready();
    explain(this.child('word'), this.child('meaning'), () => this.meaning);
  }
}

customElements.define('tfperf-term', TermElement);
