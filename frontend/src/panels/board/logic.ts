/** The board of runs: which rows there are, in which order, and what stands in them. */

import { duration, percent, signedPercent } from '../../format.js';
import type { Against, BoardRow, Outline } from '../../model.js';
import type { Run } from '../../types.js';

/** What the address keeps of the board. */
export interface BoardState {
  /** "step" or "-step": the column that rows are sorted by, the other way round with "-"; null: newest first. */
  sort: string | null;
  /** What rows must hold. */
  filter: string | null;
  /** One of FILTERS. */
  only: string | null;
  /** The run in focus. */
  row: string | null;
  /** The runs to compare, as JSON: names may hold anything. */
  pair: string | null;
  /** The trial that is open. */
  trial: string | null;
}

export type Rows = ReadonlyMap<string, BoardRow>;

export interface BoardColumn {
  id: string;
  head: string;
  /** By what rows are sorted; those without a value come last. */
  value: (row: BoardRow) => number | string | null;
  /** Whether rows begin with the largest. */
  falling?: boolean;
  kind?: 'number';
  /** What its head means. */
  meaning: string;
}

const of =
  (read: (outline: Outline) => number | string | null) =>
  ({ outline }: BoardRow): number | string | null =>
    outline && read(outline);

const LEVELS = ['none', 'thin', 'fair', 'strong'];
const SEVERITIES = ['info', 'warning', 'critical'];

export const COLUMNS: readonly BoardColumn[] = [
  { id: 'run', meaning: 'Name of the profile in the log directory.', head: 'Run', value: ({ run }) => run },
  {
    id: 'recorded',
    meaning: 'The day on which the profile was recorded.',
    head: 'Recorded',
    value: ({ recorded }) => recorded || null,
    falling: true,
  },
  {
    id: 'gpus',
    meaning: 'How many GPUs, and which; 2 × 4 are four on each of two hosts.',
    head: 'GPUs',
    value: of(({ gpus_count: count }) => count),
    falling: true,
  },
  {
    id: 'step',
    meaning: 'Half of the steps are no longer; 95 % are no longer than p95.',
    head: 'Step, median',
    value: of(({ p50_ns: ns }) => ns),
    falling: true,
    kind: 'number',
  },
  {
    id: 'running',
    meaning: 'Share of the time watched in which steps ran.',
    head: 'Steps run',
    value: of(({ running_ratio: ratio }) => ratio),
    kind: 'number',
  },
  {
    id: 'each',
    meaning: 'A bar for each step, in time order; steps far longer than the others are cut.',
    head: 'Each step',
    value: of(({ steps_count: count }) => count),
    falling: true,
  },
  {
    id: 'compute',
    meaning: 'Share of the step in which kernels compute.',
    head: 'Compute',
    value: of(({ compute_ratio: ratio }) => ratio),
    kind: 'number',
  },
  {
    id: 'active',
    meaning: 'Share of the step in which a kernel or copy runs.',
    head: 'GPU active',
    value: of(({ active_ratio: ratio }) => ratio),
    kind: 'number',
  },
  {
    id: 'exposed',
    meaning: 'Communication of a step that no compute hides.',
    head: 'Exposed comm.',
    value: of(({ exposed_ns: ns }) => ns),
    falling: true,
    kind: 'number',
  },
  {
    id: 'finding',
    meaning: 'The first finding, and how many more there are.',
    head: 'Top finding',
    value: of(({ finding, settled }) => (settled ? -1 : finding && SEVERITIES.indexOf(finding.severity))),
    falling: true,
  },
  {
    id: 'recoverable',
    meaning: 'The time of a step that all findings together could save, at most.',
    head: 'Recoverable',
    value: of(({ recoverable_ns: ns }) => ns),
    falling: true,
  },
  {
    id: 'against',
    meaning: 'Step time beside that of the baseline.',
    head: 'Against ★',
    value: ({ against }) => against && against.change,
  },
  {
    id: 'evidence',
    meaning: 'How far the capture can be relied on.',
    head: 'Evidence',
    value: of(({ evidence }) => evidence && LEVELS.indexOf(evidence)),
  },
];

export interface Filter {
  id: string;
  words: string;
  is: (row: BoardRow) => boolean;
}

export const FILTERS: readonly Filter[] = [
  { id: 'critical', words: 'Critical', is: ({ outline }) => outline?.finding?.severity === 'critical' },
  { id: 'thin', words: 'Thin evidence', is: ({ outline }) => ['thin', 'none'].includes(outline?.evidence ?? '') },
  { id: 'settled', words: 'Nothing to fix', is: ({ outline }) => outline?.settled ?? false },
  {
    id: 'comparable',
    words: 'Comparable with ★',
    is: ({ against }) => against !== null && against.verdict !== 'cannot_compare',
  },
];

/** The column that the rows are sorted by, and whether they begin with the largest; null: newest first. */
export function sortOf(sort: string | null): { column: BoardColumn; falling: boolean } | null {
  const column = COLUMNS.find(({ id }) => id === sort?.replace(/^-/, ''));
  return column ? { column, falling: (column.falling ?? false) !== sort?.startsWith('-') } : null;
}

/** What is chosen by a click on a column's head. */
export function toggledSort(sort: string | null, id: string): string {
  return sort === id ? `-${id}` : id;
}

/** The names to show, in order: `runs` are the newest first, and rows that are not known yet come last. */
export function lineup(runs: readonly Run[], rows: Rows, state: BoardState): string[] {
  const words = (state.filter ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const only = FILTERS.find(({ id }) => id === state.only);
  const names = runs
    .map(({ name }) => name)
    .filter((name) => {
      const row = rows.get(name);
      if (only && !(row && only.is(row))) return false;
      const text = words.length > 0 ? textOf(name, row).toLowerCase() : '';
      return words.every((word) => text.includes(word));
    });
  const order = sortOf(state.sort);
  if (!order) return names;
  const { column, falling } = order;
  // Names and times are known of all runs: the list has the times' order.
  if (column.id === 'recorded') return falling ? names : names.reverse();
  const value = (name: string): number | string | null => {
    if (column.id === 'run') return name;
    const row = rows.get(name);
    return row ? column.value(row) : null;
  };
  return names
    .map((name) => ({ name, value: value(name) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      const first =
        typeof a.value === 'number' && typeof b.value === 'number'
          ? a.value - b.value
          : String(a.value).localeCompare(String(b.value), 'en', { numeric: true });
      return falling ? -first : first;
    })
    .map(({ name }) => name);
}

function textOf(name: string, row: BoardRow | undefined): string {
  const outline = row?.outline;
  return [name, ...(outline?.gpus ?? []).map((gpu) => gpu.name), outline?.finding?.title].join(' ');
}

/** Whether a row will change by itself. */
export function isOpen(row: BoardRow | undefined, base: string | null): boolean {
  if (!row) return true;
  if (row.error) return false;
  return row.outline === null || (base !== null && row.against === null);
}

/** The most runs, and characters of an address, in a request. */
const MOST = 40;
const LONGEST = 6000;

/** The first names, up to what one request may hold. */
export function batch(names: readonly string[]): string[] {
  let length = 0;
  return names.slice(0, MOST).filter((name, i) => {
    length += encodeURIComponent(name).length + 5;
    return i === 0 || length <= LONGEST;
  });
}

/** "NVIDIA A100-SXM4-40GB" → "A100": enough to tell GPUs apart in a row. */
function shortGpu(name: string): string {
  return name.replace(/^(?:(?:NVIDIA|AMD|Tesla|GeForce|Quadro) )+/i, '').replace(/-(?:SXM|PCIE|PCI).*$/i, '');
}

/** "4 × V100", or "4 × 2 A100" of four hosts. */
export function gpuWords({ gpus, gpus_count: count, hosts_count: hosts }: Outline): string {
  if (count === 0) return 'no GPU';
  const [only, ...others] = gpus;
  const name = shortGpu(only?.name ?? '') || 'GPU';
  if (others.length > 0) return gpus.map((kind) => `${kind.count} × ${shortGpu(kind.name) || 'GPU'}`).join(', ');
  return hosts > 1 && count % hosts === 0 ? `${hosts} × ${count / hosts} ${name}` : `${count} × ${name}`;
}

export const EVIDENCE: Record<NonNullable<Outline['evidence']>, string> = {
  strong: 'Strong',
  fair: 'Fair',
  thin: 'Thin',
  none: 'None',
};

/** "−26 % better", "baseline", or why there is no comparison. */
export function againstWords({ verdict, change, why }: Against): { change: string; words: string } {
  if (verdict === 'base') return { change: '', words: 'baseline' };
  if (verdict === 'cannot_compare' || change === null) return { change: '', words: why };
  return { change: signedPercent(change), words: verdict === 'same' ? 'same' : verdict };
}

/** The runs that are compared. */
export interface Sides {
  /** Before the change, or the baseline. */
  base: string[];
  /** After it. */
  now: string[];
}

/** The most runs that can be compared at once. */
export const MOST_LAUNCHES = 32;

function parse(text: string | null): unknown[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const texts = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];

/** The selected runs in the address, as names, or as two lists of names once the user has said which is which. */
export function readPair(text: string | null): string[] {
  const found = parse(text);
  return found.some(Array.isArray) ? [...new Set(found.flatMap(texts))] : [...new Set(texts(found))];
}

const folder = (name: string): string => name.slice(0, Math.max(name.lastIndexOf('/'), 0));

/** The two sides of the selected runs. */
export function readSides(text: string | null, base: string | null, runs: readonly Run[]): Sides {
  const is = (name: string): boolean => runs.some((run) => run.name === name);
  const found = parse(text);
  if (found.some(Array.isArray)) return { base: texts(found[0]).filter(is), now: texts(found[1]).filter(is) };
  return split(readPair(text).filter(is), base, runs);
}

/**
 * Which of the selected runs are compared with: the pinned one, else the oldest, and all of its folder if others
 * are in another; `runs` are the newest first.
 */
function split(names: readonly string[], base: string | null, runs: readonly Run[]): Sides {
  const age = (name: string): number => (name === base ? Infinity : runs.findIndex((run) => run.name === name));
  const [first, ...others] = [...names].sort((a, b) => age(b) - age(a));
  if (first === undefined) return { base: [], now: [] };
  const beside = others.filter((name) => folder(name) === folder(first));
  if (beside.length === others.length) return { base: [first], now: others };
  return { base: [first, ...beside], now: others.filter((name) => !beside.includes(name)) };
}

const written = ({ base, now }: Sides): string | null =>
  base.length + now.length > 0 ? JSON.stringify([base, now]) : null;

/** The selection after a click on one run. */
export function toggledPair(pair: string | null, run: string): string | null {
  const names = readPair(pair);
  const has = names.includes(run);
  if (parse(pair).some(Array.isArray)) {
    const [base, now] = parse(pair).map(texts);
    const without = (side: string[] = []): string[] => side.filter((name) => name !== run);
    return written({ base: without(base), now: [...without(now), ...(has ? [] : [run])] });
  }
  const left = has ? names.filter((name) => name !== run) : [...names, run];
  return left.length > 0 ? JSON.stringify(left) : null;
}

/** The selection once one of the selected runs is on the other side. */
export function swapped({ base, now }: Sides, run: string): string | null {
  const without = (side: readonly string[]): string[] => side.filter((name) => name !== run);
  return base.includes(run)
    ? written({ base: without(base), now: [...now, run] })
    : written({ base: [...base, run], now: without(now) });
}

/** What findings claim of the mean step; where steps differ, no step is that long, and only the share tells. */
export function wonWords({ p95_ns: p95, step_ns: step }: Outline, won: number): string {
  if (won === 0) return '0';
  return p95 === null || !step ? duration(won) : `${percent(won / step)} a step`;
}
