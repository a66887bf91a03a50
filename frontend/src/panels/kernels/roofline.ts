/** Ops against the limits of the GPU: which of them are dots of the roofline picture, and where. */

import { records, tableOf } from '../../blocks.js';
import { count, counted, elided, flopsPerS, intensity, percent, duration } from '../../format.js';
import type { PeakRate, Report, Roofline, Table } from '../../model.js';

/** Of kernel time: smaller ops do not stretch the axes. */
const MATTERS_RATIO = 0.01;

/** The cells of an op's row that the picture draws. */
export interface Op {
  name: string;
  type: string;
  ns: number;
  /** Of kernel time. */
  ratio: number;
  flops: number | null;
  bytes: number | null;
  flops_per_s: number | null;
  bound_ratio: number | null;
  bound_by: string;
  /** "" or nothing without products. */
  format?: string | null;
}

/** An op that is judged, and whose operations and bytes are known. */
export interface Dot {
  op: Op;
  /** FLOP per byte. */
  intensity: number;
  /** Achieved, in FLOP a second. */
  rate: number;
}

/** The table of ops; null without steps. */
export function opsOf(report: Report): Table | null {
  return tableOf(report, 'ops');
}

/** Those with the most time first. */
export function dotsOf(ops: Table | null): Dot[] {
  const rows = (ops ? records(ops) : []) as unknown as Op[];
  return rows
    .flatMap((op) =>
      op.flops && op.bytes && op.flops_per_s ? [{ op, intensity: op.flops / op.bytes, rate: op.flops_per_s }] : [],
    )
    .sort((a, b) => b.op.ns - a.op.ns);
}

/** The flat lines: peaks of the number formats that the ops compute in, of all where no op says, highest first. */
export function peaksOf(dots: readonly Dot[], { rates }: Roofline): PeakRate[] {
  const used = new Set(dots.map(({ op }) => op.format));
  const named = rates.filter(({ format }) => used.has(format));
  return [...(named.length > 0 ? named : rates)].sort((a, b) => b.flops_per_s - a.flops_per_s);
}

/** The intensity from which on the peak and no longer the memory limits. */
export function ridge({ flops_per_s }: PeakRate, { bytes_per_s }: Roofline): number {
  return flops_per_s / bytes_per_s;
}

/** Both axes, each from its lowest to its highest value; the longest dot, all that matter and ridges lie inside. */
export function domain(dots: readonly Dot[], peaks: readonly PeakRate[], roofline: Roofline) {
  const range = (values: number[]): [number, number] => [Math.min(...values) / 2, Math.max(...values) * 2];
  const matter = dots.filter(({ op }, i) => i === 0 || op.ratio >= MATTERS_RATIO);
  return {
    x: range([...matter.map((dot) => dot.intensity), ...peaks.map((peak) => ridge(peak, roofline))]),
    y: range([...matter.map(({ rate }) => rate), ...peaks.map(({ flops_per_s }) => flops_per_s)]),
  };
}

/** The dots that lie inside the axes. */
export function drawnOf(dots: readonly Dot[], roofline: Roofline): Dot[] {
  const { x, y } = domain(dots, peaksOf(dots, roofline), roofline);
  return dots.filter((dot) => inside(dot.intensity, x) && inside(dot.rate, y));
}

function inside(value: number, [low, high]: [number, number]): boolean {
  return low <= value && value <= high;
}

export function nameOf({ op }: Dot): string {
  return op.name || op.type || 'not named';
}

export function dotWords(dot: Dot): string {
  const { op, intensity: x, rate } = dot;
  const ratio = op.bound_ratio ?? null;
  return [
    elided(nameOf(dot)),
    `${flopsPerS(rate)} at ${intensity(x)}`,
    `${ratio === null ? '' : `${percent(ratio)} of its bound, `}bound by ${op.bound_by}`,
    `${duration(op.ns)}, ${percent(op.ratio)} of kernel time`,
  ].join('; ');
}

/** What of the ops is in the picture; `outside`: how many of the dots are not. */
export function shownSentence(drawn: readonly Dot[], outside: number, { total }: Table): string {
  const ratio = drawn.reduce((sum, { op }) => sum + op.ratio, 0);
  return (
    `Shown: ${counted(drawn.length, 'op')} of ${count(total)}, ${percent(Math.min(1, ratio))} of the kernel time. ` +
    (outside > 0 ? `${counted(outside, 'small op')} would stretch the axes: see the table. ` : '') +
    'The work of the others is not known, or they do no floating-point operations.'
  );
}

/** The limits in words. */
export function limitsSentence(peaks: readonly PeakRate[], roofline: Roofline): string {
  const ridges = peaks.map((peak) => `${peak.format} ${intensity(ridge(peak, roofline))}`);
  return `Ridge points of ${roofline.name || 'this GPU'}: ${ridges.join(', ')}.`;
}

/** Whether there is a picture, or a reason to say why not. */
export function hasRoofline(report: Report): boolean {
  return (report.roofline !== null && opsOf(report) !== null) || whyNone(report) !== '';
}

/** Why there is no picture, where that needs a word. */
export function whyNone({ ledger, roofline, key_numbers: k }: Report): string {
  if (!ledger || roofline || k.compute_judged_ratio !== null) return '';
  return `Compute is not held against the GPU’s limits. ${
    k.mfu_basis || 'The profile does not say what its kernels compute, or the GPU’s peaks are not known.'
  }`;
}

/** The neighbor of a dot in a direction: the next by intensity to the sides, by rate up and down. */
const MOVES: Record<string, { by: (dot: Dot) => number; move: number }> = {
  ArrowLeft: { by: (dot) => dot.intensity, move: -1 },
  ArrowRight: { by: (dot) => dot.intensity, move: 1 },
  ArrowDown: { by: ({ rate }) => rate, move: -1 },
  ArrowUp: { by: ({ rate }) => rate, move: 1 },
};

/** The index of the dot that a key leads to from dot `at`, at the end its own; null for other keys. */
export function neighbor(dots: readonly Dot[], at: number, key: string): number | null {
  const way = MOVES[key];
  if (!way) return key === 'Home' ? 0 : key === 'End' ? dots.length - 1 : null;
  const order = dots.map((_, i) => i).sort((a, b) => way.by(dots[a] as Dot) - way.by(dots[b] as Dot));
  return order[order.indexOf(at) + way.move] ?? at;
}
