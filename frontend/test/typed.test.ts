import { describe, expect, it } from 'vitest';
import { UNTYPED, keepTyped, recallTyped } from '../src/typed.js';

/** As much of a Storage as is used. */
function storage(entries: Record<string, string> = {}) {
  const map = new Map(Object.entries(entries));
  const store = {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  } as unknown as Storage;
  return { map, storing: () => store };
}

describe('what was typed', () => {
  it('is remembered for its run alone, and forgotten when there is nothing', () => {
    const { map, storing } = storage();
    keepTyped('a', { ...UNTYPED, parameters: '25.6M' }, storing);
    expect(recallTyped('a', storing)).toEqual({ ...UNTYPED, parameters: '25.6M' });
    expect(recallTyped('b', storing)).toEqual(UNTYPED);
    keepTyped('a', UNTYPED, storing);
    expect(map.size).toBe(0);
  });

  it.each(['', 'no json', 'null', '7', '[]', '{"parameters":5,"bandwidth":""}'])(
    'survives %j in the storage',
    (text) => {
      expect(recallTyped('a', storage({ 'tfperf.typed.a': text }).storing)).toEqual(UNTYPED);
    },
  );

  it('is not remembered, without harm, where the storage throws', () => {
    const forbidden = (): Storage => {
      throw new DOMException('denied', 'SecurityError');
    };
    keepTyped('a', { ...UNTYPED, parameters: '1', bandwidth: '2' }, forbidden);
    expect(recallTyped('a', forbidden)).toEqual(UNTYPED);
  });
});
