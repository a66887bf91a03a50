/** Compute against the GPU's limits: what of it is needed, what could be won, what nobody can judge. */

import { accountLook } from '../../accounts.js';
import { duration } from '../../format.js';
import type { ComputePart, Ledger } from '../../model.js';

const KINDS = {
  matrix: 'matrix products, convolutions, attention',
  memory: 'memory-bound',
  small: 'small kernels (latency-bound)',
  other: 'other',
} as const satisfies Record<ComputePart['kind'], string>;

const SPLIT = [
  ['compute.floor', 'floor_ns'],
  ['compute.recoverable', 'recoverable_ns'],
  ['compute.not_judged', 'not_judged_ns'],
] as const;

/** A kind of kernels, or all of them together. */
export interface ComputeRow extends Omit<ComputePart, 'kind'> {
  kind: string;
  ns: number;
}

/** One row for each kind that takes time, and one for all. */
export function computeRows(parts: readonly ComputePart[]): { rows: ComputeRow[]; sum: ComputeRow } {
  const whole = (part: Omit<ComputePart, 'kind'>, kind: string): ComputeRow => ({
    ...part,
    kind,
    ns: part.floor_ns + part.recoverable_ns + part.not_judged_ns,
  });
  const rows = parts.map((part) => whole(part, KINDS[part.kind])).filter(({ ns }) => ns > 0);
  const total = (field: (typeof SPLIT)[number][1]): number => rows.reduce((sum, row) => sum + row[field], 0);
  const sum = {
    floor_ns: total('floor_ns'),
    recoverable_ns: total('recoverable_ns'),
    not_judged_ns: total('not_judged_ns'),
  };
  return { rows, sum: whole(sum, 'compute') };
}

/** The parts that take time, as a bar draws them. */
export function computeBar({ floor_ns, recoverable_ns, not_judged_ns }: ComputeRow) {
  return [floor_ns, recoverable_ns, not_judged_ns]
    .map((ns, i) => ({ look: accountLook(SPLIT[i]?.[0] ?? ''), ns }))
    .filter(({ ns }) => ns > 0);
}

/** Why judged kernels take longer than they need, most first; nothing below a hundredth of it. */
export function causesSentence({ compute_causes: causes }: Ledger): string {
  const all = causes.reduce((sum, { ns }) => sum + ns, 0);
  const named = causes.filter(({ ns }) => ns >= all / 100).map(({ title, ns }) => `${title} ${duration(ns)}`);
  return named.length > 0 ? `Why it was not: ${named.join('; ')}.` : '';
}

/** "Of 13.2 ms compute, 6.4 ms are needed at the rates that good libraries reach, …". */
export function computeSentence({ compute_parts: parts, compute_floor_ns, compute_peak_ns }: Ledger): string {
  const { sum } = computeRows(parts);
  const needed = compute_floor_ns ?? sum.floor_ns;
  const peak = compute_peak_ns === null ? '' : `; at the data sheet’s peak, ${duration(compute_peak_ns)}`;
  const rest = sum.not_judged_ns > 0 ? ` Not judged: ${duration(sum.not_judged_ns)}.` : '';
  return (
    `A step computes for ${duration(sum.ns)}. At the rates that good libraries reach, its work needs ` +
    `${duration(needed)}${peak}. Up to ${duration(sum.recoverable_ns)} could be won.${rest}`
  );
}
