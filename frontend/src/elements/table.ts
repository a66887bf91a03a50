import { html } from 'lit-html';
import { meaningOf } from '../glossary.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import './term.js';
import { explain } from './tip.js';

export interface Column<T> {
  head: string;
  /** What the head means; by default what the glossary says of it. */
  meaning?: string;
  cell: (item: T, index: number) => string | Node;
  /** Numbers stand at the right, names may break anywhere, notes are quiet. */
  kind?: 'number' | 'name' | 'note name';
  /** By what the rows can be sorted; numbers begin with the largest. Empty values come last. */
  value?: (item: T) => number | string | null;
}

/** A column of numbers in words. */
export function number<T>(head: string, cell: (item: T) => string): Column<T> {
  return { head, cell, kind: 'number' };
}

/** A column of numbers by which rows can be sorted; `none` stands where one is not known. */
export function sortable<T>(
  head: string,
  value: (item: T) => number | null,
  words: (value: number) => string,
  none = '',
): Column<T> {
  const cell = (item: T): string => {
    const found = value(item);
    return found === null ? none : words(found);
  };
  return { head, cell, value, kind: 'number' };
}

/** The words of a column's head, which tell what they mean if the glossary knows them. */
export function headWords(head: string, panel: string, meaning = meaningOf(head, panel)): string | Node {
  return meaning ? Object.assign(document.createElement('tfperf-term'), { word: head, meaning }) : head;
}

/** The column that rows are sorted by, and whether from its usual end. */
interface Order {
  column: Column<unknown>;
  usual: boolean;
}

/** A table on demand: its rows are made when it is opened, or at once if `flat`. Nothing is shown without rows. */
export class TableElement extends TfperfElement {
  static override readonly styles = css`
    .note {
      margin-top: 4px;
    }
    .open {
      color: var(--accent);
      white-space: nowrap;
    }
    th.number {
      white-space: normal;
    }
    th button {
      color: inherit;
      text-align: inherit;
    }
    th .term {
      cursor: pointer;
    }
    th button::after {
      content: attr(data-arrow);
    }
    /* What a head means is drawn over its neighbours. */
    th:focus-within,
    th:hover {
      z-index: 1;
    }
    thead th {
      background: var(--panel);
      position: sticky;
      top: 0;
    }
    td:not(.name) {
      white-space: nowrap;
    }
    .under {
      color: var(--ink-2);
      font-size: 12.5px;
    }
    .elided {
      white-space: nowrap;
    }
    .mark {
      background: var(--warning);
      border-radius: 4px;
      color: var(--page);
      font-size: 12px;
      font-weight: 600;
      padding: 0 6px;
    }
    .against {
      align-items: center;
      display: grid;
      gap: 8px;
      grid-template-columns: 72px minmax(60px, 1fr);
    }
    .against i {
      background: var(--account-unknown);
      border-radius: 2px;
      display: block;
      height: 8px;
    }
    .elided:focus,
    :host([flat]) .elided {
      white-space: normal;
    }
    :host([flat]) td.name {
      min-width: min(260px, 38vw);
    }
  `;
  static readonly properties = {
    heading: String,
    columns: Array,
    items: Array,
    panel: String,
    note: String,
    open: Boolean,
    flat: Boolean,
    most: Number,
    order: Object,
  };

  heading = '';
  columns: readonly Column<unknown>[] = [];
  items: readonly unknown[] = [];
  note = '';
  /** Where the glossary has its heads. */
  panel = '';
  open = false;
  flat = false;
  /** The first rows that are shown, as they are sorted. */
  most = Infinity;
  order: Order | null = null;

  protected override changed(): void {
    if (this.order && !this.columns.includes(this.order.column)) this.order = null;
  }

  protected override template() {
    if (this.flat)
      return html`
        <div id="table" class="scroll" tabindex="0" role="group" aria-label=${this.heading}></div>
        <p class="note name" ?hidden=${!this.note}>${this.note}</p>
      `;
    return html`
      <details ?hidden=${this.items.length === 0} .open=${this.open} @toggle=${this.onToggle}>
        <summary>${this.heading}</summary>
        <div id="table" class="scroll" tabindex="0" role="group" aria-label=${this.heading}></div>
        <p class="note name" ?hidden=${!this.note}>${this.note}</p>
      </details>
    `;
  }

  private onToggle(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  protected override drawn(former: Former): void {
    const { columns, items, flat, most, order } = this;
    const open = flat || this.open;
    if (!['columns', 'items', 'open', 'order', 'most'].some((name) => name in former)) return;
    const sort = (column: Column<unknown>): void => {
      this.order = { column, usual: this.order?.column !== column || !this.order.usual };
      this.drawNow();
      this.shadowRoot
        .querySelectorAll<HTMLElement>('th button')
        [columns.filter(({ value }) => value).indexOf(column)]?.focus();
    };
    this.child('table').replaceChildren(
      ...(open ? [tableOf(columns, this.panel, sorted(items, order).slice(0, most), order, sort)] : []),
    );
  }
}

function sorted<T>(items: readonly T[], order: Order | null): readonly T[] {
  const value = order?.column.value;
  if (!value) return items;
  const sign = order.usual ? 1 : -1;
  return [...items].sort((first, second) => {
    const [a, b] = [value(first), value(second)];
    if (a === null || b === null || a === '' || b === '')
      return Number(a === null || a === '') - Number(b === null || b === '');
    return (
      sign *
      (typeof a === 'number' && typeof b === 'number'
        ? b - a
        : String(a).localeCompare(String(b), 'en', { numeric: true }))
    );
  });
}

function tableOf<T>(
  columns: readonly Column<T>[],
  panel: string,
  items: readonly T[],
  order: Order | null,
  sort: (column: Column<unknown>) => void,
): HTMLTableElement {
  const row = (
    tag: 'th' | 'td',
    content: (column: Column<T>, cell: HTMLElement) => string | Node,
  ): HTMLTableRowElement => {
    const line = document.createElement('tr');
    line.append(
      ...columns.map((column) => {
        const cell = document.createElement(tag);
        cell.className = column.kind ?? '';
        cell.append(content(column, cell));
        return cell;
      }),
    );
    return line;
  };
  const head = (column: Column<T>, cell: HTMLElement): string | Node => {
    if (!column.value) return headWords(column.head, panel, column.meaning || undefined);
    const button = document.createElement('button');
    button.className = 'bare';
    button.textContent = column.head;
    button.addEventListener('click', () => sort(column as Column<unknown>));
    if (order?.column === column) {
      const falling = order.usual === (column.kind === 'number');
      cell.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
      button.dataset['arrow'] = falling ? ' ▾' : ' ▴';
    }
    const meaning = column.meaning || meaningOf(column.head, panel);
    if (!meaning) return button;
    const both = document.createDocumentFragment();
    const tip = document.createElement('span');
    both.append(button, tip);
    button.classList.add('term');
    button.setAttribute('aria-description', meaning);
    explain(button, tip, () => meaning);
    return both;
  };
  const table = document.createElement('table');
  table.createTHead().append(row('th', head));
  table.createTBody().append(...items.map((item, i) => row('td', ({ cell }) => cell(item, i))));
  return table;
}

customElements.define('tfperf-table', TableElement);
