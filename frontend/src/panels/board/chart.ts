/** A bar for each step, as high as it is long. */

import { heights } from '../../charts/scale.js';
import { svg } from '../../charts/svg.js';
import { counted, duration } from '../../format.js';
import type { Outline } from '../../model.js';

const HEIGHT = 18;
const WIDTH = 3;
const PITCH = 4;

export function spark({ lengths, steps_count: steps, p50_ns: median }: Outline): SVGSVGElement {
  const share = heights(lengths);
  const words = `${counted(steps, 'step')}${median === null ? '' : `, half of them within ${duration(median)}`}`;
  return svg(
    'svg',
    { width: Math.max(lengths.length * PITCH, 1), height: HEIGHT, role: 'img', 'aria-label': words },
    ...lengths.map(({ ns, judged, outlier }, i) => {
      const height = Math.max(HEIGHT * Math.min(share(ns), 1), 1);
      const look = outlier ? 'outlier' : judged ? 'judged' : 'partial';
      return svg('rect', { class: look, x: i * PITCH, y: HEIGHT - height, width: WIDTH, height });
    }),
  );
}
