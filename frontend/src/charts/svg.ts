/** The little SVG that the charts need. Names of a profile enter only as text nodes and attributes. */

import type { AccountLook, Pattern } from '../accounts.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Lines of each pattern in a tile of 8 × 8. */
export const TILES: Record<Exclude<Pattern, 'solid'>, string> = {
  rising: 'M-2 2L2 -2M0 8L8 0M6 10L10 6',
  falling: 'M-2 6L2 10M0 0L8 8M6 -2L10 2',
  cross: 'M0 0L8 8M8 0L0 8',
  bars: 'M2 0V8M6 0V8',
  dots: 'M1.5 2H3.5M5.5 6H7.5',
};

let drawings = 0;

/** Pattern definitions for one drawing; ids are unique because url(#…) finds the first of a tree. */
export class Patterns {
  readonly defs = svg('defs');
  private readonly prefix = `pattern-${++drawings}`;
  private readonly made = new Set<string>();

  /** A rectangle in the look of an account. */
  fill(look: AccountLook, box: Record<string, string | number>): SVGRectElement {
    // Attributes: the browser takes longer to read a style.
    return svg('rect', {
      ...box,
      fill: look.pattern === 'solid' ? `var(${look.colour})` : `url(#${this.tile(look.colour, look.pattern)})`,
    });
  }

  private tile(colour: string, pattern: Exclude<Pattern, 'solid'>): string {
    const id = `${this.prefix}${colour}-${pattern}`;
    if (!this.made.has(id)) {
      this.made.add(id);
      this.defs.append(
        svg(
          'pattern',
          { id, width: 8, height: 8, patternUnits: 'userSpaceOnUse' },
          // Larger than the tile, so that no seam shows where a pixel of the screen is not one of the page.
          svg('rect', { x: -1, y: -1, width: 10, height: 10, fill: `var(${colour})`, stroke: 'none' }),
          svg('path', {
            d: TILES[pattern],
            fill: 'none',
            stroke: 'var(--hatch)',
            'stroke-width': pattern === 'dots' ? 2 : 1.2,
          }),
        ),
      );
    }
    return id;
  }
}

/** A sample of an account, for a legend. */
function legendSample(look: AccountLook): SVGSVGElement {
  const patterns = new Patterns();
  return svg(
    'svg',
    { width: 12, height: 12, 'aria-hidden': 'true' },
    patterns.defs,
    patterns.fill(look, { width: 12, height: 12 }),
  );
}

/** One entry of a legend: a sample of the account, and words. */
export function legendItem(look: AccountLook, ...words: (string | Node)[]): HTMLLIElement {
  const item = document.createElement('li');
  const text = document.createElement('span');
  text.append(...words);
  item.append(legendSample(look), text);
  return item;
}
