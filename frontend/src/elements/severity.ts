import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { Severity } from '../model.js';
import { sharedStyles } from './old.js';

const ICONS: Record<Severity, string> = { critical: '●', warning: '▲', info: 'i' };

/** How much a finding matters: icon, word and colour. */
export class SeverityElement extends PolymerElement {
  static get is() {
    return 'tfperf-severity';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: inline-block; }
        span { border-radius: 10px; display: inline-block; font-size: 12.5px; font-weight: 600; line-height: 20px; padding: 0 9px; white-space: nowrap; }
        i { display: inline-block; font-size: 11px; margin-right: 5px; }
        .critical { background: var(--critical-ground); color: var(--critical); }
        .critical i, .warning i { font-style: normal; }
        .warning { background: var(--warning-ground); color: var(--warning); }
        .info { background: var(--info-ground); color: var(--info); }
        .info i { font-family: Georgia, serif; font-size: 13px; }
      </style>
      <span class$="[[severity]]"><i aria-hidden="true">[[icon(severity)]]</i>[[severity]]</span>
    `;
  }

  static get properties() {
    return { severity: String };
  }

  declare severity: Severity;

  icon(severity: Severity): string {
    return ICONS[severity];
  }
}

customElements.define(SeverityElement.is, SeverityElement);
