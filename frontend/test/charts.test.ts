import { describe, expect, it } from 'vitest';
import { accountLook } from '../src/accounts.js';
import { apart, ticks } from '../src/charts/scale.js';
import { stackedBar } from '../src/charts/stacked_bar.js';
import { rowWords, staggerChart, worstFirst } from '../src/charts/stagger_chart.js';
import { Tip } from '../src/elements/tip.js';
import { staggered } from '../src/fakes.js';

/** A number of an attribute; shares of the width as numbers, too. */
const value = (element: Element | null | undefined, name: string): number =>
  parseFloat(element?.getAttribute(name) ?? '');

/** What a group draws in the look of an account: x and width. */
function filled(group: SVGGElement, account: string): [number, number] {
  const rect = [...group.querySelectorAll('rect')].find((r) =>
    r.getAttribute('fill')?.includes(accountLook(account).colour),
  );
  return [value(rect, 'x'), value(rect, 'width')];
}

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

describe('stagger chart', () => {
  const items = staggered().stagger?.items ?? [];
  const [worst] = worstFirst(items);
  const rows = worst?.rows ?? [];

  it('shows the steps whose GPUs start furthest apart first', () => {
    const later = items.map((item) =>
      item.step === 4 && item.device === 'GPU:3' ? { ...item, first_kernel_ns: 9e6 } : item,
    );
    expect(worstFirst(items).map(({ step }) => step)).toEqual([5, 4]);
    expect(worstFirst(later).map(({ step, apart_ns }) => [step, apart_ns])).toEqual([
      [4, 9e6],
      [5, 7.8e6],
    ]);
    expect(worstFirst([])).toEqual([]);
  });

  it('has a row a GPU, and a tick only where the launch is known', () => {
    const { drawing, groups } = staggerChart(
      rows.map((row, i) => (i === 0 ? { ...row, first_launch_ns: null } : row)),
      'words',
    );
    expect(groups).toHaveLength(4);
    expect(drawing.querySelectorAll('.launch')).toHaveLength(3);
    for (const rect of drawing.querySelectorAll('g rect')) {
      expect(value(rect, 'width')).toBeGreaterThanOrEqual(0);
      expect(value(rect, 'x') + value(rect, 'width')).toBeLessThanOrEqual(100.001);
    }
  });

  it('marks idle time before the first kernel and waiting at the end, no more than the report says', () => {
    const [row] = rows.slice(2);
    expect(row).toBeDefined();
    if (!row) return;
    const shape = { ...row, first_launch_ns: null, first_kernel_ns: 40, last_kernel_ns: 100, idle_ns: 30, wait_ns: 20 };
    const [group] = staggerChart([shape], '').groups;
    expect(group && filled(group, 'idle.stagger')).toEqual([10, 30]);
    expect(group && filled(group, 'compute')).toEqual([40, 40]);
    expect(group && filled(group, 'communication.wait')).toEqual([80, 20]);
    const [longer] = staggerChart([{ ...shape, idle_ns: 90, wait_ns: 90 }], '').groups;
    expect(longer && filled(longer, 'idle.stagger')).toEqual([0, 40]);
    expect(longer && filled(longer, 'communication.wait')).toEqual([40, 60]);
  });

  it('marks idle time after the last kernel of a GPU that is done while another one runs', () => {
    const [row] = rows;
    if (!row) throw new Error('the fake has rows');
    const turns = [
      { ...row, first_launch_ns: null, first_kernel_ns: 0, last_kernel_ns: 20, idle_ns: 70, wait_ns: 0 },
      { ...row, first_launch_ns: null, first_kernel_ns: 25, last_kernel_ns: 100, idle_ns: 5, wait_ns: 0 },
    ];
    const idle = staggerChart(turns, '').groups.map((group) =>
      [...group.querySelectorAll('rect')]
        .filter((rect) => rect.getAttribute('fill')?.includes(accountLook('idle.stagger').colour))
        .map((rect) => [value(rect, 'x'), value(rect, 'width')]),
    );
    expect(idle).toEqual([
      [
        [0, 0],
        [20, 70],
      ],
      [
        [20, 5],
        [100, 0],
      ],
    ]);
  });

  it('says each row in words', () => {
    const words = rows.map(rowWords).map((text) => text.replaceAll('\u00a0', ' '));
    expect(words[0]).not.toContain('idle for');
    expect(words[3]).toContain('GPU 3: first kernel at 7.8 ms');
    expect(words[3]).toContain('idle for 7.8 ms while another GPU runs');
    expect(words[3]).not.toContain('waits');
    expect(words[2]).toContain('waits 2.6 ms in AllReduce');
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
