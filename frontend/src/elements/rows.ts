import { html } from 'lit-html';
import { type Cell, type Filter, type Line, cellWords, choices, filtered, isWords } from '../blocks.js';
import { count, counted } from '../format.js';
import type { Column as Described, Table } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement } from './base.js';
import { opName } from './op_name.js';
import './table.js';
import type { Column } from './table.js';

const ALL: Filter = { choice: '', text: '' };

/** Of names, which may take two lines. */
const LENGTH = 72;

/** Longer texts may take several lines. */
const SENTENCE = 32;

/** How many rows are shown at first. */
const FIRST = 12;

/** A table of the report, drawn by its headings and units: nothing here knows what it is about. */
export class RowsElement extends TfperfElement {
  static override readonly styles = css`
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px 20px;
      margin: 0 0 4px;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
    }
    input {
      width: 200px;
    }
  `;
  static readonly properties = {
    table: Object,
    folded: Boolean,
    open: Boolean,
    filter: Object,
    wide: Boolean,
    all: Boolean,
  };

  table!: Table;
  /** Whether the table opens on demand, under its title and with all columns. */
  folded = false;
  open = false;
  private filter = ALL;
  /** All columns. */
  private wide = false;
  /** All rows. */
  private all = false;

  protected override changed(former: Former): void {
    if (!('table' in former)) return;
    this.filter = ALL;
    this.all = this.wide = false;
  }

  protected override template() {
    const { table, filter } = this;
    if (this.folded)
      return html`<tfperf-table
        .heading=${table.title}
        .columns=${this.columns(true)}
        .items=${table.rows}
        .open=${this.open}
        .note=${table.note}
      ></tfperf-table>`;
    const rows = filtered(table, filter);
    const among = choices(table);
    const [asked, long] = [filter.choice !== '' || filter.text.trim() !== '', table.rows.length > FIRST];
    const more = table.columns.some(({ wide }) => wide);
    return html`
      <div class="tools" ?hidden=${!more && !long && among.length === 0}>
        <label ?hidden=${among.length === 0}
          >${table.columns.find(({ id }) => id === table.chosen_by)?.heading}
          <select id="choice" @change=${this.onFilter}>
            <option value="">all</option>
            ${among.map((one) => html`<option .value=${one}>${one}</option>`)}
          </select>
        </label>
        <label ?hidden=${!long && among.length === 0}
          >Search
          <input id="text" type="search" autocomplete="off" spellcheck="false" @input=${this.onFilter} />
        </label>
        <button
          id="columns"
          class="button"
          aria-expanded=${this.wide}
          ?hidden=${!more}
          @click=${() => (this.wide = !this.wide)}
        >
          Columns
        </button>
        <span class="note" role="status"
          >${asked ? `${count(rows.length)} of ${count(table.rows.length)} match.` : ''}</span
        >
      </div>
      <tfperf-table
        id="table"
        flat
        .heading=${`${table.title} (${count(rows.length)})`}
        .columns=${this.columns(this.wide)}
        .items=${rows}
        .most=${this.all ? rows.length : FIRST}
        .note=${asked ? '' : table.note}
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
    `;
  }

  protected override drawn(former: Former): void {
    if (!('table' in former) || this.folded) return;
    for (const field of [this.field('choice'), this.field('text')]) field.value = '';
  }

  /** The same objects for the same columns, so that a table stays sorted when others are added. */
  private readonly made = new Map<Described, Column<Line>>();
  private shown: Column<Line>[] = [];

  private columns(wide: boolean): Column<Line>[] {
    const { table, made } = this;
    const drawn = table.columns.filter((one) => !one.under && (wide || !one.wide));
    const columns = drawn.map((one) => {
      const column = made.get(one) ?? columnOf(table, one);
      made.set(one, column);
      return column;
    });
    const same = columns.length === this.shown.length && columns.every((one, i) => one === this.shown[i]);
    if (!same) this.shown = columns;
    return this.shown;
  }

  private field(id: string): HTMLInputElement | HTMLSelectElement {
    return this.child(id) as HTMLInputElement | HTMLSelectElement;
  }

  private onFilter(): void {
    this.filter = { choice: this.field('choice').value, text: this.field('text').value };
  }
}

function columnOf({ columns, rows }: Table, column: Described): Column<Line> {
  const place = columns.indexOf(column);
  const first = place === 0 ? columns.flatMap(({ under }, i) => (under ? [i] : [])) : [];
  const at = (row: Line): Cell => row[place] ?? null;
  const most = Math.max(1, ...rows.map((row) => Math.abs(Number(at(row)))));
  const cell = (row: Line): string | Node => {
    const [value, words] = [at(row), cellWords(at(row), column)];
    if (column.unit === 'name') return nameOver(words, first.map((i) => String(row[i] ?? '')).filter(Boolean));
    if (column.unit === 'mark') return words && mark(words);
    return column.unit === 'more_ns' ? bar(words, Math.abs(Number(value)) / most) : words;
  };
  const long = rows.some((row) => String(at(row) ?? '').length > SENTENCE);
  const wrapped = long ? 'note name' : undefined;
  const kind = column.unit === 'name' ? 'name' : isWords(column) ? wrapped : 'number';
  const heads = [column, ...first.flatMap((i) => columns[i] ?? [])].map(({ heading }) => heading);
  const head = heads.map((one, i) => (i > 0 ? one.toLowerCase() : one)).join(' over ');
  return { head, meaning: column.meaning, cell, value: at, ...(kind && { kind }) };
}

/** A name, further in by its spaces, with what tells more of it below. */
function nameOver(name: string, under: string[]): Node {
  const all = document.createElement('div');
  const written = name.trimStart();
  all.append(opName(written, LENGTH, 0.5));
  all.style.paddingLeft = `${6 * Math.min(name.length - written.length, 24)}px`;
  if (under.length === 0) return all;
  const below = document.createElement('div');
  below.className = 'under';
  below.append(opName(under.join(' '), LENGTH));
  all.append(below);
  return all;
}

function mark(words: string): Node {
  const badge = document.createElement('span');
  badge.className = 'mark';
  badge.textContent = words;
  return badge;
}

/** A difference beside its share of the largest. */
function bar(words: string, share: number): Node {
  const all = document.createElement('div');
  all.className = 'against';
  const drawn = document.createElement('i');
  drawn.style.width = `${(100 * share).toFixed(2)}%`;
  const said = document.createElement('span');
  said.textContent = words;
  all.append(said, drawn);
  return all;
}

customElements.define('tfperf-rows', RowsElement);
