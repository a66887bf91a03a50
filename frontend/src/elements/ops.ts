import { html } from 'lit-html';
import { bytes, count, counted, duration, percent, teraflops } from '../format.js';
import type { HostOp, Kernel, Op, OpType, Report } from '../model.js';
import { type Filter, filtered, opsSentence, tensorCoreWords } from '../ops.js';
import { phaseLook, phaseWords } from '../phases.js';
import { boundRatio, rateOf, toWin } from '../roofline.js';
import { css } from '../theme.js';
import type { Capped, KernelTimes } from '../types.js';
import { type Former, TfperfElement } from './base.js';
import { opName } from './op_name.js';
import './table.js';
import type { Column } from './table.js';

const ALL: Filter = { phase: '', text: '' };

function number<T>(head: string, value: (item: T) => number | null, words: (value: number) => string): Column<T> {
  const cell = (item: T): string => {
    const found = value(item);
    return found === null ? '' : words(found);
  };
  return { head, cell, value, kind: 'number' };
}

function text<T>(head: string, value: (item: T) => string): Column<T> {
  return { head, cell: value, value };
}

function named<T>(head: string, value: (item: T) => string): Column<T> {
  return { head, cell: (item) => opName(value(item)), value, kind: 'name' };
}

const TIMES: Column<KernelTimes>[] = [
  number('Per step', ({ ns }) => ns, duration),
  number('Share', ({ ratio }) => ratio, percent),
];

const LAUNCHES: Column<KernelTimes>[] = [
  text('Phase', ({ phase }) => phaseWords(phase)),
  number('Launches', ({ count_per_step }) => count_per_step, count),
  number('Mean', ({ mean_ns }) => mean_ns, duration),
  number('Shortest', ({ min_ns }) => min_ns, duration),
  number('Longest', ({ max_ns }) => max_ns, duration),
];

type Judged = Pick<Op, 'flops' | 'floor_ns' | 'peak_ns' | 'judged_ns' | 'bound_by'>;

/** Against the GPU's limits. */
const LIMITS: Column<Judged>[] = [
  number('To win', toWin, duration),
  number('TFLOP/s', rateOf, teraflops),
  number('Of the bound', boundRatio, percent),
  text('Bound by', ({ bound_by }) => bound_by),
];

/** Numbers first: names are long, and what does not fit is scrolled to. */
const OPS: Column<Op>[] = [
  ...TIMES,
  ...LIMITS,
  named('Op', (op) => op.name),
  text('Type', ({ type }) => type),
  ...LAUNCHES,
  number('Kernels', ({ kernels }) => kernels, count),
  text('Format', ({ format }) => format),
  text('Why not judged', ({ not_judged }) => not_judged),
];

const TYPES: Column<OpType>[] = [
  ...(TIMES as Column<Pick<KernelTimes, 'ns' | 'ratio'>>[]),
  text('Type', ({ type }) => type || 'not named'),
  ...(LAUNCHES as Column<Pick<KernelTimes, 'phase' | 'count_per_step' | 'mean_ns'>>[]).slice(0, 3),
  number('Ops', ({ ops }) => ops, count),
];

const KERNELS: Column<Kernel>[] = [
  ...TIMES,
  ...LIMITS,
  named('Kernel', (kernel) => kernel.name),
  named('Op', ({ op }) => op),
  ...LAUNCHES,
  text('Class', ({ kernel_class }) => kernel_class),
  text('Precision', ({ precision }) => precision),
  text('Tensor Cores', tensorCoreWords),
  number('Registers', ({ registers }) => registers, count),
  number('Shared memory', ({ shared_bytes }) => shared_bytes, bytes),
  text('Grid', ({ grid }) => grid),
  text('Block', ({ block }) => block),
  number('Occupancy', ({ occupancy_ratio }) => occupancy_ratio, percent),
];

/** Columns that say nothing of any row of such a report are left out. */
const OPS_UNJUDGED = unjudged(OPS);
const KERNELS_UNJUDGED = unjudged(KERNELS);

function unjudged<T>(columns: Column<T>[]): Column<T>[] {
  const heads = [...LIMITS.map(({ head }) => head), 'Format', 'Why not judged'];
  return columns.filter(({ head }) => !heads.includes(head));
}

const HOST_OPS: Column<HostOp>[] = [
  named('Op', (op) => op.name),
  text('Type', ({ type }) => type),
  number('Own time', ({ self_ns }) => self_ns, duration),
  number('Time', ({ ns }) => ns, duration),
  number('Calls', ({ calls_per_step }) => calls_per_step, count),
];

const NO_KERNELS = 'No kernels can be given to steps in this profile; the host’s ops are below.';

/** Which ops and kernels take the time: three tables that can be filtered and sorted. */
export class OpsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    .tools {
      display: flex;
      flex-wrap: wrap;
      gap: 8px 20px;
      margin: 8px 0;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
    }
    input,
    select {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 4px 8px;
    }
    input {
      width: 220px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
  `;
  static readonly properties = { report: Object, filter: Object };

  report!: Report;
  private filter = ALL;

  protected override changed(former: Former): void {
    if ('report' in former) this.filter = ALL;
  }

  protected override template() {
    const { filter, report } = this;
    const phases = (report.phases?.items ?? []).filter(({ ns }) => ns > 0);
    const types = filtered(report.ops?.types ?? [], filter, ({ type }) => [type]);
    const ops = filtered(report.ops?.rows ?? [], filter, ({ name: own, type }) => [own, type]);
    const kernels = filtered(report.kernels?.rows ?? [], filter, (k) => [k.name, k.op, k.kernel_class, k.precision]);
    // Ops on the host belong to no phase of the GPU.
    const hostOps = filtered(report.host_ops?.rows ?? [], { ...filter, phase: '' }, ({ name: own, type }) => [
      own,
      type,
    ]);
    const judged = [...(report.ops?.rows ?? []), ...(report.kernels?.rows ?? [])].some(
      (row) => row.flops !== null || row.floor_ns !== null,
    );
    const all = filter.phase === '' && filter.text.trim() === '';
    const found = all
      ? ''
      : `${counted(ops.length, 'op')}, ${counted(kernels.length, 'kernel')} and ` +
        `${counted(hostOps.length, 'op')} on the host match.`;
    return html`
      <h2>Ops and kernels <small>per step and GPU</small></h2>
      <p class="name">${report.ops ? opsSentence(report.ops) : NO_KERNELS}</p>
      <div class="tools">
        <label ?hidden=${phases.length === 0}
          >Phase
          <select id="phase" @change=${this.onFilter}>
            <option value="">all</option>
            ${phases.map(({ id }) => html`<option .value=${id}>${phaseLook(id).words}</option>`)}
          </select>
        </label>
        <label
          >Search
          <input
            id="text"
            type="search"
            autocomplete="off"
            spellcheck="false"
            placeholder="name or type"
            @input=${this.onFilter}
        /></label>
        <span class="note" role="status">${found}</span>
      </div>
      <tfperf-table
        panel="ops"
        .heading="Types of ops (${types.length})"
        .columns=${TYPES}
        .items=${types}
      ></tfperf-table>
      ${table('ops', 'Ops on the GPUs', judged ? OPS : OPS_UNJUDGED, ops, report.ops)}
      ${table('kernels', 'Kernels', judged ? KERNELS : KERNELS_UNJUDGED, kernels, report.kernels)}
      ${table('hostOps', 'Ops on the host', HOST_OPS, hostOps, report.host_ops)}
    `;
  }

  protected override drawn(former: Former): void {
    if (!('report' in former)) return;
    this.field('phase').value = '';
    this.field('text').value = '';
  }

  private field(id: string): HTMLInputElement | HTMLSelectElement {
    return this.child(id) as HTMLInputElement | HTMLSelectElement;
  }

  private onFilter(): void {
    this.filter = { phase: this.field('phase').value, text: this.field('text').value };
  }
}

function table<T>(id: string, what: string, columns: Column<T>[], shown: T[], all: Capped<T> | null) {
  const listed = all?.rows.length ?? 0;
  const heading = `${what} (${shown.length < listed ? `${count(shown.length)} of ` : ''}${count(listed)})`;
  const note = all && all.total > listed ? `The ${count(listed)} with the most time of ${count(all.total)}.` : '';
  return html`<tfperf-table
    panel="ops"
    id=${id}
    .heading=${heading}
    .columns=${columns}
    .items=${shown}
    .note=${note}
  ></tfperf-table>`;
}

customElements.define('tfperf-ops', OpsElement);
