/** Which iterators the tree shows, and how deep. */

import type { Input } from '../../model.js';
import type { DataIterator } from '../../types.js';

/** The iterators of the pipeline that steps wait longest for; all of them if no step was seen asking. */
export function shownIterators({ iterators, pipelines }: Input): DataIterator[] {
  const first = pipelines[0];
  return first ? first.iterators.flatMap((i) => iterators[i] ?? []) : iterators;
}

/** All the others. */
export function otherIterators(input: Input): DataIterator[] {
  const shown = new Set(shownIterators(input));
  return input.iterators.filter((item) => !shown.has(item));
}

/** Each iterator with its level. What feeds the prefetching to a GPU is a tree of its own, below it. */
export function indented(rows: readonly DataIterator[]): [DataIterator, number][] {
  const device = rows.find(({ stage }) => stage === 'transfer');
  return rows.map((item) => [
    item,
    device && item.pipeline !== device.pipeline ? device.depth + 1 + item.depth : item.depth,
  ]);
}
