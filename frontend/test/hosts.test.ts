import { describe, expect, it } from 'vitest';
import { recorded } from '../src/recorded.js';
import { withHosts } from '../src/patches.js';

import { signed } from '../src/format.js';
import type { HostTimes } from '../src/model.js';
import { behind, clockWords, listed } from '../src/panels/hosts/logic.js';
import { plain } from './some.js';

const [first] = withHosts(recorded('many-hosts'), 16).report.by_host as [HostTimes];

function host(name: string, own_ms: number, slow = false): HostTimes {
  return { ...first, host: name, own_ns: own_ms * 1e6, slow };
}

const names = (hosts: readonly HostTimes[]): string[] => hosts.map((one) => one.host);

describe('hosts', () => {
  it('come slow ones first, then by their own time', () => {
    const { shown, others } = listed([host('a', 1), host('b', 1, true), host('c', 2)]);
    expect(names(shown)).toEqual(['b', 'c', 'a']);
    expect(others).toBe('');
  });

  it('are eight at once, and the others are told by their range', () => {
    const hosts = Array.from({ length: 20 }, (_, i) => host(`h${i}`, 20 - i));
    const { shown, others } = listed(hosts);
    expect(names(shown)).toEqual(names(hosts.slice(0, 8)));
    expect(plain(others)).toBe('12 more hosts: 1.0 ms to 12.0 ms of their own in a step.');
    const alike = listed(Array.from({ length: 9 }, (_, i) => host(`h${i}`, 20)));
    expect(plain(alike.others)).toBe('1 more host: 20.0 ms of their own in a step.');
  });

  it('stand against the median host', () => {
    const hosts = [host('a', 10), host('b', 14), host('c', 11), host('d', 12)];
    expect(hosts.map((one) => plain(signed(behind(one, hosts))))).toEqual([
      '−1.5 ms',
      '+2.5 ms',
      '−0.50 ms',
      '+0.50 ms',
    ]);
  });

  it('say how their clocks were aligned', () => {
    expect(clockWords(first)).toBe('the same clock');
    expect(clockWords({ ...first, clock_source: 'unknown' })).toContain('could not be aligned');
  });
});
