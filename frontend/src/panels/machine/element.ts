import { html, nothing } from 'lit-html';
import { styleMap } from 'lit-html/directives/style-map.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import '../../elements/rows.js';
import { counted, kept, quantity } from '../../format.js';
import type { Machine, MachineHost, MachineLane, Table } from '../../model.js';
import { css } from '../../theme.js';
import { HEIGHT, lanePlot } from './chart.js';
import { moved, nameOf, profiled, readout, shareOf, stretchAt, timeTicks, topOf, valueAt, wordsAt } from './logic.js';

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** What the machine did during the whole training: a lane for each resource, all on one axis of time. */
export class MachineElement extends TfperfElement {
  static override readonly styles = css`
    #readout {
      font-variant-numeric: tabular-nums;
      margin-top: 8px;
      max-width: none;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #lanes {
      padding-right: 10px;
      touch-action: pan-y;
    }
    .lane {
      column-gap: 8px;
      display: grid;
      grid-template-columns: minmax(0, min(280px, 30%)) 68px minmax(0, 1fr);
      padding: 4px 0;
    }
    .what {
      font-size: 13px;
      line-height: 17px;
      min-width: 0;
    }
    .value {
      font-variant-numeric: tabular-nums;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .value small {
      color: var(--ink-2);
      font-size: 12px;
      line-height: 1;
    }
    .scale {
      color: var(--ink-2);
      display: flex;
      flex-direction: column;
      font-size: 11.5px;
      justify-content: space-between;
      line-height: 12px;
      text-align: right;
      white-space: nowrap;
    }
    .plot,
    #time {
      grid-column: 3;
      position: relative;
    }
    .plot {
      border-bottom: 1px solid var(--control-line);
      border-top: 1px solid var(--line);
      height: ${HEIGHT + 2}px;
    }
    .plot svg {
      display: block;
    }
    .marked {
      fill: var(--warning);
      opacity: 0.16;
    }
    .band {
      fill: var(--accent);
      opacity: 0.3;
    }
    .mean,
    .limit {
      fill: none;
      stroke: var(--accent);
      stroke-width: 1.5;
    }
    .limit {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
    }
    #time {
      cursor: crosshair;
      height: 24px;
    }
    i {
      bottom: 0;
      min-width: 2px;
      pointer-events: none;
      position: absolute;
    }
    #time .mark,
    #time .steps {
      height: 6px;
    }
    #time .mark {
      background: var(--warning);
    }
    #time .steps {
      background: var(--ink);
    }
    #time span {
      bottom: 7px;
      font-size: 11.5px;
      line-height: 14px;
      position: absolute;
      transform: translateX(var(--shift));
      white-space: nowrap;
    }
    .plot .steps,
    .cursor {
      top: 0;
    }
    .plot .steps {
      background: var(--ink);
      opacity: 0.45;
    }
    .cursor {
      background: var(--critical);
      left: calc(var(--at) - 1px);
    }
    .axis {
      grid-column: 3;
      height: 17px;
    }
    .legend {
      margin-top: 4px;
    }
    .legend i {
      position: static;
      height: 12px;
      width: 16px;
    }
    .legend .line {
      border-top: 2px solid var(--accent);
      height: 0;
    }
    .legend .area {
      background: color-mix(in srgb, var(--accent) 30%, var(--page));
    }
    .legend .steps {
      background: var(--ink);
      margin: 0 5px;
      width: 2px;
    }
    .legend .range {
      background: color-mix(in srgb, var(--warning) 16%, var(--page));
      border-bottom: 4px solid var(--warning);
    }
    .note {
      margin-top: 4px;
    }
    @media (max-width: 760px) {
      .lane {
        grid-template-columns: 68px minmax(0, 1fr);
        row-gap: 2px;
      }
      .what {
        display: flex;
        gap: 8px;
        grid-column: 1 / -1;
        justify-content: space-between;
      }
      .value {
        flex: none;
        text-align: right;
        width: 240px;
      }
      .plot,
      #time,
      .axis {
        grid-column: 2;
      }
    }
    @media (max-width: 500px) {
      #readout {
        height: 42px;
        white-space: normal;
      }
      .value {
        width: 76px;
      }
      .value small {
        display: none;
      }
    }
  `;
  static readonly properties = { machine: Object, each: Object, chosen: Number, at: Number };

  machine!: Machine;
  /** The table of all resources. */
  each: Table | null = null;
  /** Index of the host that is shown. */
  chosen = 0;
  /** The stretch of time whose values are shown; null for the means. */
  at: number | null = null;
  private plots: SVGSVGElement[] = [];

  private get host(): MachineHost {
    return this.machine.hosts[this.chosen] as MachineHost;
  }

  protected override changed(former: Former): void {
    if ('machine' in former) this.chosen = 0;
    if (!('machine' in former || 'chosen' in former)) return;
    this.at = null;
    this.plots = this.host.lanes.map((lane) => lanePlot(this.host, lane));
  }

  protected override template() {
    const { machine, each, host, chosen } = this;
    const { hosts, hosts_total } = machine;
    return html`
      <label class="picks" ?hidden=${hosts.length < 2}
        >Host
        <select id="choice" @change=${this.onChoice}>
          ${hosts.map((one, i) => html`<option .value=${String(i)} .selected=${i === chosen}>${one.host}</option>`)}
        </select>
        <span class="note" ?hidden=${hosts.length === hosts_total}>${hosts.length} of ${hosts_total}</span>
      </label>
      <p class="name">${kept(host.said)}</p>
      ${host.lanes.length > 0 ? this.lanes() : nothing}
      ${[...host.problems, ...host.missing].map((said) => html`<p class="note name">${kept(said)}</p>`)}
      ${each ? html`<tfperf-rows folded .table=${each}></tfperf-rows>` : nothing}
    `;
  }

  private lanes() {
    const { host, at } = this;
    const { lanes, watched_ns, marks } = host;
    const means = this.machine.running_ratio === null ? 'Means of all time' : 'Means while steps ran';
    return html`
      <p id="readout">${at === null ? html`<span class="note">${means}</span>` : readout(host, at)}</p>
      <div
        id="lanes"
        style=${styleMap({ '--at': percent(at === null ? 0 : shareOf(host, at)) })}
        @pointerdown=${this.onPointer}
        @pointermove=${this.onPointer}
        @pointerleave=${(event: PointerEvent) => {
          if (event.pointerType === 'mouse') this.at = null;
        }}
      >
        <div class="lane">${this.slider(means)}</div>
        ${lanes.map((lane, i) => this.lane(lane, this.plots[i]))}
        <div class="lane">
          <div class="axis">
            ${timeTicks(watched_ns).map(
              ({ words, share }) => html`<span style=${styleMap({ left: percent(share) })}>${words}</span>`,
            )}
          </div>
        </div>
      </div>
      <ul class="legend" aria-label="Marks">
        <li><i class="line"></i>mean</li>
        <li><i class="area"></i>lowest to highest</li>
        <li><i class="steps"></i>${profiled(host)}</li>
        <li ?hidden=${marks.length === 0}><i class="range"></i>no step ran</li>
      </ul>
      <p class="note">
        Each lane reaches from 0 to the limit, or to the highest value if that is far lower. Hover, tap, or press the
        arrow keys to read a moment; Page up and Page down go from mark to mark. Resources that were never used are left
        out.
      </p>
    `;
  }

  /** The moment that is read; `means`: what is shown while none is. */
  private slider(means: string) {
    const { host, at } = this;
    const steps = host.steps_begin_ns / host.watched_ns;
    const beside = steps < 0.15 ? '0' : steps > 0.85 ? '-100%' : '-50%';
    return html`
      <div
        id="time"
        role="slider"
        tabindex="0"
        aria-label="Time: ${counted(host.lanes.length, 'resource')} over the whole training. ${host.said}"
        aria-valuemin="0"
        aria-valuemax=${host.end_ns.length - 1}
        aria-valuenow=${at ?? 0}
        aria-valuetext=${at === null ? means : wordsAt(host, at)}
        @keydown=${this.onKey}
        @blur=${() => (this.at = null)}
      >
        ${host.marks.map((mark) => this.range('mark', mark.begin_ns, mark.end_ns))} ${this.steps()}
        <span style=${styleMap({ left: percent(steps), '--shift': beside })}>${profiled(host)}</span>
        ${this.cursor()}
      </div>
    `;
  }

  private lane(lane: MachineLane, plot: SVGElement | undefined) {
    return html`
      <div class="lane">
        <div class="what">
          <div class="name">${nameOf(lane)}</div>
          ${this.value(lane)}
        </div>
        <div class="scale"><span>${quantity(topOf(lane), lane.unit)}</span><span>${quantity(0, lane.unit)}</span></div>
        <div class="plot">${plot}${this.steps()}${this.cursor()}</div>
      </div>
    `;
  }

  private range(name: string, begin: number, end: number) {
    const { watched_ns } = this.host;
    const place = { left: percent(begin / watched_ns), width: percent((end - begin) / watched_ns) };
    return html`<i class=${name} style=${styleMap(place)}></i>`;
  }

  private steps() {
    return this.range('steps', this.host.steps_begin_ns, this.host.steps_end_ns);
  }

  private cursor() {
    return this.at === null ? nothing : html`<i class="cursor"></i>`;
  }

  private value(lane: MachineLane) {
    const { at } = this;
    if (at === null) return html`<div class="value">${quantity(lane.usual, lane.unit)}</div>`;
    const { mean, range } = valueAt(lane, at);
    return html`<div class="value">${mean} <small>${range}</small></div>`;
  }

  private onChoice(event: Event): void {
    this.chosen = (event.target as HTMLSelectElement).selectedIndex;
  }

  private onPointer(event: PointerEvent): void {
    const { left, width } = this.child('time').getBoundingClientRect();
    const share = (event.clientX - left) / width;
    this.at = share >= 0 && share <= 1 ? stretchAt(this.host, share * this.host.watched_ns) : null;
  }

  private onKey(event: KeyboardEvent): void {
    const to = event.key === 'Escape' ? null : moved(this.host, this.at, event.key);
    if (to === null && event.key !== 'Escape') return;
    event.preventDefault();
    this.at = to;
  }
}

customElements.define('tfperf-machine', MachineElement);
