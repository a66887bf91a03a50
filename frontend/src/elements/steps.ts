import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { accountLook } from '../accounts.js';
import { counted, duration, percent, timelineMs } from '../format.js';
import type { StepItem, StepSource, Steps } from '../model.js';
import { sharedStyles } from '../theme.js';
import type { Column } from './table.js';
import './table.js';

const SOURCES: Record<StepSource, string> = {
  markers: 'told by the step markers of the host',
  function_runs: 'told by the runs of the step’s function on the host',
  steps_line: 'told by the Steps line of the profile',
  period: 'guessed from the period of the GPU’s work',
  none: 'not told by anything in this profile',
};

const NS_PER_MS = 1e6;

const COLUMNS: Column<StepItem>[] = [
  { head: 'Step', cell: (item) => String(item.number) },
  { head: 'Host', cell: ({ host }) => host, kind: 'name' },
  { head: 'Begins at', cell: (item) => timelineMs(item.begin_ms), kind: 'number' },
  { head: 'Length', cell: (item) => duration((item.end_ms - item.begin_ms) * NS_PER_MS), kind: 'number' },
  { head: 'Compute', cell: compute, kind: 'number' },
  { head: 'Most other time', cell: other },
  { head: 'Note', cell: (item) => item.note || (item.judged ? '' : 'left out'), kind: 'note name' },
];

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
        tfperf-table { margin-top: 4px; }
      </style>
      <h2>Steps <small>[[subtitle(steps)]]</small></h2>
      <p class="note">[[sizes(steps)]]</p>
      <tfperf-table heading="Each step" columns="[[columns]]" items="[[steps.items]]" note="[[capped(steps)]]"></tfperf-table>
    `;
  }

  static get properties() {
    return { steps: Object, columns: { type: Array, value: () => COLUMNS } };
  }

  declare steps: Steps;
  declare columns: Column<StepItem>[];

  subtitle(steps: Steps): string {
    return `${counted(steps.count, 'step')} judged, ${SOURCES[steps.source]}`;
  }

  sizes(steps: Steps): string {
    if (steps.count === 0) return '';
    const { mean_ns, p50_ns, p95_ns, max_ns } = steps;
    return `mean ${duration(mean_ns)} · median ${duration(p50_ns)} · 95th percentile ${duration(p95_ns)} · longest ${duration(max_ns)}`;
  }

  capped(steps: Steps): string {
    const { items, items_total } = steps;
    return items_total > items.length ? `The first ${items.length} of ${items_total} steps.` : '';
  }
}

function compute(item: StepItem): string {
  const share = shares(item).get('compute');
  return share === undefined ? '' : percent(share);
}

function other(item: StepItem): string {
  const [most] = [...shares(item)].filter(([id]) => id !== 'compute').sort((a, b) => b[1] - a[1]);
  return most && most[1] > 0 ? `${accountLook(most[0]).words}, ${percent(most[1])}` : '';
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
