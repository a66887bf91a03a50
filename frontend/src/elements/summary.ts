import { html } from 'lit-html';
import { duration, percent, quantities } from '../format.js';
import type { Report } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import './term.js';
import './text.js';

interface KeyNumber {
  /** Null where it was not recorded. */
  value: string | null;
  words: string;
  more: string;
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
      flex-direction: column-reverse;
      justify-content: flex-end;
      max-width: 240px;
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
          ({ value, words, more }) =>
            html` <div>
              <dt><tfperf-term .word=${words} .meaning=${more}></tfperf-term></dt>
              <dd class=${value === null ? 'missing' : ''}>${value ?? 'not recorded'}</dd>
            </div>`,
        )}
      </dl>
    `;
  }
}

function numbersOf({ key_numbers: k, allreduce }: Report): KeyNumber[] {
  const byCount = k.ops_on_device_count_ratio;
  const tf32 = k.compute_tf32_ratio ?? 0;
  const numbers = [
    keyNumber(k.device_time_ratio, 'of the step on the device', 'Step time in which the GPU works.'),
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

function keyNumber(ratio: number | null, words: string, more: string): KeyNumber {
  return { value: ratio === null ? null : percent(ratio), words, more };
}

customElements.define('tfperf-summary', SummaryElement);
