import { expect, it } from 'vitest';
import { manyHosts } from '../src/fakes.js';
import { grouped } from '../src/panels/training/logic.js';

it('puts records with the same facts together, in their order', () => {
  const groups = grouped(manyHosts().training);
  expect(groups.map(({ records }) => records.length)).toEqual([15, 1]);
  expect(groups[1]?.records[0]?.host).toContain('worker-5');
  expect(grouped([])).toEqual([]);
});
