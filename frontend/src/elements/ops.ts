import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { bytes, count, counted, duration, percent } from '../format.js';
import type { Capped, HostOp, Kernel, KernelTimes, Op, OpType, Report } from '../model.js';
import { type Filter, elided, filtered, opsSentence, tensorCoreWords } from '../ops.js';
import { phaseLook, phaseWords } from '../phases.js';
import { sharedStyles } from './old.js';
import './table.js';
import type { Column } from './table.js';

/** A name with its middle left out; hover and focus show all of it. */
function name(full: string): Node | string {
  const short = elided(full);
  if (short === full) return full || 'not named';
  const span = document.createElement('span');
  span.textContent = short;
  span.title = full;
  span.className = 'elided';
  span.tabIndex = 0;
  span.addEventListener('focus', () => (span.textContent = full));
  span.addEventListener('blur', () => (span.textContent = short));
  return span;
}

function number<T>(head: string, value: (item: T) => number | null, words: (value: number) => string, meaning?: string): Column<T> {
  const cell = (item: T): string => {
    const found = value(item);
    return found === null ? '' : words(found);
  };
  return { head, cell, value, kind: 'number', meaning };
}

function text<T>(head: string, value: (item: T) => string, meaning?: string): Column<T> {
  return { head, cell: value, value, meaning };
}

function named<T>(head: string, value: (item: T) => string): Column<T> {
  return { head, cell: (item) => name(value(item)), value, kind: 'name' };
}

const TIMES: Column<KernelTimes>[] = [
  text('Phase', ({ phase }) => phaseWords(phase), 'The part of the training that the op belongs to, as far as its name says.'),
  number('Per step', ({ ns }) => ns, duration),
  number('Share', ({ ratio }) => ratio, percent),
  number('Launches', ({ count_per_step }) => count_per_step, count),
  number('Mean', ({ mean_ns }) => mean_ns, duration),
  number('Shortest', ({ min_ns }) => min_ns, duration),
  number('Longest', ({ max_ns }) => max_ns, duration),
];

const OPS: Column<Op>[] = [
  named('Op', (op) => op.name),
  text('Type', ({ type }) => type),
  ...TIMES,
  number('Kernels', ({ kernels }) => kernels, count),
];

const TYPES: Column<OpType>[] = [
  text('Type', ({ type }) => type || 'not named'),
  ...(TIMES as Column<Pick<KernelTimes, 'phase' | 'ns' | 'ratio' | 'count_per_step' | 'mean_ns'>>[]).slice(0, 5),
  number('Ops', ({ ops }) => ops, count),
];

const KERNELS: Column<Kernel>[] = [
  named('Kernel', (kernel) => kernel.name),
  named('Op', ({ op }) => op),
  ...TIMES,
  text('Class', ({ kernel_class }) => kernel_class, 'What kind of work the kernel does.'),
  text('Precision', ({ precision }) => precision, 'The kind of numbers that the kernel computes with.'),
  text('Tensor Cores', tensorCoreWords),
  number('Registers', ({ registers }) => registers, count, 'What each thread of the kernel takes of the GPU’s fastest memory.'),
  number('Shared memory', ({ shared_bytes }) => shared_bytes, bytes, 'Fast memory that the threads of one block share.'),
  text('Grid', ({ grid }) => grid, 'How many blocks the kernel is launched with, in three directions.'),
  text('Block', ({ block }) => block, 'How many threads work together as one block, in three directions.'),
  number('Occupancy', ({ occupancy_ratio }) => occupancy_ratio, percent, 'Threads at work of those that a part of the GPU can hold, in theory.'),
];

const HOST_OPS: Column<HostOp>[] = [
  named('Op', (op) => op.name),
  text('Type', ({ type }) => type),
  number('Own time', ({ self_ns }) => self_ns, duration, 'Without the ops that run inside it.'),
  number('Time', ({ ns }) => ns, duration),
  number('Calls', ({ calls_per_step }) => calls_per_step, count),
];

/** Which ops and kernels take the time: three tables that can be filtered and sorted. */
export class OpsElement extends PolymerElement {
  static get is() {
    return 'tfperf-ops';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .tools { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 8px 0; }
        label { align-items: center; display: flex; font-size: 13px; gap: 8px; }
        input, select { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; padding: 4px 8px; }
        input { width: 220px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
      </style>
      <h2>Ops and kernels <small>per step and GPU</small></h2>
      <p class="name">[[sentence(report)]]</p>
      <div class="tools">
        <label hidden$="[[!phases.length]]">Phase
          <select id="phase" on-change="onFilter">
            <option value="">all</option>
            <template is="dom-repeat" items="[[phases]]"><option value="[[item.id]]">[[item.words]]</option></template>
          </select>
        </label>
        <label>Search <input id="text" type="search" autocomplete="off" spellcheck="false" placeholder="name or type" on-input="onFilter"></label>
        <span class="note" role="status">[[found]]</span>
      </div>
      <tfperf-table heading="Types of ops ([[types.length]])" columns="[[columns.types]]" items="[[types]]"></tfperf-table>
      <tfperf-table id="ops" heading="[[heading('Ops on the GPUs', ops, report.ops)]]" columns="[[columns.ops]]" items="[[ops]]" note="[[capped(report.ops)]]"></tfperf-table>
      <tfperf-table id="kernels" heading="[[heading('Kernels', kernels, report.kernels)]]" columns="[[columns.kernels]]" items="[[kernels]]" note="[[capped(report.kernels)]]"></tfperf-table>
      <tfperf-table id="hostOps" heading="[[heading('Ops on the host', hostOps, report.host_ops)]]" columns="[[columns.hostOps]]" items="[[hostOps]]" note="[[capped(report.host_ops)]]"></tfperf-table>
    `;
  }

  static get properties() {
    return {
      report: { type: Object, observer: 'onReport' },
      phases: { type: Array, value: () => [] },
      types: { type: Array, value: () => [] },
      ops: { type: Array, value: () => [] },
      kernels: { type: Array, value: () => [] },
      hostOps: { type: Array, value: () => [] },
      found: { type: String, value: '' },
      columns: { type: Object, value: () => ({ types: TYPES, ops: OPS, kernels: KERNELS, hostOps: HOST_OPS }) },
    };
  }

  declare report: Report;
  declare phases: { id: string; words: string }[];
  declare types: OpType[];
  declare ops: Op[];
  declare kernels: Kernel[];
  declare hostOps: HostOp[];
  declare found: string;

  onReport({ phases }: Report): void {
    this.phases = (phases?.items ?? []).filter(({ ns }) => ns > 0).map(({ id }) => ({ id, words: phaseLook(id).words }));
    (this.$['phase'] as HTMLSelectElement).value = '';
    (this.$['text'] as HTMLInputElement).value = '';
    this.filter({ phase: '', text: '' });
  }

  onFilter(): void {
    const filter = {
      phase: (this.$['phase'] as HTMLSelectElement).value,
      text: (this.$['text'] as HTMLInputElement).value,
    };
    this.filter(filter);
    const counts = [this.ops, this.kernels, this.hostOps].map(({ length }) => length);
    const all = filter.phase === '' && filter.text.trim() === '';
    this.found = all ? '' : `${counted(counts[0] ?? 0, 'op')}, ${counted(counts[1] ?? 0, 'kernel')} and ${counted(counts[2] ?? 0, 'op')} on the host match.`;
  }

  sentence({ ops }: Report): string {
    return ops ? opsSentence(ops) : 'No kernels can be given to steps in this profile; the host’s ops are below.';
  }

  heading(what: string, shown: unknown[], table: Capped<unknown> | null): string {
    const listed = table?.rows.length ?? 0;
    return `${what} (${shown.length < listed ? `${count(shown.length)} of ` : ''}${count(listed)})`;
  }

  capped(table: Capped<unknown> | null): string {
    return table && table.total > table.rows.length
      ? `The ${count(table.rows.length)} with the most time of ${count(table.total)}.`
      : '';
  }

  /** Ops on the host belong to no phase of the GPU. */
  private filter(filter: Filter): void {
    this.found = '';
    this.types = filtered(this.report.ops?.types ?? [], filter, ({ type }) => [type]);
    this.ops = filtered(this.report.ops?.rows ?? [], filter, ({ name: own, type }) => [own, type]);
    this.kernels = filtered(this.report.kernels?.rows ?? [], filter, (k) => [k.name, k.op, k.kernel_class, k.precision]);
    this.hostOps = filtered(this.report.host_ops?.rows ?? [], { ...filter, phase: '' }, ({ name: own, type }) => [own, type]);
  }
}

customElements.define(OpsElement.is, OpsElement);
