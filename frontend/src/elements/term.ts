import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { sharedStyles } from '../theme.js';

/** How near to the edge of the page a meaning may come, in px. */
const MARGIN = 8;

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
        #word { cursor: help; text-decoration: underline dotted var(--control-line); text-underline-offset: 3px; }
        #meaning { left: 0; top: 100%; transform: none; }
      </style>
      <button id="word" class="bare" aria-description$="[[meaning]]" on-focus="onShow" on-blur="onHide" on-click="onShow" on-keydown="onKey">[[word]]</button><span id="meaning" class="tip" role="tooltip" hidden$="[[!shown]]">[[tip(shown, meaning)]]</span>
    `;
    // Nothing but the word counts as text of the sentence that it stands in.
    template.setAttribute('strip-whitespace', '');
    return template;
  }

  static get properties() {
    return { word: String, meaning: String, shown: { type: Boolean, value: false } };
  }

  declare word: string;
  declare meaning: string;
  declare shown: boolean;

  override ready(): void {
    super.ready();
    this.addEventListener('pointerenter', () => this.onShow());
    this.addEventListener('pointerleave', () => this.onHide());
  }

  tip(shown: boolean, meaning: string): string {
    return shown ? meaning : '';
  }

  onShow(): void {
    this.shown = true;
    const tip = this.$['meaning'] as HTMLElement;
    tip.style.left = '0';
    const over = tip.getBoundingClientRect().right + MARGIN - document.documentElement.clientWidth;
    if (over > 0) tip.style.left = `${-over}px`;
  }

  onHide(): void {
    this.shown = false;
  }

  onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.onHide();
  }
}

customElements.define(TermElement.is, TermElement);
