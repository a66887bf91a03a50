import { html, nothing } from 'lit-html';
import { memoryChart, pointsWords } from './chart.js';
import { bytes, count, counted, gpuName, kept } from '../../format.js';
import type { Allocation, GpuMemory, Memory, Table } from '../../model.js';
import { css } from '../../theme.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import { type Column, sortable } from '../../elements/table.js';
import '../../elements/rows.js';
import { Tip } from '../../elements/tip.js';

const ALIVE: Column<Allocation>[] = [
  { head: 'Op', cell: ({ op }) => op || 'not named', kind: 'name', value: ({ op }) => op },
  sortable('In use', ({ size_bytes }) => size_bytes, bytes),
  sortable(
    'Blocks',
    ({ count: blocks }) => blocks,
    (blocks) => (blocks > 0 ? count(blocks) : ''),
  ),
];

/** GPU memory: what the peak is, when, and whose it is. */
export class MemoryElement extends TfperfElement {
  static override readonly styles = css`
    #chart {
      margin-top: 8px;
      padding: 0 4px 0 60px;
    }
    .area {
      fill: var(--account-copy);
      opacity: 0.25;
    }
    .line {
      fill: none;
      stroke: var(--account-copy);
      stroke-width: 1.5;
    }
    .capacity {
      stroke: var(--ink);
      stroke-width: 1.2;
    }
    .before {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
    }
    .peak {
      fill: var(--critical);
    }
    .tick.start {
      text-anchor: start;
    }
    .slot,
    .point {
      fill: transparent;
    }
    g.on .point {
      fill: var(--ink);
    }
    .legend {
      padding-left: 60px;
    }
    .legend i {
      border-top: 2px solid var(--account-copy);
      width: 18px;
    }
    .tables {
      margin-top: 8px;
    }
    tfperf-table + tfperf-rows {
      display: block;
      margin-top: 4px;
    }
  `;
  static readonly properties = { memory: Object, each: Object, chosen: Number };

  memory!: Memory;
  /** The table of all GPUs. */
  each: Table | null = null;
  /** Index of the GPU that is shown. */
  chosen = 0;

  private get gpu(): GpuMemory {
    return this.memory.devices[this.chosen] as GpuMemory;
  }

  protected override changed(former: Former): void {
    if ('memory' in former) this.chosen = 0;
  }

  protected override template() {
    const { memory, each, gpu, chosen } = this;
    const { devices, devices_total } = memory;
    const some = devices.length < devices_total ? `the fullest ${devices.length} of ` : '';
    const several = new Set(devices.map(({ host }) => host)).size > 1;
    return html`
      <p class="note">Of ${some}${counted(devices_total, 'GPU')}, as the framework’s allocator recorded it.</p>
      <p class="name">${kept(gpu.said)}</p>
      <label class="picks" ?hidden=${devices.length < 2}
        >GPU
        <select id="choice" @change=${this.onChoice}>
          ${devices.map(
            (one, i) => html`<option .value=${String(i)} .selected=${i === chosen}>${gpuName(one, several)}</option>`,
          )}
        </select>
      </label>
      <div id="chart"></div>
      <ul class="legend" aria-label="Lines">
        <li><i></i>in use</li>
        <li ?hidden=${!gpu.before_bytes}>
          <i class="dashed"></i>allocated before the recording and still in use at the peak
        </li>
      </ul>
      <p class="note">
        Events of the allocator in their order; their times, below the chart, are not to scale. In TensorFlow memory is
        allocated when work is launched, ahead of the GPU. ${kept(gpu.note)}
      </p>
      <div class="tables">
        <tfperf-table
          panel="memory"
          heading="What is in use at the peak"
          .columns=${ALIVE}
          .items=${alive(gpu)}
          .note=${capped(gpu)}
        ></tfperf-table>
        ${each ? html`<tfperf-rows folded .table=${each}></tfperf-rows>` : nothing}
      </div>
    `;
  }

  protected override drawn(): void {
    const { gpu } = this;
    const { drawing, groups } = memoryChart(gpu, `Memory in use over time. ${gpu.said}`);
    const chart = this.child('chart');
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, groups, pointsWords(gpu));
  }

  private onChoice(event: Event): void {
    this.chosen = (event.target as HTMLSelectElement).selectedIndex;
  }
}

/** What was there before the recording has no name, but is part of the whole. */
function alive(gpu: GpuMemory): Allocation[] {
  const before = { op: 'allocated before the recording', size_bytes: gpu.before_bytes, count: 0 };
  return gpu.before_bytes > 0 ? [before, ...gpu.alive] : gpu.alive;
}

function capped({ alive, alive_total }: GpuMemory): string {
  return alive_total > alive.length
    ? `The ${count(alive.length)} ops that hold the most, of ${count(alive_total)}.`
    : '';
}

customElements.define('tfperf-memory', MemoryElement);
