import { html, nothing } from 'lit-html';
import { accountLook } from '../accounts.js';
import { type TraceAccess, canOpen } from '../backend.js';
import { type StaggerStep, rowWords, staggerChart, worstFirst } from '../charts/stagger_chart.js';
import { legendItem } from '../charts/svg.js';
import { deviceName, duration } from '../format.js';
import type { Place, Stagger, StaggerItem } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, fire } from './base.js';
import type { Column } from './table.js';
import './table.js';
import { Tip } from './tip.js';

const time = (ns: number | null): string => (ns === null ? 'not recorded' : duration(ns));

const COLUMNS: Column<StaggerItem>[] = [
  { head: 'GPU', cell: ({ device }) => deviceName(device) },
  { head: 'First launch', cell: (row) => time(row.first_launch_ns), kind: 'number' },
  { head: 'First kernel', cell: (row) => time(row.first_kernel_ns), kind: 'number' },
  { head: 'Last kernel ends', cell: (row) => time(row.last_kernel_ns), kind: 'number' },
  { head: 'Idle', cell: (row) => time(row.idle_ns), kind: 'number' },
  { head: 'Waits in AllReduce', cell: (row) => time(row.wait_ns), kind: 'number' },
  { head: 'Launched by thread', cell: ({ thread }) => thread || 'not recorded', kind: 'name' },
];

/** When each GPU starts a step: the step in which they start furthest apart, or another one. */
export class StaggerElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      min-width: 0;
    }
    label {
      color: var(--ink-2);
      font-size: 13px;
    }
    select {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      font-size: 13px;
      margin-left: 6px;
      max-width: 100%;
      padding: 2px 4px;
    }
    #chart {
      display: grid;
      grid-template-columns: auto minmax(0, 1fr);
      gap: 0 10px;
      margin-top: 8px;
      padding-right: 14px;
      position: relative;
    }
    .rows {
      list-style: none;
      padding: 0;
    }
    .rows li {
      align-items: center;
      display: flex;
      height: 28px;
    }
    .rows button,
    .rows span {
      font-size: 12.5px;
    }
    .rows button {
      color: var(--accent);
    }
    #drawing svg {
      display: block;
      overflow: visible;
    }
    #drawing.linked g {
      cursor: pointer;
    }
    .slot {
      fill: transparent;
    }
    g.on .slot {
      fill: var(--ground);
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .launch {
      stroke: var(--ink);
      stroke-width: 1.5;
    }
    .legend {
      font-size: 12.5px;
      gap: 2px 14px;
      margin-top: 4px;
    }
    p {
      margin-top: 6px;
    }
    tfperf-table {
      margin-top: 6px;
    }
  `;
  static readonly properties = { stagger: Object, access: Object, step: Number };

  stagger!: Stagger;
  access: TraceAccess | null = null;
  /** The step that the user chose. */
  step: number | null = null;
  private steps!: StaggerStep[];
  private shown!: StaggerStep;
  private tip: Tip | undefined;

  protected override changed(former: Former): void {
    if ('stagger' in former) {
      this.steps = worstFirst(this.stagger.items);
      this.step = null;
    }
    this.shown = this.steps.find(({ step }) => step === this.step) ?? (this.steps[0] as StaggerStep);
  }

  protected override template() {
    const { stagger, steps, shown } = this;
    const row = (item: StaggerItem) => {
      const name = deviceName(item.device);
      return this.linked()
        ? html`<button class="bare" @click=${() => this.open(item)} aria-label="Show ${name} in the trace">
            ${name}
          </button>`
        : html`<span>${name}</span>`;
    };
    const some =
      stagger.steps_total > steps.length ? `, the ${steps.length} furthest apart of ${stagger.steps_total}` : '';
    const option = (one: (typeof steps)[number]) =>
      html`<option .value=${one.step} .selected=${one === shown}>${one.step}, ${duration(one.apart_ns)} apart</option>`;
    return html`
      <label ?hidden=${steps.length < 2}
        >Step${some}
        <select id="step" @change=${this.onStep}>
          ${steps.map(option)}
        </select>
      </label>
      <div id="chart">
        <ul class="rows">
          ${shown.rows.map((item) => html`<li>${row(item)}</li>`)}
        </ul>
        <div id="drawing" class=${this.linked() ? 'linked' : nothing}></div>
      </div>
      <ul id="legend" class="legend"></ul>
      <p class="note">${wordsOf(stagger, shown)}</p>
      <p class="note">${causes(stagger)}</p>
      <tfperf-table
        heading="The numbers of this step"
        .columns=${COLUMNS}
        .items=${shown.rows}
        note="All times count from the first kernel of the step on any GPU; launches come before it."
      ></tfperf-table>
    `;
  }

  private onStep(event: Event): void {
    this.step = Number((event.target as HTMLSelectElement).value);
  }

  private linked(): boolean {
    return canOpen(this.access, this.stagger.host);
  }

  private open({ host, device, step, begin_ms, end_ms }: StaggerItem): void {
    if (!this.linked()) return;
    const label = `start of ${deviceName(device)}`;
    const place: Place = { host, device, step, begin_ms, end_ms, label, stream: null };
    fire(this, 'show-trace', { place });
  }

  protected override drawn(former: Former): void {
    // Drawn anew for nothing else: the focus may be in it.
    if (!('stagger' in former || 'step' in former)) return;
    const { rows } = this.shown;
    this.tip ??= new Tip(this.child('chart'));
    this.tip.hide();
    const { drawing, groups } = staggerChart(rows, wordsOf(this.stagger, this.shown));
    this.tip.explain(drawing, groups, rows.map(rowWords));
    rows.forEach((row, i) => groups[i]?.addEventListener('click', () => this.open(row)));
    this.child('drawing').replaceChildren(drawing);
    this.child('legend').replaceChildren(...legend(rows));
  }
}

function wordsOf({ host }: Stagger, { step, rows, apart_ns }: StaggerStep): string {
  const byStart = [...rows].sort((a, b) => a.first_kernel_ns - b.first_kernel_ns);
  const [first, last] = [byStart[0], byStart.at(-1)];
  return first && last
    ? `Step ${step} on ${host}: ${deviceName(last.device)} starts ${duration(apart_ns)} after ` +
        `${deviceName(first.device)}.`
    : '';
}

/** What is known of the order, and of the threads that launch. */
function causes({ order, devices, one_thread, private_threads }: Stagger): string {
  const names = devices.map(deviceName).join(', ');
  return [
    {
      fixed: `The order is the same in all steps: ${names}.`,
      rotating: 'The order changes from step to step.',
      none: '',
    }[order],
    {
      true: 'One host thread makes the first launch for all of them.',
      false: 'Different host threads make their first launches.',
      null: '',
    }[`${one_thread}`],
    private_threads ? 'Each GPU has launch threads of its own.' : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function legend(rows: StaggerItem[]): HTMLLIElement[] {
  const launch = document.createElement('li');
  launch.append('| first launch on the host');
  return [
    ...(rows.some((row) => row.first_launch_ns !== null) ? [launch] : []),
    ...(rows.some((row) => row.idle_ns > 0) ? [legendItem(accountLook('idle.stagger'), 'idle, other GPUs run')] : []),
    legendItem(accountLook('compute'), 'first to last kernel'),
    ...(rows.some((row) => row.wait_ns > 0)
      ? [legendItem(accountLook('communication.wait'), 'of it Straggler wait')]
      : []),
  ];
}

customElements.define('tfperf-stagger', StaggerElement);
