import { describe, expect, it } from 'vitest';
import { finding } from '../src/fakes.js';
import {
  type Marks,
  accountsOf,
  chosenAccounts,
  filters,
  keepMarks,
  lines,
  marked,
  recallMarks,
  tally,
  toggled,
} from '../src/list.js';

const from = (accounts: Record<string, number>) => ({
  ns: 5,
  ratio: 0.05,
  basis: '',
  bound: true,
  once_ns: 0,
  alone_ns: null,
  accounts,
});
const FINDINGS = [
  finding({ id: 'a', severity: 'critical', group: 'input', saving: from({ 'idle.input': 5 }) }),
  finding({ id: 'b', severity: 'warning', group: 'one_gpu', saving: from({ 'idle.launch': 3, compute: 2 }) }),
  finding({ id: 'c', severity: 'warning', group: 'input', saving: null }),
];
const ids = (marks: Marks, only: string | null): string[] =>
  lines(FINDINGS, marks, only).map((l) => `${l.rank}${l.finding.id}`);

describe('the list', () => {
  it('shows all in order of rank', () => {
    expect(ids({}, null)).toEqual(['1a', '2b', '3c']);
  });

  it('moves what is marked to the end and keeps its rank', () => {
    expect(ids({ a: 'done', c: 'irrelevant' }, null)).toEqual(['2b', '1a', '3c']);
  });

  it.each([
    ['warning', ['2b', '3c']],
    ['input', ['1a', '3c']],
    ['warning,input', ['3c']],
    ['critical,warning', ['1a', '2b', '3c']],
    ['critical,one_gpu', []],
    ['info', ['1a', '2b', '3c']],
    ['no-such,,', ['1a', '2b', '3c']],
    ['compute', ['2b']],
    ['compute,idle.input', ['1a', '2b']],
    ['compute,input', []],
    ['idle.sync', ['1a', '2b', '3c']],
  ])('is limited by %j', (only, expected) => {
    expect(ids({}, only)).toEqual(expected);
  });

  it('says how much of it is shown, and what is marked', () => {
    const marks: Marks = { a: 'done', b: 'irrelevant', gone: 'done' };
    expect(tally(lines(FINDINGS, marks, 'input'), FINDINGS, marks)).toBe(
      '2 of 3 findings shown · 1 marked as done · 1 marked as not relevant',
    );
    expect(tally(lines(FINDINGS, {}, null), FINDINGS, {})).toBe('');
  });
});

describe('filters', () => {
  it('count what they stand for, where there is something to choose', () => {
    expect(filters(FINDINGS, 'warning').map((f) => [f.words, f.count, f.pressed])).toEqual([
      ['critical', 1, false],
      ['warning', 2, true],
      ['Input', 2, false],
      ['One GPU', 1, false],
    ]);
    expect(filters(FINDINGS.slice(0, 1), null)).toEqual([]);
  });

  it('name the account that was chosen in the chart, if findings take time from it', () => {
    expect(filters(FINDINGS, 'compute,idle.sync').at(-1)).toMatchObject({
      id: 'compute',
      words: 'compute',
      count: 1,
      pressed: true,
    });
    expect(filters(FINDINGS, 'idle.sync').map((f) => f.id)).not.toContain('idle.sync');
    expect([...accountsOf(FINDINGS)]).toEqual(['idle.input', 'idle.launch', 'compute']);
    expect(chosenAccounts('input,compute,idle.sync', FINDINGS)).toEqual(['compute']);
  });

  it('are pressed and released one by one', () => {
    expect(toggled(null, 'input')).toBe('input');
    expect(toggled('input', 'warning')).toBe('input,warning');
    expect(toggled('input,warning', 'input')).toBe('warning');
    expect(toggled('warning', 'warning')).toBeNull();
  });
});

describe('marks', () => {
  const map = new Map<string, string>();
  const storing = () =>
    ({
      getItem: (k: string) => map.get(k) ?? null,
      setItem: (k: string, v: string) => void map.set(k, v),
      removeItem: (k: string) => void map.delete(k),
    }) as unknown as Storage;

  it('are remembered for their run alone, and forgotten when none is left', () => {
    const marks = marked({}, 'gpu-stagger', 'done');
    keepMarks('a', marks, storing);
    expect(recallMarks('a', storing)).toEqual({ 'gpu-stagger': 'done' });
    expect(recallMarks('b', storing)).toEqual({});
    keepMarks('a', marked(marks, 'gpu-stagger', null), storing);
    expect(map.size).toBe(0);
  });

  it.each(['', 'no json', 'null', '7', '{"a":"x","b":5}'])('survive %j in the storage', (text) => {
    map.set('tfperf.marks.a', text);
    expect(recallMarks('a', storing)).toEqual({});
  });
});
