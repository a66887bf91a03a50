/** Working the list of findings: what is shown of it, and what the user marked. */

import { accountLook } from './accounts.js';
import { counted } from './format.js';
import type { Finding } from './model.js';
import { type Storing, browserStorage, keep, recall } from './stored.js';
import type { Severity } from './types.js';

/** What the user says of a finding. */
export type Mark = 'done' | 'irrelevant';
/** Finding's id → mark. */
export type Marks = Readonly<Record<string, Mark>>;

export const MARK_WORDS: Record<Mark, string> = { done: 'done', irrelevant: 'not relevant' };

/** In the guides' order of work. */
const GROUP_WORDS: Record<string, string> = {
  capture: 'Capture',
  input: 'Input',
  one_gpu: 'One GPU',
  precision: 'Precision',
  several_gpus: 'Several GPUs',
};
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];
const KEY = 'tfperf.marks.';

/** One button: shows only what is of this severity or group, or takes time from this account. */
export interface Filter {
  id: string;
  words: string;
  severity: Severity | null;
  count: number;
  pressed: boolean;
}

/** One line of the list; `rank` is its place among all findings, from 1. */
export interface Line {
  finding: Finding;
  rank: number;
  mark: Mark | null;
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

/**
 * Buttons for the severities and groups that the list holds; none where there is nothing to choose.
 * An account is chosen in the chart above, and has a button while it is.
 */
export function filters(findings: readonly Finding[], only: string | null): Filter[] {
  const pressed = chosen(only);
  const filter = (id: string, words: string, severity: Severity | null): Filter => ({
    id,
    words,
    severity,
    count: findings.filter((f) => is(f, id)).length,
    pressed: pressed.includes(id),
  });
  const held = (kind: Filter[]): Filter[] => kind.filter(({ count }) => count > 0);
  return [
    ...[
      held(SEVERITIES.map((id) => filter(id, id, id))),
      held(Object.entries(GROUP_WORDS).map(([id, words]) => filter(id, words, null))),
    ].flatMap((kind) => (kind.length > 1 ? kind : [])),
    ...held(
      [...accountsOf(findings)]
        .filter((id) => pressed.includes(id))
        .map((id) => filter(id, accountLook(id).words, null)),
    ),
  ];
}

/** The accounts that findings take time from. */
export function accountsOf(findings: readonly Finding[]): ReadonlySet<string> {
  return new Set(findings.flatMap(({ saving }) => Object.keys(saving?.accounts ?? {})));
}

/** What `only` chooses of the accounts. */
export function chosenAccounts(only: string | null, findings: readonly Finding[]): string[] {
  const known = accountsOf(findings);
  return chosen(only).filter((id) => known.has(id));
}

function is({ severity, group, saving }: Finding, id: string): boolean {
  return severity === id || group === id || saving?.accounts[id] !== undefined;
}

/** What is chosen after a click on one button; null for everything. It is what the address keeps. */
export function toggled(only: string | null, id: string): string | null {
  const ids = chosen(only);
  return (ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]).join(',') || null;
}

/** The lines to show: those still to work on first, then what is marked, each in order of rank. */
export function lines(findings: readonly Finding[], marks: Marks, only: string | null): Line[] {
  // One of each kind. What no finding has chooses nothing: an address from another run must not empty the list.
  const kinds = [
    findings.map(({ severity }) => severity),
    findings.map(({ group }) => group),
    [...accountsOf(findings)],
  ].map((kind: string[]) => chosen(only).filter((id) => kind.includes(id)));
  const shown = findings
    .map((finding, i) => ({ finding, rank: i + 1, mark: marks[finding.id] ?? null }))
    .filter(({ finding }) => kinds.every((ids) => ids.length === 0 || ids.some((id) => is(finding, id))));
  return [...shown.filter(({ mark }) => mark === null), ...shown.filter(({ mark }) => mark !== null)];
}

/** "2 of 5 findings shown · 1 done · 1 not relevant", or nothing. */
export function tally(shown: readonly Line[], findings: readonly Finding[], marks: Marks): string {
  const parts =
    shown.length < findings.length ? [`${shown.length} of ${counted(findings.length, 'finding')} shown`] : [];
  for (const mark of Object.keys(MARK_WORDS) as Mark[]) {
    const count = findings.filter(({ id }) => marks[id] === mark).length;
    if (count > 0) parts.push(`${count} marked as ${MARK_WORDS[mark]}`);
  }
  return parts.join(' · ');
}

function chosen(only: string | null): string[] {
  return (only ?? '').split(',').filter(Boolean);
}
