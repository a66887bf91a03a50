import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { bytes, count, duration, parameters, quantity } from '../format.js';
import type { AllReduce } from '../model.js';
import { sharedStyles } from '../theme.js';
import { fire } from './base.js';

interface Line {
  words: string;
  value: string;
  note: string;
}

/** Collective communication against its estimates; the two unknowns of the estimate can be typed. */
export class AllReduceElement extends PolymerElement {
  static get is() {
    return 'tfperf-allreduce';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; display: grid; gap: 16px 32px; grid-template-columns: minmax(220px, 300px) minmax(0, 1fr); margin-top: 8px; padding: 14px 18px; }
        label { display: block; font-size: 13px; }
        label + label { margin-top: 12px; }
        input { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; display: block; padding: 5px 8px; width: 100%; }
        @media (max-width: 699px) { .panel { grid-template-columns: minmax(0, 1fr); } }
      </style>
      <h2>AllReduce <small>[[subtitle(allreduce)]]</small></h2>
      <div class="panel">
        <div>
          <label>Parameters of the model
            <input id="parameters" type="number" min="1" max="1e15" step="1" value$="[[allreduce.parameters]]" on-change="onTyped">
            <span class="note">[[parametersNote(allreduce)]]</span>
          </label>
          <label>Bandwidth, GB/s
            <input id="bandwidth" type="number" min="0.001" max="1e6" step="any" value$="[[allreduce.bandwidth_gbps]]" on-change="onTyped">
            <span class="note">[[allreduce.bandwidth_source]]; type to change</span>
          </label>
        </div>
        <table>
          <thead class="unseen"><tr><th>What</th><th>Value</th><th>Note</th></tr></thead>
          <tbody>
            <template is="dom-repeat" items="[[lines(allreduce)]]">
              <tr><td>[[item.words]]</td><td class="number">[[item.value]]</td><td class="note">[[item.note]]</td></tr>
            </template>
          </tbody>
        </table>
      </div>
    `;
  }

  static get properties() {
    return { allreduce: Object };
  }

  /** Null for a moment, when the next report has none. */
  declare allreduce: AllReduce | null;

  subtitle(a: AllReduce | null): string {
    if (!a) return '';
    return `${count(a.participants)} GPUs, ${count(a.calls_per_step)} calls per step`;
  }

  parametersNote(a: AllReduce | null): string {
    if (!a) return '';
    const known = {
      given: 'as given',
      recorded: 'recorded in the profile',
      estimated: 'estimated from the bytes reduced',
      unknown: 'not recorded',
    }[a.parameters_source];
    const size = a.parameters === null ? '' : `${parameters(a.parameters)}, `;
    return `${size}${known}; type to change`;
  }

  lines(a: AllReduce | null): Line[] {
    if (!a) return [];
    const line = (words: string, ns: number | null, note = ''): Line => ({
      words,
      value: ns === null ? 'not known' : duration(ns),
      note,
    });
    return [
      line('Estimate of the guide', a.guide_ns, 'parameters × 4 bytes / bandwidth'),
      line('Ring bound', a.ring_bound_ns, 'no ring can be faster'),
      line('Achievable', a.achievable_ns, 'what this link reaches in practice'),
      line('Measured, waiting included', a.measured_ns, 'per step'),
      line(
        'Measured transfer',
        a.transfer_ns,
        a.busbw_gbps === null ? '' : `bus bandwidth ${quantity(a.busbw_gbps, 'GB/s')}`,
      ),
      line('Measured waiting', a.wait_ns, 'until the last GPU arrives'),
      line('Exposed', a.exposed_ns, 'not hidden under compute'),
      line('Hidden', a.hidden_ns, 'under compute: costs nothing'),
      {
        words: 'Bytes per step',
        value: a.bytes_per_step === null ? 'not known' : bytes(a.bytes_per_step),
        note: a.bytes_source,
      },
    ];
  }

  /** An emptied field gives the question back to the profile. */
  onTyped(event: Event): void {
    const input = event.target as HTMLInputElement;
    if (!input.reportValidity()) return;
    fire(this, 'assume', { [input.id]: input.value === '' ? null : input.valueAsNumber });
  }
}

customElements.define(AllReduceElement.is, AllReduceElement);
