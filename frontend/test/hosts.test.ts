import { describe, expect, it } from 'vitest';
import { manyHosts } from '../src/fakes.js';
import { clockWords, hostSteps, hostWords, hostsSentence, median, parts, slowFirst } from '../src/hosts.js';
import type { HostTimes } from '../src/model.js';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

const sixteen = manyHosts().by_host;
const [first] = sixteen as [HostTimes];

function host(name: string, own_ms: number, slow = false, steps: number[] = []): HostTimes {
  return {
    ...first,
    host: name,
    own_ns: own_ms * 1e6,
    slow,
    steps: steps.map((ms, step) => ({ step, own_ns: ms, wait_ns: 0 })),
  };
}

describe('hosts', () => {
  it('come slow ones first, others in their order', () => {
    expect(slowFirst([host('a', 1), host('b', 1, true), host('c', 1)]).map((h) => h.host)).toEqual(['b', 'a', 'c']);
  });

  it('are called slow only where the report does', () => {
    expect(plain(hostsSentence([host('a', 20), host('b', 30), host('c', 20)]))).toBe(
      'A host’s own part of a step takes 20.0–30.0 ms. No host is slow.',
    );
    expect(plain(hostsSentence([host('a', 20), host('b', 30)]))).toContain(
      'With fewer than three hosts none can be told',
    );
    const slow = { ...host('b', 30, true), late_ns: null };
    expect(plain(hostsSentence([host('a', 20), slow, host('c', 22)]))).toBe(
      'b is slow: the own part of a step takes 30.0 ms, against 21.0 ms on the others (median).',
    );
    expect(plain(hostsSentence([host('a', 20), { ...slow, late_ns: 9e6 }, host('c', 22)]))).toContain(
      'b is slow: 9.0 ms behind the first host at AllReduce. The own part of a step takes 30.0 ms, against',
    );
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => host(name, 30, true));
    expect(hostsSentence([...many, host('z', 20)])).toContain('a, b, c, d and 2 more are slow');
  });

  it('divide a step into own compute, other own time and waiting', () => {
    const ns = (h: HostTimes): number[] => parts(h).map((part) => part.ns);
    expect(ns({ ...first, own_ns: 10, compute_ns: 7, wait_ns: 5 })).toEqual([7, 3, 5]);
    expect(ns({ ...first, own_ns: 10, compute_ns: 12, wait_ns: 0 })).toEqual([10]);
  });

  it('are said in words', () => {
    const slow = sixteen[5] as HostTimes;
    expect(plain(hostWords(slow))).toBe(
      'trainer-worker-5.pool-a.internal (slow): 24.2 ms of its own in a step, 18.0 ms of it compute, 0 ms ' +
        'waiting for others, arrives 4.2 ms after the first host',
    );
    expect(hostWords({ ...slow, late_ns: null })).not.toContain('arrives');
    expect(clockWords(first)).toBe('the same clock');
    expect(clockWords({ ...first, clock_source: 'unknown' })).toContain('not known');
  });

  it('are held step by step against the median of the others', () => {
    const [a, b, c] = [host('a', 1, false, [10, 11, 12]), host('b', 1, false, [20, 21]), host('c', 1, false, [30, 31])];
    expect(hostSteps(a, [a, b, c])).toEqual([
      { step: 0, own_ns: 10, others_ns: 25 },
      { step: 1, own_ns: 11, others_ns: 26 },
      { step: 2, own_ns: 12, others_ns: null },
    ]);
  });

  it('have the usual median', () => {
    expect([median([3]), median([1, 3]), median([9, 1, 2])]).toEqual([3, 2, 2]);
  });
});
