/** What each switch changes of a step: a bar from no change, and over it the interval. */

import { axis, grid, share, text } from '../../charts/launches.js';
import { svg } from '../../charts/svg.js';
import { Tip } from '../../elements/tip.js';
import type { SwitchBars } from './logic.js';

const HEIGHT = 22;
const MIDDLE = HEIGHT / 2;

/** Rows of a grid: a name, a drawing and a state each. */
export function drawSwitches(chart: HTMLElement, { ticks, bars }: SwitchBars): void {
  chart.replaceChildren(axis(ticks));
  const tip = new Tip(chart);
  for (const { name, state, look, words, bar, interval } of bars) {
    chart.append(text(name, 'name'));
    if (bar) {
      const box = { x: share(bar.begin), width: share(Math.max(bar.end - bar.begin, 0.002)), y: 4, height: HEIGHT - 8 };
      const marks = [svg('rect', { class: `change ${look}`, ...box })];
      const drawing = svg(
        'svg',
        { width: '100%', height: HEIGHT, role: 'img', 'aria-label': words },
        ...grid({ ticks }),
      );
      drawing.append(...marks);
      if (interval) {
        const [x1, x2] = [share(interval.begin), share(interval.end)];
        drawing.append(
          svg('line', { class: 'span', x1, x2, y1: MIDDLE, y2: MIDDLE }),
          ...[x1, x2].map((x) => svg('line', { class: 'span', x1: x, x2: x, y1: MIDDLE - 4, y2: MIDDLE + 4 })),
        );
      }
      tip.explain(drawing, marks, [words]);
      chart.append(drawing);
    }
    chart.append(text(state, `state ${look} ${bar ? '' : 'alone'}`));
  }
}
