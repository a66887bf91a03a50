/** All steps as columns, stacked by account. Widths are shares, so it needs no measuring. */

import { accountLook, drawn } from '../accounts.js';
import { duration } from '../format.js';
import type { StepColumn } from '../model.js';
import { ticks } from './scale.js';
import { Patterns, svg } from './svg.js';

const HEIGHT = 132;
const TOP = 16;
const FOOT = 20;
/** In more columns patterns could not be told apart. */
const PATTERNED = 120;
/** So many numbers of steps fit below. */
const NUMBERS = 24;

export interface Chart {
  drawing: SVGSVGElement;
  /** One part a step, in order. */
  options: SVGGElement[];
}

/**
 * @param words what each column says to those who do not see it
 * @param marked ids of steps that hold places of open findings
 */
export function stepColumns(
  columns: readonly StepColumn[],
  words: readonly string[],
  marked: ReadonlySet<string>,
): Chart {
  const most = Math.max(...columns.map(({ step_ns }) => step_ns), 1);
  const patterns = new Patterns();
  const height = (ns: number): number => (ns / most) * HEIGHT;
  const share = 100 / columns.length;
  const percent = (value: number): string => `${value.toFixed(3)}%`;
  const every = Math.ceil(columns.length / NUMBERS);
  const options = columns.map((column, i) => {
    const box = { x: percent((i + 0.1) * share), width: percent(0.8 * share) };
    const middle = { x: percent((i + 0.5) * share), 'text-anchor': 'middle' };
    const option = svg('g', {
      role: 'option',
      id: `step-${i}`,
      'aria-label': words[i] ?? '',
      'aria-selected': 'false',
    });
    option.append(
      svg('rect', { class: 'ground', x: percent(i * share), width: percent(share), y: 0, height: TOP + HEIGHT + FOOT }),
    );
    const bar = svg('g', { class: column.judged ? 'bar' : 'bar out' });
    let below = TOP + HEIGHT;
    for (const { id, ns } of accountsOf(column)) {
      below -= height(ns);
      const look = accountLook(id);
      bar.append(
        patterns.fill(columns.length > PATTERNED ? { ...look, pattern: 'solid' } : look, {
          ...box,
          y: below,
          height: height(ns),
        }),
      );
    }
    option.append(bar);
    if (column.outlier) option.append(svg('text', { ...middle, class: 'outlier', y: below - 4 }, '◆'));
    if (marked.has(column.id)) option.append(svg('rect', { class: 'mark', ...box, y: TOP + HEIGHT + 2, height: 3 }));
    if (i % every === 0)
      option.append(svg('text', { ...middle, class: 'number', y: TOP + HEIGHT + FOOT - 2 }, String(column.number)));
    return option;
  });
  const lines = ticks(most / 1e6).flatMap((ms) => {
    const y = TOP + HEIGHT - height(ms * 1e6);
    return [svg('line', { class: 'tick', x1: 0, x2: '100%', y1: y, y2: y })];
  });
  const drawing = svg(
    'svg',
    { width: '100%', height: TOP + HEIGHT + FOOT, role: 'listbox', tabindex: 0, 'aria-label': 'Steps' },
    patterns.defs,
    ...lines,
    ...options,
  );
  return { drawing, options };
}

/** Labels of the lines behind the columns, and where they stand from the top, in px. */
export function scaleOf(columns: readonly StepColumn[]): { words: string; top: number }[] {
  const most = Math.max(...columns.map(({ step_ns }) => step_ns), 1);
  return ticks(most / 1e6).map((ms) => ({
    words: ms === 0 ? '0' : duration(ms * 1e6),
    top: TOP + HEIGHT * (1 - (ms * 1e6) / most),
  }));
}

/** In the order of bars, from below; a step without GPUs is one plain stretch. */
function accountsOf({ accounts, step_ns }: StepColumn): { id: string; ns: number }[] {
  const known = drawn(Object.entries(accounts).map(([id, ns]) => ({ id, ns })));
  return known.length > 0 ? known : [{ id: 'step', ns: step_ns }];
}
