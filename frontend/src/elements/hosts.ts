import { html } from 'lit-html';
import { accountLook } from '../accounts.js';
import { hostStepsChart } from '../charts/hosts_chart.js';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendItem } from '../charts/svg.js';
import { count, counted, duration } from '../format.js';
import {
  type HostStepPoint,
  clockWords,
  hostSteps,
  hostWords,
  hostsSentence,
  parts,
  pointWords,
  slowFirst,
} from '../hosts.js';
import type { HostTimes } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import type { Column } from './table.js';
import './table.js';
import { Tip } from './tip.js';

/** Rows that are seen without scrolling; with more, the slow ones can be shown alone. */
const ROWS_SEEN = 16;
const ROWS_FIRST = 64;

const time = (ns: number | null): string => (ns === null ? 'not known' : duration(ns));

const COLUMNS: Column<HostTimes>[] = [
  { head: 'Host', cell: ({ host, slow }) => `${host}${slow ? ' (slow)' : ''}`, kind: 'name' },
  { head: 'GPUs', cell: (host) => count(host.gpus_count), kind: 'number' },
  { head: 'Steps', cell: (host) => count(host.steps_count), kind: 'number' },
  { head: 'Step', cell: (host) => time(host.step_ns), kind: 'number' },
  { head: 'Own', cell: (host) => time(host.own_ns), kind: 'number' },
  { head: 'Compute', cell: (host) => time(host.compute_ns), kind: 'number' },
  { head: 'Waits for input', cell: (host) => time(host.input_ns), kind: 'number' },
  { head: 'Waits for others', cell: (host) => time(host.wait_ns), kind: 'number' },
  { head: 'Arrives late by', cell: (host) => time(host.late_ns), kind: 'number' },
  { head: 'Clock off by', cell: (host) => time(host.clock_offset_ns), kind: 'number' },
  { head: 'Known to ±', cell: (host) => time(host.clock_uncertainty_ns), kind: 'number' },
  { head: 'Aligned by', cell: clockWords },
];

const COLUMNS_NOTE =
  '“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce calls ' +
  'that join hosts; median. “Clock off by”: against the clock of the first host, found by what “Aligned by” names: ' +
  'all GPUs leave an AllReduce together.';

const POINT_COLUMNS: Column<HostStepPoint>[] = [
  { head: 'Step', cell: ({ step }) => String(step) },
  { head: 'Own', cell: ({ own_ns }) => time(own_ns), kind: 'number' },
  { head: 'Median of the others', cell: ({ others_ns }) => time(others_ns), kind: 'number' },
];

/** The hosts of a run: one bar each, and the steps of the chosen one against the others. */
export class HostsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    #chart {
      margin-top: 8px;
      position: relative;
    }
    #rows {
      list-style: none;
      padding: 0;
    }
    #rows.many {
      border: 1px solid var(--line);
      border-radius: 6px;
      max-height: 400px;
      overflow-y: auto;
      padding: 6px 8px;
    }
    #rows li {
      align-items: center;
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(120px, 280px) minmax(0, 1fr) 66px;
      height: 24px;
    }
    #rows button {
      border-radius: 3px;
      display: flex;
      font-size: 12.5px;
      gap: 6px;
      line-height: 24px;
      min-width: 0;
      padding: 0 4px;
    }
    #rows button[aria-pressed='true'] {
      background: var(--ground);
      box-shadow: inset 3px 0 var(--accent);
      padding-left: 8px;
    }
    #rows .host {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #rows .slow {
      color: var(--warning);
      flex: none;
      font-weight: 600;
    }
    #rows .total {
      font-size: 12.5px;
      font-variant-numeric: tabular-nums;
      text-align: right;
      white-space: nowrap;
    }
    .only {
      margin-top: 8px;
    }
    h3 {
      font-size: 13px;
      font-weight: 600;
      margin-top: 16px;
    }
    #steps {
      margin-top: 6px;
      padding: 0 14px 0 60px;
      position: relative;
    }
    #steps svg {
      display: block;
      overflow: visible;
    }
    .slot {
      fill: transparent;
    }
    g.on .slot {
      fill: var(--ground);
    }
    .grid {
      stroke: var(--line);
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .tick.end {
      text-anchor: end;
    }
    .own {
      stroke: var(--accent);
      stroke-width: 2;
    }
    .own-point {
      fill: var(--accent);
    }
    .others {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
      stroke-width: 1.5;
    }
    .steps-legend {
      padding-left: 60px;
    }
    .steps-legend i {
      border-top: 2px solid var(--accent);
      width: 18px;
    }
    .steps-legend i.dashed {
      border-top: 2px dashed var(--ink-2);
    }
    .tables {
      margin-top: 8px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
  `;
  static readonly properties = { hosts: Array, picked: Object, onlySlow: Boolean };

  hosts: HostTimes[] = [];
  private picked: HostTimes | null = null;
  private onlySlow = false;
  /** The host whose steps are shown: the picked one, or else the one to look at first. */
  private chosen: HostTimes | null = null;
  private points: HostStepPoint[] = [];
  private tip: Tip | undefined;
  private drawing = {};

  protected override changed(former: Former): void {
    if ('hosts' in former) {
      this.onlySlow = false;
      this.picked = null;
    } else if (!('picked' in former)) return;
    const { hosts } = this;
    const [slowest] = [...hosts].sort((a, b) => b.own_ns - a.own_ns);
    this.chosen = this.picked ?? slowFirst(hosts).find(({ slow }) => slow) ?? slowest ?? null;
    this.points = this.chosen ? hostSteps(this.chosen, hosts) : [];
  }

  protected override template() {
    const { hosts, points } = this;
    const slow = hosts.filter((host) => host.slow).length;
    const steps = Math.max(0, ...hosts.map(({ steps_count }) => steps_count));
    const name = this.chosen?.host;
    return html`
      <h2>
        <tfperf-term word="Hosts"></tfperf-term>
        <small
          >${counted(hosts.length, 'host')}, average of the ${counted(steps, 'step')} that all of them recorded
          whole</small
        >
      </h2>
      <p class="name">${hosts.length > 0 ? hostsSentence(hosts) : ''}</p>
      <button
        class="button only"
        ?hidden=${hosts.length <= ROWS_SEEN || slow === 0}
        aria-pressed=${this.onlySlow}
        @click=${this.onOnly}
      >
        Only slow hosts (${count(slow)})
      </button>
      <div id="chart"><ul id="rows" aria-label="Hosts: own time and waiting in an average step"></ul></div>
      <ul id="legend" class="legend" aria-label="Parts of a step"></ul>
      <div ?hidden=${points.length === 0}>
        <h3 class="name">Own time of ${name} step by step</h3>
        <div id="steps"></div>
        <ul class="legend steps-legend" aria-label="Lines">
          <li><i></i><span class="name">${name}</span></li>
          <li><i class="dashed"></i>median of the other hosts</li>
        </ul>
      </div>
      <div class="tables">
        <tfperf-table
          panel="hosts"
          heading="Each host"
          .columns=${COLUMNS}
          .items=${hosts}
          note=${COLUMNS_NOTE}
        ></tfperf-table>
        <tfperf-table
          panel="hosts"
          .heading="Each step of ${name}"
          .columns=${POINT_COLUMNS}
          .items=${points}
        ></tfperf-table>
      </div>
    `;
  }

  protected override drawn(former: Former): void {
    if ('hosts' in former) this.drawLegend();
    if ('hosts' in former || 'onlySlow' in former) this.drawRows();
    if ('hosts' in former || 'picked' in former) this.drawSteps();
    this.markChosen();
  }

  private onOnly(): void {
    this.onlySlow = !this.onlySlow;
  }

  private drawLegend(): void {
    const looks = new Map(this.hosts.flatMap(parts).map(({ look }) => [look.words, look]));
    this.child('legend').replaceChildren(
      ...[...looks.values()].map((look) =>
        legendItem(
          look,
          look.colour === accountLook('communication.wait').colour ? 'waiting for other hosts and GPUs' : look.words,
        ),
      ),
    );
  }

  private drawRows(): void {
    this.tip ??= new Tip(this.child('chart'));
    this.tip.hide();
    const shown = slowFirst(this.hosts).filter(({ slow }) => slow || !this.onlySlow);
    const full = Math.max(1, ...this.hosts.map(({ own_ns, wait_ns }) => own_ns + wait_ns));
    this.child('rows').classList.toggle('many', shown.length > ROWS_SEEN);
    this.child('rows').replaceChildren(...shown.slice(0, ROWS_FIRST).map((host) => this.row(host, full)));
    // The rest is scrolled to, not seen at once: it must not delay the first paint.
    const drawing = (this.drawing = {});
    if (shown.length > ROWS_FIRST)
      requestAnimationFrame(() =>
        setTimeout(() => {
          if (this.drawing !== drawing) return;
          this.child('rows').append(...shown.slice(ROWS_FIRST).map((host) => this.row(host, full)));
          this.markChosen();
        }, 100),
      );
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
    button.addEventListener('click', () => (this.picked = host));
    button.addEventListener('focus', () => this.tip?.show(row, words));
    button.addEventListener('blur', () => this.tip?.hide());
    row.addEventListener('pointerenter', () => this.tip?.show(row, words));
    row.addEventListener('pointerleave', () => this.tip?.hide());
    row.append(button, drawing, span('total', duration(host.own_ns)));
    return row;
  }

  private drawSteps(): void {
    const { chosen, points } = this;
    if (!chosen || points.length === 0) return;
    const words = points.map(pointWords);
    const chart = this.child('steps');
    const { drawing, groups } = hostStepsChart(
      points,
      `Own time of ${chosen.host} and the median of the other hosts: ${words.join('; ')}`,
    );
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, groups, words);
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

customElements.define('tfperf-hosts', HostsElement);
