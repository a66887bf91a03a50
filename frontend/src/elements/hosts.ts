import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { accountLook } from '../accounts.js';
import { hostStepsChart } from '../charts/hosts_chart.js';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendItem } from '../charts/svg.js';
import { count, counted, duration } from '../format.js';
import {
  type HostStepPoint, clockWords, hostSteps, hostWords, hostsSentence, parts, pointWords, slowFirst,
} from '../hosts.js';
import type { HostTimes } from '../model.js';
import { sharedStyles } from './old.js';
import type { Column } from './table.js';
import './table.js';
import { Tip } from './tip.js';

/** Rows that are seen without scrolling; with more, the slow ones can be shown alone. */
const ROWS_SEEN = 16;
const ROWS_FIRST = 64;

const time = (ns: number | null): string => (ns === null ? 'not known' : duration(ns));

const OWN = 'The step without waiting for other GPUs.';

const COLUMNS: Column<HostTimes>[] = [
  { head: 'Host', cell: ({ host, slow }) => `${host}${slow ? ' (slow)' : ''}`, kind: 'name' },
  { head: 'GPUs', cell: (host) => count(host.gpus_count), kind: 'number' },
  { head: 'Steps', cell: (host) => count(host.steps_count), kind: 'number' },
  { head: 'Step', cell: (host) => time(host.step_ns), kind: 'number' },
  { head: 'Own', cell: (host) => time(host.own_ns), kind: 'number', meaning: OWN },
  { head: 'Compute', cell: (host) => time(host.compute_ns), kind: 'number' },
  { head: 'Waits for input', cell: (host) => time(host.input_ns), kind: 'number' },
  { head: 'Waits for others', cell: (host) => time(host.wait_ns), kind: 'number' },
  { head: 'Arrives late by', cell: (host) => time(host.late_ns), kind: 'number', meaning: 'How much later than the first host its GPUs come to AllReduce.' },
  { head: 'Clock off by', cell: (host) => time(host.clock_offset_ns), kind: 'number', meaning: 'What added to its times gives those of the first host.' },
  { head: 'Known to ±', cell: (host) => time(host.clock_uncertainty_ns), kind: 'number' },
  { head: 'Aligned by', cell: clockWords },
];

const POINT_COLUMNS: Column<HostStepPoint>[] = [
  { head: 'Step', cell: ({ step }) => String(step) },
  { head: 'Own', cell: ({ own_ns }) => time(own_ns), kind: 'number', meaning: OWN },
  { head: 'Median of the others', cell: ({ others_ns }) => time(others_ns), kind: 'number' },
];

/** The hosts of a run: one bar each, and the steps of the chosen one against the others. */
export class HostsElement extends PolymerElement {
  static get is() {
    return 'tfperf-hosts';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        #chart { margin-top: 8px; position: relative; }
        #rows { list-style: none; padding: 0; }
        #rows.many { border: 1px solid var(--line); border-radius: 6px; max-height: 400px; overflow-y: auto; padding: 6px 8px; }
        #rows li { align-items: center; display: grid; gap: 12px; grid-template-columns: minmax(120px, 280px) minmax(0, 1fr) 66px; height: 24px; }
        #rows button { border-radius: 3px; display: flex; font-size: 12.5px; gap: 6px; line-height: 24px; min-width: 0; padding: 0 4px; }
        #rows button[aria-pressed='true'] { background: var(--ground); box-shadow: inset 3px 0 var(--accent); padding-left: 8px; }
        #rows .host { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #rows .slow { color: var(--warning); flex: none; font-weight: 600; }
        #rows svg { border-radius: 3px; display: block; overflow: hidden; }
        #rows .total { font-size: 12.5px; font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
        .only { margin-top: 8px; }
        h3 { font-size: 13px; font-weight: 600; margin-top: 16px; }
        #steps { margin-top: 6px; padding: 0 14px 0 60px; position: relative; }
        #steps svg { display: block; overflow: visible; }
        .slot { fill: transparent; }
        g.on .slot { fill: var(--ground); }
        .grid { stroke: var(--line); }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .tick.end { text-anchor: end; }
        .own { stroke: var(--accent); stroke-width: 2; }
        .own-point { fill: var(--accent); }
        .others { stroke: var(--ink-2); stroke-dasharray: 5 4; stroke-width: 1.5; }
        .steps-legend { padding-left: 60px; }
        .steps-legend i { border-top: 2px solid var(--accent); width: 18px; }
        .steps-legend i.dashed { border-top: 2px dashed var(--ink-2); }
        .tables { margin-top: 8px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
      </style>
      <h2><tfperf-term word="Hosts" meaning="Machines that take part in the training, each with its CPU and its GPUs."></tfperf-term> <small>[[subtitle(hosts)]]</small></h2>
      <p class="name">[[sentence(hosts)]]</p>
      <button class="button only" hidden$="[[!filterable(hosts)]]" aria-pressed$="[[text(onlySlow)]]" on-click="onOnly">[[onlyLabel(hosts)]]</button>
      <div id="chart"><ul id="rows" aria-label="Hosts: own time and waiting in an average step"></ul></div>
      <ul id="legend" class="legend" aria-label="Parts of a step"></ul>
      <div hidden$="[[!points.length]]">
        <h3 class="name">Own time of [[chosen.host]] step by step</h3>
        <div id="steps"></div>
        <ul class="legend steps-legend" aria-label="Lines"><li><i></i><span class="name">[[chosen.host]]</span></li><li><i class="dashed"></i>median of the other hosts</li></ul>
      </div>
      <div class="tables">
        <tfperf-table heading="Each host" columns="[[columns]]" items="[[hosts]]" note="“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce calls that join hosts; median. “Clock off by”: against the clock of the first host, found by what “Aligned by” names: all GPUs leave an AllReduce together."></tfperf-table>
        <tfperf-table heading="Each step of [[chosen.host]]" columns="[[pointColumns]]" items="[[points]]"></tfperf-table>
      </div>
    `;
  }

  static get properties() {
    return {
      hosts: { type: Array, observer: 'onHosts' },
      /** The host whose steps are shown. */
      chosen: { type: Object, value: null },
      points: { type: Array, value: () => [] },
      onlySlow: { type: Boolean, value: false },
      columns: { type: Array, value: () => COLUMNS },
      pointColumns: { type: Array, value: () => POINT_COLUMNS },
    };
  }

  declare hosts: HostTimes[];
  declare chosen: HostTimes | null;
  declare points: HostStepPoint[];
  declare onlySlow: boolean;
  declare columns: Column<HostTimes>[];
  declare pointColumns: Column<HostStepPoint>[];
  private tip: Tip | undefined;
  private drawing = {};

  onHosts(hosts: HostTimes[]): void {
    this.onlySlow = false;
    this.child('legend').replaceChildren(
      ...[...new Map(hosts.flatMap(parts).map(({ look }) => [look.words, look])).values()].map((look) =>
        legendItem(look, look.colour === accountLook('communication.wait').colour ? 'waiting for other hosts and GPUs' : look.words),
      ),
    );
    this.drawRows();
    const [slowest] = [...hosts].sort((a, b) => b.own_ns - a.own_ns);
    this.choose(slowFirst(hosts).find(({ slow }) => slow) ?? slowest ?? null);
  }

  onOnly(): void {
    this.onlySlow = !this.onlySlow;
    this.drawRows();
  }

  subtitle(hosts: HostTimes[]): string {
    const steps = Math.max(0, ...hosts.map(({ steps_count }) => steps_count));
    return `${counted(hosts.length, 'host')}, average of the ${counted(steps, 'step')} that all of them recorded whole`;
  }

  sentence(hosts: HostTimes[]): string {
    return hosts.length > 0 ? hostsSentence(hosts) : '';
  }

  filterable(hosts: HostTimes[]): boolean {
    return hosts.length > ROWS_SEEN && hosts.some(({ slow }) => slow);
  }

  onlyLabel(hosts: HostTimes[]): string {
    return `Only slow hosts (${count(hosts.filter(({ slow }) => slow).length)})`;
  }

  text(value: boolean): string {
    return String(value);
  }

  private child(id: string): HTMLElement {
    return this.$[id] as HTMLElement;
  }

  private drawRows(): void {
    this.tip ??= new Tip(this.child('chart'));
    this.tip.hide();
    const shown = slowFirst(this.hosts).filter(({ slow }) => slow || !this.onlySlow);
    const full = Math.max(1, ...this.hosts.map(({ own_ns, wait_ns }) => own_ns + wait_ns));
    this.child('rows').classList.toggle('many', shown.length > ROWS_SEEN);
    this.child('rows').replaceChildren(...shown.slice(0, ROWS_FIRST).map((host) => this.row(host, full)));
    this.markChosen();
    // The rest is scrolled to, not seen at once: it must not delay the first paint.
    const drawing = (this.drawing = {});
    if (shown.length > ROWS_FIRST) requestAnimationFrame(() => setTimeout(() => {
      if (this.drawing !== drawing) return;
      this.child('rows').append(...shown.slice(ROWS_FIRST).map((host) => this.row(host, full)));
      this.markChosen();
    }, 100));
  }

  private row(host: HostTimes, full: number): HTMLElement {
    const words = hostWords(host);
    const { drawing } = stackedBar(parts(host), full, words, 12);
    const row = document.createElement('li');
    const button = document.createElement('button');
    button.className = 'bare';
    button.dataset['host'] = host.host;
    button.append(span('host', host.host));
    if (host.slow) button.append(span('slow', '▲ slow'));
    button.addEventListener('click', () => this.choose(host));
    button.addEventListener('focus', () => this.tip?.show(row, words));
    button.addEventListener('blur', () => this.tip?.hide());
    row.addEventListener('pointerenter', () => this.tip?.show(row, words));
    row.addEventListener('pointerleave', () => this.tip?.hide());
    row.append(button, drawing, span('total', duration(host.own_ns)));
    return row;
  }

  private choose(host: HostTimes | null): void {
    this.chosen = host;
    this.points = host ? hostSteps(host, this.hosts) : [];
    this.markChosen();
    if (!host || this.points.length === 0) return;
    const chart = this.child('steps');
    const label = `Own time of ${host.host} and the median of the other hosts: ${this.points.map(pointWords).join('; ')}`;
    const { drawing, groups } = hostStepsChart(this.points, label);
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, groups, this.points.map(pointWords));
  }

  private markChosen(): void {
    for (const button of this.child('rows').querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset['host'] === this.chosen?.host));
    }
  }
}

function span(name: string, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}

customElements.define(HostsElement.is, HostsElement);
