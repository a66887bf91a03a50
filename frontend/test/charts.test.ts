import { describe, expect, it } from 'vitest';
import { accountLook } from '../src/accounts.js';
import { apart, ticks } from '../src/charts/scale.js';
import { stackedBar } from '../src/charts/stacked_bar.js';
import { Tip } from '../src/elements/tip.js';

/** A number of an attribute; shares of the width as numbers, too. */
const value = (element: Element | null | undefined, name: string): number =>
  parseFloat(element?.getAttribute(name) ?? '');

describe('stacked bar', () => {
  const parts = [
    { look: accountLook('compute'), ns: 60 },
    { look: accountLook('idle.input'), ns: 20 },
  ];

  it('lays segments end to end in shares of the full width', () => {
    const { drawing, segments } = stackedBar(parts, 160, 'words');
    const boxes = segments.map((rect) => ['x', 'width'].map((name) => value(rect, name)));
    expect(boxes).toEqual([
      [0, 37.5],
      [37.5, 12.5],
    ]);
    expect(drawing.getAttribute('role')).toBe('img');
    expect(drawing.getAttribute('aria-label')).toBe('words');
  });

  it('does not draw what is no pixel wide, yet leaves its room', () => {
    const { drawing, segments } = stackedBar(
      [{ look: accountLook('compute'), ns: 1 }, ...parts, { look: accountLook('idle.sync'), ns: 9 }],
      10_000,
      '',
    );
    expect(segments.map((rect) => rect && value(rect, 'x'))).toEqual([null, 0.01, 0.61, 0.81]);
    expect(drawing.querySelectorAll(':scope > rect')).toHaveLength(3);
    expect(segments.map((rect) => rect?.getAttribute('stroke'))).toEqual([undefined, null, 'none', 'none']);
  });

  it('tells of the parts that are drawn, one after the other', () => {
    const { drawing, segments } = stackedBar([{ look: accountLook('compute'), ns: 1 }, ...parts], 10_000, '');
    const chart = document.createElement('div');
    new Tip(chart).explain(drawing, segments, ['unseen', 'first', 'last']);
    const told = (key: string): string | null => {
      drawing.dispatchEvent(new KeyboardEvent('keydown', { key }));
      return chart.textContent;
    };
    drawing.dispatchEvent(new Event('focus'));
    expect([chart.textContent, told('ArrowRight'), told('ArrowRight'), told('ArrowLeft')]).toEqual([
      'first',
      'last',
      'first',
      'last',
    ]);
  });

  it('patterns idle time with an id that no other drawing has', () => {
    const ids = [1, 2].map(() => stackedBar(parts, 80, '').drawing.querySelector('pattern')?.id);
    expect(ids[0]).toBeTruthy();
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('scale', () => {
  it('has round ticks', () => {
    expect(ticks(21.8)).toEqual([0, 5, 10, 15, 20]);
    expect(ticks(1e9)).toEqual([0, 2e8, 4e8, 6e8, 8e8, 1e9]);
  });

  it('puts labels apart, moving them no more than needed and not below the ground', () => {
    expect(apart([10, 50, 90], 15, 100)).toEqual([10, 50, 90]);
    expect(apart([50, 52], 15, 100)).toEqual([50, 65]);
    expect(apart([99, 98, 97], 15, 100)).toEqual([100, 85, 70]);
    expect(apart([], 15, 100)).toEqual([]);
  });
});
