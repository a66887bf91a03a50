import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { sharedStyles } from '../theme.js';
import { explain } from './tip.js';

/** A term of the field, with its meaning on hover, focus and tap. */
export class TermElement extends PolymerElement {
  static get is() {
    return 'tfperf-term';
  }

  static get template() {
    const template = html`
      ${sharedStyles}
      <style>
        :host { color: inherit; display: inline-block; font: inherit; position: relative; }
        :host([first]) #word::first-letter { text-transform: var(--first-letter, none); }
      </style>
      <button id="word" class="bare term" aria-description$="[[meaning]]">[[word]]</button><span id="meaning"></span>
    `;
    // Nothing but the word counts as text of the sentence that it stands in.
    template.setAttribute('strip-whitespace', '');
    return template;
  }

  static get properties() {
    return { word: String, meaning: String };
  }

  declare word: string;
  declare meaning: string;

  override ready(): void {
    super.ready();
    explain(this.$['word'] as HTMLElement, this.$['meaning'] as HTMLElement, () => this.meaning);
  }
}

customElements.define(TermElement.is, TermElement);
