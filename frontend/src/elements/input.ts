import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { count, duration } from '../format.js';
import type { DataIterator, Input } from '../model.js';
import { sharedStyles } from '../theme.js';
import type { Column } from './table.js';
import './table.js';

const COLUMNS: Column<DataIterator>[] = [
  { head: 'Iterator', cell: ({ name }) => name, kind: 'name' },
  { head: 'Kind', cell: ({ kind }) => kind },
  { head: 'Calls', cell: (item) => count(item.calls_count), kind: 'number' },
  { head: 'Total', cell: (item) => duration(item.total_ns), kind: 'number' },
  { head: 'Own', cell: (item) => duration(item.self_ns), kind: 'number' },
  { head: 'Parallel calls', cell: parallel, kind: 'number' },
  { head: 'Buffer', cell: buffer, kind: 'number' },
  { head: 'On the critical path', cell: (item) => (item.on_critical_path ? 'yes' : '') },
];

/** The input pipeline, one row an iterator. */
export class InputElement extends PolymerElement {
  static get is() {
    return 'tfperf-input';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        tfperf-table { margin-top: 4px; }
      </style>
      <h2>Input pipeline <small class="name">[[subtitle(input)]]</small></h2>
      <tfperf-table heading="Each iterator" columns="[[columns]]" items="[[input.iterators]]"></tfperf-table>
    `;
  }

  static get properties() {
    return { input: Object, columns: { type: Array, computed: 'columnsOf(input)' } };
  }

  /** Null for a moment, when the next report has none. */
  declare input: Input | null;
  declare columns: Column<DataIterator>[];

  /** The host is told only where there are several. */
  columnsOf(input: Input | null): Column<DataIterator>[] {
    const hosts = new Set(input?.iterators.map(({ host }) => host));
    return hosts.size > 1 ? [{ head: 'Host', cell: ({ host }) => host, kind: 'name' }, ...COLUMNS] : COLUMNS;
  }

  subtitle(input: Input | null): string {
    return !input?.bottleneck ? '' : `slowest on its critical path: ${input.bottleneck}`;
  }
}

function parallel({ parallelism, autotune }: DataIterator): string {
  return [parallelism === null ? '' : count(parallelism), autotune ? 'tuned' : ''].filter(Boolean).join(', ');
}

function buffer({ buffered_elements: filled, buffer_limit: limit }: DataIterator): string {
  if (filled === null) return limit === null ? '' : `of ${count(limit)}`;
  return limit === null ? count(filled) : `${count(filled)} of ${count(limit)}`;
}

customElements.define(InputElement.is, InputElement);
