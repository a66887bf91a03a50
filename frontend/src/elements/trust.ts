import { html, nothing } from 'lit-html';
import { pageHref } from '../links.js';
import type { Finding } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import './evidence.js';
import './fix.js';
import './limits.js';
import { ICONS } from './severity.js';
import './text.js';

/** How far this profile can be trusted: one chip a note, its whole content on demand. */
export class TrustElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      margin-top: 18px;
    }
    .chips {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      list-style: none;
      padding: 0;
    }
    .chip,
    .calm {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 15px;
      color: var(--ink-2);
      font-size: 13px;
      line-height: 20px;
      padding: 4px 12px;
      text-align: left;
    }
    .chip:hover,
    .chip[aria-expanded='true'] {
      color: var(--ink);
    }
    .chip[aria-expanded='true'] {
      border-color: var(--control-line);
    }
    .chip i,
    .calm i {
      font-size: 11px;
      font-style: normal;
      margin-right: 6px;
    }
    .calm {
      width: fit-content;
    }
    .calm i {
      color: var(--good);
    }
    .critical i {
      color: var(--critical);
    }
    .warning i {
      color: var(--warning);
    }
    .info i {
      color: var(--info);
      font-weight: 700;
    }
    .note-body {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .note-body > * + * {
      margin-top: 10px;
    }
    .title {
      align-items: baseline;
      display: flex;
      gap: 10px;
    }
    h3 {
      font-size: 15px;
      font-weight: 600;
    }
  `;
  static readonly properties = { notes: Array, open: Object };

  notes!: Finding[];
  open: Finding | null = null;

  protected override changed(former: Former): void {
    if ('notes' in former) this.open = null;
  }

  protected override template() {
    const { notes, open } = this;
    return html`
      <h2 class="unseen">How far this profile can be trusted</h2>
      <p class="calm" ?hidden=${notes.length > 0}>
        <i aria-hidden="true">✓</i>No check found a reason to doubt this profile.
      </p>
      <ul class="chips" ?hidden=${notes.length === 0}>
        ${notes.map(
          (note) =>
            html` <li>
              <button
                class="chip name ${note.severity}"
                aria-expanded=${note === open}
                aria-controls="body"
                @click=${() => (this.open = note === open ? null : note)}
              >
                <i aria-hidden="true">${ICONS[note.severity]}</i
                ><span class="unseen">${note.severity}: </span>${note.title}
              </button>
            </li>`,
        )}
      </ul>
      <div id="body">${open ? body(open) : nothing}</div>
    `;
  }
}

function body({ id, title, severity, summary, evidence, explains, fix, guide }: Finding) {
  const numbers = (items: Finding['evidence']) =>
    html`<tfperf-evidence .items=${items} ?hidden=${items.length === 0}></tfperf-evidence>`;
  return html`
    <div class="note-body">
      <div class="title">
        <tfperf-severity .severity=${severity}></tfperf-severity>
        <h3 class="name">${title}</h3>
      </div>
      <p class="name"><tfperf-text .text=${summary}></tfperf-text></p>
      ${numbers(evidence)}
      ${explains.map(
        (inner) =>
          html` <p class="name">
              It also explains: ${inner.title}. ${inner.summary}
              <a class="note" href=${pageHref(document.baseURI, inner.id)} target="_blank" rel="noopener"
                >How this is measured</a
              >
            </p>
            ${numbers(inner.evidence)}`,
      )}
      <tfperf-fix .fix=${fix} .guide=${guide} .rule=${id}></tfperf-fix>
      <tfperf-limits .rule=${id} .of=${title}></tfperf-limits>
    </div>
  `;
}

customElements.define('tfperf-trust', TrustElement);
