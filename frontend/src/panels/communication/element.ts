import { html, nothing } from 'lit-html';
import { accountLook } from '../../accounts.js';
import { type TraceAccess, canOpen } from '../../backend.js';
import { legendItem } from '../../charts/svg.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import { tableOf } from '../../blocks.js';
import '../../elements/field.js';
import '../../elements/rows.js';
import '../../elements/table.js';
import type { Column } from '../../elements/table.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { Tip } from '../../elements/tip.js';
import { count, counted, duration, kept, parameters, quantity } from '../../format.js';
import { meaningOf } from '../../glossary.js';
import type { AllReduce, CollectiveCall, Place, Report } from '../../model.js';
import { css } from '../../theme.js';
import { type Field, NONE_REFUSED, type Refusals, type Typed, UNTYPED } from '../../typed.js';
import { lineSample, stepsChart } from './chart.js';
import * as logic from './logic.js';
import './trace.js';
import { LINES, callColumns, stepColumns } from './tables.js';

/** What a bandwidth can be typed as. */
const LINKS = ['NVLink 2', 'NVLink 3', 'NVLink 4', 'NVLink 5', 'PCIe 3 x16', 'PCIe 4 x16', 'PCIe 5 x16'];

/** All that follows from the report: new rows and columns are new tables. */
function parts(report: Report) {
  const chart = logic.chart(report);
  return { chart, steps: stepColumns(chart) };
}

/** A term of the card's numbers, with what it means. */
function explained(term: string) {
  return html`<tfperf-term .word=${term} .meaning=${meaningOf(term, 'per step') ?? ''}></tfperf-term>`;
}

/** Communication between GPUs: measured beside estimated, step by step, and who comes last. */
export class CommunicationElement extends TfperfElement {
  static override readonly styles = css`
    b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      white-space: nowrap;
    }
    .card {
      margin-top: 4px;
    }
    .head h3 {
      min-width: 0;
      overflow-wrap: anywhere;
    }
    .head {
      align-items: baseline;
      display: flex;
      gap: 12px;
      justify-content: space-between;
    }
    .tiles {
      display: grid;
      gap: 8px 16px;
      grid-template-columns: repeat(4, minmax(0, 1fr));
    }
    .tiles b {
      display: block;
      font-size: 18px;
    }
    .tiles .note {
      font-size: 12.5px;
    }
    .fields {
      display: grid;
      gap: 8px 32px;
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
    .beside {
      display: grid;
      gap: 12px 32px;
      margin-top: 6px;
    }
    .fields .button {
      margin-top: 3px;
    }
    .numbers {
      clip-path: inset(0 -100vw -100vh 0);
      column-gap: 20px;
      display: flex;
      flex-wrap: wrap;
      margin-top: 8px;
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
    .difference {
      margin-top: 4px;
      max-width: none;
    }
    .pair {
      display: grid;
      gap: 16px 32px;
      grid-template-columns: minmax(0, 1fr);
      margin-top: 8px;
    }
    /* The chart's tip has room of its own. */
    #chart {
      margin-top: 6px;
      padding: 0 0 52px 60px;
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
    .estimate {
      stroke: var(--ink);
      stroke-width: 1.2;
    }
    .legend {
      margin-top: 4px;
    }
    .legend i {
      border-top: 2px solid var(--ink);
      width: 12px;
    }
    .tables {
      margin-top: 4px;
    }
    .tables > tfperf-table {
      margin: 4px 0 0 16px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
    tfperf-trace {
      margin-top: 14px;
    }
    .scroll td.name {
      min-width: 72px;
    }
    .scroll td.note {
      min-width: 190px;
    }
    @media (max-width: 1179px) {
      /* Estimates that come with a bandwidth must not move the field in which it is typed. */
      .fields {
        order: -1;
      }
    }
    @media (min-width: 1180px) {
      .beside {
        grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr);
      }
      .pair {
        grid-template-columns: repeat(2, minmax(0, 1fr));
      }
    }
    @media (max-width: 799px) {
      .tiles,
      .fields {
        grid-template-columns: repeat(2, minmax(0, 1fr));
      }
    }
  `;
  static readonly properties = {
    report: Object,
    access: Object,
    typed: Object,
    refused: Object,
    recomputing: Boolean,
    chosen: Object,
  };

  report!: Report;
  access: TraceAccess | null = null;
  /** What the report was computed with. */
  typed: Typed = UNTYPED;
  refused: Refusals = NONE_REFUSED;
  recomputing = false;
  /** The call whose place is shown in the trace; a new object each time. */
  private chosen: Place | null = null;
  private parts!: ReturnType<typeof parts>;
  private calls!: Column<CollectiveCall>[];

  protected override changed(former: Former): void {
    const { access } = this;
    if ('report' in former) {
      this.chosen = null;
      this.parts = parts(this.report);
    }
    if ('access' in former || 'report' in former)
      this.calls = callColumns(this.nameOf, (call) =>
        this.report.viewer !== 'XProf' || canOpen(access, call.host) ? () => this.showCall(call) : null,
      );
  }

  protected override template() {
    const { report, chosen } = this;
    const { allreduce: a } = report;
    const { chart, steps } = this.parts;
    const [late, kinds] = [tableOf(report, 'gpus'), tableOf(report, 'collectives')];
    const time = logic.exposed(report);
    return html`
      ${
        time
          ? html`<p>
              <tfperf-term word="Exposed communication"></tfperf-term> <b>${duration(time.both)}</b> of a step:
              <tfperf-term word="Exposed transfer"></tfperf-term> <b>${duration(time.transfer)}</b>,
              <tfperf-term word="Straggler wait"></tfperf-term> <b>${duration(time.wait)}</b>.
            </p>`
          : nothing
      }
      <p>${report.sections.find(({ id }) => id === 'communication')?.note}</p>
      ${kinds ? html`<tfperf-rows folded .table=${kinds} .open=${!logic.mostly(report)}></tfperf-rows>` : nothing}
      ${a ? this.exchange(a) : nothing}
      <div class="pair">
        <div ?hidden=${chart.steps.length === 0}>
          <h3>${chart.heading}</h3>
          <ul id="legend" class="legend" aria-label="Columns, one a step, and lines across them"></ul>
          <div id="chart"></div>
        </div>
        ${
          late
            ? html`<div>
                <h3>${late.title}</h3>
                <tfperf-rows .table=${late}></tfperf-rows>
              </div>`
            : nothing
        }
      </div>
      <details class="tables">
        <summary>Tables: each number and how it is known, each step, size and call</summary>
        <tfperf-table
          panel="allreduce"
          heading="Each number, and how it is known"
          .columns=${LINES}
          .items=${a?.numbers ?? []}
        ></tfperf-table>
        <tfperf-table panel="allreduce" heading=${chart.heading} .columns=${steps} .items=${chart.steps}></tfperf-table>
        ${a ? this.tables(a) : nothing}
      </details>
      ${
        chosen
          ? html`<tfperf-trace
              .run=${report.run}
              .viewer=${report.viewer}
              .place=${chosen}
              .access=${this.access}
            ></tfperf-trace>`
          : nothing
      }
    `;
  }

  /** What exchanges the gradients, measured beside estimated. Above the fields nothing changes its height. */
  private exchange(a: AllReduce) {
    const hosts = a.hosts_count > 1 ? ` on ${counted(a.hosts_count, 'host')}` : '';
    const calls = a.measured_ns === null ? '' : `, ${counted(a.calls_per_step, 'call')} per step`;
    const [held, all] = [a.steps.length, this.report.steps.count];
    const part = held > 0 && held < all ? `, in the ${held} of ${all} steps that all GPUs recorded` : '';
    const below = logic.numbers(a, 'below');
    return html`
      <div class="card">
        <div class="head">
          <h3>${a.title} <small>${counted(a.participants, 'GPU')}${hosts}${calls}${part}</small></h3>
          <span class="note" role="status">${this.recomputing ? 'Recomputing …' : ''}</span>
        </div>
        <div class="beside">
          <ul class="tiles" aria-label="Per step">
            ${logic.numbers(a, 'card').map(
              ({ term, value, note }) =>
                html`<li>
                  ${explained(term)} <b>${kept(value)}</b>
                  <span class="note"><tfperf-text .text=${kept(note)}></tfperf-text></span>
                </li>`,
            )}
          </ul>
          <div class="fields">
            ${
              a.guide_applies
                ? this.field(
                    'parameters',
                    'Parameters of the model',
                    a.parameters ? parameters(a.parameters) : 'e.g. 25.6M',
                    logic.fieldNote(a, 'parameters'),
                  )
                : nothing
            }
            <div>
              ${this.field(
                'bandwidth',
                'Bandwidth of one GPU',
                a.bandwidth_gbps ? quantity(a.bandwidth_gbps, 'GB/s') : 'e.g. 600 GB/s or NVLink 3',
                logic.fieldNote(a, 'bandwidth of one GPU'),
                LINKS,
              )}
              ${a.links.map(
                ({ gpu, typed }) =>
                  html`<button class="button" @click=${() => this.assume(typed)}>
                    <span class="name">${gpu}: ${typed}</span>
                  </button>`,
              )}
            </div>
          </div>
        </div>
        <ul class="numbers" ?hidden=${below.length === 0} aria-label="Further numbers">
          ${below.map(
            ({ term, value, note }) =>
              html`<li>${explained(term)} <b>${kept(value)}</b><span class="name">${note && `, ${note}`}</span></li>`,
          )}
        </ul>
        <p class="difference name" ?hidden=${!a.difference}>${kept(a.difference)}</p>
      </div>
    `;
  }

  private field(name: Field, label: string, hint: string, note: string, choices: readonly string[] = []) {
    return html`<tfperf-field
      .name=${name}
      .label=${label}
      .hint=${hint}
      .note=${note}
      .choices=${choices}
      .typed=${this.typed[name]}
      .refusal=${this.refused[name]}
      .report=${this.report}
    ></tfperf-field>`;
  }

  private tables(a: AllReduce) {
    const [shown, sizes] = [a.calls.length, tableOf(this.report, 'sizes')];
    return html`
      ${sizes ? html`<tfperf-rows folded .table=${sizes}></tfperf-rows>` : nothing}
      <tfperf-table
        panel="allreduce"
        heading="The longest calls"
        .columns=${this.calls}
        .items=${a.calls}
        .note=${a.calls_total > shown ? `The ${count(shown)} longest of ${count(a.calls_total)} calls.` : ''}
      ></tfperf-table>
    `;
  }

  protected override drawn(former: Former): void {
    const { chart } = this.parts;
    if (!('report' in former) || chart.steps.length === 0) return;
    const { drawing, columns } = stepsChart(chart.steps, chart.lines, logic.chartWords(chart));
    const place = this.child('chart');
    // A tip stands in the chart, beside the drawing.
    place.replaceChildren(drawing);
    new Tip(place).explain(
      drawing,
      columns,
      chart.steps.map((step) => logic.stepWords(chart, step)),
    );
    const item = (sample: Element, words: string): HTMLLIElement => {
      const found = document.createElement('li');
      found.append(sample, words);
      return found;
    };
    this.child('legend').replaceChildren(
      legendItem(accountLook('communication.transfer'), chart.transfer),
      legendItem(accountLook('communication.wait'), chart.wait),
      ...(chart.steps.some(({ exposed_ns }) => exposed_ns !== null)
        ? [item(document.createElement('i'), 'exposed: not hidden by compute')]
        : []),
      ...chart.lines.map(({ words, ns, dashes }) => item(lineSample(dashes), `${words} ${duration(ns)}`)),
    );
  }

  private assume(bandwidth: string): void {
    fire(this, 'assume', { field: 'bandwidth', text: bandwidth });
  }

  private readonly nameOf = (kind: string): string => logic.kindWords(kind, this.report.collectives);

  private showCall(call: CollectiveCall): void {
    this.chosen = logic.callPlace(call, this.nameOf(call.kind));
  }
}

customElements.define('tfperf-communication', CommunicationElement);
