/**
 * Bytes in use on one GPU: an area in steps, the peak, and the capacity.
 *
 * The events of the allocator stand side by side in their order. In TensorFlow memory is allocated at launches,
 * in bursts: with time to scale, all that can be seen would be one spike a step.
 */

import { bytes, timelineMs } from '../../format.js';
import type { GpuMemory } from '../../model.js';
import { ticks } from '../../charts/scale.js';
import { svg } from '../../charts/svg.js';

const TOP = 18;
const PLOT = 130;
const AXIS = 22;
const WIDTH = 1000;
/** Moments whose time is written below the chart. */
const NAMED = 6;

/** @returns the drawing, with one group per point of the timeline to be explained */
export function memoryChart(gpu: GpuMemory, label: string): { drawing: SVGSVGElement; groups: SVGGElement[] } {
  const { at_ms, used_bytes: points } = gpu.points;
  const share = (i: number): number => i / Math.max(points.length, 1);
  const y = (used: number): number => TOP + PLOT * (1 - used / gpu.capacity_bytes);
  const line = points
    .map(
      (used, i) => `${i === 0 ? 'M' : 'H'}${(share(i) * WIDTH).toFixed(2)}${i === 0 ? ' ' : 'V'}${y(used).toFixed(2)}`,
    )
    .join('');
  const bottom = TOP + PLOT;
  // Stretched to the width of the page; lines keep their width.
  const area = svg(
    'svg',
    { width: '100%', height: bottom, viewBox: `0 0 ${WIDTH} ${bottom}`, preserveAspectRatio: 'none' },
    svg('path', { d: `${line}H${WIDTH}V${bottom}H0Z`, class: 'area' }),
    svg('path', { d: `${line}H${WIDTH}`, class: 'line', 'vector-effect': 'non-scaling-stroke' }),
  );
  const percent = (value: number): string => `${(100 * value).toFixed(3)}%`;
  const groups = points.map((used, i) =>
    svg(
      'g',
      {},
      svg('rect', { x: percent(share(i)), y: TOP, width: percent(share(1)), height: PLOT, class: 'slot' }),
      svg('circle', { cx: percent(share(i)), cy: y(used), r: 3, class: 'point' }),
    ),
  );
  const peak = share(Math.max(0, points.indexOf(gpu.recorded_peak_bytes)));
  const before = y(gpu.before_bytes);
  const named =
    points.length < NAMED
      ? points.keys()
      : Array.from({ length: NAMED }, (_, i) => Math.floor((i * points.length) / NAMED));
  const drawing = svg(
    'svg',
    { width: '100%', height: bottom + AXIS, role: 'img', 'aria-label': label },
    ...ticks(gpu.capacity_bytes).map((used) =>
      svg(
        'g',
        {},
        svg('line', { x1: 0, x2: '100%', y1: y(used), y2: y(used), class: 'grid' }),
        svg('text', { x: 0, dx: -8, y: y(used) + 4, class: 'tick end' }, used === 0 ? '0' : bytes(used)),
      ),
    ),
    area,
    ...(gpu.before_bytes > 0 ? [svg('line', { x1: 0, x2: '100%', y1: before, y2: before, class: 'before' })] : []),
    svg('line', { x1: 0, x2: '100%', y1: TOP, y2: TOP, class: 'capacity' }),
    svg('text', { x: '100%', y: TOP - 6, class: 'tick end' }, `capacity ${bytes(gpu.capacity_bytes)}`),
    svg('circle', { cx: percent(peak), cy: y(gpu.recorded_peak_bytes), r: 4, class: 'peak' }),
    svg(
      'text',
      {
        x: percent(peak),
        dx: peak > 0.5 ? -8 : 8,
        y: Math.max(TOP + 12, y(gpu.recorded_peak_bytes) - 6),
        class: peak > 0.5 ? 'mark end' : 'mark',
      },
      `peak ${bytes(gpu.recorded_peak_bytes)}`,
    ),
    ...groups,
    ...[...named].map((i) =>
      svg('text', { x: percent(share(i)), y: bottom + 16, class: 'tick start' }, timelineMs(at_ms[i] ?? 0)),
    ),
  );
  return { drawing, groups };
}

/** What is said of each moment of the timeline. */
export function pointsWords({ points: { at_ms, used_bytes } }: GpuMemory): string[] {
  return used_bytes.map((used, i) => `${bytes(used)} in use at ${timelineMs(at_ms[i] ?? 0)}`);
}
