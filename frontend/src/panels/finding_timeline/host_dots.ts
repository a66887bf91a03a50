import { html, nothing } from 'lit-html';
import { styleMap } from 'lit-html/directives/style-map.js';
import { TfperfElement, fire } from '../../elements/base.js';
import { duration } from '../../format.js';
import type { HostTimes } from '../../model.js';
import { css } from '../../theme.js';
import { type HostDot, hostDots } from './logic.js';

/** Hosts whose name and time stand beside their dot. */
const NAMED = 2;

/** A dot for each host on an axis of its own step time; one can be chosen. */
export class HostDotsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
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
    i {
      cursor: pointer;
      height: var(--pitch);
      position: absolute;
      width: var(--pitch);
    }
    i::before {
      background: var(--account-compute);
      border-radius: 50%;
      content: '';
      inset: 1px;
      position: absolute;
    }
    .slow::before {
      background: var(--critical);
    }
    i:hover::before,
    :focus-visible > .at::before {
      box-shadow: 0 0 0 2px var(--accent);
    }
    i[aria-selected='true']::before {
      box-shadow:
        0 0 0 2px var(--panel),
        0 0 0 4px var(--accent);
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
      height: 17px;
    }
  `;
  static readonly properties = { hosts: Array, chosen: String, at: String };

  hosts: readonly HostTimes[] = [];
  /** The host whose rows alone are shown. */
  chosen: string | null = null;
  /** The host that the keyboard is at. */
  at: string | null = null;

  protected override template() {
    const { hosts, chosen, at } = this;
    const { dots, ticks, pitch, height } = hostDots(hosts);
    const told = at ?? chosen;
    const here = Math.max(
      dots.findIndex(({ host }) => host === told),
      0,
    );
    const named = dots.filter(({ slow, host }) => slow || host === told).slice(-NAMED);
    return html`
      <header>
        <h2>Own step time of each host</h2>
        <span class="note">mean step without waiting for other GPUs · one dot a host</span>
      </header>
      <div
        id="dots"
        role="listbox"
        tabindex="0"
        aria-label="Hosts by own step time"
        aria-orientation="horizontal"
        aria-activedescendant="dot-${here}"
        style="--pitch:${pitch}px;height:${Math.max(height, 14)}px"
        @keydown=${(event: KeyboardEvent) => this.onKey(event, dots, here)}
        @blur=${() => (this.at = null)}
      >
        ${dots.map(
          ({ host, words, slow, left, level }, i) =>
            html`<i
              class="${slow ? 'slow' : ''} ${i === here ? 'at' : ''}"
              role="option"
              id="dot-${i}"
              aria-selected=${host === chosen}
              aria-label=${words}
              title=${words}
              style="left:${left};bottom:${level * pitch}px"
              @click=${() => this.choose(host)}
            ></i>`,
        )}
        ${named.map(({ host, own_ns, slow, share, left, level }) => {
          const beside: Record<string, string> =
            share > 0.5 ? { right: `calc(100% - ${left} + 4px)` } : { left: `calc(${left} + ${pitch + 4}px)` };
          return html`<div
            class="name"
            aria-hidden="true"
            style=${styleMap({ ...beside, bottom: `${level * pitch}px` })}
          >
            <span>${host}</span> <b>${duration(own_ns)}</b>${slow ? ' slow' : nothing}
          </div>`;
        })}
      </div>
      <div class="axis" aria-hidden="true">
        ${ticks.map(({ words, share }) => html`<span style="left:${(share * 100).toFixed(2)}%">${words}</span>`)}
      </div>
    `;
  }

  private choose(host: string): void {
    this.at = host;
    fire(this, 'host-choose', { host: host === this.chosen ? null : host });
  }

  private onKey(event: KeyboardEvent, dots: readonly HostDot[], here: number): void {
    const { key } = event;
    const last = dots.length - 1;
    const to = {
      ArrowLeft: here - 1,
      ArrowDown: here - 1,
      ArrowRight: here + 1,
      ArrowUp: here + 1,
      Home: 0,
      End: last,
    }[key];
    const host = dots[Math.min(Math.max(to ?? here, 0), last)]?.host;
    if (host === undefined) return;
    if (to !== undefined) this.at = host;
    else if (key === 'Enter' || key === ' ') this.choose(host);
    else return;
    event.preventDefault();
  }
}

customElements.define('tfperf-host-dots', HostDotsElement);
