/** Launches of two sides on one axis of the time of a step: what charts/launches.ts draws. */

import { duration } from '../format.js';
import { ticks } from './scale.js';

/** Launches on an axis of the time of a step: places are shares of its width. */
export interface LaunchDots {
  ticks: { at: number; words: string }[];
  /** Before the change, and after it. */
  lanes: { side: 'base' | 'new'; name: string; words: string; dots: { at: number; words: string }[] }[];
  /** Where the mean after the change may be, as the test says. */
  interval: Range | null;
  /** Where the report before the change foretold it. */
  foretold: Range | null;
}

export interface Range {
  begin: number;
  end: number;
  words: string;
}

type Lane = Pick<LaunchDots['lanes'][number], 'side' | 'name'> & { dots: { ns: number; words: string[] }[] };
interface Span {
  ns: readonly [number, number] | null;
  words: string;
}

/** Where all of these lie. The words of dots end up with commas between them. */
export function onAxis(lanes: readonly Lane[], interval: Span, foretold: Span): LaunchDots {
  const all = [
    ...lanes.flatMap(({ dots }) => dots.map(({ ns }) => ns)),
    ...(interval.ns ?? []),
    ...(foretold.ns ?? []),
  ];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const margin = Math.max((most - least) / 12, most / 200);
  const [begin, end] = [Math.max(least - margin, 0), most + margin];
  const place = (ns: number): number => (ns - begin) / (end - begin);
  const range = ({ ns, words }: Span): Range | null => {
    if (!ns) return null;
    const [from, to] = ns;
    const between = from === to ? duration(from) : `${duration(from)} to ${duration(to)}`;
    return { begin: place(from), end: place(to), words: `${words} ${between}` };
  };
  return {
    ticks: ticksBetween(begin, end).map((ns) => ({ at: place(ns), words: duration(ns) })),
    lanes: lanes.map(({ side, name, dots }) => ({
      side,
      name,
      words: `${name}: ${dots.map(({ ns }) => duration(ns)).join(', ')}`,
      dots: dots.map(({ ns, words }) => ({ at: place(ns), words: words.filter(Boolean).join(', ') })),
    })),
    interval: range(interval),
    foretold: range(foretold),
  };
}

/** Round numbers between two others. */
export function ticksBetween(begin: number, end: number): number[] {
  const [, step = end - begin] = ticks(end - begin);
  const first = Math.ceil(begin / step);
  return Array.from({ length: Math.floor(end / step) - first + 1 }, (_, i) => (first + i) * step);
}
