/** Scales of charts. */

/** Round numbers that divide 0…`end` into three to six parts. */
export function ticks(end: number): number[] {
  const raw = end / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
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
