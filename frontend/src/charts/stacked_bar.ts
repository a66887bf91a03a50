/** One stacked bar: how a GPU spends an average step. Widths are shares, so it needs no measuring. */

import type { AccountLook } from '../accounts.js';
import { Patterns, svg } from './svg.js';

/** Of the width: what is narrower is no pixel wide, and neither its pattern nor a line beside it says anything. */
const THIN = 0.0005;

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
 * @returns the drawing and one rectangle per part, in the order given
 */
export function stackedBar(
  parts: readonly Part[],
  full: number,
  label: string,
  height = 20,
  patterns = new Patterns(),
): { drawing: SVGSVGElement; segments: SVGRectElement[] } {
  const share = (ns: number): string => `${((ns / full) * 100).toFixed(4)}%`;
  const drawn: SVGRectElement[] = [];
  let begin = 0;
  // No groups: of many GPUs there are hundreds of elements, and each takes its time of the first paint.
  const segments = parts.map(({ look, ns }) => {
    const box = { x: share(begin), width: share(ns), height };
    const [colour, ...pattern] = patterns.rects(look, box);
    drawn.push(colour);
    if (ns > full * THIN) {
      drawn.push(...pattern);
      // A line of the page's colour parts neighbours whose colours are close to each other.
      if (begin > full * THIN) drawn.push(svg('rect', { ...box, width: 1, fill: 'var(--page)', 'pointer-events': 'none' }));
    }
    begin += ns;
    return colour;
  });
  const drawing = svg(
    'svg',
    { width: '100%', height, role: 'img', 'aria-label': label },
    ...(patterns.defs.parentNode ? [] : [patterns.defs]),
    ...drawn,
  );
  return { drawing, segments };
}
