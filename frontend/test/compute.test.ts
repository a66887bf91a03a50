import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import { causesSentence, computeBar, computeRows, computeSentence } from '../src/panels/kernels/compute.js';
import type { ComputePart } from '../src/model.js';
import { plain } from './some.js';

const parts = { matrix: [4.6, 4.8, 0], memory: [1.7, 0.9, 0], small: [0.1, 0.4, 0], other: [0, 0, 0.7] } as const;
const ledger = {
  ...reportOf('staggered').ledger!,
  compute_parts: Object.entries(parts).map(([kind, [floor, more, unknown]]) => ({
    kind: kind as ComputePart['kind'],
    floor_ns: floor * 1e6,
    recoverable_ns: more * 1e6,
    not_judged_ns: unknown * 1e6,
  })),
  compute_floor_ns: 6_400_000,
  compute_peak_ns: 5_600_000,
};

describe('parts of compute', () => {
  it('add up to compute, by kind and together', () => {
    const { rows, sum } = computeRows(ledger.compute_parts);
    expect(rows.map(({ ns }) => ns)).toEqual([9_400_000, 2_600_000, 500_000, 700_000]);
    expect(sum).toEqual({
      kind: 'compute',
      ns: 13_200_000,
      floor_ns: 6_400_000,
      recoverable_ns: 6_100_000,
      not_judged_ns: 700_000,
    });
    const recorded = reportOf('staggered').ledger!;
    const compute = recorded.accounts.find(({ id }) => id === 'compute');
    expect(computeRows(recorded.compute_parts).sum.ns).toBe(compute?.ns);
    const none = { kind: 'other', floor_ns: 0, recoverable_ns: 0, not_judged_ns: 0 } as const;
    expect(computeRows([...ledger.compute_parts, none]).rows).toHaveLength(4);
  });

  it('look different without color', () => {
    const looks = computeBar(computeRows(ledger.compute_parts).sum).map(({ look }) => look);
    expect(looks[0]).toMatchObject({ colour: '--account-compute', pattern: 'solid' });
    expect(new Set(looks.map(({ pattern }) => pattern)).size).toBe(3);
  });

  it('are told with both bounds', () => {
    expect(plain(computeSentence(ledger))).toBe(
      'A step computes for 13.2 ms. At the rates that good libraries reach, its work needs 6.4 ms; at the data ' +
        'sheet’s peak, 5.6 ms. Up to 6.1 ms could be won. Not judged: 0.70 ms.',
    );
    const [matrix] = ledger.compute_parts;
    const all = { ...ledger, compute_parts: [matrix!], compute_floor_ns: 4_600_000, compute_peak_ns: null };
    expect(plain(computeSentence(all))).toMatch(/its work needs 4\.6 ms\. Up to 4\.8 ms could be won\.$/);
  });

  it('names the causes of what could be won, but not the smallest', () => {
    const causes = [
      { rule: 'small-kernels', title: 'Many tiny kernels', ns: 2_000_000 },
      { rule: '', title: 'Cause not recorded', ns: 1_000_000 },
      { rule: 'small-grids', title: 'Small grids', ns: 20_000 },
    ];
    const ledger = { ...reportOf('healthy').ledger!, compute_causes: causes };
    expect(plain(causesSentence(ledger))).toBe('Why it was not: Many tiny kernels 2.0 ms; Cause not recorded 1.0 ms.');
    expect(causesSentence({ ...ledger, compute_causes: [] })).toBe('');
  });
});
