/** What the panel of GPU memory says. */

import { bytes, deviceName, percent, quantity, timelineMs } from '../../format.js';
import { elided } from '../../ops.js';
import type { GpuMemory, Memory } from '../../model.js';

/** Growth beyond this is not stated exactly: a proportion does not hold that far. */
const FAR = 10;

export function memorySentence({ batch_growth: growth }: Memory, gpu: GpuMemory, fullest: boolean): string {
  const used = percent(gpu.peak_bytes / gpu.capacity_bytes);
  const before =
    gpu.peak_bytes > gpu.recorded_peak_bytes
      ? ` (before the recording; during it ${bytes(gpu.recorded_peak_bytes)})`
      : '';
  const peak =
    `${deviceName(gpu.device)} uses ${bytes(gpu.peak_bytes)} of ${bytes(gpu.capacity_bytes)} at the ` +
    `peak, ${used}${before}.`;
  const [most] = gpu.alive;
  const holder = most
    ? ` Of what was allocated since then, ${elided(most.op || 'an op that is not named')} holds the most: ` +
      `${bytes(most.size_bytes)}.`
    : '';
  const lasting = ` ${bytes(gpu.before_bytes)} were there before the recording, as weights and optimizer state are.`;
  if (!fullest || growth === null || growth <= 1) return peak + lasting + holder;
  const times = growth > FAR ? `more than ${FAR} times` : quantity(growth, 'times').replace('×', 'times');
  return (
    `${peak}${lasting}${holder} By proportion a batch ${times} as large fits, with a tenth left free; ` +
    'convergence may change.'
  );
}

/** Further numbers of one GPU, in words. */
export function memoryNote(gpu: GpuMemory): string {
  const free = gpu.capacity_bytes - gpu.recorded_peak_bytes;
  const holes =
    gpu.fragmentation_ratio === null || gpu.free_block_bytes === null
      ? 'How broken up the free memory is was not recorded.'
      : `Of the ${bytes(free)} free at the recorded peak, ${bytes(gpu.free_block_bytes)} are in one piece ` +
        `(fragmentation ${percent(gpu.fragmentation_ratio)}).`;
  const how = {
    address: '',
    order: ' Blocks are matched by size and order: addresses were not recorded.',
    none: ' What is alive cannot be told: sizes were not recorded.',
  };
  return `${holes}${how[gpu.matched]}`;
}

/** What is said of each moment of the timeline. */
export function pointsWords({ points: { at_ms, used_bytes } }: GpuMemory): string[] {
  return used_bytes.map((used, i) => `${bytes(used)} in use at ${timelineMs(at_ms[i] ?? 0)}`);
}
