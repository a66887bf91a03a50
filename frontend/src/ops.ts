/** The words for ops and kernels. */

import { duration, percent } from './format.js';
import type { Kernel, OpTable } from './model.js';
import { phaseWords } from './panels/kernels/phases.js';

/** A name longer than this is shown with its middle left out. */
const NAME_LENGTH = 72;

/** "gradient_tape/res…stage_1/conv/Conv2D": both ends of a name tell what it is, the last one more. */
export function elided(name: string, length = NAME_LENGTH, share = 0.35): string {
  if (name.length <= length) return name;
  const head = Math.ceil(share * (length - 1));
  return `${name.slice(0, head)}…${name.slice(name.length - (length - 1 - head))}`;
}

export interface Filter {
  /** "" for all. */
  phase: string;
  text: string;
}

/** The rows of a phase in whose texts all words occur, in any case. */
export function filtered<T>(rows: readonly T[], { phase, text }: Filter, texts: (row: T) => string[]): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const { phase: one, phases = [one] } = row as { phase?: string; phases?: readonly (string | undefined)[] };
    if (phase !== '' && !phases.includes(phase)) return false;
    const all = texts(row).join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The heaviest types of ops, and the heaviest single op. */
export function opsSentence({ rows, types }: OpTable): string {
  const [op] = rows;
  if (!op) return '';
  const named = types.filter(({ type }) => type !== '').slice(0, 3);
  const most = named.map(({ type, phase, ns, ratio }) => {
    const where = phaseWords(phase);
    return `${type}${where ? ` (${where})` : ''} ${duration(ns)}, ${percent(ratio)}`;
  });
  const single =
    `${elided(op.name || 'Work without an op')} takes the most of a single op: ${duration(op.ns)} ` +
    `(${percent(op.ratio)}).`;
  return most.length > 0 ? `Most kernel time by type of op: ${most.join('; ')}. ${single}` : single;
}

/** Whether a kernel runs on Tensor Cores, and if not whether it could. */
export function tensorCoreWords({ tensor_cores: used, eligible }: Pick<Kernel, 'tensor_cores' | 'eligible'>): string {
  if (used) return 'used';
  return eligible === null ? 'not used' : eligible ? 'not used, could be' : 'not for this op';
}
