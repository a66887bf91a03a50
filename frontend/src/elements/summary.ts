import { html, nothing } from 'lit-html';
import { duration, flopsPerS, percent, quantities } from '../format.js';
import type { KeyNumbers, Report } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import './term.js';
import './text.js';

interface KeyNumber {
  /** Null where it was not recorded. */
  value: string | null;
  words: string;
  /** By default what the glossary says of the words. */
  more?: string;
  /** A line below. */
  note?: string;
}

/** The headline, what to change first, and the numbers that the guide tells to maximise. */
export class SummaryElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      padding-top: 24px;
    }
    h1 {
      font-size: 26px;
      font-weight: 400;
      line-height: 1.3;
      text-wrap: balance;
    }
    h1 b {
      font-weight: 700;
      white-space: nowrap;
    }
    .advice {
      font-size: 16px;
      margin-top: 4px;
    }
    dl {
      display: flex;
      flex-wrap: wrap;
      gap: 16px 40px;
      margin-top: 20px;
    }
    dl div {
      display: flex;
      flex-direction: column;
      max-width: 240px;
    }
    dt {
      order: 1;
    }
    dd.basis {
      font-size: 12.5px;
      line-height: 18px;
      margin-top: 2px;
      order: 2;
    }
    dd {
      font-size: 20px;
      line-height: 1.4;
    }
    dd.missing {
      color: var(--ink-2);
      font-size: 16px;
      line-height: 28px;
    }
    dt {
      color: var(--ink-2);
      font-size: 13px;
    }
  `;
  static readonly properties = { report: Object };

  report!: Report;

  protected override template() {
    const { headline, advice } = this.report;
    const numbers = numbersOf(this.report);
    return html`
      <h1 class="name" aria-label=${headline}>
        ${quantities(headline).map(({ text, strong }) => (strong ? html`<b>${text}</b>` : html`<span>${text}</span>`))}
      </h1>
      <p class="advice name"><tfperf-text .text=${advice}></tfperf-text></p>
      <dl ?hidden=${numbers.every(({ value }) => value === null)}>
        ${numbers.map(
          ({ value, words, more, note }) =>
            html` <div>
              <dt><tfperf-term .word=${words} .meaning=${more ?? ''}></tfperf-term></dt>
              <dd class=${value === null ? 'missing' : ''}>${value ?? (note ? 'not known' : 'not recorded')}</dd>
              ${note ? html`<dd class="basis note name">${note}</dd>` : nothing}
            </div>`,
        )}
      </dl>
    `;
  }
}

function numbersOf({ key_numbers: k, allreduce }: Report): KeyNumber[] {
  const byCount = k.ops_on_device_count_ratio;
  const tf32 = k.compute_tf32_ratio ?? 0;
  const numbers: KeyNumber[] = [
    keyNumber(k.device_time_ratio, 'of the step on the device', 'Step time in which the GPU works.'),
    ...limits(k),
    keyNumber(
      k.ops_on_device_ratio,
      `of op time placed on the device${byCount === null ? '' : `, ${percent(byCount)} of ops`}`,
      'Ops that run on a GPU and not on the CPU, by time and by count.',
    ),
    keyNumber(
      k.compute_16bit_ratio,
      `of compute in 16 bit${tf32 > 0 ? `, ${percent(tf32)} in TF32` : ''}`,
      'Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.',
    ),
    keyNumber(k.gpu_busy_ratio, 'GPU busy', 'Time in which anything at all runs on a GPU.'),
  ];
  const { transfer_ns: transfer = null, ring_bound_ns: bound = null } = allreduce ?? {};
  if (transfer) {
    const times = bound ? `, ${(transfer / bound).toFixed(1)} × the ring bound` : '';
    numbers.push({
      value: duration(transfer),
      words: `AllReduce transfer${times}`,
      more: 'Per step; waiting for other GPUs is not in it.',
    });
  }
  return numbers;
}

/** What the GPU does of what it could. Without a ratio or a reason nothing is said of it. */
function limits(k: KeyNumbers): KeyNumber[] {
  const found: KeyNumber[] = [];
  const ratio = (value: number | null): string | null => (value === null ? null : percent(value));
  if (k.mfu_ratio !== null || k.mfu_basis) found.push({ value: ratio(k.mfu_ratio), words: 'MFU', note: k.mfu_basis });
  if (k.hfu_ratio !== null) found.push({ value: ratio(k.hfu_ratio), words: 'HFU' });
  if (k.flops_per_s !== null)
    found.push({
      value: flopsPerS(k.flops_per_s),
      words: 'achieved per GPU',
      more:
        'Floating-point operations of matrix products and convolutions in a step, a multiply-add as two, by the ' +
        'length of the step.',
    });
  if (k.compute_judged_ratio !== null)
    found.push({
      value: ratio(k.compute_judged_ratio),
      words: 'of compute judged',
      more:
        'Compute time of kernels whose operations and bytes are known from the profile: only these are held against ' +
        'the GPU’s limits.',
    });
  return found;
}

function keyNumber(ratio: number | null, words: string, more: string): KeyNumber {
  return { value: ratio === null ? null : percent(ratio), words, more };
}

customElements.define('tfperf-summary', SummaryElement);
