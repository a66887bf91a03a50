import { html, nothing } from 'lit-html';
import { accountLook } from '../accounts.js';
import * as allreduce from '../allreduce.js';
import { type TraceAccess, canOpen } from '../backend.js';
import { allreduceChart } from '../charts/allreduce_chart.js';
import { legendItem } from '../charts/svg.js';
import { count, counted, parameters, quantity } from '../format.js';
import type { AllReduce, CollectiveCall, Place } from '../model.js';
import { css } from '../theme.js';
import { FIELDS, type Field, NONE_REFUSED, type Refusals, type Typed, UNTYPED } from '../typed.js';
import { type Tables, callColumns, tables } from './allreduce_tables.js';
import { type Former, TfperfElement, fire } from './base.js';
import './places.js';
import './table.js';
import type { Column } from './table.js';
import './term.js';
import { Tip } from './tip.js';
import './trace.js';

/** What a bandwidth can be typed as. */
const LINKS = ['NVLink 2', 'NVLink 3', 'NVLink 4', 'NVLink 5', 'PCIe 3 x16', 'PCIe 4 x16', 'PCIe 5 x16'];

const NO_PLACES: readonly Place[] = [];

/** AllReduce against its estimates; the two unknowns of the estimates can be typed. */
export class AllReduceElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    .panel {
      --table-ground: var(--panel);
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .columns {
      display: grid;
      gap: 16px 32px;
      grid-template-columns: minmax(200px, 250px) minmax(0, 1fr);
    }
    label {
      display: block;
      font-size: 13px;
    }
    .field + .field {
      margin-top: 14px;
    }
    input {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      display: block;
      margin-top: 3px;
      padding: 5px 8px;
      width: 100%;
    }
    input::placeholder {
      color: var(--ink-2);
      opacity: 1;
    }
    input[aria-invalid='true'] {
      border-color: var(--critical);
    }
    .field p {
      margin-top: 3px;
    }
    .field p::first-letter {
      text-transform: uppercase;
    }
    .refused {
      color: var(--critical);
      font-size: 13px;
    }
    .numbers {
      clip-path: inset(0 -100vw -100vh 0);
      column-gap: 20px;
      display: flex;
      flex-wrap: wrap;
      list-style: none;
      padding: 0;
    }
    .numbers li {
      position: relative;
    }
    /* A dot before the first number of a line falls outside, where it is clipped. */
    .numbers li::before {
      color: var(--ink-2);
      content: '·';
      left: -12px;
      position: absolute;
    }
    .numbers b {
      white-space: nowrap;
    }
    .numbers.more {
      color: var(--ink-2);
      font-size: 13px;
      margin-top: 2px;
    }
    .numbers.more b {
      font-weight: 400;
    }
    .difference {
      margin-top: 6px;
    }
    .busy {
      color: var(--ink-2);
      float: right;
      font-size: 13px;
    }
    #chart {
      margin-top: 12px;
      padding: 0 168px 0 60px;
      position: relative;
    }
    #chart svg {
      display: block;
      overflow: visible;
    }
    .slot {
      fill: transparent;
    }
    g.on .slot {
      fill: var(--ground);
    }
    .exposed {
      stroke: var(--ink);
      stroke-width: 2;
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
    .estimate {
      stroke: var(--ink);
      stroke-width: 1.2;
    }
    .leader {
      fill: none;
      stroke: var(--ink-2);
    }
    .estimate-label {
      fill: var(--ink);
      font-size: 12px;
    }
    .legend {
      margin-top: 4px;
      padding-left: 60px;
    }
    .legend i {
      border-top: 2px solid var(--ink);
      width: 12px;
    }
    .tables {
      margin-top: 12px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
    tfperf-places {
      margin-top: 14px;
    }
    @media (max-width: 799px) {
      .columns {
        grid-template-columns: minmax(0, 1fr);
      }
    }
  `;
  static readonly properties = {
    allreduce: Object,
    run: String,
    access: Object,
    typed: Object,
    refused: Object,
    recomputing: Boolean,
    chosen: Array,
    traced: Object,
  };

  allreduce!: AllReduce;
  run!: string;
  access: TraceAccess | null = null;
  /** What the report was computed with. */
  typed: Typed = UNTYPED;
  refused: Refusals = NONE_REFUSED;
  recomputing = false;
  /** The call whose place can be opened, and the place on which the trace viewer is open. */
  private chosen: readonly Place[] = NO_PLACES;
  private traced: Place | null = null;
  private lines!: allreduce.Quantity[];
  private tables!: Tables;
  private calls!: Column<CollectiveCall>[];
  /** What each field held when it was last set or taken over; other text is still being typed. */
  private readonly settled: Record<Field, string> = { parameters: '', bandwidth: '' };

  // What tables are made of is made once: new columns or rows are new tables.
  protected override changed(former: Former): void {
    const { allreduce: a, access } = this;
    if ('allreduce' in former) {
      this.chosen = NO_PLACES;
      this.traced = null;
      this.lines = allreduce.lines(a);
      this.tables = tables(a);
    }
    if ('access' in former)
      this.calls = callColumns((call) => (canOpen(access, call.host) ? () => this.showCall(call) : null));
  }

  protected override template() {
    const { allreduce: a, run, chosen, traced } = this;
    const hosts = a.hosts_count > 1 ? ` on ${counted(a.hosts_count, 'host')}` : '';
    const calls = a.measured_ns === null ? '' : `, ${counted(a.calls_per_step, 'call')} per step`;
    const further = allreduce.further(a);
    const difference = allreduce.difference(a);
    const shown = a.calls.length;
    const field = (name: Field, label: string, hint: string, note: string, links: unknown = nothing) => {
      const refusal = this.refused[name];
      return html`
        <div class="field">
          <label for=${name}>${label}</label>
          <input
            id=${name}
            type="text"
            autocomplete="off"
            spellcheck="false"
            list=${links === nothing ? nothing : 'links'}
            placeholder=${hint}
            aria-invalid=${refusal !== null}
            aria-describedby="${name}-refused ${name}-note"
            @change=${this.onTyped}
          />
          ${links}
          <p id="${name}-refused" class="refused" role="alert" ?hidden=${!refusal}>${refusal?.message}</p>
          <p id="${name}-note" class="note name">${note}</p>
        </div>
      `;
    };
    const number = ({ term, meaning, value }: allreduce.Quantity, note: unknown = nothing) =>
      html`<li><tfperf-term .word=${term} .meaning=${meaning}></tfperf-term> <b>${value}</b>${note}</li>`;
    return html`
      <h2>AllReduce <small>${counted(a.participants, 'GPU')}${hosts}${calls}</small></h2>
      <div class="panel">
        <div class="columns">
          <div>
            ${field(
              'parameters',
              'Parameters of the model',
              a.parameters ? parameters(a.parameters) : 'e.g. 25.6M',
              allreduce.parametersNote(a),
            )}
            ${field(
              'bandwidth',
              'Bandwidth of one GPU',
              a.bandwidth_gbps ? quantity(a.bandwidth_gbps, 'GB/s') : 'e.g. 600 GB/s or NVLink 3',
              allreduce.bandwidthNote(a),
              html` <datalist id="links">${LINKS.map((link) => html`<option .value=${link}></option>`)}</datalist> `,
            )}
          </div>
          <div>
            <span class="busy" role="status">${this.recomputing ? 'Recomputing …' : ''}</span>
            <ul class="numbers" aria-label="Per step">
              ${allreduce.sentence(a).map((item) => number(item, html`<span class="name">${item.note}</span>`))}
            </ul>
            <ul class="numbers more" ?hidden=${further.length === 0} aria-label="Further numbers">
              ${further.map((item) => number(item))}
            </ul>
            <p class="difference name" ?hidden=${!difference}>${difference}</p>
            <div ?hidden=${a.steps.length === 0}>
              <div id="chart"></div>
              <ul id="legend" class="legend" aria-label="Columns, one a step"></ul>
            </div>
          </div>
        </div>
        <div class="tables">
          <tfperf-table
            panel="allreduce"
            heading="Each number, and how it is known"
            .columns=${this.tables.lines}
            .items=${this.lines}
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="AllReduce of each step"
            .columns=${this.tables.steps}
            .items=${a.steps}
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="By size of the call"
            .columns=${this.tables.sizes}
            .items=${a.sizes}
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="By GPU"
            .columns=${this.tables.devices}
            .items=${a.devices}
            note="“Others wait for it”: per step, averaged over the other GPUs."
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="The longest calls"
            .columns=${this.calls}
            .items=${a.calls}
            .note=${a.calls_total > shown ? `The ${count(shown)} longest of ${count(a.calls_total)} calls.` : ''}
          ></tfperf-table>
        </div>
        ${chosen.length > 0 ? this.places(chosen) : nothing}
        ${traced ? html`<tfperf-trace .run=${run} .place=${traced}></tfperf-trace>` : nothing}
      </div>
    `;
  }

  private places(places: readonly Place[]) {
    return html`<tfperf-places
      .run=${this.run}
      .places=${places}
      .access=${this.access}
      .shown=${this.traced !== null}
      @show-trace=${this.onTrace}
    ></tfperf-places>`;
  }

  protected override drawn(former: Former): void {
    const { allreduce: a } = this;
    if ('typed' in former || 'refused' in former || 'run' in former) this.fill();
    if (!('allreduce' in former) || a.steps.length === 0) return;
    const { drawing, columns } = allreduceChart(a.steps, allreduce.estimates(a), allreduce.chartWords(a));
    const chart = this.child('chart');
    // A tip stands in the chart, beside the drawing.
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, columns, a.steps.map(allreduce.stepWords));
    const exposed = document.createElement('li');
    exposed.append(document.createElement('i'), 'exposed: not hidden by compute');
    this.child('legend').replaceChildren(
      legendItem(accountLook('communication.transfer'), 'transfer'),
      legendItem(accountLook('communication.wait'), 'waiting'),
      exposed,
    );
  }

  /** Puts what was typed into the fields, but takes nothing out of a hand that types. */
  private fill(): void {
    for (const field of FIELDS) {
      const input = this.child(field) as HTMLInputElement;
      if (input.value !== this.settled[field]) continue;
      input.value = this.settled[field] = this.refused[field]?.text ?? this.typed[field] ?? '';
    }
  }

  /** An emptied field gives the question back to the profile. */
  private onTyped(event: Event): void {
    const { id, value } = event.target as HTMLInputElement;
    const field = id as Field;
    this.settled[field] = value;
    fire(this, 'assume', { field, text: value.trim() || null });
  }

  private onTrace(event: CustomEvent<{ place: Place | null }>): void {
    this.traced = event.detail.place;
  }

  private showCall(call: CollectiveCall): void {
    const place = allreduce.callPlace(call);
    this.chosen = [place];
    this.traced = place;
  }
}

customElements.define('tfperf-allreduce', AllReduceElement);
