import { html, nothing } from 'lit-html';
import { pageHref, webAddress } from '../links.js';
import type { Fix, Guide, Snippet } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import './code.js';
import './copy.js';

/** What to do, most useful first, with code to copy and where to read more. */
export class FixElement extends TfperfElement {
  static override readonly styles = css`
    .head {
      align-items: baseline;
      display: flex;
      gap: 6px;
      margin-bottom: 2px;
    }
    h4 {
      font-size: 13px;
      margin: 0;
    }
    ol {
      padding-left: 20px;
    }
    p,
    ol {
      font-size: 13.5px;
      line-height: 19px;
    }
    li {
      padding-left: 2px;
    }
    summary {
      color: var(--accent);
      line-height: 24px;
      margin-top: 2px;
    }
    .frameworks {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 16px;
      margin-top: 10px;
    }
    .framework {
      border-bottom: 2px solid transparent;
      color: var(--ink-2);
      font-size: 13px;
    }
    .framework:hover {
      color: var(--ink);
    }
    .framework[aria-pressed='true'] {
      border-bottom-color: var(--accent);
      color: var(--ink);
    }
    .links a {
      display: inline-block;
      line-height: 24px;
    }
    .links {
      display: flex;
      flex-wrap: wrap;
      gap: 2px 16px;
      margin-top: 2px;
      overflow-wrap: anywhere;
    }
  `;
  static readonly properties = { fix: Object, guide: Object, rule: String, level: Number, snippet: Object };

  fix!: Fix;
  guide!: Guide | null;
  /** Id of the rule whose page says how this is measured. */
  rule!: string;
  /** Of its heading. */
  level = 4;
  /** The snippet that is shown. */
  snippet: Snippet | undefined;

  protected override changed(former: Former): void {
    if ('fix' in former) this.snippet = this.fix.snippets[0];
  }

  protected override template() {
    const { fix, snippet } = this;
    const { summary, actions, snippets } = fix;
    const code = [...new Set(snippets.map(({ framework }) => framework))].join(', ');
    return html`
      <div class="head">
        <h4 id="do" aria-level=${this.level}>Do this</h4>
        <tfperf-copy words="Copy this fix" .text=${whole(fix, snippet)}></tfperf-copy>
      </div>
      <p ?hidden=${!summary}>${summary}</p>
      <ol aria-labelledby="do" ?hidden=${actions.length === 0}>
        ${actions.map((action) => html`<li>${action}</li>`)}
      </ol>
      <details>
        <summary>${code ? `Code for ${code}, and links` : 'Links'}</summary>
        ${
          snippet
            ? html`<div class="frameworks" ?hidden=${snippets.length < 2}>
                  ${snippets.map(
                    (one) =>
                      html`<button
                        class="bare framework"
                        aria-pressed=${one === snippet}
                        @click=${() => (this.snippet = one)}
                      >
                        ${one.framework}
                      </button>`,
                  )}
                </div>
                <tfperf-code .framework=${snippet.framework} .code=${snippet.code}></tfperf-code>`
            : nothing
        }
        <ul class="links note">
          ${this.links().map(
            ({ title, href }) =>
              html`<li>${href ? html`<a href=${href} target="_blank" rel="noopener">${title}</a>` : title}</li>`,
          )}
        </ul>
      </details>
    `;
  }

  private links(): { title: string; href: string | undefined }[] {
    const { guide } = this;
    const others = [...(guide ? [{ title: `Guide: ${guide.section}`, url: guide.url }] : []), ...this.fix.links];
    return [
      { title: 'How this is measured', href: pageHref(document.baseURI, this.rule) },
      ...others.map((link) => ({ title: link.title.trim() || link.url, href: webAddress(link.url) })),
    ];
  }
}

/** As plain text: for a chat, an issue or a commit message. */
function whole({ summary, actions }: Fix, snippet: Snippet | undefined): string {
  const steps = actions.map((action, i) => `${i + 1}. ${action}`);
  const code = snippet ? ['', `${snippet.framework}:`, snippet.code] : [];
  return [summary, ...steps, ...code].filter((line, i) => line || i > 0).join('\n');
}

customElements.define('tfperf-fix', FixElement);
