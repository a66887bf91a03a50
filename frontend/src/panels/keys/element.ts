import { html } from 'lit-html';
import { TfperfElement } from '../../elements/base.js';
import { letSingleKeysAct, singleKeysAct } from '../../keys.js';
import { css } from '../../theme.js';
import { KEYS } from './logic.js';

/** A button that lists the keys, as "?" does; single keys can be switched off there. */
export class KeysElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: inline-block;
      margin-top: 8px;
    }
    dialog {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      color: var(--ink);
      max-width: min(760px, 92vw);
      padding: 16px 22px;
    }
    dialog::backdrop {
      background: rgb(0 0 0 / 40%);
    }
    header {
      align-items: center;
      display: flex;
      justify-content: space-between;
    }
    .parts {
      display: grid;
      gap: 0 28px;
      grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr));
    }
    h3 {
      font-size: 13px;
      margin: 12px 0 4px;
    }
    dl {
      display: grid;
      font-size: 13px;
      gap: 4px 12px;
      grid-template-columns: 66px minmax(0, 1fr);
    }
    dt {
      white-space: nowrap;
    }
    kbd {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 4px;
      font: inherit;
      padding: 0 5px;
    }
    label {
      border-top: 1px solid var(--line);
      display: block;
      margin-top: 14px;
      padding-top: 10px;
    }
  `;
  static readonly properties = { act: Boolean };

  /** Whether single keys act on the page. */
  act = singleKeysAct();

  protected override onPageKey(event: KeyboardEvent): void {
    if (event.key !== '?') return;
    event.preventDefault();
    this.open();
  }

  protected override template() {
    return html`
      <button class="button" aria-haspopup="dialog" @click=${this.open}>Keys</button>
      <dialog id="dialog" aria-labelledby="head">
        <header>
          <h2 id="head">Keys</h2>
          <button class="button" @click=${() => this.dialog.close()}>Close</button>
        </header>
        <div class="parts">
          ${KEYS.map(
            ({ head, keys }) =>
              html`<section>
                <h3>${head}</h3>
                <dl>
                  ${keys.map(
                    ([names, does]) =>
                      html`<dt>${names.split(' ').map((name) => html`<kbd>${name}</kbd> `)}</dt>
                        <dd>${does}</dd>`,
                  )}
                </dl>
              </section>`,
          )}
        </div>
        <label>
          <input id="act" type="checkbox" .checked=${this.act} @change=${this.onChange} /> Single keys act; without
          this, letters and signs do nothing outside the timeline
        </label>
      </dialog>
    `;
  }

  private get dialog(): HTMLDialogElement {
    return this.child('dialog') as HTMLDialogElement;
  }

  private open(): void {
    this.act = singleKeysAct();
    if (!this.dialog.open) this.dialog.showModal();
  }

  private onChange(): void {
    this.act = (this.child('act') as HTMLInputElement).checked;
    letSingleKeysAct(this.act);
  }
}

customElements.define('tfperf-keys', KeysElement);
