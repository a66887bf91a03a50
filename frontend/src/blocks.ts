/** The tables in the sections of a report, whose columns, words and units the backend gives. */

import { quantity } from './format.js';
import type { Column, Report, Section, Table } from './model.js';

export type Line = Table['rows'][number];
export type Cell = Line[number];

export function tablesOf({ sections }: Pick<Report, 'sections'>, id: Section['id']): Table[] {
  const blocks = sections.find((section) => section.id === id)?.blocks ?? [];
  return blocks.filter((block) => block.kind === 'table');
}

export function tableOf({ sections }: Pick<Report, 'sections'>, id: string): Table | null {
  const tables = sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'table'));
  return tables.find((table) => table.id === id) ?? null;
}

/** The rows, each as its cells by column. */
export function records({ columns, rows }: Table): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ id }, i) => [id, row[i] ?? null])));
}

export function isWords({ unit }: Column): boolean {
  return unit === 'name' || unit === 'text' || unit === 'mark';
}

export function cellWords(value: Cell, { unit, none }: Column): string {
  return value === null || value === '' ? none : quantity(value, unit);
}

/** What a row says in words. */
function wordsOf(row: Line): string {
  return row
    .filter((cell) => typeof cell === 'string')
    .join('\n')
    .toLowerCase();
}

/** By what the rows of a table can be chosen, in the order of their first row. */
export function choices({ columns, rows, chosen_by }: Table): string[] {
  const place = columns.findIndex(({ id }) => id === chosen_by);
  const cells = rows.flatMap((row) => String(row[place] ?? '').split(', '));
  return [...new Set(cells)].filter(Boolean);
}

export interface Filter {
  /** "" for all. */
  choice: string;
  text: string;
}

/** The rows of a choice that have all words, in any case. */
export function filtered({ columns, rows, chosen_by }: Table, { choice, text }: Filter): Line[] {
  const place = columns.findIndex(({ id }) => id === chosen_by);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (
      choice !== '' &&
      !String(row[place] ?? '')
        .split(', ')
        .includes(choice)
    )
      return false;
    const all = wordsOf(row);
    return words.every((word) => all.includes(word));
  });
}
