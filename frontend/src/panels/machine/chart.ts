/** One resource over the whole training: a line for the mean, a band from the lowest to the highest value. */

import { svg } from '../../charts/svg.js';
import type { MachineHost, MachineLane } from '../../model.js';
import { topOf } from './logic.js';

const WIDTH = 1000;
/** Of a lane, in px. */
export const HEIGHT = 44;

/** The drawing, stretched to the width of its place; lines keep their width. */
export function lanePlot(host: MachineHost, lane: MachineLane): SVGSVGElement {
  const { end_ns, watched_ns, marks } = host;
  const top = topOf(lane);
  const x = (ns: number): string => ((WIDTH * ns) / watched_ns).toFixed(2);
  const y = (value: number): string => (HEIGHT * (1 - value / top)).toFixed(2);
  const stairs = (values: readonly number[]): string =>
    values.map((value, i) => `V${y(value)}H${x(end_ns[i] ?? 0)}`).join('');
  const back = (values: readonly number[]): string =>
    values
      .map((value, i) => `V${y(value)}H${x(end_ns[i - 1] ?? 0)}`)
      .reverse()
      .join('');
  const limit = lane.limit !== null && lane.limit < top ? y(lane.limit) : null;
  return svg(
    'svg',
    {
      width: '100%',
      height: HEIGHT,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    },
    svg('path', {
      d: marks.map((mark) => `M${x(mark.begin_ns)} 0H${x(mark.end_ns)}V${HEIGHT}H${x(mark.begin_ns)}Z`).join(''),
      class: 'marked',
    }),
    svg('path', { d: `M0 ${HEIGHT}${stairs(lane.high)}${back(lane.low)}Z`, class: 'band' }),
    ...(limit === null
      ? []
      : [svg('path', { d: `M0 ${limit}H${WIDTH}`, class: 'limit', 'vector-effect': 'non-scaling-stroke' })]),
    svg('path', {
      d: `M0 ${y(lane.mean[0] ?? 0)}${stairs(lane.mean)}`,
      class: 'mean',
      'vector-effect': 'non-scaling-stroke',
    }),
  );
}
