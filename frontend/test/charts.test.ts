import { describe, expect, it } from 'vitest';
import { stackedBar } from '../src/charts/stacked_bar.js';
import { staggerChart, ticks, worstStep } from '../src/charts/stagger_chart.js';
import { staggered } from '../src/fakes.js';

describe('stacked bar', () => {
  const accounts = [
    { id: 'compute', ns: 60, ratio: 0.6 },
    { id: 'idle.input', ns: 20, ratio: 0.2 },
  ];

  it('lays segments end to end in shares of the full width', () => {
    const { drawing, segments } = stackedBar(accounts, 160, 'words');
    const boxes = segments.map((g) => ['x', 'width'].map((a) => parseFloat(g.firstElementChild?.getAttribute(a) ?? '')));
    expect(boxes).toEqual([[0, 37.5], [37.5, 12.5]]);
    expect(drawing.getAttribute('role')).toBe('img');
    expect(drawing.getAttribute('aria-label')).toBe('words');
  });

  it('patterns idle time with an id that no other drawing has', () => {
    const ids = [1, 2].map(() => stackedBar(accounts, 80, '').drawing.querySelector('pattern')?.id);
    expect(ids[0]).toBeTruthy();
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('stagger chart', () => {
  const items = staggered().stagger?.items ?? [];

  it('shows the step whose GPUs start furthest apart', () => {
    const later = items.map((item) => (item.step === 4 && item.device === 'GPU:3' ? { ...item, first_kernel_ns: 9e6 } : item));
    expect(new Set(worstStep(items).map(({ step }) => step))).toEqual(new Set([5]));
    expect(new Set(worstStep(later).map(({ step }) => step))).toEqual(new Set([4]));
    expect(worstStep([])).toEqual([]);
  });

  it('has a row a GPU with its name, and a tick only where the launch is known', () => {
    const rows = worstStep(items).map((row, i) => (i === 0 ? { ...row, first_launch_ns: null } : row));
    const chart = staggerChart(rows, 400);
    expect([...chart.querySelectorAll('.label')].map((e) => e.textContent)).toEqual(['GPU 0', 'GPU 1', 'GPU 2', 'GPU 3']);
    expect(chart.querySelectorAll('.launch')).toHaveLength(3);
    for (const rect of chart.querySelectorAll('rect')) {
      expect(Number(rect.getAttribute('width'))).toBeGreaterThanOrEqual(0);
      expect(Number(rect.getAttribute('x')) + Number(rect.getAttribute('width'))).toBeLessThanOrEqual(400);
    }
  });

  it('has round ticks', () => {
    expect(ticks(21.8)).toEqual([0, 5, 10, 15, 20]);
    expect(ticks(1e9)).toEqual([0, 2e8, 4e8, 6e8, 8e8, 1e9]);
  });
});
