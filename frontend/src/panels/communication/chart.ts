/** Communication of each step: transfer and waiting as columns, estimates as lines across them. */

import { accountLook } from '../../accounts.js';
import { ticks } from '../../charts/scale.js';
import { Patterns, svg } from '../../charts/svg.js';
import { duration } from '../../format.js';

const TOP = 10;
const PLOT = 112;
const AXIS = 22;

/** Fewer steps leave room at the right, so that few columns do not become walls. */
const LEAST_SLOTS = 6;

/** With more steps than this, only the first and the last are named. */
const MOST_NAMED = 16;

/** Transfer and waiting of a step; `exposed_ns`: the part of both that no compute hides, null where that is all. */
export interface Step {
  step: string;
  transfer_ns: number;
  wait_ns: number;
  exposed_ns: number | null;
}

export interface Estimate {
  words: string;
  ns: number;
  /** `stroke-dasharray`: lines differ by more than their place. */
  dashes: string;
}

/**
 * @param label what the chart shows, in words
 * @returns the drawing and one group per step, in the order given
 */
export function stepsChart(
  steps: readonly Step[],
  estimates: readonly Estimate[],
  label: string,
): { drawing: SVGSVGElement; columns: SVGGElement[] } {
  const highest = Math.max(
    1,
    ...steps.map(({ transfer_ns, wait_ns }) => transfer_ns + wait_ns),
    ...estimates.map(({ ns }) => ns),
  );
  const y = (ns: number): number => TOP + PLOT * (1 - ns / highest);
  const slot = 100 / Math.max(steps.length, LEAST_SLOTS);
  const percent = (share: number): string => `${share.toFixed(4)}%`;
  const patterns = new Patterns();
  const bottom = y(0);
  const columns = steps.map((step, i) => {
    const x = percent((i + 0.15) * slot);
    const width = percent(0.7 * slot);
    const reached = step.transfer_ns + step.wait_ns;
    const exposed = y(Math.min(step.exposed_ns ?? 0, reached));
    const to = percent((i + 0.85) * slot);
    return svg(
      'g',
      {},
      svg('rect', { x: percent(i * slot), y: TOP, width: percent(slot), height: PLOT + AXIS, class: 'slot' }),
      patterns.fill(accountLook('communication.transfer'), {
        x,
        y: y(step.transfer_ns),
        width,
        height: bottom - y(step.transfer_ns),
      }),
      patterns.fill(accountLook('communication.wait'), {
        x,
        y: y(reached),
        width,
        height: y(step.transfer_ns) - y(reached),
      }),
      ...(step.exposed_ns === null ? [] : [svg('line', { x1: x, x2: to, y1: exposed, y2: exposed, class: 'exposed' })]),
    );
  });
  const named = steps.length <= MOST_NAMED ? steps.keys() : [0, steps.length - 1];
  const drawing = svg(
    'svg',
    { width: '100%', height: TOP + PLOT + AXIS, role: 'img', 'aria-label': label },
    patterns.defs,
    ...ticks(highest).map((ns) =>
      svg(
        'g',
        {},
        svg('line', { x1: 0, x2: '100%', y1: y(ns), y2: y(ns), class: 'grid' }),
        svg('text', { x: 0, dx: -8, y: y(ns) + 4, class: 'tick end' }, ns === 0 ? '0' : duration(ns)),
      ),
    ),
    ...columns,
    svg('text', { x: 0, dx: -8, y: bottom + 16, class: 'tick end' }, 'step'),
    ...[...named].map((i) =>
      svg('text', { x: percent((i + 0.5) * slot), y: bottom + 16, class: 'tick' }, steps[i]?.step ?? ''),
    ),
    ...estimates.map(({ ns, dashes }) =>
      svg('line', { x1: 0, x2: '100%', y1: y(ns), y2: y(ns), class: 'estimate', 'stroke-dasharray': dashes }),
    ),
  );
  return { drawing, columns };
}

/** A sample of an estimate's line, for the legend. */
export function lineSample(dashes: string): SVGSVGElement {
  const line = svg('line', { x1: 0, x2: 24, y1: 6, y2: 6, class: 'estimate', 'stroke-dasharray': dashes });
  return svg('svg', { width: 24, height: 12, 'aria-hidden': 'true' }, line);
}
