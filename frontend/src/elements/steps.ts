import { html } from 'lit-html';
import { accountLook } from '../accounts.js';
import type { TraceAccess } from '../backend.js';
import { counted, duration, percent, timelineMs } from '../format.js';
import type { Place, Report, StepItem } from '../model.js';
import { firstStep, stepOf } from '../steps.js';
import { css } from '../theme.js';
import type { StepSource } from '../types.js';
import { type Former, TfperfElement } from './base.js';
import type { Column } from './table.js';
import './step_chart.js';
import './table.js';
import type { AskTimeline } from './timeline.js';
import './timeline.js';

const SOURCES: Record<StepSource, string> = {
  markers: 'told by the step markers of the host',
  function_runs: 'told by the runs of the step’s function on the host',
  steps_line: 'told by the Steps line of the profile',
  jit_calls: 'told by calls of the function that JAX compiled',
  modules: 'told by repeats of one XLA program',
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
export class StepsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    tfperf-table {
      margin-top: 10px;
    }
    h3 {
      font-size: 15px;
      font-weight: 600;
      margin: 22px 0 4px;
    }
    h3 small {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 400;
      margin-left: 8px;
    }
  `;
  static readonly properties = {
    report: Object,
    access: Object,
    ask: Object,
    step: String,
    places: Array,
    target: Object,
  };

  report!: Report;
  access: TraceAccess | null = null;
  /** Fetches a part of a step. */
  ask: AskTimeline | null = null;
  /** Id of the step that the address names. */
  step: string | null = null;
  /** Places of findings that are open. */
  places: Place[] = [];
  /** A place to bring into view. */
  target: Place | null = null;
  /** Id of the step that is shown. */
  private chosen: string | null = null;
  /** Ids of the steps of `places`; the chart is drawn anew when they are others. */
  private marked: (string | null)[] = [];

  protected override changed(former: Former): void {
    const { report, places } = this;
    const other = 'report' in former;
    if (other || 'step' in former)
      this.chosen = firstStep(
        this.step,
        report.findings.flatMap(({ where }) => where),
        report,
      );
    if (other || 'places' in former) this.marked = [...new Set(places.map((place) => stepOf(place, report)))];
  }

  protected override template() {
    const { report, chosen, ask, access, places, target } = this;
    const { run, steps, hosts, omitted } = report;
    const { count, items, items_total, mean_ns, p50_ns, p95_ns, max_ns } = steps;
    const column = steps.columns.find(({ id }) => id === chosen);
    const about = column && [
      duration(column.step_ns),
      column.outlier ? 'outlier: much longer than the others' : '',
      column.note,
      hosts.length > 1 ? 'hosts aligned at the begin of the step, each on its own clock' : '',
    ];
    const lengths =
      `mean ${duration(mean_ns)} · median ${duration(p50_ns)} · ` +
      `95th percentile ${duration(p95_ns)} · longest ${duration(max_ns)}`;
    // Of large runs not every host has a timeline.
    const unkept = omitted.find(({ what }) => what === 'timeline')?.sentence ?? '';
    return html`
      <h2>Steps and timeline <small>${counted(count, 'step')} judged, ${SOURCES[steps.source]}</small></h2>
      <p class="note">${count > 0 ? lengths : ''}</p>
      <tfperf-step-chart .steps=${steps} .chosen=${chosen} .marked=${this.marked}></tfperf-step-chart>
      <tfperf-table
        heading="Each step"
        .columns=${COLUMNS}
        .items=${items}
        .note=${items_total > items.length ? `The first ${items.length} of ${items_total} steps.` : ''}
      ></tfperf-table>
      <h3>Step ${column?.number ?? chosen ?? ''} <small>${about?.filter(Boolean).join(' · ')}</small></h3>
      <p class="note name" ?hidden=${!unkept}>${unkept}</p>
      <tfperf-timeline
        .run=${run}
        .step=${chosen}
        .ask=${ask}
        .access=${access}
        .marked=${places}
        .target=${target}
      ></tfperf-timeline>
    `;
  }

  protected override drawn(former: Former): void {
    if ('target' in former && this.target) this.shadowRoot.querySelector('h3')?.scrollIntoView({ block: 'start' });
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

customElements.define('tfperf-steps', StepsElement);
