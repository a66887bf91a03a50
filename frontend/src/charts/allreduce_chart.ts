/** AllReduce of each step: transfer and waiting as columns, what estimates say as lines across them. */

import { accountLook } from '../accounts.js';
import { duration } from '../format.js';
import type { AllReduceStep } from '../model.js';
import { apart, ticks } from './scale.js';
import { Patterns, svg } from './svg.js';

const TOP = 10;
const PLOT = 140;
const AXIS = 22;
const LABEL_GAP = 15;

/** Fewer steps leave room at the right, so that few columns do not become walls. */
const LEAST_SLOTS = 6;

/** With more steps than this, only the first and the last are named. */
const MOST_NAMED = 16;

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
export function allreduceChart(
  steps: readonly AllReduceStep[],
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
    const exposed = y(Math.min(step.exposed_ns, reached));
    return svg(
      'g',
      {},
      svg('rect', { x: percent(i * slot), y: TOP, width: percent(slot), height: PLOT, class: 'slot' }),
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
      svg('line', { x1: x, x2: percent((i + 0.85) * slot), y1: exposed, y2: exposed, class: 'exposed' }),
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
      svg('text', { x: percent((i + 0.5) * slot), y: bottom + 16, class: 'tick' }, String(steps[i]?.step)),
    ),
    ...lines(estimates, y, bottom),
  );
  return { drawing, columns };
}

/** Each estimate's line, led to a label at its right end that no other label covers. */
function lines(estimates: readonly Estimate[], y: (ns: number) => number, bottom: number): SVGElement[] {
  const heights = apart(
    estimates.map(({ ns }) => y(ns)),
    LABEL_GAP,
    bottom,
  );
  return estimates.flatMap(({ words, ns, dashes }, i) => {
    const [from, to] = [y(ns), heights[i] ?? 0];
    return [
      svg('line', { x1: 0, x2: '100%', y1: from, y2: from, class: 'estimate', 'stroke-dasharray': dashes }),
      // A drawing of its own, so that pixels can be counted from the right edge.
      svg(
        'svg',
        { x: '100%', overflow: 'visible' },
        svg('path', { d: `M0 ${from}H3L11 ${to}H14`, class: 'leader' }),
        svg('text', { x: 18, y: to + 4, class: 'estimate-label' }, `${words} ${duration(ns)}`),
      ),
    ];
  });
}
