/** The start of a step on every GPU: a tick where the host launches, a bar from first to last kernel. */

import { accountLook } from '../accounts.js';
import { deviceName, duration } from '../format.js';
import type { StaggerItem } from '../model.js';
import { ticks } from './scale.js';
import { Patterns, svg } from './svg.js';

export const ROW = 28;
const BAR = 14;
const AXIS = 20;

/** The rows of one step, and how far apart its GPUs start. */
export interface StaggerStep {
  step: number;
  apart_ns: number;
  rows: StaggerItem[];
}

/** The steps, that whose GPUs start furthest apart first. */
export function worstFirst(items: readonly StaggerItem[]): StaggerStep[] {
  const steps = new Map<number, StaggerItem[]>();
  for (const item of items) steps.set(item.step, [...(steps.get(item.step) ?? []), item]);
  return [...steps]
    .map(([step, rows]) => {
      const starts = rows.map((row) => row.first_kernel_ns);
      return { step, rows, apart_ns: Math.max(...starts) - Math.min(...starts) };
    })
    .sort((a, b) => b.apart_ns - a.apart_ns);
}

/** One row in words. */
export function rowWords(row: StaggerItem): string {
  return [
    `${deviceName(row.device)}: first kernel at ${duration(row.first_kernel_ns)}`,
    `last kernel ends at ${duration(row.last_kernel_ns)}`,
    row.first_launch_ns === null ? '' : `first launch at ${duration(row.first_launch_ns)}`,
    row.idle_ns > 0 ? `idle for ${duration(row.idle_ns)} while another GPU runs` : '',
    row.wait_ns > 0 ? `waits ${duration(row.wait_ns)} in AllReduce for GPUs that started later` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * Rows of `ROW` px, to stand beside their labels, and an axis below them.
 *
 * Where in the step a GPU is idle or waits is not part of a row. Idle time is drawn before the first
 * kernel, and what does not fit there after the last one; waiting at the end, where gradients are reduced.
 * All times count from the first kernel of the step on any GPU; launches come before it.
 *
 * @param label what the chart shows, in words
 * @returns the drawing and one group per row, in the order given
 */
export function staggerChart(
  rows: readonly StaggerItem[],
  label: string,
): { drawing: SVGSVGElement; groups: SVGGElement[] } {
  const begin = Math.min(0, ...rows.map((r) => r.first_launch_ns ?? 0));
  const end = Math.max(...rows.map((r) => r.last_kernel_ns), begin + 1);
  const share = (ns: number): string => `${((ns / (end - begin)) * 100).toFixed(4)}%`;
  const patterns = new Patterns();
  const groups = rows.map((row, i) => {
    const y = i * ROW + (ROW - BAR) / 2;
    const bar = (account: string, from: number, to: number): SVGGElement =>
      patterns.fill(accountLook(account), {
        x: share(from - begin),
        y,
        width: share(Math.max(0, to - from)),
        height: BAR,
      });
    const first = row.first_kernel_ns;
    const last = row.last_kernel_ns;
    const idle = Math.max(0, Math.min(row.idle_ns, first));
    const rest = Math.max(0, Math.min(row.idle_ns - idle, end - last));
    const wait = Math.max(0, Math.min(row.wait_ns, last - first));
    const group = svg(
      'g',
      {},
      svg('rect', { x: 0, y: i * ROW, width: '100%', height: ROW, class: 'slot' }),
      bar('idle.stagger', first - idle, first),
      bar('compute', first, last - wait),
      bar('communication.wait', last - wait, last),
      bar('idle.stagger', last, last + rest),
    );
    if (row.first_launch_ns !== null) {
      const x = share(row.first_launch_ns - begin);
      group.append(svg('line', { x1: x, x2: x, y1: y - 3, y2: y + BAR + 3, class: 'launch' }));
    }
    return group;
  });
  const height = rows.length * ROW;
  const axis = ticks(end).map((ns) =>
    svg('text', { x: share(ns - begin), y: height + 14, class: 'tick' }, ns === 0 ? '0' : duration(ns)),
  );
  const drawing = svg(
    'svg',
    { width: '100%', height: height + AXIS, role: 'img', 'aria-label': label },
    patterns.defs,
    ...groups,
    ...axis,
  );
  return { drawing, groups };
}
