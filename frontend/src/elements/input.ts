import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { bytes, count, counted, duration, percent } from '../format.js';
import { indented, otherIterators, shownIterators } from '../input.js';
import type { DataIterator, Input } from '../model.js';
import { sharedStyles } from './old.js';
import { type Column, headWords } from './table.js';

function number(head: string, cell: (item: DataIterator) => string, meaning?: string): Column<DataIterator> {
  return { head, cell, kind: 'number', meaning };
}

const NUMBERS: Column<DataIterator>[] = [
  number('Works per batch', (item) => duration(item.batch_ns), 'What this stage works itself for one batch; calls at the same time count once.'),
  number('Of the wait', (item) => percent(item.wait_ratio), 'In how much of the time that steps wait for input this stage works.'),
  number('At once', parallel, 'The most calls that ran at the same time, of those that the program allows.'),
  number('Ready', buffer, 'Elements that lay ready in its buffer, on average, of those that fit.'),
  number('Calls', (item) => count(item.calls_count)),
  number('Above 50 µs', (item) => count(item.slow_calls_count), 'Calls that took longer than 50 µs: what is ready is handed out faster.'),
  number('Own', (item) => duration(item.self_ns), 'Its own work in all calls, without that of the stages that it asks.'),
  number('Total', (item) => duration(item.total_ns), 'All its calls, with those of the stages that it asks.'),
  number('Element', (item) => (item.element_bytes === null ? '' : bytes(item.element_bytes)), 'How large one element is that this stage gives on.'),
];

const OTHERS: Column<DataIterator>[] = [
  { head: 'Host', cell: ({ host }) => host, kind: 'name' },
  { head: 'Iterator', cell: ({ name }) => name, kind: 'name' },
  { head: 'Does', cell: ({ stage }) => stage },
  ...NUMBERS,
];

/** The input pipeline that steps wait for as a tree, from the step upstream. */
export class InputElement extends PolymerElement {
  static get is() {
    return 'tfperf-input';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .scroll { margin-top: 8px; max-height: 480px; }
        table { min-width: 900px; }
        th, td { padding-right: 9px; }
        th { background: var(--page); position: sticky; top: 0; }
        th:focus-within, th:hover { z-index: 1; }
        td.stage { box-shadow: inset 3px 0 transparent; min-width: 230px; padding-left: 10px; }
        th.stage { padding-left: 10px; }
        tr.path td.stage { box-shadow: inset 3px 0 var(--account-input); }
        tr.bottleneck td { background: var(--warning-ground); }
        .code { font: 12.5px/1.5 ui-monospace, 'Roboto Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; }
        .badge { background: var(--warning); border-radius: 4px; color: var(--page); font-size: 12px; font-weight: 600; margin-left: 8px; padding: 0 6px; white-space: nowrap; }
        .legend i { border-left: 3px solid var(--account-input); height: 14px; }
        tfperf-table { margin-top: 8px; }
      </style>
      <h2>Input pipeline <small class="name">[[subtitle(input)]]</small></h2>
      <p class="name">[[input.sentence]]</p>
      <div id="tree" class="scroll" tabindex="0" role="group" aria-label="Stages of the input pipeline, from the step to the files"></div>
      <ul class="legend" hidden$="[[!input.critical_path.length]]"><li><i></i>on the critical path of the slowest request</li></ul>
      <tfperf-table heading="[[othersHeading(others)]]" columns="[[columns]]" items="[[others]]"></tfperf-table>
    `;
  }

  static get properties() {
    return {
      input: Object,
      columns: { type: Array, value: () => OTHERS },
      others: { type: Array, computed: 'othersOf(input)' },
    };
  }

  static get observers() {
    return ['draw(input)'];
  }

  /** Null for a moment, when the next report has none. */
  declare input: Input | null;
  declare columns: Column<DataIterator>[];
  declare others: DataIterator[];

  override ready(): void {
    super.ready();
    this.draw(this.input);
  }

  draw(input: Input | null): void {
    const rows = input ? shownIterators(input) : [];
    this.$?.['tree']?.replaceChildren(...(rows.length ? [treeOf(rows)] : []));
  }

  othersOf(input: Input | null): DataIterator[] {
    return input ? otherIterators(input) : [];
  }

  othersHeading(others: readonly DataIterator[]): string {
    return `Other pipelines: ${counted(others.length, 'iterator')}`;
  }

  subtitle(input: Input | null): string {
    const first = input?.pipelines[0];
    if (!first) {
      return '';
    }
    const hosts = new Set(input.iterators.map(({ host }) => host));
    const size = first.batch_bytes === null ? [] : [`${bytes(first.batch_bytes)} a batch`];
    return [...(hosts.size > 1 ? [first.host] : []), ...size, `slowest request ${duration(first.slowest_ns)}`].join(' · ');
  }
}

function treeOf(rows: readonly DataIterator[]): HTMLTableElement {
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  for (const column of [{ head: 'Stage', kind: 'stage' }, { head: 'Does', kind: '' }, ...NUMBERS]) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.className = column.kind ?? '';
    cell.append(headWords(column));
    head.append(cell);
  }
  const body = table.createTBody();
  for (const [item, level] of indented(rows)) {
    const row = body.insertRow();
    row.className = [item.on_critical_path ? 'path' : '', item.is_bottleneck ? 'bottleneck' : ''].join(' ').trim();
    const stage = row.insertCell();
    stage.className = 'stage';
    stage.style.paddingLeft = `${10 + 12 * Math.min(level, 12)}px`;
    stage.title = item.name;
    stage.append(unseen(`level ${level + 1}${item.on_critical_path ? ', on the critical path' : ''}: `), code(item.written));
    if (item.is_bottleneck) {
      const badge = document.createElement('span');
      badge.className = 'badge';
      badge.textContent = 'bottleneck';
      stage.append(badge);
    }
    row.insertCell().append(does(item));
    for (const column of NUMBERS) {
      const cell = row.insertCell();
      cell.className = 'number';
      cell.append(column.cell(item, 0));
    }
  }
  return table;
}

function unseen(text: string): HTMLElement {
  const span = document.createElement('span');
  span.className = 'unseen';
  span.textContent = text;
  return span;
}

function code(text: string): HTMLElement {
  const span = document.createElement('span');
  span.className = 'code';
  span.textContent = text;
  return span;
}

function does({ stage, filtered_ratio: dropped }: DataIterator): string {
  return dropped ? `${stage}, drops ${percent(dropped)}` : stage;
}

function parallel({ at_once: most, parallelism, autotune }: DataIterator): string {
  const degree = parallelism === null ? count(most) : `${count(most)} of ${count(parallelism)}`;
  return autotune && parallelism !== null ? `${degree}, tuned` : degree;
}

function buffer({ buffered_elements: filled, buffer_limit: limit }: DataIterator): string {
  if (filled === null) return limit === null ? '' : `of ${count(limit)}`;
  return limit === null ? count(filled) : `${count(filled)} of ${count(limit)}`;
}

customElements.define(InputElement.is, InputElement);
