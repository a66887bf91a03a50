import { expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import { grouped } from '../src/panels/training/logic.js';

it('puts records with the same facts together, in their order', () => {
  const [record] = reportOf('staggered').training;
  const records = Array.from({ length: 16 }, (_, i) => ({
    ...record!,
    host: `worker${i}`,
    facts: i === 5 ? record!.facts.slice(1) : record!.facts,
  }));
  const groups = grouped(records);
  expect(groups.map(({ records }) => records.length)).toEqual([15, 1]);
  expect(groups[1]?.records[0]?.host).toBe('worker5');
  expect(grouped([])).toEqual([]);
});
