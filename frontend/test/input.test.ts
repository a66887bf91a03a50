import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import '../src/panels/input/element.js';
import type { InputElement } from '../src/panels/input/element.js';

import { indented, otherIterators, shownIterators } from '../src/panels/input/logic.js';
import type { Input } from '../src/model.js';
import type { DataIterator } from '../src/types.js';

const { input } = reportOf('crowded');
const INPUT = { ...input, iterators: shownIterators(input!) } as Input;

function shown(input: Input | null): ShadowRoot {
  const element = document.createElement('tfperf-input') as InputElement;
  element.input = input;
  document.body.append(element);
  return element.shadowRoot;
}

describe('the tree of the input pipeline', () => {
  it('has a row for each stage, upstream ones further in', () => {
    const cells = [...shown(INPUT).querySelectorAll<HTMLElement>('#tree td.stage')];
    expect(cells.map((cell) => cell.querySelector('.code')?.textContent)).toEqual(
      INPUT.iterators.map(({ written }) => written),
    );
    const steps = cells.map((cell) => parseInt(cell.style.paddingLeft, 10));
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(new Set(steps).size).toBe(cells.length);
  });

  it('marks the bottleneck and the critical path in words', () => {
    const rows = [...shown(INPUT).querySelectorAll('#tree tbody tr')];
    expect(rows.filter((row) => row.textContent.includes('bottleneck')).length).toBe(1);
    expect(rows.filter((row) => row.textContent.includes('on the critical path')).length).toBe(2);
  });

  it('can be scrolled with the keyboard, and its columns have heads', () => {
    const tree = shown(INPUT).querySelector('#tree') as HTMLElement;
    expect(tree.tabIndex).toBe(0);
    expect(tree.querySelectorAll('th[scope=col]').length).toBe(tree.querySelectorAll('tbody tr:first-child td').length);
  });

  it('shows names from a profile as text', () => {
    const hostile = { ...(INPUT.iterators[0] as DataIterator), written: '<img src=x onerror=alert(1)>' };
    const root = shown({ ...INPUT, iterators: [hostile], pipelines: [] });
    expect(root.querySelector('#tree img')).toBeNull();
    expect(root.querySelector('#tree .code')?.textContent).toBe(hostile.written);
  });

  it('is empty where nothing was recorded', () => {
    expect(shown(null).querySelector('#tree')?.children.length).toBe(0);
  });

  it('leaves other pipelines to a table of their own', () => {
    const other = { ...(INPUT.iterators[0] as DataIterator), pipeline: 1 };
    const input = { ...INPUT, iterators: [...INPUT.iterators, other] };
    expect(shownIterators(input)).toEqual(INPUT.iterators);
    expect(otherIterators(input)).toEqual([other]);
  });

  it('puts what feeds the prefetching to a GPU below it', () => {
    const base = INPUT.iterators[0] as DataIterator;
    const rows = [
      { ...base, depth: 0 },
      { ...base, depth: 1, stage: 'transfer' },
      { ...base, pipeline: 1, depth: 0 },
      { ...base, pipeline: 1, depth: 1 },
    ];
    expect(indented(rows).map(([, level]) => level)).toEqual([0, 1, 2, 3]);
  });
});
