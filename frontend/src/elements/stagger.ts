import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { accountLook } from '../accounts.js';
import { type TraceAccess, canOpen } from '../backend.js';
import { type StaggerStep, rowWords, staggerChart, worstFirst } from '../charts/stagger_chart.js';
import { legendItem } from '../charts/svg.js';
import { deviceName, duration } from '../format.js';
import type { Place, Stagger, StaggerItem } from '../model.js';
import { sharedStyles } from './old.js';
import type { RepeatEvent } from './old.js';
import { fire } from './base.js';
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
export class StaggerElement extends PolymerElement {
  static get is() {
    return 'tfperf-stagger';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; min-width: 0; }
        label { color: var(--ink-2); font-size: 13px; }
        select { background: var(--panel); border: 1px solid var(--control-line); border-radius: 6px; font-size: 13px; margin-left: 6px; max-width: 100%; padding: 2px 4px; }
        #chart { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 10px; margin-top: 8px; padding-right: 14px; position: relative; }
        .rows { list-style: none; padding: 0; }
        .rows li { align-items: center; display: flex; height: 28px; }
        .rows button, .rows span { font-size: 12.5px; }
        .rows button { color: var(--accent); }
        #drawing svg { display: block; overflow: visible; }
        #drawing.linked g { cursor: pointer; }
        .slot { fill: transparent; }
        g.on .slot { fill: var(--ground); }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .launch { stroke: var(--ink); stroke-width: 1.5; }
        .legend { font-size: 12.5px; gap: 2px 14px; margin-top: 4px; }
        p { margin-top: 6px; }
        tfperf-table { margin-top: 6px; }
      </style>
      <label hidden$="[[alone(steps)]]">Step
        <select id="step" on-change="onStep">
          <template is="dom-repeat" items="[[steps]]"><option value="[[item.step]]" selected="[[isShown(item, shown)]]">[[optionWords(item)]]</option></template>
        </select>
      </label>
      <div id="chart">
        <ul class="rows">
          <template is="dom-repeat" items="[[shown.rows]]">
            <li>
              <template is="dom-if" if="[[linked]]"><button class="bare" on-click="onRow" aria-label$="Show [[name(item)]] in the trace">[[name(item)]]</button></template>
              <template is="dom-if" if="[[!linked]]"><span>[[name(item)]]</span></template>
            </li>
          </template>
        </ul>
        <div id="drawing"></div>
      </div>
      <ul id="legend" class="legend"></ul>
      <p class="note">[[words]]</p>
      <p class="note">[[causes(stagger)]]</p>
      <tfperf-table heading="The numbers of this step" columns="[[columns]]" items="[[shown.rows]]" note="All times count from the first kernel of the step on any GPU; launches come before it."></tfperf-table>
    `;
  }

  static get properties() {
    return {
      stagger: { type: Object, observer: 'onStagger' },
      access: { type: Object, value: null },
      steps: { type: Array, value: () => [] },
      shown: { type: Object, value: null },
      words: { type: String, computed: 'wordsOf(stagger, shown)' },
      columns: { type: Array, value: () => COLUMNS },
      linked: { type: Boolean, computed: 'canLink(access, stagger)' },
    };
  }

  static get observers() {
    return ['draw(shown, words, linked)'];
  }

  /** Null for a moment, when the next report has none. */
  declare stagger: Stagger | null;
  declare access: TraceAccess | null;
  declare steps: StaggerStep[];
  declare shown: StaggerStep | null;
  declare words: string;
  declare columns: Column<StaggerItem>[];
  declare linked: boolean;
  private tip: Tip | undefined;

  onStagger(stagger: Stagger | null): void {
    this.steps = worstFirst(stagger?.items ?? []);
    this.shown = this.steps[0] ?? null;
  }

  onStep(event: Event): void {
    const chosen = Number((event.target as HTMLSelectElement).value);
    this.shown = this.steps.find(({ step }) => step === chosen) ?? null;
  }

  onRow(event: RepeatEvent<StaggerItem>): void {
    this.open(event.model.item);
  }

  isShown(item: StaggerStep, shown: StaggerStep | null): boolean {
    return item === shown;
  }

  alone(steps: StaggerStep[]): boolean {
    return steps.length < 2;
  }

  optionWords({ step, apart_ns }: StaggerStep): string {
    return `${step}, ${duration(apart_ns)} apart`;
  }

  canLink(access: TraceAccess | null, stagger: Stagger | null): boolean {
    return stagger !== null && canOpen(access, stagger.host);
  }

  name(item: StaggerItem): string {
    return deviceName(item.device);
  }

  wordsOf(stagger: Stagger | null, shown: StaggerStep | null): string {
    if (!stagger || !shown) return '';
    const byStart = [...shown.rows].sort((a, b) => a.first_kernel_ns - b.first_kernel_ns);
    const [first, last] = [byStart[0], byStart.at(-1)];
    if (!first || !last) return '';
    return (
      `Step ${shown.step} on ${stagger.host}: ${deviceName(last.device)} starts ` +
      `${duration(shown.apart_ns)} after ${deviceName(first.device)}.`
    );
  }

  /** What is known of the order, and of the threads that launch. */
  causes(stagger: Stagger | null): string {
    if (!stagger) return '';
    const { order, devices, one_thread, private_threads } = stagger;
    const names = devices.map(deviceName).join(', ');
    return [
      { fixed: `The order is the same in all steps: ${names}.`, rotating: 'The order changes from step to step.', none: '' }[order],
      { true: 'One host thread makes the first launch for all of them.', false: 'Different host threads make their first launches.', null: '' }[`${one_thread}`],
      private_threads ? 'Each GPU has launch threads of its own.' : '',
    ]
      .filter(Boolean)
      .join(' ');
  }

  private open({ host, device, step, begin_ms, end_ms }: StaggerItem): void {
    const label = `start of ${deviceName(device)}`;
    const place: Place = { host, device, step, begin_ms, end_ms, label, stream: null };
    fire(this, 'show-trace', { place });
  }

  draw(shown: StaggerStep | null, words: string, linked: boolean): void {
    if (!shown) return;
    const child = (id: string): HTMLElement => this.$[id] as HTMLElement;
    this.tip ??= new Tip(child('chart'));
    this.tip.hide();
    const { drawing, groups } = staggerChart(shown.rows, words);
    this.tip.explain(drawing, groups, shown.rows.map(rowWords));
    if (linked) shown.rows.forEach((row, i) => groups[i]?.addEventListener('click', () => this.open(row)));
    child('drawing').classList.toggle('linked', linked);
    child('drawing').replaceChildren(drawing);
    child('legend').replaceChildren(...this.legend(shown.rows));
  }

  private legend(rows: StaggerItem[]): HTMLLIElement[] {
    const launch = document.createElement('li');
    launch.append('| first launch on the host');
    return [
      ...(rows.some((row) => row.first_launch_ns !== null) ? [launch] : []),
      ...(rows.some((row) => row.idle_ns > 0) ? [legendItem(accountLook('idle.stagger'), 'idle, other GPUs run')] : []),
      legendItem(accountLook('compute'), 'first to last kernel'),
      ...(rows.some((row) => row.wait_ns > 0)
        ? [legendItem(accountLook('communication.wait'), 'of it waiting inside AllReduce')]
        : []),
    ];
  }
}

customElements.define(StaggerElement.is, StaggerElement);
