import { beforeEach, describe, expect, it } from 'vitest';
import { filtered, tableOf } from '../src/blocks.js';
import '../src/elements/rows.js';
import type { Column, Table } from '../src/model.js';
import { hostile, huge, withHosts } from '../src/patches.js';
import { recorded, reportOf } from '../src/recorded.js';
import { settled } from './settled.js';
import { plain } from './some.js';

beforeEach(() => document.body.replaceChildren());

function column(id: string, unit: Column['unit'], more: Partial<Column> = {}): Column {
  return { id, heading: id, unit, wide: false, under: false, none: '', meaning: '', ...more };
}

/** Of things that exist nowhere: an element that knows its table could not draw them. */
const THINGS: Table = {
  kind: 'table',
  id: 'things',
  title: 'Things',
  columns: [
    column('Thing', 'name', { none: 'not named' }),
    column('Owner', 'name', { under: true }),
    column('Energy', 'count', { meaning: 'What it takes.' }),
    column('Time', 'ns'),
    column('Share', 'ratio', { none: 'not known' }),
    column('Kind', 'text', { wide: true }),
    column('More', 'more_ns'),
    column('Verdict', 'mark'),
  ],
  rows: [
    ['alpha', 'left', 4711, 4_100_000, 0.31, 'one, two', 2_500_000, 'slow'],
    ['  beta', '', 12, 20_000, null, 'two', -500_000, ''],
    ['', 'right', 3, 0, 0, '', 0, ''],
  ],
  total: 3,
  brief: 2,
  note: 'All of them.',
  chosen_by: 'Kind',
};

async function shown(table: Table | null, folded = false): Promise<ShadowRoot> {
  const element = Object.assign(document.createElement('tfperf-rows'), { table, folded, open: folded });
  document.body.append(element);
  await settled();
  return element.shadowRoot!;
}

const inside = (root: ShadowRoot): ShadowRoot => root.querySelector('tfperf-table')!.shadowRoot!;
const heads = (root: ShadowRoot): string[] =>
  [...inside(root).querySelectorAll('thead th button')].map(({ textContent }) => plain(textContent));
const lines = (root: ShadowRoot): string[][] =>
  [...inside(root).querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => plain(textContent)),
  );

async function press(root: ShadowRoot, words: string): Promise<void> {
  [...root.querySelectorAll('button')].find(({ textContent }) => plain(textContent).startsWith(words))!.click();
  await settled();
}

async function choose(root: ShadowRoot, id: 'choice' | 'text', value: string): Promise<void> {
  const field = root.getElementById(id) as HTMLInputElement;
  field.value = value;
  field.dispatchEvent(new Event(id === 'text' ? 'input' : 'change'));
  await settled();
}

describe('a table of the report', () => {
  it('has the columns that the backend gives, each in its unit', async () => {
    const root = await shown(THINGS);
    expect(heads(root)).toEqual(['Thing over owner', 'Energy', 'Time', 'Share', 'More', 'Verdict']);
    expect(lines(root)).toEqual([
      ['alphaleft', '4,711', '4.1 ms', '31 %', '+2.5 ms', 'slow'],
      ['beta', '12', '20 µs', 'not known', '−0.50 ms', ''],
      ['not namedright', '3', '0 ms', '0 %', '0 ms', ''],
    ]);
    expect(plain(inside(root).querySelector('.note')?.textContent)).toBe('All of them.');
  });

  it('explains the heads whose meaning the backend gives', async () => {
    const told = [...inside(await shown(THINGS)).querySelectorAll('thead [aria-description]')];
    expect(told.map((one) => one.getAttribute('aria-description'))).toEqual(['What it takes.']);
  });

  it('sets names in by their spaces, marks rows, and draws differences', async () => {
    const root = inside(await shown(THINGS));
    const [first, second] = root.querySelectorAll('tbody tr');
    expect(first?.querySelector('.mark')?.textContent).toBe('slow');
    expect(second?.querySelector('.mark')).toBeNull();
    expect(first?.querySelector<HTMLElement>('.against i')?.style.width).toBe('100.00%');
    expect(second?.querySelector<HTMLElement>('.against i')?.style.width).toBe('20.00%');
    expect(second?.querySelector<HTMLElement>('td.name div')?.style.paddingLeft).toBe('12px');
  });

  it('adds the other columns on demand, and keeps its order', async () => {
    const root = await shown(THINGS);
    const sorted = (): string => plain(inside(root).querySelector('th[aria-sort] button')?.textContent);
    inside(root).querySelector<HTMLElement>('thead th button')!.click();
    await press(root, 'Columns');
    expect(heads(root)).toContain('Kind');
    expect(sorted()).toBe('Thing over owner');
    await press(root, 'Columns');
    expect(heads(root)).not.toContain('Kind');
  });

  it('is filtered by a column that it names, and by words', async () => {
    const root = await shown(THINGS);
    expect([...root.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual(['all', 'one', 'two']);
    await choose(root, 'choice', 'two');
    expect(lines(root).map(([name]) => name)).toEqual(['alphaleft', 'beta']);
    expect(plain(root.querySelector('[role=status]')?.textContent)).toBe('2 of 3 match.');
    await choose(root, 'text', 'LEFT al');
    expect(lines(root)).toHaveLength(1);
    expect(filtered(THINGS, { choice: 'one', text: 'beta' })).toEqual([]);
  });

  it('has all columns where it opens on demand', async () => {
    expect(heads(await shown(THINGS, true))).toContain('Kind');
  });

  it('shows twelve rows, then all', async () => {
    const root = await shown(tableOf(huge(recorded('staggered')).report, 'kernels'));
    expect(lines(root)).toHaveLength(12);
    await press(root, 'Show all 200 rows');
    expect(lines(root)).toHaveLength(200);
  });

  it('tells names apart by both of their ends, all of them on hover and focus', async () => {
    const name = `Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_${'SN_1LDSB0_'.repeat(20)}WGM32.kd`;
    const root = await shown({ ...THINGS, rows: [[name, '', 1, 1, 1, '', 0, '']] });
    const span = inside(root).querySelector<HTMLElement>('tbody .elided')!;
    expect(span.textContent).toMatch(/^Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_.*….*WGM32\.kd$/);
    expect(span.title).toBe(name);
    span.dispatchEvent(new Event('focus'));
    expect(span.textContent).toBe(name);
  });

  it('shows names, never markup', async () => {
    const { report } = hostile(recorded('staggered'));
    let all = '';
    for (const id of ['kernels', 'ops', 'host_ops', 'input', 'training', 'memory', 'gpus']) {
      const root = inside(await shown(tableOf(report, id), true));
      expect(root.querySelectorAll('tbody tr').length, id).toBeGreaterThan(0);
      all += root.textContent;
      expect(root.querySelectorAll('tbody img, tbody script, tbody b')).toHaveLength(0);
    }
    expect(all).toContain('<img src=x');
  });

  it('serves all sections', () => {
    for (const id of ['kernels', 'ops', 'host_ops', 'gpus', 'sizes', 'memory', 'input', 'training'])
      expect(tableOf(reportOf('staggered'), id), id).not.toBeNull();
    const { report } = withHosts(recorded('many-hosts'), 16);
    expect(tableOf(report, 'hosts')!.rows).toHaveLength(16);
    expect(tableOf(report, 'gpus')!.rows).toHaveLength(32);
  });
});
