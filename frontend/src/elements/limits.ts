import '@polymer/polymer/lib/elements/dom-if.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { sharedStyles } from '../theme.js';

/** A rule's thresholds on demand; what shows them is loaded on first use. */
export class LimitsElement extends PolymerElement {
  static get is() {
    return 'tfperf-limits';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        button { color: var(--accent); font-size: 13px; }
        tfperf-thresholds { margin-top: 6px; }
      </style>
      <button class="bare" aria-expanded$="[[text(open)]]" aria-label$="Thresholds: [[of]]" on-click="onToggle">Thresholds</button>
      <template is="dom-if" if="[[open]]" restamp><tfperf-thresholds rule="[[rule]]"></tfperf-thresholds></template>
    `;
  }

  static get properties() {
    return {
      rule: { type: String, observer: 'onRule' },
      /** The finding's or check's title, for who does not see it above the button. */
      of: String,
      open: { type: Boolean, value: false },
    };
  }

  declare rule: string;
  declare of: string;
  declare open: boolean;

  onRule(): void {
    this.open = false;
  }

  text(value: boolean): string {
    return String(value);
  }

  async onToggle(): Promise<void> {
    await import('./thresholds.js');
    this.open = !this.open;
  }
}

customElements.define(LimitsElement.is, LimitsElement);
