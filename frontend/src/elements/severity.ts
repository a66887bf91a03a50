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
    span {
      border-radius: 10px;
      display: inline-block;
      font-size: 12.5px;
      font-weight: 600;
      line-height: 20px;
      padding: 0 9px;
      white-space: nowrap;
    }
    i {
      display: inline-block;
      font-size: 11px;
      margin-right: 5px;
    }
    .critical {
      background: var(--critical-ground);
      color: var(--critical);
    }
    .critical i,
    .warning i {
      font-style: normal;
    }
    .warning {
      background: var(--warning-ground);
      color: var(--warning);
    }
    .info {
      background: var(--info-ground);
      color: var(--info);
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
    return html`<span class=${severity}><i aria-hidden="true">${ICONS[severity]}</i>${severity}</span>`;
  }
}

customElements.define('tfperf-severity', SeverityElement);
