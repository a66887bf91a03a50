import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { sharedStyles } from '../theme.js';

export interface Column<T> {
  head: string;
  cell: (item: T, index: number) => string | Node;
  /** Numbers stand at the right, names may break anywhere, notes are quiet. */
  kind?: 'number' | 'name' | 'note name';
}

/** A table on demand: its rows are made when it is opened. Nothing is shown without rows. */
export class TableElement extends PolymerElement {
  static get is() {
    return 'tfperf-table';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .note { margin-top: 4px; }
        .open { color: var(--accent); white-space: nowrap; }
        th.number { white-space: normal; }
      </style>
      <details hidden$="[[!items.length]]" on-toggle="onToggle">
        <summary>[[heading]]</summary>
        <div id="table" class="scroll" tabindex="0" role="group" aria-label$="[[heading]]"></div>
        <p class="note name" hidden$="[[!note]]">[[note]]</p>
      </details>
    `;
  }

  static get properties() {
    return {
      heading: String,
      columns: { type: Array, value: () => [] },
      items: { type: Array, value: () => [] },
      note: { type: String, value: '' },
      open: { type: Boolean, value: false },
    };
  }

  static get observers() {
    return ['draw(columns, items, open)'];
  }

  declare heading: string;
  declare columns: readonly Column<unknown>[];
  declare items: readonly unknown[];
  declare note: string;
  declare open: boolean;

  onToggle(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  draw(columns: readonly Column<unknown>[], items: readonly unknown[], open: boolean): void {
    this.$['table']?.replaceChildren(...(open ? [tableOf(columns, items)] : []));
  }
}

function tableOf<T>(columns: readonly Column<T>[], items: readonly T[]): HTMLTableElement {
  const row = (tag: 'th' | 'td', content: (column: Column<T>) => string | Node): HTMLTableRowElement => {
    const line = document.createElement('tr');
    line.append(
      ...columns.map((column) => {
        const cell = document.createElement(tag);
        cell.className = column.kind ?? '';
        cell.append(content(column));
        return cell;
      }),
    );
    return line;
  };
  const table = document.createElement('table');
  table.createTHead().append(row('th', ({ head }) => head));
  table.createTBody().append(...items.map((item, i) => row('td', ({ cell }) => cell(item, i))));
  return table;
}

customElements.define(TableElement.is, TableElement);
