/** Working the list of findings: what the user marked, and what comes next. */

import type { Finding } from './model.js';
import { type Storing, browserStorage, keep, recall } from './stored.js';

/** What the user says of a finding. */
export type Mark = 'done' | 'irrelevant';
/** Finding's id → mark. */
export type Marks = Readonly<Record<string, Mark>>;

export const MARK_WORDS: Record<Mark, string> = { done: 'done', irrelevant: 'not relevant' };

const KEY = 'tfperf.marks.';

/** A finding and its place among all, from 1. */
export interface Ranked {
  finding: Finding;
  rank: number;
}

export function recallMarks(run: string, storage: Storing = browserStorage): Marks {
  const kept = Object.entries(recall(KEY + run, storage));
  return Object.fromEntries(
    kept.filter((entry): entry is [string, Mark] => entry[1] === 'done' || entry[1] === 'irrelevant'),
  );
}

export function keepMarks(run: string, marks: Marks, storage: Storing = browserStorage): void {
  keep(KEY + run, marks, storage);
}

/** The marks with that of one finding replaced, or taken away. */
export function marked(marks: Marks, id: string, mark: Mark | null): Marks {
  const { [id]: _, ...others } = marks;
  return mark === null ? others : { ...others, [id]: mark };
}

/** What to work on next: the first finding that is not marked, or simply the first. */
export function nextFinding(findings: readonly Finding[], marks: Marks): Finding | null {
  return findings.find(({ id }) => !marks[id]) ?? findings[0] ?? null;
}

/** The finding with that id, now or formerly, or into which it is folded. */
export function holding(findings: readonly Finding[], id: string | null): Ranked | null {
  const is = (one: Finding): boolean => one.id === id || one.formerly.some((gone) => gone === id);
  const index = findings.findIndex((one) => is(one) || one.explains.some(is));
  const finding = findings[index];
  return finding ? { finding, rank: index + 1 } : null;
}
