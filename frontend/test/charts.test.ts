import { describe, expect, it } from 'vitest';
import { accountLook } from '../src/accounts.js';
import { chartWords, estimates } from '../src/allreduce.js';
import { allreduceChart } from '../src/charts/allreduce_chart.js';
import { hostStepsChart } from '../src/charts/hosts_chart.js';
import { apart, ticks } from '../src/charts/scale.js';
import { stackedBar } from '../src/charts/stacked_bar.js';
import { Tip } from '../src/elements/tip.js';
import { staggered } from '../src/fakes.js';

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

describe('AllReduce chart', () => {
  const card = staggered().allreduce;
  if (!card) throw new Error('the fake has a card');
  const steps = [{ step: 3, transfer_ns: 2_000_000, wait_ns: 6_000_000, exposed_ns: 4_000_000 }];
  const lines = [{ words: 'ring bound', ns: 1_000_000, dashes: 'none' }];

  it('stacks waiting on transfer, from the ground, and marks what is exposed', () => {
    const { columns, drawing } = allreduceChart(steps, lines, 'words');
    const box = (account: string): [number, number] => {
      const rect = [...(columns[0]?.querySelectorAll('rect') ?? [])].find((r) =>
        r.getAttribute('fill')?.includes(accountLook(account).colour),
      );
      return [value(rect, 'y'), value(rect, 'height')];
    };
    const [transferTop, transfer] = box('communication.transfer');
    const [waitTop, wait] = box('communication.wait');
    expect(wait).toBeCloseTo(3 * transfer);
    expect(waitTop + wait).toBeCloseTo(transferTop);
    const ground = transferTop + transfer;
    expect(value(columns[0]?.querySelector('.exposed'), 'y1')).toBeCloseTo(ground - 2 * transfer);
    expect(value(drawing.querySelector('.estimate'), 'y1')).toBeCloseTo(ground - transfer / 2);
    expect(drawing.querySelector('.estimate-label')?.textContent).toBe('ring bound 1.0\u00a0ms');
  });

  it('holds an estimate far above what was measured, and as many steps as there are', () => {
    const { drawing } = allreduceChart(steps, [{ words: 'x', ns: 80_000_000, dashes: 'none' }], '');
    expect(value(drawing.querySelector('.estimate'), 'y1')).toBeGreaterThanOrEqual(0);
    const many = Array.from({ length: 200 }, (_, step) => ({ ...steps[0]!, step }));
    const long = allreduceChart(many, lines, '');
    expect(long.columns).toHaveLength(200);
    expect([...long.drawing.querySelectorAll('.tick:not(.end)')].map((t) => t.textContent)).toEqual(['0', '199']);
  });

  it('is said in words with its lines', () => {
    const words = chartWords(card).replaceAll('\u00a0', ' ');
    expect(words).toContain('AllReduce of 7 steps: transfer and waiting together take 4.5 ms to 4.9 ms');
    expect(words).toContain('ring bound 0.67 ms');
    expect(estimates({ ...card, guide_ns: null }).map((line) => line.words)).toEqual(['ring bound', 'achievable']);
  });
});

describe('chart of a host', () => {
  it('leaves out the line where the others have no such step', () => {
    const points = [1, 2, 3, 4].map((step) => ({ step, own_ns: 10, others_ns: step === 3 ? null : 8 }));
    const { drawing, groups } = hostStepsChart(points, 'words');
    expect(groups).toHaveLength(4);
    expect(drawing.querySelectorAll('.own')).toHaveLength(3);
    expect(drawing.querySelectorAll('.others')).toHaveLength(1);
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
