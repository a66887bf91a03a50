import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { type TextPart, duration, percent, quantities } from '../format.js';
import type { Report } from '../model.js';
import { sharedStyles } from './old.js';
import './term.js';
import './text.js';

interface KeyNumber {
  value: string;
  words: string;
  more: string;
  missing: boolean;
}

/** The headline, what to change first, and the numbers that the guide tells to maximise. */
export class SummaryElement extends PolymerElement {
  static get is() {
    return 'tfperf-summary';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; padding-top: 24px; }
        h1 { font-size: 26px; font-weight: 400; line-height: 1.3; text-wrap: balance; }
        h1 b { font-weight: 700; white-space: nowrap; }
        .advice { font-size: 16px; margin-top: 4px; }
        dl { display: flex; flex-wrap: wrap; gap: 16px 40px; margin-top: 20px; }
        dl div { display: flex; flex-direction: column-reverse; justify-content: flex-end; max-width: 240px; }
        dd { font-size: 20px; line-height: 1.4; }
        dd.missing { color: var(--ink-2); font-size: 16px; line-height: 28px; }
        dt { color: var(--ink-2); font-size: 13px; }
      </style>
      <h1 class="name" aria-label$="[[report.headline]]"><template is="dom-repeat" items="[[parts(report.headline)]]"><template is="dom-if" if="[[item.strong]]"><b>[[item.text]]</b></template><template is="dom-if" if="[[!item.strong]]"><span>[[item.text]]</span></template></template></h1>
      <p class="advice name"><tfperf-text text="[[report.advice]]"></tfperf-text></p>
      <dl hidden$="[[nothingKnown(report)]]">
        <template is="dom-repeat" items="[[numbers(report)]]">
          <div>
            <dt><tfperf-term word="[[item.words]]" meaning="[[item.more]]"></tfperf-term></dt>
            <dd class$="[[missingClass(item)]]">[[item.value]]</dd>
          </div>
        </template>
      </dl>
    `;
  }

  static get properties() {
    return { report: Object };
  }

  declare report: Report;

  parts(headline: string): TextPart[] {
    return quantities(headline);
  }

  missingClass(item: KeyNumber): string {
    return item.missing ? 'missing' : '';
  }

  nothingKnown(report: Report): boolean {
    return this.numbers(report).every(({ missing }) => missing);
  }

  numbers(report: Report): KeyNumber[] {
    const k = report.key_numbers;
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
    const { transfer_ns: transfer = null, ring_bound_ns: bound = null } = report.allreduce ?? {};
    if (transfer) {
      const times = bound ? `, ${(transfer / bound).toFixed(1)} × the ring bound` : '';
      numbers.push({
        value: duration(transfer),
        words: `AllReduce transfer${times}`,
        more: 'Per step; waiting for other GPUs is not in it.',
        missing: false,
      });
    }
    return numbers;
  }
}

function keyNumber(ratio: number | null, words: string, more: string): KeyNumber {
  return { value: ratio === null ? 'not recorded' : percent(ratio), words, more, missing: ratio === null };
}

customElements.define(SummaryElement.is, SummaryElement);
