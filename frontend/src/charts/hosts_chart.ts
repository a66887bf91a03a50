/** The steps of one host against the median of the others. */

import { duration } from '../format.js';
import type { HostStepPoint } from '../hosts.js';
import { ticks } from './scale.js';
import { svg } from './svg.js';

const TOP = 8;
const PLOT = 96;
const AXIS = 22;
const MOST_NAMED = 16;

/**
 * @param label what the chart shows, in words
 * @returns the drawing and one group per point, in the order given
 */
export function hostStepsChart(
  points: readonly HostStepPoint[],
  label: string,
): { drawing: SVGSVGElement; groups: SVGGElement[] } {
  const highest = Math.max(1, ...points.map(({ own_ns, others_ns }) => Math.max(own_ns, others_ns ?? 0)));
  const y = (ns: number): number => TOP + PLOT * (1 - ns / highest);
  const slot = 100 / Math.max(points.length, 1);
  const x = (i: number): string => `${((i + 0.5) * slot).toFixed(4)}%`;
  const groups = points.map(({ own_ns }, i) =>
    svg(
      'g',
      {},
      svg('rect', {
        x: `${(i * slot).toFixed(4)}%`,
        y: TOP,
        width: `${slot.toFixed(4)}%`,
        height: PLOT,
        class: 'slot',
      }),
      svg('circle', { cx: x(i), cy: y(own_ns), r: 3, class: 'own-point' }),
    ),
  );
  const line = (values: readonly (number | null)[], name: string): SVGElement[] =>
    values.flatMap((ns, i) => {
      const next = values[i + 1];
      if (ns === null || next === null || next === undefined) return [];
      return [svg('line', { x1: x(i), x2: x(i + 1), y1: y(ns), y2: y(next), class: name })];
    });
  const named = points.length <= MOST_NAMED ? points.keys() : [0, points.length - 1];
  const drawing = svg(
    'svg',
    { width: '100%', height: TOP + PLOT + AXIS, role: 'img', 'aria-label': label },
    ...ticks(highest).map((ns) =>
      svg(
        'g',
        {},
        svg('line', { x1: 0, x2: '100%', y1: y(ns), y2: y(ns), class: 'grid' }),
        svg('text', { x: 0, dx: -8, y: y(ns) + 4, class: 'tick end' }, ns === 0 ? '0' : duration(ns)),
      ),
    ),
    ...line(
      points.map((p) => p.others_ns),
      'others',
    ),
    ...line(
      points.map((p) => p.own_ns),
      'own',
    ),
    ...groups,
    svg('text', { x: 0, dx: -8, y: TOP + PLOT + 16, class: 'tick end' }, 'step'),
    ...[...named].map((i) => svg('text', { x: x(i), y: TOP + PLOT + 16, class: 'tick' }, String(points[i]?.step))),
  );
  return { drawing, groups };
}
