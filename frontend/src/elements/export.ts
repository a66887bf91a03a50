import { html, nothing } from 'lit-html';
import { exportHref } from '../links.js';
import { css } from '../theme.js';
import type { Typed } from '../typed.js';
import { TfperfElement } from './base.js';

const FORMATS = [
  { id: 'html', words: 'HTML', note: 'one file that needs nothing else' },
  { id: 'markdown', words: 'Markdown', note: 'for a pull request or a wiki' },
  { id: 'json', words: 'JSON', note: 'all numbers' },
] as const;

/** A menu that saves the report as a file. */
export class ExportElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: inline-block;
      position: relative;
      white-space: nowrap;
    }
    #open {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      font-size: 13px;
      padding: 5px 10px;
    }
    #open:hover {
      background: var(--ground);
    }
    #menu {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 8px;
      box-shadow: 0 4px 16px rgb(0 0 0 / 20%);
      margin-top: 4px;
      padding: 4px 0;
      position: absolute;
      right: 0;
      top: 100%;
      width: max-content;
      z-index: 3;
    }
    #menu a {
      color: var(--ink);
      display: block;
      padding: 6px 14px;
      text-decoration: none;
    }
    #menu a:hover,
    #menu a:focus {
      background: var(--ground);
    }
    #menu span {
      color: var(--ink-2);
      font-size: 13px;
      margin-left: 8px;
    }
  `;
  static readonly properties = { run: String, typed: Object, shown: Boolean };

  run: string | null = null;
  typed: Typed | null = null;
  shown = false;

  protected override template() {
    const { run, typed, shown } = this;
    const href = (format: (typeof FORMATS)[number]['id']) =>
      run && typed ? exportHref(document.baseURI, run, typed, format) : nothing;
    const item = ({ id, words, note }: (typeof FORMATS)[number]) =>
      html`<a role="menuitem" tabindex="-1" href=${href(id)} download>${words}<span>${note}</span></a>`;
    return html`
      <button
        id="open"
        class="bare"
        aria-haspopup="menu"
        aria-expanded=${shown}
        aria-controls="menu"
        @click=${this.onOpen}
        @keydown=${this.onButtonKey}
      >
        Export <span aria-hidden="true">▾</span>
      </button>
      <div id="menu" role="menu" aria-label="Export" ?hidden=${!shown} @keydown=${this.onKey} @click=${this.onHide}>
        ${FORMATS.map(item)}
      </div>
    `;
  }

  override ready(): void {
    super.ready();
    this.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !this.contains(relatedTarget)) this.shown = false;
    });
  }

  private onOpen(): void {
    this.shown = !this.shown;
    if (this.shown) this.focusItem(0);
  }

  private onHide(): void {
    this.shown = false;
    this.shadowRoot.querySelector('button')?.focus();
  }

  private onButtonKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    this.shown = true;
    this.focusItem(event.key === 'ArrowDown' ? 0 : -1);
  }

  private onKey(event: KeyboardEvent): void {
    const items = this.items();
    const at = items.indexOf(this.shadowRoot.activeElement as HTMLElement);
    // From the button the Tab key goes on.
    if (event.key === 'Escape' || event.key === 'Tab') {
      this.onHide();
      return;
    }
    if (event.key === ' ') items[at]?.click();
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1, ' ': null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to !== null) this.focusItem(to);
  }

  private focusItem(index: number): void {
    this.drawNow();
    const items = this.items();
    items[(index + items.length) % items.length]?.focus();
  }

  private items(): HTMLElement[] {
    return [...this.shadowRoot.querySelectorAll<HTMLElement>('#menu a')];
  }
}

customElements.define('tfperf-export', ExportElement);
