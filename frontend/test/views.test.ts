import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import { memoryChart } from '../src/panels/memory/chart.js';
import type { GpuMemory } from '../src/model.js';
import { elided } from '../src/format.js';
import { phasesSentence } from '../src/panels/kernels/phases.js';
import { plain } from './some.js';

const report = reportOf('staggered');
const memory = report.memory!;
const [gpu] = memory.devices as [GpuMemory];

describe('phases', () => {
  it('say which takes most and which comes next', () => {
    const items = [
      { id: 'forward', ns: 4_300_000, ratio: 0.33 },
      { id: 'backward', ns: 8_100_000, ratio: 0.61 },
      { id: 'optimizer', ns: 700_000, ratio: 0.05 },
    ];
    expect(plain(phasesSentence({ items, told_ratio: 1, reason: '' }))).toBe(
      'Of the compute time of a step, the backward pass takes 8.1 ms (61 %), the forward pass 4.3 ms (33 %).',
    );
  });

  it('say why they cannot be told', () => {
    expect(phasesSentence({ items: null, told_ratio: 0.4, reason: 'The names tell 40 % only.' })).toContain(
      'cannot be divided into forward and backward pass. The names',
    );
  });

  it('do not count what no name tells as the largest', () => {
    const items = [
      { id: 'other', ns: 9, ratio: 0.9 },
      { id: 'forward', ns: 1, ratio: 0.1 },
    ];
    expect(phasesSentence({ items, told_ratio: 0.1, reason: '' })).toContain('the forward pass takes');
  });
});

describe('names', () => {
  it('are cut, and told apart by by both ends', () => {
    expect(elided('short')).toBe('short');
    expect(elided('abcdefghij', 7)).toBe('abc…hij');
    expect(elided('abcdefghij', 8)).toBe('abc…ghij');
    expect(elided('x'.repeat(500))).toHaveLength(72);
  });
});

describe('memory', () => {
  it('is drawn with its peak at its place, whatever the number of points', () => {
    const used_bytes = [4e9, 6e9, 8e9, 12e9, 18e9, 21e9, 9e9, 4e9];
    const points = { at_ms: used_bytes.map((_, i) => i), used_bytes };
    const { drawing, groups } = memoryChart({ ...gpu, points, recorded_peak_bytes: 21e9 }, 'words');
    expect(groups).toHaveLength(8);
    expect(drawing.querySelector('.peak')!.getAttribute('cx')).toBe('62.500%');
    expect(drawing.getAttribute('aria-label')).toBe('words');
    const single = memoryChart(
      { ...gpu, points: { at_ms: [0], used_bytes: [gpu.recorded_peak_bytes] }, peak_ms: 0 },
      '',
    );
    expect(single.drawing.innerHTML).not.toContain('NaN');
  });
});
