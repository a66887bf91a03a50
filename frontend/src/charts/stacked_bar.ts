/** One stacked bar: how a GPU spends an average step. Widths are shares, so it needs no measuring. */

import { accountLook } from '../accounts.js';
import type { Account } from '../model.js';
import { Patterns, svg } from './svg.js';

const HEIGHT = 20;

/**
 * @param accounts drawn from left to right
 * @param full ns that fill the whole width
 * @param label all numbers in words, for those who do not see the bar
 * @returns the drawing and one group per account, in the order given
 */
export function stackedBar(
  accounts: readonly Account[],
  full: number,
  label: string,
): { drawing: SVGSVGElement; segments: SVGGElement[] } {
  const patterns = new Patterns();
  const share = (ns: number): string => `${((ns / full) * 100).toFixed(4)}%`;
  let begin = 0;
  const segments = accounts.map(({ id, ns }) => {
    const segment = patterns.fill(accountLook(id), { x: share(begin), width: share(ns), height: HEIGHT });
    // A line of the page's colour parts neighbours whose colours are close to each other.
    segment.append(
      svg('rect', { x: share(begin), width: 1, height: HEIGHT, style: 'fill: var(--page)' }),
    );
    begin += ns;
    return segment;
  });
  const drawing = svg(
    'svg',
    { width: '100%', height: HEIGHT, role: 'img', 'aria-label': label, tabindex: 0 },
    patterns.defs,
    ...segments,
  );
  return { drawing, segments };
}
