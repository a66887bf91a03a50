import { html, nothing } from 'lit-html';
import { TfperfElement, fire } from '../../elements/base.js';
import { duration } from '../../format.js';
import type { HostTimes } from '../../model.js';
import { css } from '../../theme.js';
import { hostDots } from './logic.js';

/** Hosts whose name and time stand beside their dot. */
const NAMED = 2;

/** A dot for each host on an axis of its own step time; one can be chosen. */
export class HostDotsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      margin-bottom: 14px;
    }
    header {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 0 10px;
    }
    #dots,
    .axis {
      margin: 0 12px;
      position: relative;
    }
    #dots {
      border-bottom: 1px solid var(--control-line);
      margin-top: 8px;
    }
    button {
      height: var(--pitch);
      position: absolute;
      width: var(--pitch);
    }
    button::before {
      background: var(--account-compute);
      border-radius: 50%;
      content: '';
      inset: 1px;
      position: absolute;
    }
    .slow::before {
      background: var(--critical);
    }
    button[aria-selected='true']::before {
      box-shadow:
        0 0 0 2px var(--panel),
        0 0 0 4px var(--accent);
    }
    button:hover::before {
      box-shadow: 0 0 0 2px var(--accent);
    }
    button:focus-visible {
      border-radius: 50%;
      outline: 2px solid var(--accent);
      outline-offset: 1px;
      z-index: 1;
    }
    .name {
      font-size: 12px;
      line-height: 11px;
      pointer-events: none;
      position: absolute;
      white-space: nowrap;
    }
    .name span {
      display: inline-block;
      max-width: 220px;
      overflow: hidden;
      text-overflow: ellipsis;
      vertical-align: bottom;
    }
    .axis {
      color: var(--ink-2);
      font-size: 11.5px;
      height: 17px;
    }
    .axis span {
      position: absolute;
      transform: translateX(-50%);
      white-space: nowrap;
    }
  `;
  static readonly properties = { hosts: Array, chosen: String };

  hosts: readonly HostTimes[] = [];
  /** The host whose rows alone are shown. */
  chosen: string | null = null;

  protected override template() {
    const { hosts, chosen } = this;
    const { dots, ticks, pitch, height } = hostDots(hosts);
    const at = Math.max(
      dots.findIndex(({ host }) => host === chosen),
      0,
    );
    const named = dots.filter(({ slow, host }) => slow || host === chosen).slice(-NAMED);
    return html`
      <header>
        <h2>Own step time of each host</h2>
        <span class="note">mean step without waiting for other GPUs · one dot a host</span>
      </header>
      <div
        id="dots"
        role="listbox"
        aria-label="Hosts by own step time"
        aria-orientation="horizontal"
        style="--pitch:${pitch}px;height:${Math.max(height, 14)}px"
        @keydown=${this.onKey}
      >
        ${dots.map(
          ({ host, words, slow, left, level }, i) =>
            html`<button
              class=${slow ? 'bare slow' : 'bare'}
              role="option"
              aria-selected=${host === chosen}
              aria-label=${words}
              title=${words}
              tabindex=${i === at ? 0 : -1}
              style="left:${left};bottom:${level * pitch}px"
              @click=${() => fire(this, 'host-choose', { host: host === chosen ? null : host })}
            ></button>`,
        )}
        ${named.map(({ host, own_ns, slow, share, left, level }) => {
          const beside = share > 0.5 ? `right:calc(100% - ${left} + 4px)` : `left:calc(${left} + ${pitch + 4}px)`;
          return html`<div class="name" aria-hidden="true" style="${beside};bottom:${level * pitch}px">
            <span>${host}</span> <b>${duration(own_ns)}</b>${slow ? ' slow' : nothing}
          </div>`;
        })}
      </div>
      <div class="axis" aria-hidden="true">
        ${ticks.map(({ words, share }) => html`<span style="left:${(share * 100).toFixed(2)}%">${words}</span>`)}
      </div>
    `;
  }

  private onKey(event: KeyboardEvent): void {
    const options = [...this.shadowRoot.querySelectorAll<HTMLElement>('[role=option]')];
    const at = options.indexOf(this.shadowRoot.activeElement as HTMLElement);
    const to = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      ArrowDown: at - 1,
      Home: 0,
      End: options.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    options[to]?.focus({ preventScroll: true });
  }
}

customElements.define('tfperf-host-dots', HostDotsElement);
