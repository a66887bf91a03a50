import { beforeEach, describe, expect, it } from 'vitest';
import { comparison, recorded, reportOf } from '../src/recorded.js';
import { NOWHERE } from '../src/address.js';
import '../src/elements/app.js';
import { FakeBackend, FakeHost } from '../src/fakes.js';
import type { BoardRow } from '../src/model.js';
import type { BoardElement } from '../src/panels/board/element.js';
import { NO_BOARD } from '../src/panels/board/element.js';
import {
  COLUMNS,
  againstWords,
  batch,
  gpuWords,
  isOpen,
  lineup,
  readPair,
  readSides,
  swapped,
  toggledPair,
  toggledSort,
  wonWords,
} from '../src/panels/board/logic.js';
import { settled } from './settled.js';

const healthy = reportOf('healthy').run;
const staggered = reportOf('staggered').run;
const RUNS = ['new', 'mid', 'old', 'unknown'].map((name) => ({ name, hosts: ['a'] }));

function row(run: string, change: Partial<BoardRow['outline']> = {}, rest: Partial<BoardRow> = {}): BoardRow {
  const outline = { ...recorded('staggered').outline, ...change };
  return { run, recorded: '', outline, against: null, stage: '', share: null, error: '', ...rest };
}

const ROWS = new Map(
  [row('new', { p50_ns: 2e6 }), row('mid', { p50_ns: 3e6, settled: true }), row('old', { p50_ns: 1e6 })].map(
    (each): [string, BoardRow] => [each.run, each],
  ),
);

describe('rows', () => {
  const order = (sort: string | null, rest = {}): string =>
    lineup(RUNS, ROWS, { ...NO_BOARD, sort, ...rest }).join(' ');

  it('are the newest first, or sorted by a column, those that are not known last', () => {
    expect(order(null)).toBe('new mid old unknown');
    expect(order('-recorded')).toBe('unknown old mid new');
    expect(order('step')).toBe('mid new old unknown');
    expect(order('-step')).toBe('old new mid unknown');
    expect(order('run')).toBe('mid new old unknown');
    expect(order('no such column')).toBe('new mid old unknown');
    expect([toggledSort('step', 'step'), toggledSort('-step', 'step')]).toEqual(['-step', 'step']);
  });

  it('are filtered by words of name, GPU and finding, and by kind', () => {
    expect(order(null, { filter: 'O LD' })).toBe('old');
    expect(order(null, { filter: 'a100 NEW' })).toBe('new');
    expect(order(null, { filter: 'launch skew' })).toBe('new mid old');
    expect(order(null, { only: 'settled' })).toBe('mid');
    expect(order(null, { only: 'comparable' })).toBe('');
  });

  it('are asked for until they say something, some at a time', () => {
    expect(isOpen(undefined, null)).toBe(true);
    expect(isOpen(row('a'), null)).toBe(false);
    expect(isOpen(row('a'), 'b')).toBe(true);
    expect(isOpen(row('a', {}, { outline: null, error: 'It is cut.' }), 'b')).toBe(false);
    expect(batch(Array.from({ length: 100 }, (_, i) => `run${i}`))).toHaveLength(40);
    expect(batch(['é'.repeat(4000), 'b'])).toHaveLength(1);
  });
});

describe('words', () => {
  const gpus = (name: string, count: number, hosts: number): string =>
    gpuWords({ ...recorded('staggered').outline, gpus: [{ name, count }], gpus_count: count, hosts_count: hosts });

  it('of GPUs say how many each host has', () => {
    expect(gpus('Tesla V100-SXM2-16GB', 4, 1)).toBe('4 × V100');
    expect(gpus('NVIDIA A100-SXM4-40GB', 8, 4)).toBe('4 × 2 A100');
    expect(gpus('', 16, 16)).toBe('16 × 1 GPU');
    expect(gpus('NVIDIA GeForce RTX 3090', 1, 1)).toBe('1 × RTX 3090');
  });

  it('against the baseline say why there is no number', () => {
    const against = { sentence: '', why: '', change: -0.26 };
    expect(againstWords({ ...against, verdict: 'better' })).toEqual({ change: '−26\u00a0%', words: 'better' });
    expect(againstWords({ ...against, verdict: 'base', change: null }).words).toBe('baseline');
    expect(againstWords({ ...against, verdict: 'cannot_compare', change: null, why: 'other model' })).toEqual({
      change: '',
      words: 'other model',
    });
  });
});

describe('the selected runs', () => {
  const select = (...names: string[]): string | null => names.reduce<string | null>(toggledPair, null);

  it('are those that were clicked once', () => {
    const some = select('a', 'b', 'c');
    expect(readPair(some)).toEqual(['a', 'b', 'c']);
    expect(select('a', 'b', 'c', 'b', 'c', 'a')).toBeNull();
    expect(readPair('{"x')).toEqual([]);
    expect(readPair('[1, "a", "a"]')).toEqual(['a']);
    expect(readPair('[["a", 1], ["b"], "c"]')).toEqual(['a', 'b']);
  });

  it('are compared with the pinned one, else with the oldest', () => {
    expect(readSides(select('new', 'old'), null, RUNS)).toEqual({ base: ['old'], now: ['new'] });
    expect(readSides(select('new', 'old'), 'new', RUNS)).toEqual({ base: ['new'], now: ['old'] });
    expect(readSides(select('new', 'gone'), null, RUNS)).toEqual({ base: ['new'], now: [] });
  });

  it('are two sides by their folders, until the user says otherwise', () => {
    const runs = ['after/2', 'before/2', 'after/1', 'before/1'].map((name) => ({ name, hosts: [] }));
    const all = select('after/1', 'before/1', 'after/2', 'before/2');
    const sides = readSides(all, null, runs);
    expect(sides).toEqual({ base: ['before/1', 'before/2'], now: ['after/1', 'after/2'] });

    const said = swapped(sides, 'before/2');
    const other = { base: ['before/1'], now: ['after/1', 'after/2', 'before/2'] };
    expect(readSides(said, 'after/1', runs)).toEqual(other);
    expect(readSides(swapped(other, 'before/2'), null, runs)).toEqual(sides);
    expect(readSides(toggledPair(said, 'after/2'), null, runs).now).toEqual(['after/1', 'before/2']);
    expect(readSides(toggledPair(toggledPair(said, 'after/2'), 'after/2'), null, runs)).toEqual({
      ...other,
      now: ['after/1', 'before/2', 'after/2'],
    });
  });
});

describe('what findings claim', () => {
  it('is a time, or a share where no step is as long as the mean', () => {
    const outline = { ...recorded('staggered').outline, p95_ns: null, step_ns: 20_000_000 };
    expect(wonWords(outline, 12_000_000)).toBe('12.0\u00a0ms');
    expect(wonWords({ ...outline, p95_ns: 60_000_000 }, 12_000_000)).toBe('60\u00a0% a step');
    expect(wonWords(outline, 0)).toBe('0');
  });
});

describe('the tab', () => {
  beforeEach(() => document.body.replaceChildren());

  async function open(host = new FakeHost(), backend = new FakeBackend()) {
    const app = document.createElement('tfperf-app');
    document.body.append(app);
    void app.start(backend, host);
    await settled();
    const board = (): BoardElement => app.shadowRoot.querySelector('tfperf-board') as BoardElement;
    const find = (selector: string): HTMLElement[] => [...board().shadowRoot.querySelectorAll<HTMLElement>(selector)];
    const names = (): string[] => find('td.run a').map(({ textContent }) => textContent);
    const press = async (key: string): Promise<void> => {
      (board().shadowRoot.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, composed: true }),
      );
      await settled();
    };
    return { app, backend, host, board, find, names, press };
  }

  it('says what each column means, on hover and to a screen reader', async () => {
    const { find } = await open();
    const heads = find('thead th').slice(1);
    expect(heads).toHaveLength(COLUMNS.length);
    heads.forEach((head, i) => {
      expect(head.title).toBe(COLUMNS[i]!.meaning);
      expect(head.querySelector('button')?.getAttribute('aria-description')).toBe(head.title);
    });
  });

  it('shows in which share of the time steps ran only where a machine was watched', async () => {
    const { board, find } = await open();
    board().rows = new Map([[staggered, row(staggered)]]);
    await settled();
    expect(find('table.watched')).toEqual([]);
    board().rows = new Map([[staggered, row(staggered, { running_ratio: 0.75 })]]);
    await settled();
    expect(find('table.watched td.running')[0]?.textContent).toContain('75');
  });

  it('opens with all runs when the address names none', async () => {
    const { app, host, names, backend } = await open();
    expect(names()).toEqual(backend.names);
    expect(app.shadowRoot.querySelector('tfperf-bar')).toBeNull();
    expect(host.state.run).toBeNull();
  });

  it('draws what is known of rows, as text', async () => {
    const { board } = await open();
    board().rows = new Map([
      [staggered, row(staggered, { p50_ns: 21_900_000 })],
      [
        reportOf('crowded').run,
        row(reportOf('crowded').run, { finding: { id: 'x', title: '<img>', severity: 'critical', others: 2 } }),
      ],
      ['unreadable', row('unreadable', {}, { outline: null, error: 'The file ends.' })],
      ['analysing', row('analysing', {}, { outline: null, share: 0.62 })],
    ]);
    await settled();
    const said = board().shadowRoot.textContent.replace(/\s+/g, ' ');
    for (const words of ['4 × A100', '21.9 ms', '<img>', 'The file ends.', '62 % analyzed', 'Waiting …'])
      expect(said).toContain(words);
    expect(board().shadowRoot.querySelector('img')).toBeNull();
    expect(said).not.toContain('NaN');
  });

  it('keeps order, filter and row when a run is opened and left', async () => {
    const { app, host, board, names, find, press } = await open(
      new FakeHost({ ...NOWHERE, sort: 'run', filter: 'h', row: reportOf('healthy').run }),
    );
    const before = names();
    expect(before).toContain(healthy);
    expect(before).not.toContain(staggered);
    find('td.run a')[before.indexOf(healthy)]?.click();
    await settled();
    expect(app.state.view).toBe('report');
    expect(host.state).toMatchObject({ run: healthy, sort: null });
    // Where Back leads to.
    expect(host.history.at(-1)).toMatchObject({ run: null, sort: 'run', filter: 'h', row: healthy });
    host.state = host.history.at(-1)!;
    host.show();
    await settled();
    expect(app.state.view).toBe('runs');
    expect(names()).toEqual(before);
    expect(board().shadowRoot.activeElement?.textContent).toBe(healthy);
    await press('ArrowDown');
    expect(host.state.row).toBe(before[before.indexOf(healthy) + 1]);
  });

  it('goes back to the runs with r, but not while somebody types', async () => {
    const { app, host } = await open(new FakeHost({ ...NOWHERE, run: reportOf('healthy').run }));
    const field = document.createElement('input');
    document.body.append(field);
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true, composed: true }));
    await settled();
    expect(app.state.view).toBe('report');
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'r' }));
    await settled();
    expect(app.state.view).toBe('runs');
    expect(host.state).toMatchObject({ run: null, row: healthy });
  });

  it('pins the row in focus, and compares two', async () => {
    const { host, board, find, press } = await open(new FakeHost({ ...NOWHERE, row: staggered }));
    await press('p');
    expect(host.state.base).toBe(staggered);
    expect(find('tr.pinned')).toHaveLength(1);
    await press(' ');
    await press('ArrowDown');
    await press(' ');
    const pair = board().shadowRoot.querySelector('tfperf-compare');
    expect(pair?.shadowRoot?.textContent).toContain(comparison('better').sentence);
    expect(pair?.shadowRoot?.querySelectorAll('.stacked')).toHaveLength(2);
    expect(readPair(host.state.pair)).toEqual([staggered, reportOf('thin').run]);
  });

  it('compares several runs a side, and a click puts one on the other side', async () => {
    const [one, other, third] = [staggered, healthy, reportOf('crowded').run];
    const { host, board, find } = await open(new FakeHost({ ...NOWHERE, pair: JSON.stringify([one, other, third]) }));
    const panel = (): string => board().shadowRoot.querySelector('tfperf-compare')?.shadowRoot?.textContent ?? '';
    const sides = (): string[] => find('.side').map((button) => button.textContent.trim());
    expect(panel()).toContain('6 launches a side');
    expect(sides().sort()).toEqual(['A', 'B', 'B']);

    find('.side')
      .find((button) => button.textContent.trim() === 'A')
      ?.click();
    await settled();
    expect(sides()).toEqual(['B', 'B', 'B']);
    expect(panel()).toBe('');
    expect(board().shadowRoot.textContent).toContain('All selected runs are on one side');
    find('.side')[0]?.click();
    await settled();
    expect(sides().sort()).toEqual(['A', 'B', 'B']);
    expect(JSON.parse(host.state.pair ?? '')).toHaveLength(2);
  });

  it('draws some of thousands of runs, and asks for none that is out of view', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `run/${i}`);
    const { backend, board, names: drawn, find } = await open(new FakeHost(), new FakeBackend(names));
    expect(drawn()).toEqual(names.slice(0, 50));
    expect(backend.boards).toEqual([]);
    find('footer button')[0]?.click();
    await settled();
    expect(drawn()).toHaveLength(100);
    board().state = { ...NO_BOARD, row: 'run/345' };
    await settled();
    expect(drawn()).toHaveLength(346);
  });

  it('pauses between questions, and asks again when TensorBoard has loaded its data', async () => {
    const { backend, board, find } = await open();
    const { inView } = board() as unknown as { inView: Set<Element> };
    const inTable = (name: string): Element =>
      find('td.run a')
        .find((one) => one.textContent === name)!
        .closest('tr')!;
    inView.add(inTable(healthy)).add(inTable('analysing'));
    board().round += 1;
    await settled();
    expect(backend.boards).toEqual([[healthy, 'analysing']]);
    inView.delete(inTable('analysing'));
    board().round += 1;
    await settled();
    expect(backend.boards.slice(1)).toEqual([[healthy]]);
  });
});
