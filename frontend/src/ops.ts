/** What the panel of ops and kernels says and lists. */

import { duration, percent } from './format.js';
import type { Capped, Kernel, Op } from './model.js';
import { phaseWords } from './phases.js';

/** A name longer than this is shown with its middle left out. */
export const NAME_LENGTH = 56;

/** "void tensorflow::functor::Ap…ld>(int, float*)": both ends of a name tell what it is. */
export function elided(name: string, length = NAME_LENGTH): string {
  if (name.length <= length) return name;
  const head = Math.ceil((length - 1) / 2);
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
    if (phase !== '' && (row as { phase?: string }).phase !== phase) return false;
    const all = texts(row).join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The heaviest op, and how much of the time the heaviest few take. */
export function opsSentence({ rows }: Capped<Op>): string {
  const [first] = rows;
  if (!first) return '';
  const few = rows.slice(0, 10);
  const share = few.reduce((sum, { ratio }) => sum + ratio, 0);
  const phase = phaseWords(first.phase);
  const most = `${elided(first.name || 'Work without an op')} takes the most time on the GPUs: ${duration(first.ns)} per step (${percent(first.ratio)} of kernel time${phase ? `, ${phase}` : ''}).`;
  return few.length > 2 ? `${most} The first ${few.length} ops take ${percent(share)}.` : most;
}

/** Whether a kernel runs on Tensor Cores, and if not whether it could. */
export function tensorCoreWords({ tensor_cores: used, eligible }: Kernel): string {
  if (used) return 'used';
  return eligible === null ? 'not used' : eligible ? 'not used, could be' : 'not for this op';
}
