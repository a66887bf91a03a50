/** What the section of kernels says and lists. */

import { bytes, count, duration, flopsPerS, milliseconds, percent, teraflops } from '../../format.js';
import type { HostOp, KernelName, KeyNumbers, Op, OpType, Phases, Report } from '../../model.js';
import { type Filter, filtered, tensorCoreWords } from '../../ops.js';
import { phaseLook, phasePart, phaseWords } from './phases.js';
import { boundRatio, rateOf, toWin } from './roofline.js';

export type View = 'kernels' | 'ops' | 'types' | 'host';

/** A number of a table: its words, and what its rows are sorted by. */
export interface Value<T> {
  head: string;
  value: (row: T) => number | string | null;
  /** Of numbers; without it the value is a text. */
  words?: (value: number) => string;
}

/** A name, and what is told of it below. */
export interface Name {
  name: string;
  under: string;
  /** "+ 3 more ops": not a part of the name. */
  more: string;
}

/** One of the tables: at most seven columns, and those that a button adds. */
export interface Listing<T = unknown> {
  id: View;
  words: string;
  rows: readonly T[];
  /** How many there are, of which the report has those with the most time. */
  total: number;
  head: string;
  name: (row: T) => Name;
  columns: readonly Value<T>[];
  more: readonly Value<T>[];
  texts: (row: T) => string[];
}

type Timed = Pick<Op, 'ns' | 'ratio' | 'count_per_step'>;
type Judged = Pick<Op, 'flops' | 'floor_ns' | 'peak_ns' | 'judged_ns' | 'bound_by'>;

const TIMES: Value<Timed>[] = [
  { head: 'ms per step', value: ({ ns }) => ns, words: milliseconds },
  { head: 'Share', value: ({ ratio }) => ratio, words: percent },
  { head: 'Calls', value: ({ count_per_step }) => count_per_step, words: count },
];

/** Against the GPU's limits. */
const LIMITS: Value<Judged>[] = [
  { head: 'Bound by', value: ({ bound_by }) => bound_by },
  { head: '% of bound', value: boundRatio, words: percent },
  { head: 'Time to win, ms', value: toWin, words: milliseconds },
];

/** One kernel of several that work for an op is not judged alone, as the op is. */
const KERNEL_LIMITS: Value<Judged>[] = [
  { head: 'Bound by', value: ({ bound_by }) => (bound_by === 'not judged' ? '' : bound_by) },
  ...LIMITS.slice(1),
];

const EACH: Value<Pick<Op, 'mean_ns' | 'min_ns' | 'max_ns'>>[] = [
  { head: 'Mean', value: ({ mean_ns }) => mean_ns, words: duration },
  { head: 'Shortest', value: ({ min_ns }) => min_ns, words: duration },
  { head: 'Longest', value: ({ max_ns }) => max_ns, words: duration },
];

const RATE: Value<Judged> = { head: 'TFLOP/s', value: rateOf, words: teraflops };

const KERNELS: Value<KernelName>[] = [
  { head: 'Judged', value: ({ judged_ns, ns }) => judged_ns && judged_ns / Math.max(1, ns), words: percent },
  RATE,
  { head: 'Phase', value: ({ phases }) => phases.map(phaseWords).filter(Boolean).join(', ') },
  ...EACH,
  { head: 'Class', value: ({ kernel_class }) => kernel_class },
  { head: 'Precision', value: ({ precision }) => precision },
  { head: 'Tensor Cores', value: tensorCoreWords },
  { head: 'Configurations', value: ({ configurations }) => configurations, words: count },
  { head: 'Registers', value: ({ registers }) => registers, words: count },
  { head: 'Shared memory', value: ({ shared_bytes }) => shared_bytes, words: bytes },
  { head: 'Grid', value: ({ grid }) => grid },
  { head: 'Block', value: ({ block }) => block },
  { head: 'Occupancy', value: ({ occupancy_ratio }) => occupancy_ratio, words: percent },
];

const OPS: Value<Op>[] = [
  RATE,
  { head: 'Phase', value: ({ phase }) => phaseWords(phase) },
  ...EACH,
  { head: 'Kernels', value: ({ kernels }) => kernels, words: count },
  { head: 'Format', value: ({ format }) => format },
  { head: 'Why not judged', value: ({ not_judged }) => not_judged },
];

const TYPES: Value<OpType>[] = [
  ...TIMES,
  { head: 'Phase', value: ({ phase }) => phaseWords(phase) },
  { head: 'Mean', value: ({ mean_ns }) => mean_ns, words: duration },
  { head: 'Ops', value: ({ ops }) => ops, words: count },
];

const HOST_OPS: Value<HostOp>[] = [
  { head: 'Own time, ms', value: ({ self_ns }) => self_ns, words: milliseconds },
  { head: 'ms per step', value: ({ ns }) => ns, words: milliseconds },
  { head: 'Calls', value: ({ calls_per_step }) => calls_per_step, words: count },
];

const named = (name: string, under = '', more = ''): Name => ({ name: name || 'not named', under, more });

/** Rows of all kinds are drawn alike. */
function listing<T>(of: Listing<T>): Listing {
  return of as unknown as Listing;
}

/** The tables that have rows. */
export function listings({ ops, kernels, host_ops: host }: Report): Listing[] {
  const all: Listing[] = [
    listing<KernelName>({
      id: 'kernels',
      words: 'By kernel',
      rows: kernels?.names ?? [],
      total: kernels?.names_total ?? 0,
      head: 'Kernel over op',
      name: ({ name, op, ops: n }) => named(name, op, n > 1 ? `+ ${count(n - 1)} more ops` : ''),
      columns: [...TIMES, ...KERNEL_LIMITS],
      more: KERNELS,
      texts: (row) => [row.name, row.op, row.kernel_class, row.precision],
    }),
    listing<Op>({
      id: 'ops',
      words: 'By op',
      rows: ops?.rows ?? [],
      total: ops?.total ?? 0,
      head: 'Op over type',
      name: ({ name, type }) => named(name, type),
      columns: [...TIMES, ...LIMITS],
      more: OPS,
      texts: ({ name, type }) => [name, type],
    }),
    listing<OpType>({
      id: 'types',
      words: 'By type of op',
      rows: ops?.types ?? [],
      total: ops?.types.length ?? 0,
      head: 'Type',
      name: ({ type }) => named(type),
      columns: TYPES,
      more: [],
      texts: ({ type }) => [type],
    }),
    listing<HostOp>({
      id: 'host',
      words: 'On the host',
      rows: host?.rows ?? [],
      total: host?.total ?? 0,
      head: 'Op over type',
      name: ({ name, type }) => named(name, type),
      columns: HOST_OPS,
      more: [],
      texts: ({ name, type }) => [name, type],
    }),
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** The rows that a filter leaves; ops on the host belong to no phase of the GPU. */
export function found({ id, rows, texts }: Listing, { phase, text }: Filter): readonly unknown[] {
  return filtered(rows, { phase: id === 'host' ? '' : phase, text }, texts);
}

/** How much of all is listed, as shares of a column only add up with those left out. */
export function listedSentence({ rows, total, columns }: Listing): string {
  if (total <= rows.length) return '';
  const share = columns.find(({ head }) => head === 'Share');
  const sum = rows.reduce<number>((all, row) => all + Number(share?.value(row) ?? 0), 0);
  const what = `The ${count(rows.length)} with the most time of ${count(total)}`;
  return share ? `${what}: ${percent(Math.min(1, sum))} of kernel time.` : `${what}.`;
}

/** Phases that take time. */
export function phaseParts({ items }: Phases) {
  return (items ?? [])
    .filter(({ ns }) => ns > 0)
    .map((item) => ({ look: phaseLook(item.id), ns: item.ns, ratio: item.ratio, words: phasePart(item) }));
}

export interface KeyNumber {
  /** Null where it was not recorded. */
  value: string | null;
  words: string;
  /** By default what the glossary says of the words. */
  more?: string;
  /** A line below. */
  note?: string;
}

/** What the GPUs do of what they could. Without a ratio or a reason nothing is said of it. */
export function keyNumbers(k: KeyNumbers): KeyNumber[] {
  const byCount = k.ops_on_device_count_ratio;
  const ratio = (value: number | null): string | null => (value === null ? null : percent(value));
  const all: (KeyNumber | false)[] = [
    (k.mfu_ratio !== null || k.mfu_basis !== '') && { value: ratio(k.mfu_ratio), words: 'MFU', note: k.mfu_basis },
    k.hfu_ratio !== null && { value: percent(k.hfu_ratio), words: 'HFU' },
    k.flops_per_s !== null && {
      value: flopsPerS(k.flops_per_s),
      words: 'achieved per GPU',
      more:
        'Floating-point operations of matrix products and convolutions in a step, a multiply-add as two, by the ' +
        'length of the step.',
    },
    k.compute_judged_ratio !== null && {
      value: percent(k.compute_judged_ratio),
      words: 'of compute judged',
      more:
        'Compute time of kernels whose operations and bytes are known from the profile: only these are held against ' +
        'the GPU’s limits.',
    },
    k.compute_16bit_ratio !== null && {
      value: percent(k.compute_16bit_ratio),
      words: 'of compute in 16 bit',
      more: 'Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.',
    },
    k.compute_tf32_ratio !== null &&
      k.compute_tf32_ratio > 0 && {
        value: percent(k.compute_tf32_ratio),
        words: 'of compute in TF32',
        more: 'Kernel time of products whose inputs are rounded to TensorFloat-32, which Tensor Cores multiply.',
      },
    k.ops_on_device_ratio !== null && {
      value: percent(k.ops_on_device_ratio),
      words: `of op time on the GPU${byCount === null ? '' : `, ${percent(byCount)} of ops`}`,
      more: 'Ops that run on a GPU and not on the CPU, by time and by count.',
    },
  ];
  return all.filter((one) => one !== false);
}
