import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';

import * as format from '../src/format.js';
import type { Unit } from '../src/types.js';
import NUMBERS from '../../tests/numbers.json';
import { plain } from './some.js';

/** Texts use no-break spaces; tests are easier to read without. */
describe('duration', () => {
  it.each(NUMBERS.durations as [number, string][])('%d ns is %s', (ns, text) => {
    expect(plain(format.duration(ns))).toBe(text);
  });
});

describe('labels of an axis', () => {
  const labels = (from: number, step: number): string[] =>
    Array.from({ length: 4 }, (_, i) => plain(format.axisWords(step, from + 4 * step)(from + i * step)));

  it('differ however far one zooms', () => {
    expect(labels(120_000_000, 100_000)).toEqual(['120.0 ms', '120.1 ms', '120.2 ms', '120.3 ms']);
    expect(labels(120_000_000, 50)).toEqual(['120.00000 ms', '120.00005 ms', '120.00010 ms', '120.00015 ms']);
    expect(labels(0, 20_000_000)).toEqual(['0 ms', '20 ms', '40 ms', '60 ms']);
    expect(labels(1_000_000_000, 500_000_000)).toEqual(['1.0 s', '1.5 s', '2.0 s', '2.5 s']);
    expect(labels(0, 10)).toEqual(['0 ms', '10 ns', '20 ns', '30 ns']);
  });
});

describe('multiple', () => {
  it.each(NUMBERS.multiples as [number, string][])('%d is %s', (ratio, text) => {
    expect(format.multiple(ratio)).toBe(text);
  });
});

describe('bytes', () => {
  it.each(NUMBERS.bytes as [number, string][])('%d is %s', (size, text) => {
    expect(plain(format.bytes(size))).toBe(text);
  });
});

describe('a sentence of the report', () => {
  it('parts no number from its unit', () => {
    expect(format.kept('≥ 5.2 % of 40 GB; 3 hosts, 2 Bytes, 1.0 × it, 8 ms, 76 ns')).toBe(
      '≥\u00a05.2\u00a0% of 40\u00a0GB; 3 hosts, 2 Bytes, 1.0\u00a0× it, 8\u00a0ms, 76\u00a0ns',
    );
  });
});

describe('percent', () => {
  it.each(NUMBERS.shares as [number, string][])('%f is %s', (ratio, text) => {
    expect(plain(format.percent(ratio))).toBe(text);
  });
});

describe('signed percent', () => {
  it.each(NUMBERS.changes as [number, string][])('%f is %s', (ratio, text) => {
    expect(plain(format.signedPercent(ratio))).toBe(text);
  });
});

describe('a threshold to type', () => {
  it.each(NUMBERS.thresholds as [number, Unit, string][])('%d %s is %s', (value, unit, text) => {
    expect(format.amount(value, unit)).toBe(text);
  });
});

describe('quantity', () => {
  it.each(NUMBERS.quantities as [number | string, Unit, string][])('%s in %s is %s', (value, unit, text) => {
    expect(plain(format.quantity(value, unit))).toBe(text);
  });

  it('shows on which side of its threshold a value lies, in its unit', () => {
    const evidence = { label: '', value: 7_800_000, unit: 'ns', threshold: 440_000, source: '' } as const;
    expect(plain(format.threshold(evidence))).toBe('≥ 0.44 ms');
    expect(plain(format.threshold({ ...evidence, value: 6_000, threshold: 40_000 }))).toBe('≤ 40 µs');
    expect(format.threshold({ ...evidence, threshold: null })).toBe('');
    expect(plain(format.threshold({ ...evidence, threshold: 0 }))).toBe('≥ 0 ms');
  });
});

describe('a range on the timeline', () => {
  it('has as many digits as tell its ends apart', () => {
    expect(plain(format.timelineRange(1096.2, 1118.14))).toBe('1,096.2–1,118.1 ms');
    expect(plain(format.timelineRange(30.412, 30.441))).toBe('30.41–30.44 ms');
    expect(plain(format.timelineRange(30.4121, 30.4124))).toBe('30.4 ms');
  });
});

describe('words', () => {
  it('names devices, ranges and model sizes', () => {
    expect(format.deviceName('GPU:3')).toBe('GPU 3');
    expect(format.deviceName('/device:CUSTOM')).toBe('/device:CUSTOM');
    expect(plain(format.timelineRange(96.2, 118.07))).toBe('96.2–118.1 ms');
    expect(plain(format.parameters(25_600_000))).toBe('25.6 M');
    expect(
      plain(
        format.gpuKinds({
          ...reportOf('healthy').gpus,
          kinds: [
            { name: 'A100', count: 2 },
            { name: '', count: 1 },
          ],
        }),
      ),
    ).toBe('2 × A100, 1 × GPU');
    expect(format.counted(1, 'step')).toBe('1 step');
    expect(format.counted(0, 'step')).toBe('0 steps');
  });
});

describe('between', () => {
  it('says a range once', () => {
    expect(plain(format.between(19.2e6, 23.2e6))).toBe('19.2–23.2 ms');
    expect(plain(format.between(30.4e6, 30.4e6))).toBe('30.4 ms');
    expect(plain(format.between(0.9e6, 1.2e9))).toBe('0.90 ms–1.20 s');
  });
});
