import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { memoryChart } from '../charts/memory_chart.js';
import { bytes, count, counted, deviceName, percent } from '../format.js';
import { memoryNote, memorySentence, pointWords } from '../memory.js';
import type { Allocation, GpuMemory, Memory } from '../model.js';
import { sharedStyles } from './old.js';
import './table.js';
import type { Column } from './table.js';
import { Tip } from './tip.js';

const ALIVE: Column<Allocation>[] = [
  { head: 'Op', cell: ({ op }) => op || 'not named', kind: 'name', value: ({ op }) => op },
  { head: 'In use', cell: ({ size_bytes }) => bytes(size_bytes), kind: 'number', value: ({ size_bytes }) => size_bytes },
  { head: 'Blocks', cell: ({ count: blocks }) => (blocks > 0 ? count(blocks) : ''), kind: 'number', value: ({ count: blocks }) => blocks, meaning: 'Pieces of memory that are in use, each in one go.' },
];

const DEVICES: Column<GpuMemory>[] = [
  { head: 'GPU', cell: ({ host, device }) => `${host} ${deviceName(device)}`, kind: 'name', value: ({ host, device }) => `${host} ${device}` },
  { head: 'Peak', cell: ({ peak_bytes }) => bytes(peak_bytes), kind: 'number', value: ({ peak_bytes }) => peak_bytes },
  { head: 'Capacity', cell: ({ capacity_bytes }) => bytes(capacity_bytes), kind: 'number', value: ({ capacity_bytes }) => capacity_bytes },
  { head: 'Share', cell: (gpu) => percent(gpu.peak_bytes / gpu.capacity_bytes), kind: 'number', value: (gpu) => gpu.peak_bytes / gpu.capacity_bytes },
  { head: 'Least in use', cell: ({ lasting_bytes }) => bytes(lasting_bytes), kind: 'number', value: ({ lasting_bytes }) => lasting_bytes, meaning: 'What is in use all the time that was recorded.' },
  { head: 'Largest free block at the peak', cell: ({ free_block_bytes: free }) => (free === null ? 'not recorded' : bytes(free)), kind: 'number', value: ({ free_block_bytes: free }) => free, meaning: 'A larger tensor finds no place, even if more is free in pieces.' },
];

/** GPU memory: what the peak is, when, and whose it is. */
export class MemoryElement extends PolymerElement {
  static get is() {
    return 'tfperf-memory';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        select { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; padding: 4px 8px; }
        label { align-items: center; display: flex; font-size: 13px; gap: 8px; margin: 6px 0; }
        #chart { margin-top: 8px; padding: 0 4px 0 60px; position: relative; }
        #chart svg { display: block; overflow: visible; }
        .area { fill: var(--account-copy); opacity: 0.25; }
        .line { fill: none; stroke: var(--account-copy); stroke-width: 1.5; }
        .grid { stroke: var(--line); }
        .capacity { stroke: var(--ink); stroke-width: 1.2; }
        .before { stroke: var(--ink-2); stroke-dasharray: 5 4; }
        .peak { fill: var(--critical); }
        .mark { fill: var(--ink); font-size: 12px; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .tick.start { text-anchor: start; }
        .end { text-anchor: end; }
        .slot, .point { fill: transparent; }
        g.on .point { fill: var(--ink); }
        .legend { padding-left: 60px; }
        .legend i { border-top: 2px solid var(--account-copy); width: 18px; }
        .legend i.dashed { border-top: 2px dashed var(--ink-2); }
        .tables { margin-top: 8px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
      </style>
      <h2>GPU memory <small>[[subtitle(memory)]]</small></h2>
      <p class="name">[[sentence(memory, gpu)]]</p>
      <label hidden$="[[!several(memory)]]">GPU
        <select id="choice" on-change="onChoice">
          <template is="dom-repeat" items="[[memory.devices]]"><option value="[[index]]">[[label(item, memory)]]</option></template>
        </select>
      </label>
      <div id="chart"></div>
      <ul class="legend" aria-label="Lines"><li><i></i>in use</li><li hidden$="[[!gpu.before_bytes]]"><i class="dashed"></i>allocated before the recording and still in use at the peak</li></ul>
      <p class="note">Events of the allocator in their order; their times, below the chart, are not to scale. TensorFlow allocates when it launches work, ahead of the GPU. [[note(gpu)]]</p>
      <div class="tables">
        <tfperf-table heading="What is in use at the peak" columns="[[columns.alive]]" items="[[alive(gpu)]]" note="[[capped(gpu)]]"></tfperf-table>
        <tfperf-table heading="Each GPU" columns="[[columns.devices]]" items="[[memory.devices]]"></tfperf-table>
      </div>
    `;
  }

  static get properties() {
    return {
      memory: { type: Object, observer: 'onMemory' },
      gpu: { type: Object, value: null, observer: 'onGpu' },
      columns: { type: Object, value: () => ({ alive: ALIVE, devices: DEVICES }) },
    };
  }

  declare memory: Memory | null;
  declare gpu: GpuMemory | null;

  onMemory(memory: Memory | null): void {
    (this.$['choice'] as HTMLSelectElement).value = '0';
    this.gpu = memory?.devices[0] ?? null;
  }

  onChoice(): void {
    this.gpu = this.memory?.devices[Number((this.$['choice'] as HTMLSelectElement).value)] ?? null;
  }

  onGpu(gpu: GpuMemory | null): void {
    if (!gpu || !this.memory) return;
    const { drawing, groups, points } = memoryChart(gpu, `Memory in use over time. ${this.sentence(this.memory, gpu)}`);
    const chart = this.$['chart'] as HTMLElement;
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, groups, points.map(pointWords));
  }

  subtitle(memory: Memory | null): string {
    return memory ? `${counted(memory.devices.length, 'GPU')}, as TensorFlow’s allocator recorded it` : '';
  }

  sentence(memory: Memory | null, gpu: GpuMemory | null): string {
    return memory && gpu ? memorySentence(memory, gpu, gpu === memory.devices[0]) : '';
  }

  several(memory: Memory | null): boolean {
    return (memory?.devices.length ?? 0) > 1;
  }

  label({ host, device }: GpuMemory, memory: Memory): string {
    const hosts = new Set(memory.devices.map((gpu) => gpu.host));
    return hosts.size > 1 ? `${host} ${deviceName(device)}` : deviceName(device);
  }

  note(gpu: GpuMemory | null): string {
    return gpu ? memoryNote(gpu) : '';
  }

  /** What was there before the recording has no name, but is part of the whole. */
  alive(gpu: GpuMemory | null): Allocation[] {
    if (!gpu) return [];
    const before = { op: 'allocated before the recording', size_bytes: gpu.before_bytes, count: 0 };
    return gpu.before_bytes > 0 ? [before, ...gpu.alive] : gpu.alive;
  }

  capped(gpu: GpuMemory | null): string {
    return gpu && gpu.alive_total > gpu.alive.length
      ? `The ${count(gpu.alive.length)} ops that hold the most, of ${count(gpu.alive_total)}.`
      : '';
  }
}

customElements.define(MemoryElement.is, MemoryElement);
