/** Scales of charts. */

/** Round numbers that divide 0…`end` into three to six parts. */
export function ticks(end: number): number[] {
  const raw = end / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

/**
 * Round numbers between `low` and `high` of a logarithmic axis: powers of ten, every second or third of them if
 * there are many, and also 2 and 5 times these if there are few.
 *
 * @param low above 0
 * @param most how many at most
 */
export function logTicks(low: number, high: number, most = 9): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const every = Math.max(1, Math.ceil((last - first - 1) / most));
  const steps = last - first <= 3 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((power) => power % every === 0);
  return powers.flatMap((power) => steps.map((step) => step * 10 ** power)).filter((at) => at >= low && at <= high);
}

/** Where a value lies between `low` and `high` on a logarithmic axis, 0 to 1. */
export function logPlace(value: number, low: number, high: number): number {
  return Math.log(value / low) / Math.log(high / low);
}

/** How many times the longest usual step the highest column is. */
const CUT = 2;

/**
 * How high the column of a step is, 1 for all the room: one step that is far longer, as the first of a training, does
 * not flatten the others. Above 1 it must be cut.
 */
export function heights(steps: readonly { ns: number; judged: boolean; outlier: boolean }[]): (ns: number) => number {
  const longest = (some: typeof steps): number => Math.max(...some.map(({ ns }) => ns), 1);
  const usual = steps.filter(({ judged, outlier }) => judged && !outlier);
  const most = usual.length > 0 ? Math.min(longest(steps), CUT * longest(usual)) : longest(steps);
  return (ns) => Math.max(ns / most, 1 / 32);
}

/**
 * Heights of labels, so that each stands at least `gap` below the one before it.
 *
 * @param heights where the labels belong, from the top
 * @param end the lowest height that is free
 */
export function apart(heights: readonly number[], gap: number, end: number): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = [...heights];
  let least = -Infinity;
  for (const i of order) {
    placed[i] = Math.max(placed[i] ?? 0, least);
    least = (placed[i] ?? 0) + gap;
  }
  let most = end;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i] ?? 0, most);
    most = (placed[i] ?? 0) - gap;
  }
  return placed;
}
