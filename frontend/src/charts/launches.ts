/** The launches of both sides as dots on one axis, and below them where the mean may be and was foretold. */

import { Tip } from '../elements/tip.js';
import { css } from '../theme.js';
import type { LaunchDots, Range } from './dots.js';
import { svg } from './svg.js';

/** Height of a launch in its lane, of a range, and of what is left around them, in px. */
const [ROW, RANGE, MARGIN] = [9, 16, 5];
const RADIUS = 4;

export const share = (at: number): string => `${(100 * at).toFixed(3)}%`;

/** For the element of class `launches` that holds such rows. */
export const DOTS_STYLE = css`
  .launches {
    align-items: center;
    display: grid;
    gap: 0 12px;
    grid-template-columns: minmax(80px, 220px) minmax(0, 1fr) 76px;
    margin-top: 8px;
  }
  .launches svg {
    display: block;
    overflow: visible;
  }
  .launches .name {
    font-size: 13px;
    grid-column: 1;
    line-height: 20px;
  }
  .launches .axis {
    grid-column: 2;
    height: 16px;
  }
  .launches .axis span:first-child {
    transform: translateX(-50%);
  }
  .grid {
    stroke: var(--line);
  }
  circle.base {
    fill: var(--panel);
    stroke: var(--ink-2);
    stroke-width: 2px;
  }
  circle.new {
    fill: var(--accent);
    stroke: var(--panel);
  }
  .interval {
    fill: var(--accent);
  }
  .foretold {
    stroke: var(--ink-2);
    stroke-width: 2px;
  }
`;

/** Rows of a grid: a name and a drawing each. */
export function drawLaunches(chart: HTMLElement, dots: LaunchDots): void {
  chart.replaceChildren();
  const tip = new Tip(chart);
  chart.append(axis(dots.ticks));
  for (const { side, name, words, dots: mine } of dots.lanes) {
    const circles = mine.map(({ at }, i) =>
      svg('circle', { class: side, cx: share(at), cy: MARGIN + ROW * (i + 0.5), r: RADIUS }),
    );
    const height = 2 * MARGIN + ROW * mine.length;
    const drawing = svg('svg', { width: '100%', height, role: 'img', 'aria-label': words }, ...grid(dots), ...circles);
    tip.explain(
      drawing,
      circles,
      mine.map((dot) => dot.words),
    );
    chart.append(text(name, 'name'), drawing);
  }
  if (dots.interval) chart.append(text('Interval', 'name'), range(dots, dots.interval, [...bar(dots.interval)]));
  if (dots.foretold) chart.append(text('Foretold', 'name'), range(dots, dots.foretold, [...bracket(dots.foretold)]));
}

function range(dots: LaunchDots, { words }: Range, marks: readonly SVGElement[]): SVGSVGElement {
  return svg('svg', { width: '100%', height: RANGE, role: 'img', 'aria-label': words }, ...grid(dots), ...marks);
}

/** The words below the lines of `grid`. */
export function axis(ticks: LaunchDots['ticks']): HTMLElement {
  const found = document.createElement('div');
  found.className = 'axis';
  found.setAttribute('aria-hidden', 'true');
  for (const { at, words } of ticks) {
    const label = text(words);
    label.style.left = share(at);
    found.append(label);
  }
  return found;
}

export function grid({ ticks }: Pick<LaunchDots, 'ticks'>): SVGElement[] {
  return ticks.map(({ at }) => svg('line', { class: 'grid', x1: share(at), x2: share(at), y1: 0, y2: '100%' }));
}

function bar({ begin, end }: Range): SVGElement[] {
  const width = share(Math.max(end - begin, 0.002));
  return [svg('rect', { class: 'interval', x: share(begin), y: RANGE / 2 - 3, width, height: 6 })];
}

function bracket({ begin, end }: Range): SVGElement[] {
  const [top, bottom] = [3, RANGE - 3];
  return [
    svg('line', { class: 'foretold', x1: share(begin), x2: share(end), y1: bottom, y2: bottom }),
    ...[begin, end].map((at) => svg('line', { class: 'foretold', x1: share(at), x2: share(at), y1: top, y2: bottom })),
  ];
}

export function text(words: string, name = ''): HTMLSpanElement {
  const one = document.createElement('span');
  one.className = name;
  one.textContent = words;
  return one;
}
