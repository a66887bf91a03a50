/** The roofline picture: ops by arithmetic intensity and achieved rate, below the limits of the GPU. */

import { count, elided, flopsPerS, quantity } from '../../format.js';
import type { PeakRate, Roofline } from '../../model.js';
import { type Dot, domain, drawnOf, nameOf, peaksOf, ridge } from './roofline.js';
import { apart, logPlace, logTicks } from '../../charts/scale.js';
import { svg } from '../../charts/svg.js';

const TOP = 22;
const PLOT = 300;
const AXIS = 38;
/** Radius of the op with the most time, and the least of all. */
const LARGEST = 15;
const SMALLEST = 3;
const LABEL = 15;
/** Characters of the name of the longest op. */
const NAME = 32;

/** @returns the drawing and one group for each of `drawnOf`, in the order given; the largest are drawn first */
export function rooflineChart(
  dots: readonly Dot[],
  roofline: Roofline,
  label: string,
): { drawing: SVGSVGElement; groups: SVGGElement[] } {
  const peaks = peaksOf(dots, roofline);
  const { x: xs, y: ys } = domain(dots, peaks, roofline);
  const x = (value: number): string => `${(100 * logPlace(value, ...xs)).toFixed(4)}%`;
  const y = (value: number): number => Number((TOP + PLOT * (1 - logPlace(value, ...ys))).toFixed(2));
  const drawn = drawnOf(dots, roofline);
  const most = Math.max(1, ...drawn.map(({ op }) => op.ns));
  const groups = drawn.map((dot) =>
    svg(
      'g',
      { class: 'dot', role: 'img', tabindex: -1 },
      svg('circle', {
        cx: x(dot.intensity),
        cy: y(dot.rate),
        r: Math.max(SMALLEST, LARGEST * Math.sqrt(dot.op.ns / most)).toFixed(2),
      }),
    ),
  );
  const line = (name: string, from: [number, number], to: [number, number]): SVGLineElement =>
    svg('line', { class: name, x1: x(from[0]), y1: y(from[1]), x2: x(to[0]), y2: y(to[1]) });
  const drawing = svg(
    'svg',
    { width: '100%', height: TOP + PLOT + AXIS, role: 'group', 'aria-label': label },
    ...grid(),
    svg('text', { class: 'tick', x: '50%', y: TOP + PLOT + 34 }, 'arithmetic intensity, FLOP per byte'),
    ...roof(peaks, roofline.bytes_per_s, 'limit'),
    ...roof(
      peaks.map((peak) => ({ ...peak, flops_per_s: peak.flops_per_s * peak.reached_ratio })),
      roofline.bytes_per_s * roofline.bytes_reached_ratio,
      'limit reached',
    ),
    ...peaks.map((peak) =>
      svg('rect', {
        class: 'ridge',
        x: x(ridge(peak, roofline)),
        y: y(peak.flops_per_s),
        width: 8,
        height: 8,
      }),
    ),
    ...groups,
    ...labels(),
  );
  return { drawing, groups };

  function grid(): SVGElement[] {
    return [
      ...logTicks(...xs).map((at) =>
        svg(
          'g',
          {},
          line('grid', [at, ys[0]], [at, ys[1]]),
          svg('text', { class: 'tick', x: x(at), y: TOP + PLOT + 16 }, count(at)),
        ),
      ),
      ...logTicks(...ys).map((at) =>
        svg(
          'g',
          {},
          line('grid', [xs[0], at], [xs[1], at]),
          svg('text', { class: 'tick end', x: 0, dx: -8, y: y(at) + 4 }, flopsPerS(at).replace('.0', '')),
        ),
      ),
    ];
  }

  /** The slope of the memory up to the highest ridge, and from each ridge on the peak. */
  function roof(flats: readonly PeakRate[], slope: number, name: string): SVGElement[] {
    const ends = flats.map(({ flops_per_s }) => flops_per_s / slope);
    const begin = Math.max(xs[0], ys[0] / slope);
    const end = Math.max(...ends);
    return [
      ...(end > begin ? [line(name, [begin, begin * slope], [end, end * slope])] : []),
      ...flats.map(({ flops_per_s: peak }, i) => line(name, [Math.min(ends[i] ?? 0, xs[1]), peak], [xs[1], peak])),
    ];
  }

  function labels(): SVGElement[] {
    const heights = apart(
      peaks.map(({ flops_per_s }) => y(flops_per_s) - 7),
      LABEL,
      TOP + PLOT,
    );
    // Above the slope, half way up to its first ridge.
    const begin = Math.max(xs[0], ys[0] / roofline.bytes_per_s);
    const middle = Math.sqrt(begin * Math.min(...peaks.map((peak) => ridge(peak, roofline))));
    return [
      ...drawn.slice(0, 1).map((dot) => {
        // Below, where no limit lies.
        const end = logPlace(dot.intensity, ...xs) > 0.5 ? 'end' : '';
        const at = { x: x(dot.intensity), dx: end ? LARGEST : -LARGEST, y: y(dot.rate) + LARGEST + LABEL };
        return svg('text', { class: `mark ${end}`, ...at }, elided(nameOf(dot), NAME));
      }),
      ...peaks.map(({ format, flops_per_s }, i) =>
        svg(
          'text',
          { class: 'mark end', x: '100%', dx: -4, y: heights[i] ?? 0 },
          `${format} ${flopsPerS(flops_per_s)}`,
        ),
      ),
      svg(
        'text',
        { class: 'mark end', x: x(middle), y: y(middle * roofline.bytes_per_s) - 10 },
        `memory ${quantity(roofline.bytes_per_s / 1e9, 'GB/s')}`,
      ),
    ];
  }
}
