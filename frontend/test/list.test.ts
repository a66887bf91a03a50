import { describe, expect, it } from 'vitest';
import { holding, keepMarks, marked, nextFinding, recallMarks } from '../src/list.js';
import { finding } from './some.js';

const FINDINGS = [
  finding({ id: 'a', explains: [finding({ id: 'inner' })] }),
  finding({ id: 'b', formerly: ['b-once'] }),
  finding({ id: 'c', saving: null }),
];

describe('the list', () => {
  it('goes on with the first finding that is not marked', () => {
    expect(nextFinding(FINDINGS, {})?.id).toBe('a');
    expect(nextFinding(FINDINGS, { a: 'done' })?.id).toBe('b');
    expect(nextFinding(FINDINGS, { a: 'done', b: 'irrelevant', c: 'done' })?.id).toBe('a');
    expect(nextFinding([], {})).toBeNull();
  });

  it('has a finding by its own id, a former one, or that of one folded into it', () => {
    expect(holding(FINDINGS, 'b')).toMatchObject({ rank: 2, finding: { id: 'b' } });
    expect(holding(FINDINGS, 'inner')).toMatchObject({ rank: 1, finding: { id: 'a' } });
    expect(holding(FINDINGS, 'b-once')).toMatchObject({ rank: 2 });
    expect([holding(FINDINGS, 'x'), holding(FINDINGS, null)]).toEqual([null, null]);
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
