/** One stacked bar: how a GPU spends an average step. Widths are shares, so it needs no measuring. */

import type { AccountLook } from '../accounts.js';
import { Patterns, svg } from './svg.js';

/** A time in the look of its account. */
export interface Part {
  look: AccountLook;
  ns: number;
}

/**
 * @param parts drawn from left to right
 * @param full ns that fill the whole width
 * @param label all numbers in words, for those who do not see the bar
 * @param height in px
 * @param patterns those of a whole chart of bars; they are defined in the first one
 * @returns the drawing and one group per part, in the order given
 */
export function stackedBar(
  parts: readonly Part[],
  full: number,
  label: string,
  height = 20,
  patterns = new Patterns(),
): { drawing: SVGSVGElement; segments: SVGGElement[] } {
  const share = (ns: number): string => `${((ns / full) * 100).toFixed(4)}%`;
  let begin = 0;
  const segments = parts.map(({ look, ns }) => {
    const segment = patterns.fill(look, { x: share(begin), width: share(ns), height });
    // A line of the page's colour parts neighbours whose colours are close to each other.
    segment.append(
      svg('rect', { x: share(begin), width: 1, height, style: 'fill: var(--page)' }),
    );
    begin += ns;
    return segment;
  });
  const drawing = svg(
    'svg',
    { width: '100%', height, role: 'img', 'aria-label': label },
    ...(patterns.defs.parentNode ? [] : [patterns.defs]),
    ...segments,
  );
  return { drawing, segments };
}
