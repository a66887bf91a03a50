import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { accountLook } from '../accounts.js';
import { counted, duration, percent, timelineMs } from '../format.js';
import type { Place, Report, StepColumn, StepItem, StepSource, Steps } from '../model.js';
import { firstStep, stepOf } from '../steps.js';
import { sharedStyles } from './old.js';
import type { Column } from './table.js';
import './step_chart.js';
import './table.js';
import './timeline.js';

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

/** All steps, the timeline of the chosen one, and a table of each. */
export class StepsElement extends PolymerElement {
  static get is() {
    return 'tfperf-steps';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        tfperf-table { margin-top: 10px; }
        h3 { font-size: 15px; font-weight: 600; margin: 22px 0 4px; }
        h3 small { color: var(--ink-2); font-size: 13px; font-weight: 400; margin-left: 8px; }
      </style>
      <h2>Steps and timeline <small>[[subtitle(report.steps)]]</small></h2>
      <p class="note">[[sizes(report.steps)]]</p>
      <tfperf-step-chart steps="[[report.steps]]" chosen="[[chosen]]" marked="[[marked]]"></tfperf-step-chart>
      <tfperf-table heading="Each step" columns="[[columns]]" items="[[report.steps.items]]" note="[[capped(report.steps)]]"></tfperf-table>
      <h3>[[named(report, chosen)]] <small>[[about(report, chosen)]]</small></h3>
      <p class="note name" hidden$="[[!unkept(report)]]">[[unkept(report)]]</p>
      <tfperf-timeline run="[[report.run]]" step="[[chosen]]" ask="[[ask]]" access="[[access]]" marked="[[places]]" target="[[target]]"></tfperf-timeline>
    `;
  }

  static get properties() {
    return {
      report: Object,
      access: { type: Object, value: null },
      /** Fetches a part of a step. */
      ask: { type: Object, value: null },
      /** Id of the step that the address names. */
      step: { type: String, value: null },
      /** Places of findings that are open. */
      places: { type: Array, value: () => [] },
      /** A place to bring into view. */
      target: { type: Object, value: null, observer: 'onTarget' },
      columns: { type: Array, value: () => COLUMNS },
      chosen: { type: String, computed: 'choose(step, report)' },
      marked: { type: Array, computed: 'mark(places, report)' },
    };
  }

  declare report: Report;
  declare step: string | null;
  declare places: Place[];
  declare target: Place | null;
  declare columns: Column<StepItem>[];

  onTarget(target: Place | null): void {
    if (target) this.shadowRoot?.querySelector('h3')?.scrollIntoView({ block: 'start' });
  }

  choose(step: string | null, report: Report | undefined): string | null {
    return report ? firstStep(step, report.findings.flatMap(({ where }) => where), report) : null;
  }

  mark(places: Place[], report: Report | undefined): (string | null)[] {
    return report ? [...new Set(places.map((place) => stepOf(place, report)))] : [];
  }

  named(report: Report, chosen: string | null): string {
    const column = columnOf(report, chosen);
    return column ? `Step ${column.number}` : `Step ${chosen ?? ''}`;
  }

  about(report: Report, chosen: string | null): string {
    const column = columnOf(report, chosen);
    if (!column) return '';
    const hosts = report.hosts.length > 1 ? 'hosts aligned at the begin of the step, each on its own clock' : '';
    return [duration(column.step_ns), column.outlier ? 'outlier: much longer than the others' : '', column.note, hosts].filter(Boolean).join(' · ');
  }

  subtitle(steps: Steps): string {
    return `${counted(steps.count, 'step')} judged, ${SOURCES[steps.source]}`;
  }

  sizes(steps: Steps): string {
    if (steps.count === 0) return '';
    const { mean_ns, p50_ns, p95_ns, max_ns } = steps;
    return `mean ${duration(mean_ns)} · median ${duration(p50_ns)} · 95th percentile ${duration(p95_ns)} · longest ${duration(max_ns)}`;
  }

  /** Of large runs not every host has a timeline. */
  unkept(report: Report): string {
    return report.omitted?.find(({ what }) => what === 'timeline')?.sentence ?? '';
  }

  capped(steps: Steps): string {
    const { items, items_total } = steps;
    return items_total > items.length ? `The first ${items.length} of ${items_total} steps.` : '';
  }
}

function columnOf({ steps }: Report, id: string | null): StepColumn | undefined {
  return steps.columns.find((column) => column.id === id);
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
