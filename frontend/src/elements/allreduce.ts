import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { accountLook } from '../accounts.js';
import * as allreduce from '../allreduce.js';
import { type TraceAccess, canOpen } from '../backend.js';
import { allreduceChart } from '../charts/allreduce_chart.js';
import { legendItem } from '../charts/svg.js';
import { count, counted, parameters, quantity } from '../format.js';
import type { AllReduce, CollectiveCall, Place } from '../model.js';
import { sharedStyles } from './old.js';
import { FIELDS, type Field, NONE_REFUSED, type Refusals, type Typed, UNTYPED } from '../typed.js';
import { type Tables, callColumns, tables } from './allreduce_tables.js';
import { fire } from './base.js';
import './places.js';
import './table.js';
import type { Column } from './table.js';
import './term.js';
import { Tip } from './tip.js';
import './trace.js';

/** AllReduce against its estimates; the two unknowns of the estimates can be typed. */
export class AllReduceElement extends PolymerElement {
  static get is() {
    return 'tfperf-allreduce';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .panel { --table-ground: var(--panel); background: var(--panel); border: 1px solid var(--line); border-radius: 10px; margin-top: 8px; padding: 14px 18px; }
        .columns { display: grid; gap: 16px 32px; grid-template-columns: minmax(200px, 250px) minmax(0, 1fr); }
        label { display: block; font-size: 13px; }
        .field + .field { margin-top: 14px; }
        input { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; display: block; margin-top: 3px; padding: 5px 8px; width: 100%; }
        input::placeholder { color: var(--ink-2); opacity: 1; }
        input[aria-invalid='true'] { border-color: var(--critical); }
        .field p { margin-top: 3px; }
        .field p::first-letter { text-transform: uppercase; }
        .refused { color: var(--critical); font-size: 13px; }
        .numbers { clip-path: inset(0 -100vw -100vh 0); column-gap: 20px; display: flex; flex-wrap: wrap; list-style: none; padding: 0; }
        .numbers li { position: relative; }
        /* A dot before the first number of a line falls outside, where it is clipped. */
        .numbers li::before { color: var(--ink-2); content: '·'; left: -12px; position: absolute; }
        .numbers b { white-space: nowrap; }
        .numbers.more { color: var(--ink-2); font-size: 13px; margin-top: 2px; }
        .numbers.more b { font-weight: 400; }
        .difference { margin-top: 6px; }
        .busy { color: var(--ink-2); float: right; font-size: 13px; }
        #chart { margin-top: 12px; padding: 0 168px 0 60px; position: relative; }
        #chart svg { display: block; overflow: visible; }
        .slot { fill: transparent; }
        g.on .slot { fill: var(--ground); }
        .exposed { stroke: var(--ink); stroke-width: 2; }
        .grid { stroke: var(--line); }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .tick.end { text-anchor: end; }
        .estimate { stroke: var(--ink); stroke-width: 1.2; }
        .leader { fill: none; stroke: var(--ink-2); }
        .estimate-label { fill: var(--ink); font-size: 12px; }
        .legend { margin-top: 4px; padding-left: 60px; }
        .legend i { border-top: 2px solid var(--ink); width: 12px; }
        .tables { margin-top: 12px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
        tfperf-places { margin-top: 14px; }
        @media (max-width: 799px) { .columns { grid-template-columns: minmax(0, 1fr); } }
      </style>
      <h2>AllReduce <small>[[subtitle(allreduce)]]</small></h2>
      <div class="panel">
        <div class="columns">
          <div>
            <div class="field">
              <label for="parameters">Parameters of the model</label>
              <input id="parameters" type="text" autocomplete="off" spellcheck="false" placeholder$="[[parametersHint(allreduce)]]" aria-invalid$="[[isRefused('parameters', refused)]]" aria-describedby="parameters-refused parameters-note" on-change="onTyped">
              <p id="parameters-refused" class="refused" role="alert" hidden$="[[!refused.parameters]]">[[refused.parameters.message]]</p>
              <p id="parameters-note" class="note name">[[parametersNote(allreduce)]]</p>
            </div>
            <div class="field">
              <label for="bandwidth">Bandwidth of one GPU</label>
              <input id="bandwidth" type="text" autocomplete="off" spellcheck="false" list="links" placeholder$="[[bandwidthHint(allreduce)]]" aria-invalid$="[[isRefused('bandwidth', refused)]]" aria-describedby="bandwidth-refused bandwidth-note" on-change="onTyped">
              <datalist id="links">
                <option value="NVLink 2"></option><option value="NVLink 3"></option><option value="NVLink 4"></option><option value="NVLink 5"></option>
                <option value="PCIe 3 x16"></option><option value="PCIe 4 x16"></option><option value="PCIe 5 x16"></option>
              </datalist>
              <p id="bandwidth-refused" class="refused" role="alert" hidden$="[[!refused.bandwidth]]">[[refused.bandwidth.message]]</p>
              <p id="bandwidth-note" class="note name">[[bandwidthNote(allreduce)]]</p>
            </div>
          </div>
          <div>
            <span class="busy" role="status">[[busy(recomputing)]]</span>
            <ul class="numbers" aria-label="Per step">
              <template is="dom-repeat" items="[[sentence]]">
                <li><tfperf-term word="[[item.term]]" meaning="[[item.meaning]]"></tfperf-term> <b>[[item.value]]</b><span class="name">[[item.note]]</span></li>
              </template>
            </ul>
            <ul class="numbers more" hidden$="[[!further.length]]" aria-label="Further numbers">
              <template is="dom-repeat" items="[[further]]">
                <li><tfperf-term word="[[item.term]]" meaning="[[item.meaning]]"></tfperf-term> <b>[[item.value]]</b></li>
              </template>
            </ul>
            <p class="difference name" hidden$="[[!difference]]">[[difference]]</p>
            <div hidden$="[[!allreduce.steps.length]]">
              <div id="chart"></div>
              <ul id="legend" class="legend" aria-label="Columns, one a step"></ul>
            </div>
          </div>
        </div>
        <div class="tables">
          <tfperf-table heading="Each number, and how it is known" columns="[[tables.lines]]" items="[[lines]]"></tfperf-table>
          <tfperf-table heading="AllReduce of each step" columns="[[tables.steps]]" items="[[allreduce.steps]]"></tfperf-table>
          <tfperf-table heading="By size of the call" columns="[[tables.sizes]]" items="[[allreduce.sizes]]"></tfperf-table>
          <tfperf-table heading="By GPU" columns="[[tables.devices]]" items="[[allreduce.devices]]" note="“Others wait for it”: per step, averaged over the other GPUs."></tfperf-table>
          <tfperf-table heading="The longest calls" columns="[[calls]]" items="[[allreduce.calls]]" note="[[capped(allreduce)]]"></tfperf-table>
        </div>
        <template is="dom-if" if="[[chosen.length]]" restamp>
          <tfperf-places run="[[run]]" places="[[chosen]]" access="[[access]]" shown="[[isShown(traced)]]"></tfperf-places>
        </template>
        <template is="dom-if" if="[[traced]]" restamp>
          <tfperf-trace run="[[run]]" place="[[traced]]"></tfperf-trace>
        </template>
      </div>
    `;
  }

  static get properties() {
    return {
      allreduce: { type: Object, observer: 'onReport' },
      run: String,
      access: { type: Object, value: null },
      /** What the report was computed with. */
      typed: { type: Object, value: () => UNTYPED },
      refused: { type: Object, value: () => NONE_REFUSED },
      recomputing: { type: Boolean, value: false },
      sentence: { type: Array, computed: 'sentenceOf(allreduce)' },
      further: { type: Array, computed: 'furtherOf(allreduce)' },
      lines: { type: Array, computed: 'linesOf(allreduce)' },
      tables: { type: Object, computed: 'tablesOf(allreduce)' },
      calls: { type: Array, computed: 'callsOf(access)' },
      difference: { type: String, computed: 'differenceOf(allreduce)' },
      /** The call whose place can be opened, and the place on which the trace viewer is open. */
      chosen: { type: Array, value: () => [] },
      traced: { type: Object, value: null },
    };
  }

  static get observers() {
    return ['onFields(typed, refused, run)'];
  }

  /** Null for a moment, when the next report has none. */
  declare allreduce: AllReduce | null;
  declare run: string;
  declare access: TraceAccess | null;
  declare typed: Typed;
  declare refused: Refusals;
  declare recomputing: boolean;
  declare sentence: allreduce.Quantity[];
  declare further: allreduce.Quantity[];
  declare lines: allreduce.Quantity[];
  declare tables: Tables | null;
  declare calls: Column<CollectiveCall>[];
  declare difference: string;
  declare chosen: Place[];
  declare traced: Place | null;
  /** What each field held when it was last set or taken over; other text is still being typed. */
  private settled: Record<Field, string> | undefined;
  private tip: Tip | undefined;

  override ready(): void {
    super.ready();
    this.addEventListener('show-trace', (event) => {
      this.traced = (event as CustomEvent<{ place: Place | null }>).detail.place;
    });
  }

  onReport(a: AllReduce | null): void {
    this.chosen = [];
    this.traced = null;
    if (!a || a.steps.length === 0) return;
    const chart = this.$['chart'] as HTMLElement;
    const { drawing, columns } = allreduceChart(a.steps, allreduce.estimates(a), allreduce.chartWords(a));
    // A tip stands in the chart, beside the drawing.
    chart.replaceChildren(drawing);
    this.tip = new Tip(chart);
    this.tip.explain(drawing, columns, a.steps.map(allreduce.stepWords));
    const exposed = document.createElement('li');
    exposed.append(document.createElement('i'), 'exposed: not hidden by compute');
    this.$['legend']?.replaceChildren(
      legendItem(accountLook('communication.transfer'), 'transfer'),
      legendItem(accountLook('communication.wait'), 'waiting'),
      exposed,
    );
  }

  /** Puts what was typed into the fields, but takes nothing out of a hand that types. */
  onFields(typed: Typed, refused: Refusals): void {
    this.settled ??= { parameters: '', bandwidth: '' };
    for (const field of FIELDS) {
      const input = this.$[field] as HTMLInputElement;
      if (input.value !== this.settled[field]) continue;
      input.value = this.settled[field] = refused[field]?.text ?? typed[field] ?? '';
    }
  }

  /** An emptied field gives the question back to the profile. */
  onTyped(event: Event): void {
    const input = event.target as HTMLInputElement;
    const field = input.id as Field;
    const text = input.value.trim();
    if (this.settled) this.settled[field] = input.value;
    fire(this, 'assume', { field, text: text === '' ? null : text });
  }

  isShown(place: Place | null): boolean {
    return place !== null;
  }

  isRefused(field: Field, refused: Refusals): string {
    return String(refused[field] !== null);
  }

  busy(recomputing: boolean): string {
    return recomputing ? 'Recomputing …' : '';
  }

  subtitle(a: AllReduce | null): string {
    if (!a) return '';
    const hosts = a.hosts_count > 1 ? ` on ${counted(a.hosts_count, 'host')}` : '';
    const calls = a.measured_ns === null ? '' : `, ${counted(a.calls_per_step, 'call')} per step`;
    return `${counted(a.participants, 'GPU')}${hosts}${calls}`;
  }

  parametersHint(a: AllReduce | null): string {
    return a?.parameters ? parameters(a.parameters) : 'e.g. 25.6M';
  }

  bandwidthHint(a: AllReduce | null): string {
    return a?.bandwidth_gbps ? quantity(a.bandwidth_gbps, 'GB/s') : 'e.g. 600 GB/s or NVLink 3';
  }

  parametersNote(a: AllReduce | null): string {
    return a ? allreduce.parametersNote(a) : '';
  }

  bandwidthNote(a: AllReduce | null): string {
    return a ? allreduce.bandwidthNote(a) : '';
  }

  sentenceOf(a: AllReduce | null): allreduce.Quantity[] {
    return a ? allreduce.sentence(a) : [];
  }

  furtherOf(a: AllReduce | null): allreduce.Quantity[] {
    return a ? allreduce.further(a) : [];
  }

  linesOf(a: AllReduce | null): allreduce.Quantity[] {
    return a ? allreduce.lines(a) : [];
  }

  differenceOf(a: AllReduce | null): string {
    return a ? allreduce.difference(a) : '';
  }

  tablesOf(a: AllReduce | null): Tables | null {
    return a ? tables(a) : null;
  }

  callsOf(access: TraceAccess | null): Column<CollectiveCall>[] {
    return callColumns((call) => (canOpen(access, call.host) ? () => this.showCall(call) : null));
  }

  capped(a: AllReduce | null): string {
    const shown = a?.calls.length ?? 0;
    return a && a.calls_total > shown ? `The ${count(shown)} longest of ${count(a.calls_total)} calls.` : '';
  }

  private showCall(call: CollectiveCall): void {
    const place = allreduce.callPlace(call);
    this.chosen = [place];
    this.traced = place;
  }
}

customElements.define(AllReduceElement.is, AllReduceElement);
