/** What the section of kernels says beside its tables. */

import { flopsPerS, percent } from '../../format.js';
import type { KeyNumbers, Phases } from '../../model.js';
import { phaseLook, phasePart } from './phases.js';

/** Phases that take time. */
export function phaseParts({ items }: Phases) {
  return (items ?? [])
    .filter(({ ns }) => ns > 0)
    .map((item) => ({ look: phaseLook(item.id), ns: item.ns, ratio: item.ratio, words: phasePart(item) }));
}

export interface KeyNumber {
  /** Null where it was not recorded. */
  value: string | null;
  words: string;
  /** By default what the glossary says of the words. */
  more?: string;
  /** A line below. */
  note?: string;
}

/** What the GPUs do of what they could. Without a ratio or a reason nothing is said of it. */
export function keyNumbers(k: KeyNumbers): KeyNumber[] {
  const byCount = k.ops_on_device_count_ratio;
  const ratio = (value: number | null): string | null => (value === null ? null : percent(value));
  const all: (KeyNumber | false)[] = [
    (k.mfu_ratio !== null || k.mfu_basis !== '') && { value: ratio(k.mfu_ratio), words: 'MFU', note: k.mfu_basis },
    k.hfu_ratio !== null && { value: percent(k.hfu_ratio), words: 'HFU' },
    k.flops_per_s !== null && {
      value: flopsPerS(k.flops_per_s),
      words: 'achieved per GPU',
      more:
        'Floating-point operations of matrix products and convolutions in a step, a multiply-add as two, by the ' +
        'length of the step.',
    },
    k.compute_judged_ratio !== null && {
      value: percent(k.compute_judged_ratio),
      words: 'of compute judged',
      more:
        'Compute time of kernels whose operations and bytes are known from the profile: only these are held against ' +
        'the GPU’s limits.',
    },
    k.compute_16bit_ratio !== null && {
      value: percent(k.compute_16bit_ratio),
      words: 'of compute in 16 bit',
      more: 'Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.',
    },
    k.compute_tf32_ratio !== null &&
      k.compute_tf32_ratio > 0 && {
        value: percent(k.compute_tf32_ratio),
        words: 'of compute in TF32',
        more: 'Kernel time of products whose inputs are rounded to TensorFloat-32, which Tensor Cores multiply.',
      },
    k.ops_on_device_ratio !== null && {
      value: percent(k.ops_on_device_ratio),
      words: `of op time on the GPU${byCount === null ? '' : `, ${percent(byCount)} of ops`}`,
      more: 'Ops that run on a GPU and not on the CPU, by time and by count.',
    },
  ];
  return all.filter((one) => one !== false);
}
