import { html } from 'lit-html';
import { memoryChart } from '../charts/memory_chart.js';
import { bytes, count, counted, deviceName, percent } from '../format.js';
import { memoryNote, memorySentence, pointsWords } from '../memory.js';
import type { Allocation, GpuMemory, Memory } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import './table.js';
import type { Column } from './table.js';
import { Tip } from './tip.js';

const ALIVE: Column<Allocation>[] = [
  { head: 'Op', cell: ({ op }) => op || 'not named', kind: 'name', value: ({ op }) => op },
  {
    head: 'In use',
    cell: ({ size_bytes }) => bytes(size_bytes),
    kind: 'number',
    value: ({ size_bytes }) => size_bytes,
  },
  {
    head: 'Blocks',
    cell: ({ count: blocks }) => (blocks > 0 ? count(blocks) : ''),
    kind: 'number',
    value: ({ count: blocks }) => blocks,
  },
];

const DEVICES: Column<GpuMemory>[] = [
  {
    head: 'GPU',
    cell: ({ host, device }) => `${host} ${deviceName(device)}`,
    kind: 'name',
    value: ({ host, device }) => `${host} ${device}`,
  },
  { head: 'Peak', cell: ({ peak_bytes }) => bytes(peak_bytes), kind: 'number', value: ({ peak_bytes }) => peak_bytes },
  {
    head: 'Capacity',
    cell: ({ capacity_bytes }) => bytes(capacity_bytes),
    kind: 'number',
    value: ({ capacity_bytes }) => capacity_bytes,
  },
  {
    head: 'Share',
    cell: (gpu) => percent(gpu.peak_bytes / gpu.capacity_bytes),
    kind: 'number',
    value: (gpu) => gpu.peak_bytes / gpu.capacity_bytes,
  },
  {
    head: 'Least in use',
    cell: ({ lasting_bytes }) => bytes(lasting_bytes),
    kind: 'number',
    value: ({ lasting_bytes }) => lasting_bytes,
  },
  {
    head: 'Largest free block at the peak',
    cell: ({ free_block_bytes: free }) => (free === null ? 'not recorded' : bytes(free)),
    kind: 'number',
    value: ({ free_block_bytes: free }) => free,
  },
];

/** GPU memory: what the peak is, when, and whose it is. */
export class MemoryElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    select {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 4px 8px;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
      margin: 6px 0;
    }
    #chart {
      margin-top: 8px;
      padding: 0 4px 0 60px;
      position: relative;
    }
    #chart svg {
      display: block;
      overflow: visible;
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
    .grid {
      stroke: var(--line);
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
    .mark {
      fill: var(--ink);
      font-size: 12px;
      paint-order: stroke;
      stroke: var(--page);
      stroke-width: 3px;
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .tick.start {
      text-anchor: start;
    }
    .end {
      text-anchor: end;
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
    .legend i.dashed {
      border-top: 2px dashed var(--ink-2);
    }
    .tables {
      margin-top: 8px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
  `;
  static readonly properties = { memory: Object, chosen: Number };

  memory!: Memory;
  /** Index of the GPU that is shown. */
  chosen = 0;

  private get gpu(): GpuMemory {
    return this.memory.devices[this.chosen] as GpuMemory;
  }

  protected override changed(former: Former): void {
    if ('memory' in former) this.chosen = 0;
  }

  protected override template() {
    const { memory, gpu, chosen } = this;
    const { devices, devices_total } = memory;
    const some = devices.length < devices_total ? `the fullest ${devices.length} of ` : '';
    const hosts = new Set(devices.map(({ host }) => host));
    const name = ({ host, device }: GpuMemory): string => `${hosts.size > 1 ? `${host} ` : ''}${deviceName(device)}`;
    return html`
      <p class="note">Of ${some}${counted(devices_total, 'GPU')}, as the framework’s allocator recorded it.</p>
      <p class="name">${sentence(memory, gpu)}</p>
      <label ?hidden=${devices.length < 2}
        >GPU
        <select id="choice" @change=${this.onChoice}>
          ${devices.map((one, i) => html`<option .value=${String(i)} .selected=${i === chosen}>${name(one)}</option>`)}
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
        allocated when work is launched, ahead of the GPU. ${memoryNote(gpu)}
      </p>
      <div class="tables">
        <tfperf-table
          panel="memory"
          heading="What is in use at the peak"
          .columns=${ALIVE}
          .items=${alive(gpu)}
          .note=${capped(gpu)}
        ></tfperf-table>
        <tfperf-table panel="memory" heading="Each GPU" .columns=${DEVICES} .items=${devices}></tfperf-table>
      </div>
    `;
  }

  protected override drawn(): void {
    const { memory, gpu } = this;
    const { drawing, groups } = memoryChart(gpu, `Memory in use over time. ${sentence(memory, gpu)}`);
    const chart = this.child('chart');
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, groups, pointsWords(gpu));
  }

  private onChoice(event: Event): void {
    this.chosen = (event.target as HTMLSelectElement).selectedIndex;
  }
}

function sentence(memory: Memory, gpu: GpuMemory): string {
  return memorySentence(memory, gpu, gpu === memory.devices[0]);
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
