import { html } from 'lit-html';
import { meaningOf } from '../glossary.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import { explain } from './tip.js';

/** A term of the field, with its meaning on hover, focus and tap. */
export class TermElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      color: inherit;
      display: inline-block;
      font: inherit;
      position: relative;
    }
    :host([first]) #word::first-letter {
      text-transform: var(--first-letter, none);
    }
  `;
  static readonly properties = { word: String, meaning: String };

  word = '';
  /** By default what the glossary says of it. */
  meaning = '';

  // Nothing but the word counts as text of the sentence that it stands in.
  protected override template() {
    return html`<button id="word" class="bare term" aria-description=${this.told()}>${this.word}</button
      ><span id="meaning"></span>`;
  }

  private told(): string {
    return this.meaning || (meaningOf(this.word, 'page') ?? '');
  }

  override ready(): void {
    super.ready();
    explain(this.child('word'), this.child('meaning'), () => this.told());
  }
}

customElements.define('tfperf-term', TermElement);
