import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { accountLook } from '../accounts.js';
import { counted, duration, percent, timelineMs } from '../format.js';
import type { StepItem, StepSource, Steps } from '../model.js';
import { sharedStyles } from '../theme.js';

const SOURCES: Record<StepSource, string> = {
  markers: 'told by the step markers of the host',
  function_runs: 'told by the runs of the step’s function on the host',
  steps_line: 'told by the Steps line of the profile',
  period: 'guessed from the period of the GPU’s work',
  none: 'not told by anything in this profile',
};

const NS_PER_MS = 1e6;

/** Every step, one row each. */
export class StepsElement extends PolymerElement {
  static get is() {
    return 'tfperf-steps';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        details { margin-top: 4px; }
        td.out { color: var(--ink-2); }
      </style>
      <h2>Steps <small>[[subtitle(steps)]]</small></h2>
      <p class="note">[[sizes(steps)]]</p>
      <details on-toggle="onToggle" hidden$="[[!steps.items.length]]">
        <summary>Each step</summary>
        <template is="dom-if" if="[[open]]">
          <div class="scroll" tabindex="0" aria-label="Each step">
            <table>
              <thead><tr><th>Step</th><th>Host</th><th class="number">Begins at</th><th class="number">Length</th><th class="number">Compute</th><th>Most other time</th><th>Note</th></tr></thead>
              <tbody>
                <template is="dom-repeat" items="[[steps.items]]">
                  <tr>
                    <td>[[item.number]]</td>
                    <td class="name">[[item.host]]</td>
                    <td class="number">[[begin(item)]]</td>
                    <td class="number">[[length(item)]]</td>
                    <td class="number">[[compute(item)]]</td>
                    <td>[[other(item)]]</td>
                    <td class="out name">[[note(item)]]</td>
                  </tr>
                </template>
              </tbody>
            </table>
          </div>
          <p class="note">[[capped(steps)]]</p>
        </template>
      </details>
    `;
  }

  static get properties() {
    return { steps: Object, open: { type: Boolean, value: false } };
  }

  declare steps: Steps;
  declare open: boolean;

  onToggle(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  subtitle(steps: Steps): string {
    return `${counted(steps.count, 'step')} judged, ${SOURCES[steps.source]}`;
  }

  sizes(steps: Steps): string {
    if (steps.count === 0) return '';
    const { mean_ns, p50_ns, p95_ns, max_ns } = steps;
    return `mean ${duration(mean_ns)} · median ${duration(p50_ns)} · 95th percentile ${duration(p95_ns)} · longest ${duration(max_ns)}`;
  }

  begin(item: StepItem): string {
    return timelineMs(item.begin_ms);
  }

  length(item: StepItem): string {
    return duration((item.end_ms - item.begin_ms) * NS_PER_MS);
  }

  compute(item: StepItem): string {
    const share = shares(item).get('compute');
    return share === undefined ? '' : percent(share);
  }

  other(item: StepItem): string {
    const [most] = [...shares(item)].filter(([id]) => id !== 'compute').sort((a, b) => b[1] - a[1]);
    return most && most[1] > 0 ? `${accountLook(most[0]).words}, ${percent(most[1])}` : '';
  }

  note(item: StepItem): string {
    return item.note || (item.judged ? '' : 'left out');
  }

  capped(steps: Steps): string {
    const { items, items_total } = steps;
    return items_total > items.length ? `The first ${items.length} of ${items_total} steps.` : '';
  }
}

/** Account → share of this step, averaged over its GPUs. */
function shares(item: StepItem): Map<string, number> {
  const sums = new Map<string, number>();
  let all = 0;
  for (const { accounts } of item.devices) {
    for (const [id, ns] of Object.entries(accounts)) {
      sums.set(id, (sums.get(id) ?? 0) + ns);
      all += ns;
    }
  }
  for (const [id, ns] of sums) sums.set(id, all > 0 ? ns / all : 0);
  return sums;
}

customElements.define(StepsElement.is, StepsElement);
