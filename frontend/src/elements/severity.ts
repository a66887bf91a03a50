import { html } from 'lit-html';
import { css } from '../theme.js';
import type { Severity } from '../types.js';
import { TfperfElement } from './base.js';

export const ICONS: Record<Severity, string> = { critical: '●', warning: '▲', info: 'i' };

/** How much a finding matters: icon, word and colour. */
export class SeverityElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: inline-block;
    }
    .pill {
      display: inline-block;
      line-height: 20px;
      padding: 0 9px;
    }
    i {
      display: inline-block;
      font-size: 11px;
      margin-right: 5px;
    }
    .critical i,
    .warning i {
      font-style: normal;
    }
    .info i {
      font-family: Georgia, serif;
      font-size: 13px;
    }
  `;
  static readonly properties = { severity: String };

  severity!: Severity;

  protected override template() {
    const { severity } = this;
    return html`<span class="pill ${severity}"><i aria-hidden="true">${ICONS[severity]}</i>${severity}</span>`;
  }
}

customElements.define('tfperf-severity', SeverityElement);
