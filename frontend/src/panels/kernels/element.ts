import { html, nothing } from 'lit-html';
import { stackedBar } from '../../charts/stacked_bar.js';
import { legendItem } from '../../charts/svg.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import { opName } from '../../elements/op_name.js';
import type { Column } from '../../elements/table.js';
import { headWords } from '../../elements/table.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { Tip } from '../../elements/tip.js';
import { count, counted, duration, percent } from '../../format.js';
import type { Ledger, Report } from '../../model.js';
import { type Filter, opsSentence } from '../../ops.js';
import { css } from '../../theme.js';
import { causesSentence, type ComputeRow, computeBar, computeRows, computeSentence } from './compute.js';
import { type KeyNumber, type Listing, type Name, type Value, type View } from './logic.js';
import { found, keyNumbers, listedSentence, listings, phaseParts } from './logic.js';
import { phaseLook, phasesSentence } from './phases.js';
import { hasRoofline } from './roofline.js';
import './roofline_element.js';

const ALL: Filter = { phase: '', text: '' };

/** Of names, which may take two lines. */
const LENGTH = 72;

/** So many rows are shown at first. */
const FIRST = 12;

const PARTS = ['Kind', 'Time', 'Needed', 'Could be won', 'Not judged', 'In parts'];

const PHASES_NOTE =
  'Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the ' +
  'one that began first, so phases add up to compute.';

const NO_KERNELS = 'No kernels can be given to steps in this profile; the host’s ops are below.';

/** What the GPUs compute: key numbers, the roofline, compute by kind and phase, and tables of kernels and ops. */
export class KernelsElement extends TfperfElement {
  static override readonly styles = css`
    section + section {
      margin-top: 24px;
    }
    dl {
      display: flex;
      flex-wrap: wrap;
      gap: 12px 32px;
    }
    dl div {
      display: flex;
      flex-direction: column;
      max-width: 240px;
    }
    dt {
      color: var(--ink-2);
      font-size: 13px;
      order: 1;
    }
    dd {
      font-size: 18px;
      line-height: 1.4;
    }
    dd.basis {
      font-size: 12.5px;
      line-height: 18px;
      order: 2;
    }
    dd.missing {
      color: var(--ink-2);
      font-size: 15px;
    }
    .parts {
      margin-top: 10px;
      max-width: 1000px;
    }
    .parts td:last-child,
    .parts th:last-child {
      min-width: 90px;
      width: 36%;
    }
    td svg {
      margin-top: 4px;
    }
    tr.sum td {
      border-bottom: 0;
      font-weight: 600;
    }
    #phases {
      margin-top: 8px;
      position: relative;
    }
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px 20px;
      margin: 8px 0;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
    }
    input,
    select {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 4px 8px;
    }
    input {
      width: 200px;
    }
  `;
  static readonly properties = {
    report: Object,
    filter: Object,
    view: String,
    wide: Boolean,
    all: Boolean,
  };

  report!: Report;
  private filter = ALL;
  private view: View = 'kernels';
  /** All columns. */
  private wide = false;
  /** All rows. */
  private all = false;

  protected override changed(former: Former): void {
    if (!('report' in former)) return;
    this.filter = ALL;
    this.all = this.wide = false;
    this.view = listings(this.report)[0]?.id ?? 'kernels';
  }

  protected override template() {
    const { report } = this;
    const { ledger, phases } = report;
    const numbers = keyNumbers(report.key_numbers);
    return html`
      ${numbers.length > 0 ? html`<section><dl>${numbers.map(keyNumber)}</dl></section>` : nothing}
      ${hasRoofline(report) ? html`<section><tfperf-roofline .report=${report}></tfperf-roofline></section>` : nothing}
      ${ledger?.compute_parts.length ? computeParts(ledger) : nothing} ${this.tables()}
      ${
        phases
          ? html`<section>
              <h3>Compute by phase</h3>
              <p class="note">${phasesSentence(phases)}</p>
              <div id="phases" ?hidden=${!phases.items}></div>
              <ul class="legend" aria-label="Phases, shares of compute" ?hidden=${!phases.items}>
                ${phaseParts(phases).map(({ look, ns, ratio }) =>
                  legendItem(look, `${look.words} ${duration(ns)}, ${percent(ratio)}`),
                )}
              </ul>
              <p class="note" ?hidden=${!phases.items}>${PHASES_NOTE}</p>
            </section>`
          : nothing
      }
    `;
  }

  private tables() {
    const { report, filter, view, wide } = this;
    const lists = listings(report);
    const list = lists.find(({ id }) => id === view);
    if (!list) return nothing;
    const rows = found(list, filter);
    const phases = (report.phases?.items ?? []).filter(({ ns }) => ns > 0);
    const filters = filter.phase !== '' || filter.text.trim() !== '';
    const shown = this.all ? rows : rows.slice(0, FIRST);
    const known = (columns: readonly Value<unknown>[]): readonly Value<unknown>[] =>
      columns.filter(({ value }) => list.rows.some((row) => (value(row) ?? '') !== ''));
    const columns = [...list.columns, ...(wide ? known(list.more) : [])];
    return html`<section>
      <h3>Kernels and ops <small>per step and GPU</small></h3>
      <p class="name">${report.ops ? opsSentence(report.ops) : NO_KERNELS}</p>
      <div class="tools">
        <div class="switch" role="group" aria-label="Rows">
          ${lists.map(
            ({ id, words }) =>
              html`<button aria-pressed=${id === view} @click=${() => this.choose(id)}>${words}</button>`,
          )}
        </div>
        <label ?hidden=${phases.length === 0 || view === 'host'}
          >Phase
          <select id="phase" @change=${this.onFilter}>
            <option value="">all</option>
            ${phases.map(({ id }) => html`<option .value=${id}>${phaseLook(id).words}</option>`)}
          </select>
        </label>
        <label
          >Search
          <input
            id="text"
            type="search"
            autocomplete="off"
            spellcheck="false"
            placeholder="name or type"
            @input=${this.onFilter}
        /></label>
        <button
          id="columns"
          class="button"
          aria-expanded=${wide}
          ?hidden=${known(list.more).length === 0}
          @click=${() => (this.wide = !wide)}
        >
          Columns
        </button>
        <span class="note" role="status"
          >${filters ? `${count(rows.length)} of ${count(list.rows.length)} match.` : ''}</span
        >
      </div>
      <tfperf-table
        id="table"
        flat
        panel="ops"
        .heading=${`${list.words} (${count(rows.length)})`}
        .columns=${this.columnsOf(list, columns)}
        .items=${rows}
        .most=${shown.length}
        .note=${filters ? '' : listedSentence(list)}
      ></tfperf-table>
      <button
        id="all"
        class="button"
        ?hidden=${rows.length <= FIRST}
        aria-expanded=${this.all}
        @click=${() => (this.all = !this.all)}
      >
        ${this.all ? `Show ${FIRST}` : `Show all ${counted(rows.length, 'row')}`}
      </button>
    </section>`;
  }

  /** The same objects for the same columns, so that a table stays sorted when others are added. */
  private readonly made = new Map<unknown, Column<unknown>>();
  private shownColumns: Column<unknown>[] = [];

  private columnsOf(list: Listing, values: readonly Value<unknown>[]): Column<unknown>[] {
    const made = [
      this.kept(list.id, () => ({
        head: list.head,
        cell: (row) => nameOver(list.name(row), list.id === 'kernels'),
        value: (row) => list.name(row).name,
        kind: 'name',
      })),
      ...values.map((value) => this.kept(value, () => columnOf(value))),
    ];
    const same = made.length === this.shownColumns.length && made.every((one, i) => one === this.shownColumns[i]);
    if (!same) this.shownColumns = made;
    return this.shownColumns;
  }

  private kept(key: unknown, make: () => Column<unknown>): Column<unknown> {
    let column = this.made.get(key);
    if (!column) this.made.set(key, (column = make()));
    return column;
  }

  protected override drawn(former: Former): void {
    if (!('report' in former)) return;
    for (const field of ['phase', 'text'].map((id) => this.field(id))) if (field) field.value = '';
    const parts = this.report.phases ? phaseParts(this.report.phases) : [];
    if (parts.length === 0) return;
    const words = parts.map((part) => part.words);
    const full = parts.reduce((sum, { ns }) => sum + ns, 0);
    const { drawing, segments } = stackedBar(parts, Math.max(1, full), `Compute by phase: ${words.join('; ')}`, 14);
    const chart = this.child('phases');
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, segments, words);
  }

  private field(id: string): HTMLInputElement | HTMLSelectElement | null {
    return this.shadowRoot.getElementById(id) as HTMLInputElement | HTMLSelectElement | null;
  }

  private onFilter(): void {
    this.filter = { phase: this.field('phase')?.value ?? '', text: this.field('text')?.value ?? '' };
  }

  private choose(view: View): void {
    this.view = view;
    this.all = false;
  }
}

function columnOf({ head, value, words }: Value<unknown>): Column<unknown> {
  if (!words) return { head, cell: (row) => String(value(row) ?? ''), value };
  const cell = (row: unknown): string => {
    const number = value(row);
    return typeof number === 'number' ? words(number) : '';
  };
  return { head, cell, value, kind: 'number' };
}

/** Both ends of the name of a kernel tell what it is, of an op the last one more. */
function nameOver({ name, under, more }: Name, even: boolean): Node {
  const all = document.createDocumentFragment();
  all.append(opName(name, LENGTH, even ? 0.5 : undefined));
  if (!under && !more) return all;
  const below = document.createElement('div');
  below.className = 'under';
  below.append(...(under ? [opName(under, LENGTH)] : []), ...(more ? [` ${more}`] : []));
  all.append(below);
  return all;
}

function keyNumber({ value, words, more, note }: KeyNumber) {
  return html`<div>
    <dt><tfperf-term .word=${words} .meaning=${more ?? ''}></tfperf-term></dt>
    <dd class=${value === null ? 'missing' : ''}>${value ?? 'not known'}</dd>
    ${
      note
        ? html`<dd class="basis note name">
            ${note} <a href="page?rule=compute" target="_blank" rel="noopener">How it is counted</a>
          </dd>`
        : nothing
    }
  </div>`;
}

function computeParts(ledger: Ledger) {
  const { rows, sum } = computeRows(ledger.compute_parts);
  return html`<section>
    <h3>Compute against the GPU’s limits <small>average of GPUs, per step</small></h3>
    <p><tfperf-text .text=${computeSentence(ledger)}></tfperf-text></p>
    <p><tfperf-text .text=${causesSentence(ledger)}></tfperf-text></p>
    <p><a href="page?rule=compute" target="_blank" rel="noopener">How compute is judged</a></p>
    <div class="scroll parts" tabindex="0" role="group" aria-label="Compute by kind of kernels">
      <table>
        <thead>
          <tr>
            ${PARTS.map(
              (head, i) => html`<th class=${i > 0 && i < 5 ? 'number' : ''}>${headWords(head, 'compute')}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => partLine(row, '', sum.ns))} ${partLine(sum, 'sum', sum.ns)}
        </tbody>
      </table>
    </div>
  </section>`;
}

function partLine(row: ComputeRow, kind: string, full: number) {
  const parts = computeBar(row);
  const words = parts.map(({ look, ns }) => `${look.words}, ${duration(ns)}`).join('; ');
  return html`
    <tr class=${kind}>
      <td><tfperf-text .text=${row.kind}></tfperf-text></td>
      ${[row.ns, row.floor_ns, row.recoverable_ns, row.not_judged_ns].map(
        (ns) => html`<td class="number">${duration(ns)}</td>`,
      )}
      <td>${stackedBar(parts, Math.max(1, full), `${row.kind}: ${words}`, 14).drawing}</td>
    </tr>
  `;
}

customElements.define('tfperf-kernels', KernelsElement);
