/** The start of a step on every GPU: a tick where the host launches, a bar from first to last kernel. */

import { deviceName, duration } from '../format.js';
import type { StaggerItem } from '../model.js';
import { accountLook } from '../accounts.js';
import { Patterns, svg } from './svg.js';

const ROW = 26;
const BAR = 14;
const LABEL = 52;
const RIGHT = 10;
const AXIS = 22;

/** The items of the step whose GPUs start furthest apart. */
export function worstStep(items: readonly StaggerItem[]): StaggerItem[] {
  const steps = new Map<number, StaggerItem[]>();
  for (const item of items) steps.set(item.step, [...(steps.get(item.step) ?? []), item]);
  const spread = (rows: StaggerItem[]): number => {
    const starts = rows.map((row) => row.first_kernel_ns);
    return Math.max(...starts) - Math.min(...starts);
  };
  return [...steps.values()].sort((a, b) => spread(b) - spread(a))[0] ?? [];
}

/** Round numbers that divide 0…`end` into three to six parts. */
export function ticks(end: number): number[] {
  const raw = end / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

/** @param width of the drawing in CSS pixels */
export function staggerChart(rows: readonly StaggerItem[], width: number): SVGSVGElement {
  const begin = Math.min(0, ...rows.map((r) => r.first_launch_ns ?? 0));
  const end = Math.max(...rows.map((r) => r.last_kernel_ns), begin + 1);
  const x = (ns: number): number => LABEL + ((ns - begin) / (end - begin)) * (width - LABEL - RIGHT);
  const patterns = new Patterns();
  const height = rows.length * ROW;
  const spans = rows.map((row, i) => {
    const y = i * ROW + (ROW - BAR) / 2;
    const first = x(row.first_kernel_ns);
    const words =
      `${deviceName(row.device)}: first kernel at ${duration(row.first_kernel_ns)}, ` +
      `last kernel ends at ${duration(row.last_kernel_ns)}` +
      (row.first_launch_ns === null ? '' : `, first launch at ${duration(row.first_launch_ns)}`);
    const group = svg('g', {}, svg('title', {}, words));
    group.append(
      svg('text', { x: 0, y: y + BAR - 3, class: 'label' }, deviceName(row.device)),
      patterns.fill(accountLook('idle.stagger'), {
        x: x(0),
        y,
        width: Math.max(0, first - x(0)),
        height: BAR,
      }),
      patterns.fill(accountLook('compute'), {
        x: first,
        y,
        width: Math.max(1, x(row.last_kernel_ns) - first),
        height: BAR,
      }),
    );
    if (row.first_launch_ns !== null) {
      const launch = x(row.first_launch_ns);
      group.append(svg('path', { d: `M${launch} ${y - 3}V${y + BAR + 3}`, class: 'launch' }));
    }
    return group;
  });
  const axis = ticks(end).map((ns) =>
    svg('text', { x: x(ns), y: height + 14, class: 'tick' }, ns === 0 ? '0' : duration(ns)),
  );
  return svg(
    'svg',
    { width, height: height + AXIS, 'aria-hidden': 'true' },
    patterns.defs,
    ...spans,
    ...axis,
  );
}
