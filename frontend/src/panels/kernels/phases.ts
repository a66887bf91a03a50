/** The phases of a training step on screen. All of them are compute, so they share its colour. */

import type { AccountLook, Pattern } from '../../accounts.js';
import { duration, percent } from '../../format.js';
import type { Account, Phases } from '../../model.js';

const PATTERNS: Record<string, [string, Pattern]> = {
  forward: ['forward pass', 'solid'],
  loss: ['loss', 'cross'],
  backward: ['backward pass', 'rising'],
  optimizer: ['optimizer', 'bars'],
};

export function phaseLook(id: string): AccountLook {
  const [words, pattern] = PATTERNS[id] ?? ['not told by its name', 'dots'];
  return { words, pattern, colour: id in PATTERNS ? '--account-compute' : '--account-unknown' };
}

export function phasePart({ id, ns, ratio }: Account): string {
  return `${phaseLook(id).words}, ${duration(ns)}, ${percent(ratio)} of compute`;
}

/** What the bar shows, or why there is none. */
export function phasesSentence({ items, reason }: Phases): string {
  if (!items) return `Compute cannot be divided into forward and backward pass. ${reason}`;
  const [first, second] = [...items].filter(({ id }) => id in PATTERNS).sort((a, b) => b.ns - a.ns);
  if (!first || first.ns === 0) return '';
  const rest =
    second && second.ns > 0
      ? `, the ${phaseLook(second.id).words} ${duration(second.ns)} (${percent(second.ratio)})`
      : '';
  return (
    `Of the compute time of a step, the ${phaseLook(first.id).words} takes ${duration(first.ns)} ` +
    `(${percent(first.ratio)})${rest}.`
  );
}
