/** Numbers as people read them. Everything comes in as ns, bytes or a ratio and leaves as text. */

import type { Column, Evidence, Gpus, MachineLane, Place } from './model.js';
import type { Unit } from './types.js';

/** No-break space: a number never parts from its unit. */
const NBSP = '\u00a0';

/** Unit, ns in it, the least ns shown in it, and the value from which it has no decimals; words.py does the same. */
const NS_UNITS = [
  ['s', 1e9, 1e9, 100],
  ['ms', 1e6, 1e5, 100],
  ['µs', 1e3, 1e3, 10],
] as const;

const SI = [
  ['T', 1e12],
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
] as const;

/** Kept, as making one takes longer than all that is done with it. */
const WHOLE = new Intl.NumberFormat('en-US');
const TENTHS = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** At most one decimal from 10 on, none from 100 on, two significant digits below 1. */
function plain(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 999.5) return WHOLE.format(Math.round(value));
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 0.95) return value.toFixed(1);
  return Number(value.toPrecision(2)).toString();
}

/** 7_100_000 → "7.1 ms". The unit is chosen as if rounded: 999,999,999 ns is "1.00 s" and not "1,000 ms". */
export function duration(ns: number): string {
  if (ns === 0) return `0${NBSP}ms`;
  for (const [unit, factor, least, tenthsBelow] of NS_UNITS) {
    if (Math.abs(ns) < least * 0.9995) continue;
    const [value, size] = [ns / factor, Math.abs(ns / factor)];
    // Seconds stand beside milliseconds: "1.23 s" and "995 ms".
    const digits = size < (unit === 's' ? 9.995 : 0.995) ? 2 : size < tenthsBelow - 0.05 ? 1 : 0;
    return `${size >= 999.5 ? WHOLE.format(Math.round(value)) : value.toFixed(digits)}${NBSP}${unit}`;
  }
  return `${Math.round(ns)}${NBSP}ns`;
}

/** Words for the points of an axis of times that lie `step` apart, up to `most`: neighbors always differ. */
export function axisWords(step: number, most: number): (ns: number) => string {
  const [unit, factor] = NS_UNITS.find(([, , least]) => most >= least) ?? ['ns', 1];
  const digits = Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9));
  return (ns) => (ns === 0 ? duration(0) : `${grouped(ns / factor, digits)}${NBSP}${unit}`);
}

/** "2×", "1.36×", "16.6×", "187×": three digits, as times have; words.py does the same. */
export function multiple(ratio: number): string {
  return `${grouped(ratio, Number.isInteger(ratio) || ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2)}×`;
}

/** A point on a host's timeline, in milliseconds → "96.2 ms". */
export function timelineMs(ms: number): string {
  return `${TENTHS.format(ms)}${NBSP}ms`;
}

/** A range on a host's timeline → "96.2–118.1 ms"; a short one with as many digits as tell its ends apart. */
export function timelineRange(beginMs: number, endMs: number): string {
  for (const digits of [1, 2, 3]) {
    const [begin, end] = [beginMs, endMs].map((ms) => grouped(ms, digits));
    if (begin !== end) return `${begin}–${end}${NBSP}ms`;
  }
  return timelineMs(beginMs);
}

function grouped(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A range of times → "19.2–23.2 ms"; once if both ends read the same. */
export function between(low: number, high: number): string {
  const [from, to] = [duration(low), duration(high)];
  const unit = to.slice(to.search(/\s/));
  return from === to ? to : `${from.endsWith(unit) ? from.slice(0, -unit.length) : from}–${to}`;
}

/** 0.32 → "32 %", 0.054 → "5.4 %"; a share that is there but rounds to nothing is "<0.1 %"; words.py does the same. */
export function percent(ratio: number): string {
  const value = 100 * ratio;
  if (value > 0 && value < 0.05) return `<0.1${NBSP}%`;
  const whole = value === 0 || (value >= 9.95 && value < 99) || value >= 99.95;
  return `${value.toFixed(whole ? 0 : 1)}${NBSP}%`;
}

/** -0.26 → "−26 %", 0.05 → "+5.0 %", 0 → "0 %"; words.py does the same. */
export function signedPercent(ratio: number): string {
  return `${ratio < 0 ? '−' : ratio > 0 ? '+' : ''}${percent(Math.abs(ratio))}`;
}

/** Decimal units, as vendors state memory and bandwidth: 1 GB = 10⁹ bytes. */
export function bytes(value: number): string {
  for (const [prefix, factor] of SI) {
    if (Math.abs(value) >= factor * 0.9995) {
      return `${plain(value / factor)}${NBSP}${prefix === 'k' ? 'kB' : `${prefix}B`}`;
    }
  }
  return `${Math.round(value)}${NBSP}B`;
}

/** 48_900_000_000_000 → "48.9 TFLOP/s": floating-point operations a second, a multiply-add as two. */
export function flopsPerS(value: number): string {
  const [prefix, factor] = SI.find(([, size]) => value >= size * 0.9995) ?? ['', 1];
  return `${plain(value / factor)}${NBSP}${prefix}FLOP/s`;
}

/** 153.4 → "153 FLOP/byte": operations for each byte that crosses memory. */
export function intensity(value: number): string {
  return `${plain(value)}${NBSP}FLOP/byte`;
}

/** 1234567 → "1,234,567"; fractions keep one decimal. */
export function count(value: number): string {
  return Number.isInteger(value) ? WHOLE.format(value) : plain(value);
}

/** 25_600_000 → "25.6 M": the size of a model. */
export function parameters(value: number): string {
  for (const [prefix, factor] of SI) {
    if (value >= factor * 0.9995) {
      return `${plain(value / factor)}${NBSP}${prefix === 'G' ? 'billion' : prefix}`;
    }
  }
  return count(value);
}

/** A value of the report in its unit; words.py does the same. Words pass through. */
export function quantity(value: number | string, unit: Unit | Column['unit'] | MachineLane['unit']): string {
  if (typeof value === 'string') return value;
  switch (unit) {
    case 'ns':
      return duration(value);
    case 'ratio':
      return percent(value);
    case 'count':
      return count(value);
    case 'bytes':
      return bytes(value);
    case 'GB/s':
      return `${count(value)}${NBSP}GB/s`;
    case 'per_step':
      return `${count(value)} per step`;
    case 'times':
      return multiple(value);
    case 'bytes/s':
      return `${bytes(value)}/s`;
    case 'Hz':
      return `${WHOLE.format(Math.round(value / 1e6))}${NBSP}MHz`;
    case 'W':
    case '°C':
    case 'cores':
      return `${plain(value)}${NBSP}${unit}`;
    case 'FLOP/s':
      return flopsPerS(value);
    case 'more_ns':
      return signed(value);
    case 'text':
    case 'name':
    case 'mark':
      return String(value);
  }
}

const EXACT = {
  ns: [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
    ['ns', 1],
  ],
  bytes: [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
    ['B', 1],
  ],
} as const;

/** A threshold's value in its unit, exact enough to be typed again; words.py does the same. */
export function amount(value: number, unit: Unit): string {
  const exact = (number: number): string => String(Number(number.toPrecision(6)));
  if (unit === 'ratio') return `${exact(value * 100)} %`;
  const scales = unit === 'ns' || unit === 'bytes' ? EXACT[unit] : [];
  const fit = scales.find(([, scale]) => value >= scale);
  if (fit) return `${exact(value / fit[1])} ${fit[0]}`;
  return `${exact(value)}${unit === 'times' ? '×' : ''}`;
}

/** On which side of its threshold a value lies, "≥ 0.6 ms" or "≤ 40 µs"; nothing without one. */
export function threshold({ value, threshold: limit, unit }: Evidence): string {
  if (limit === null) return '';
  const side = typeof value !== 'number' ? 'threshold' : value < limit ? '≤' : '≥';
  return `${side}${NBSP}${quantity(limit, unit)}`;
}

/** A sentence of the report, in which no number parts from its unit. */
export function kept(text: string): string {
  return text
    .replace(/(\d) (?=(?:%|×|[mµn]?s|min|h|[kMGT]?B)(?!\w))/g, `$1${NBSP}`)
    .replace(/([≥≤]) (?=\d)/g, `$1${NBSP}`);
}

/** "1 step", "7 steps". */
export function counted(n: number, singular: string, plural = `${singular}s`): string {
  return `${count(n)} ${n === 1 ? singular : plural}`;
}

/** "GPU:0" → "GPU 0"; other names stay as they are. */
export function deviceName(device: string): string {
  return /^GPU:\d+$/.test(device) ? device.replace(':', ' ') : device;
}

/** "GPU 3", "worker-1 GPU 3". */
export function gpuName({ host, device }: { host: string; device: string }, severalHosts: boolean): string {
  return severalHosts && host ? `${host} ${deviceName(device)}` : deviceName(device);
}

/** "step 12 · GPU 3 · worker-0 · 96.2–118.1 ms". */
export function placeWords({ step, device, stream, host, begin_ms, end_ms }: Place): string {
  const where = [step === null ? '' : `step ${step}`, device === null ? '' : deviceName(device), stream, host];
  return [...where, timelineRange(begin_ms, end_ms)].filter(Boolean).join(' · ');
}

/** 4_100_000 → "+4.1 ms", -4_100_000 → "−4.1 ms". */
export function signed(ns: number): string {
  return ns === 0 ? duration(0) : `${ns > 0 ? '+' : '−'}${duration(Math.abs(ns))}`;
}

/** "4 × NVIDIA A100-SXM4-40GB, 1 × V100". */
export function gpuKinds({ kinds }: Pick<Gpus, 'kinds'>): string {
  return kinds.map(({ name, count: n }) => `${n}${NBSP}×${NBSP}${name || 'GPU'}`).join(', ');
}

/** A name longer than this is shown with its middle left out. */
const NAME_LENGTH = 72;

/** "gradient_tape/res…stage_1/conv/Conv2D": both ends of a name tell what it is, the last one more. */
export function elided(name: string, length = NAME_LENGTH, share = 0.35): string {
  if (name.length <= length) return name;
  const head = Math.ceil(share * (length - 1));
  return `${name.slice(0, head)}…${name.slice(name.length - (length - 1 - head))}`;
}
