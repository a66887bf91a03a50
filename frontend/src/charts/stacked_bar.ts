/** One stacked bar: how a GPU spends an average step. Widths are shares, so it needs no measuring. */

import type { AccountLook } from '../accounts.js';
import { Patterns, svg } from './svg.js';

/** Of the width: what is narrower is no pixel wide, and is not drawn. */
const THIN = 0.0005;
/** Of the width: in what is narrower, lines at both sides would leave nothing of it. */
const NARROW = 0.003;

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
 * @returns the drawing and one rectangle per part, in the order given; null where a part is too narrow to be seen
 */
export function stackedBar(
  parts: readonly Part[],
  full: number,
  label: string,
  height = 20,
  patterns = new Patterns(),
): { drawing: SVGSVGElement; segments: (SVGRectElement | null)[] } {
  const share = (ns: number): string => `${((ns / full) * 100).toFixed(4)}%`;
  let begin = 0;
  // One element a part, at most: of many GPUs there are hundreds, and each takes its time of the first paint.
  const segments = parts.map(({ look, ns }) => {
    const x = share(begin);
    begin += ns;
    if (ns <= full * THIN) return null;
    // Its outline has the colour of the page and lies outside of the bar, but for the lines between neighbours.
    const segment = patterns.fill(look, { x, y: -0.5, width: share(ns), height: height + 1 });
    if (ns <= full * NARROW) segment.setAttribute('stroke', 'none');
    return segment;
  });
  const drawing = svg(
    'svg',
    { class: 'stacked', width: '100%', height, role: 'img', 'aria-label': label },
    ...(patterns.defs.parentNode ? [] : [patterns.defs]),
    ...segments.filter((segment) => segment !== null),
  );
  return { drawing, segments };
}
