import { beforeEach, describe, expect, it } from 'vitest';
import { BackendError } from '../src/backend.js';
import { finding, healthy, hostOnly, predictionOf, staggered } from '../src/fakes.js';
import { grouped, noSteps, rarelyLong, thin } from '../src/fakes_budget.js';
import type { TableElement } from '../src/elements/table.js';
import type { Finding, Ledger, Prediction, Report } from '../src/model.js';
import '../src/panels/budget/element.js';
import {
  NONE,
  type Block,
  aloneWords,
  bars,
  budget,
  choices,
  factor,
  heading,
  legend,
  projected,
  staysWords,
  summed,
  tickedIds,
  total,
  withoutText,
} from '../src/panels/budget/logic.js';
import { settled } from './settled.js';

const plain = (text: string | null | undefined): string => (text ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
const of = (report: Report) => budget(report.ledger as Ledger, report.findings);
const claiming = (id: string, accounts: Record<string, number>, alone: number | null = null): Finding =>
  finding({
    id,
    saving: {
      ns: total(Object.values(accounts).map((ns) => ({ ns }))),
      ratio: 0,
      basis: '',
      bound: true,
      once_ns: 0,
      alone_ns: alone,
      kernels: [],
      accounts,
    },
  });
const REPORTS = [staggered(), healthy(), thin(), grouped(), rarelyLong()];

/** Each block begins where the one before it ends. */
function expectClosed(blocks: readonly Block[], begin: number, end: number): void {
  for (const block of blocks) {
    expect(block.begin).toBe(begin);
    begin += block.ns;
  }
  expect(begin).toBe(end);
}

beforeEach(() => document.body.replaceChildren());

describe('the sums', () => {
  it('of Now are the step, and the claims hang together from the right', () => {
    for (const report of REPORTS) {
      const found = of(report);
      expectClosed(found.now, 0, found.step_ns);
      let end = found.step_ns;
      for (const { begin, ns, blocks } of found.claims) {
        expect(begin + ns).toBe(end);
        expectClosed(blocks, begin, end);
        end = begin;
      }
      expectClosed(
        found.now.filter(({ owner }) => owner === 0),
        0,
        end,
      );
    }
  });

  it('of Projected are the step less what is ticked', () => {
    for (const report of REPORTS) {
      const found = of(report);
      for (const ticked of [[], [1], [2], [1, 2, 3]]) {
        const left = projected(found, new Set(ticked));
        const gone = total(found.claims.filter(({ rank }) => ticked.includes(rank)));
        expectClosed(left, 0, found.step_ns - gone);
      }
    }
  });

  it('give no nanosecond to two findings', () => {
    const ledger = { ...(staggered().ledger as Ledger), compute_parts: [] };
    const wait = ledger.accounts.find(({ id }) => id === 'communication.wait')?.ns ?? 0;
    const greedy = { 'communication.wait': wait };
    const found = budget(ledger, [claiming('a', greedy), claiming('b', greedy), claiming('c', { compute: 5 })]);
    expect(found.claims.map(({ rank, ns }) => [rank, ns])).toEqual([
      [1, wait],
      [3, 5],
    ]);
    expectClosed(found.now, 0, ledger.step_ns);
  });

  it('take claimed compute from what could be won first', () => {
    const ledger = staggered().ledger as Ledger;
    const sums = (field: 'floor_ns' | 'recoverable_ns') => ledger.compute_parts.reduce((sum, p) => sum + p[field], 0);
    const { now } = budget(ledger, [claiming('a', { compute: sums('recoverable_ns') })]);
    expect(now.filter(({ account }) => account === 'compute.recoverable')).toHaveLength(1);
    expect(now.find(({ account }) => account === 'compute.floor')?.ns).toBe(sums('floor_ns'));
    expect(now.at(-1)).toMatchObject({ account: 'compute.recoverable', owner: 1, ns: sums('recoverable_ns') });
  });
});

describe('the words', () => {
  it('call nothing a step that is none', () => {
    const { steps } = staggered();
    expect(heading(staggered())).toBe('Step budget');
    expect(heading({ ...staggered(), steps: { ...steps, unit: '' } })).toBe('Recorded time');
    expect(heading({ ...staggered(), ledger: null })).toBe('Findings');
  });

  it('say what a finding brings alone only where that is much less', () => {
    const [first, second, third] = of(thin()).claims;
    expect(first && aloneWords(first)).toBe('');
    expect(second && aloneWords(second)).toBe('');
    expect(plain(third && aloneWords(third))).toBe('only after others: alone it brings 13 µs');
    expect(aloneWords({ finding: claiming('a', {}, 0), rank: 2, ns: 10 })).toBe(
      'only after 1: alone it brings nothing',
    );
    // The verdict says what the first one brings alone: its row explains it.
    expect(aloneWords({ finding: claiming('a', {}, 8), rank: 2, ns: 10 })).toBe('');
    expect(plain(aloneWords({ finding: claiming('a', {}, 8), rank: 1, ns: 10 }))).toBe('alone it brings 8 ns');
  });

  it('count small accounts, and no waiting as active', () => {
    const account = (id: string, ns: number) => ({ id, ns, ratio: ns / 1000 });
    const all = [
      account('communication.wait', 390),
      account('compute', 600),
      account('idle.input', 3),
      account('idle.sync', 4),
      account('copy.h2d', 3),
    ];
    const { shown, rest, active_ratio } = legend(all);
    expect(shown.map(({ id }) => id)).toEqual(['compute', 'communication.wait']);
    expect(plain(rest)).toBe('3 more below 0.5 %: 10 ns');
    expect(active_ratio).toBeCloseTo(0.603);
    expect(legend([]).active_ratio).toBe(0);
    for (const report of REPORTS) {
      const { now, step_ns } = of(report);
      expect(total(summed(now))).toBe(step_ns);
      expect(new Set(summed(now).map(({ id }) => id)).size).toBe(summed(now).length);
    }
  });

  it('name the idle time that stays', () => {
    expect(plain(staysWords(of(thin()), new Set([1, 2, 3]), true))).toBe(
      '6.6 ms of the projected ≥ 7.1 ms is idle that no finding explains: Unattributed idle 4.5 ms, ' +
        'Step gap 2.1 ms. Ten whole steps may show its cause.',
    );
    expect(staysWords(of(healthy()), new Set(), false)).toBe('');
  });

  it('keep ticks in the address', () => {
    const { claims } = of(staggered());
    const [a, b] = claims.map(({ finding: { id } }) => id) as [string, string];
    expect(tickedIds(null, claims)).toEqual([a, b]);
    expect(tickedIds(b, claims)).toEqual([b]);
    expect(tickedIds('of-another-run', claims)).toEqual([a, b]);
    expect(tickedIds(withoutText([], claims), claims)).toEqual([]);
    expect([withoutText([a, b], claims), withoutText([b], claims), withoutText([], claims)]).toEqual([null, b, NONE]);
  });

  it('say no factor that is no number', () => {
    expect([factor(30, 20), factor(30, 0), factor(30, 30)]).toEqual(['1.50×', '', '']);
  });
});

describe('the switch', () => {
  const ids = (report: Report) => choices(report).map(({ id }) => id);

  it('offers what there is', () => {
    expect(ids(staggered())).toEqual(['mean', 'gpus', 'steps']);
    expect(choices(grouped()).map(({ words }) => words)).toEqual(['3 hosts', 'worker-3', 'Each GPU', 'Each step']);
    expect(ids(hostOnly())).not.toContain('gpus');
    expect(ids(rarelyLong())).toEqual(['mean', 'rare', 'gpus', 'steps']);
  });

  it('has a bar for each, which adds up', () => {
    for (const id of ['gpus', 'hosts', 'steps']) {
      const found = bars(staggered(), id);
      expect(found.length).toBeGreaterThan(0);
      for (const { step_ns, blocks } of found) expectClosed(blocks, 0, step_ns);
    }
  });
});

/** The panel inside an app that keeps ticks and selection. */
async function panel(of: Report, answer?: (ids: readonly string[]) => Promise<Prediction>) {
  const asked: (readonly string[])[] = [];
  const element = document.createElement('tfperf-budget');
  element.addEventListener('without-change', (event) => {
    element.without = (event as CustomEvent<{ without: string | null }>).detail.without;
  });
  element.addEventListener('finding-select', (event) => {
    element.selected = (event as CustomEvent<{ id: string }>).detail.id;
  });
  element.ask = (ids) => {
    asked.push(ids);
    return answer ? answer(ids) : Promise.resolve(predictionOf(of, ids));
  };
  element.report = of;
  element.selected = of.findings[0]?.id ?? null;
  document.body.append(element);
  await settled();
  const root = element.shadowRoot;
  const all = <T extends Element = HTMLElement>(selector: string): T[] => [...root.querySelectorAll<T>(selector)];
  const said = (selector: string): string => plain(root.querySelector(selector)?.textContent);
  const press = async (key: string, at: EventTarget = document.body, more = {}): Promise<void> => {
    at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, ...more }));
    await settled();
  };
  return { element, asked, all, said, press };
}

/** Left and right edge in percent of the width. */
function edges(block: HTMLElement): [number, number] {
  return [Number.parseFloat(block.style.left), 100 - Number.parseFloat(block.style.right)];
}

describe('the panel', () => {
  it('puts each block under exactly the time it claims', async () => {
    const { all } = await panel(thin());
    const rows = all('.row.finding').map((row) => [...row.querySelectorAll<HTMLElement>('.block')].map(edges));
    expect(rows).toHaveLength(3);
    const px = (percent: number): number => (percent / 100) * 1800;
    let right = 100;
    for (const row of rows) {
      expect(Math.abs(px(row.at(-1)?.[1] ?? 0) - px(right))).toBeLessThan(1);
      right = row[0]?.[0] ?? 0;
    }
    const now = all('#now .block[data-owner="1"]').map(edges);
    expect(rows[0]).toEqual(now);
    const gone = all('.gone').map(edges)[0] ?? [0, 0];
    expect(Math.abs(px(gone[0]) - px(right))).toBeLessThan(1);
    expect(gone[1]).toBe(100);
  });

  it('projects anew when a finding is unticked, and says so', async () => {
    const report = staggered();
    const { all, asked, said } = await panel(report);
    expect(asked).toEqual([]);
    expect(said('#said')).toBe('');
    expect(said('#projected')).toContain('with 2 of 2 findings fixed');
    const before = said('#projected .number b');
    all<HTMLInputElement>('input')[0]?.click();
    await settled();
    expect(asked).toEqual([['allreduce-exposed']]);
    expect(said('#projected')).toContain('with 1 of 2 findings fixed');
    expect(said('#projected .number b')).not.toBe(before);
    expect(said('#said')).toMatch(/^Projected 21\.1 ms with 1 of 2 findings fixed\. .*Likely 19\.1–21\.8 ms/);
    expect(all('.row.finding .track.pale')).toHaveLength(1);
    all<HTMLInputElement>('input')[1]?.click();
    await settled();
    expect(said('#said')).toBe('Projected 22.0 ms with 0 of 2 findings fixed.');
  });

  it('says the sum, and why there is no more, without an answer', async () => {
    const { all, said } = await panel(staggered(), () => Promise.reject(new BackendError('Too large.', 'internal')));
    all<HTMLInputElement>('input')[0]?.click();
    await settled();
    expect(said('#said')).toBe('Projected 21.1 ms with 1 of 2 findings fixed. Too large.');
  });

  it('says what a replay brings where that is another number', async () => {
    const report = staggered();
    const { all, said } = await panel(report, (ids) =>
      Promise.resolve({ ...predictionOf(report, ids), predicted_ns: 21_500_000, error: null }),
    );
    all<HTMLInputElement>('input')[0]?.click();
    await settled();
    expect(said('#said')).toContain('The recorded step, replayed without their causes: 21.5 ms.');
  });

  it('selects with j and k and ticks with x, outside of fields only', async () => {
    const { element, all, press } = await panel(staggered());
    const [first, second, third] = element.report.findings.map(({ id }) => id);
    await press('j');
    expect(element.selected).toBe(second);
    expect(all('[aria-pressed="true"].pick')).toHaveLength(1);
    await press('x');
    expect(element.without).toBe(first);
    await press('j');
    await press('j');
    expect(element.selected).toBe(third);
    await press('x');
    expect(element.without).toBe(first);
    await press('k', document.body, { ctrlKey: true });
    const field = document.body.appendChild(document.createElement('input'));
    await press('k', field);
    expect(element.selected).toBe(third);
    await press('k');
    expect(element.selected).toBe(second);
    element.remove();
    await press('k');
    expect(element.selected).toBe(second);
  });

  it('lists what claims nothing below, and what others explain', async () => {
    const { said } = await panel(staggered());
    expect(said('.others')).toContain('Straggler in AllReduce: GPU 3: explained by 1');
    expect(said('.others')).toContain('Room for a batch 1.9 times as large');
  });

  it('marks the least that is left where evidence is thin', async () => {
    const { all, said } = await panel(thin());
    expect(said('#projected .number b')).toBe('≥ 7.1 ms');
    expect(
      all('.below')
        .map(({ textContent }) => plain(textContent))
        .join(),
    ).toMatch(/What stays: 6\.6 ms/);
  });

  it('shows groups of steps, and no projection of a mean that no step has', async () => {
    const { all, said } = await panel(grouped());
    expect(said('#now')).toContain('mean of 21 steps of 3 hosts');
    expect(said('#now .number')).toContain('14.4 ms');
    expect([all('#projected'), all('input'), all('.row.finding .block')]).toEqual([[], [], []]);
    all('.switch button')[1]?.click();
    await settled();
    expect(said('#now .number')).toContain('26.5 ms');
  });

  it('shows a rare long step beside the usual one', async () => {
    const { all, said } = await panel(rarelyLong());
    expect(said('#now')).toContain('usual steps');
    expect(said('.others')).toContain('Step-time outliers');
    const projected = all('#projected .number');
    expect(projected).toHaveLength(1);
    all('.switch button')[1]?.click();
    await settled();
    expect(said('#now')).toContain('mean of 4 rare long steps');
    expect(said('#now .number')).toContain('66.0 ms');
    expect([all('#projected'), all('.row.finding .block')]).toEqual([[], []]);
  });

  it('has only Now and the limit of the GPU where nothing claims time', async () => {
    const { all } = await panel({ ...healthy(), findings: [] });
    expect(all('#now .roof')).toHaveLength(1);
    expect(all('#projected, .row.finding')).toEqual([]);
  });

  it('has something else in its place without steps or GPUs', async () => {
    const host = await panel(hostOnly());
    expect(host.said('h2')).toBe('Input pipeline');
    expect(host.said('div.empty')).toContain(hostOnly().input?.sentence.slice(0, 30));
    expect(host.all('.track')).toEqual([]);
    const none = await panel(noSteps());
    expect(none.said('h2')).toBe('Shares of the recording');
    expect(none.all('.row.bar').map((row) => plain(row.textContent))).toEqual(
      [0, 1, 2, 3].map((gpu) => `GPU ${gpu} 80 %`),
    );
    const unmarked = await panel({ ...noSteps(), steps: { ...noSteps().steps, count: 3 } });
    expect(unmarked.said('p.empty')).toContain('in the steps that the host marks');
    for (const { element } of [host, none]) {
      expect(element.shadowRoot.textContent).not.toMatch(/NaN|Infinity|undefined/);
      expect(element.hidden).toBe(false);
    }
    const empty = await panel({ ...hostOnly(), input: null, findings: [] });
    expect(empty.element.hidden).toBe(true);
  });

  it('offers no mean of GPUs whose steps differ', () => {
    const { steps } = staggered();
    const group = grouped().steps.groups[0]!;
    const groups = ['usual steps', 'long steps'].map((name) => ({ ...group, name }));
    const ids = choices({ ...staggered(), steps: { ...steps, groups } }).map(({ id }) => id);
    expect(ids).toEqual(['group-0', 'group-1', 'steps']);
  });

  it('has its numbers as a table, with why GPUs are idle', async () => {
    const { all } = await panel(staggered());
    const [table] = all<TableElement>('tfperf-table');
    table!.open = true;
    await settled();
    const rows = [...table!.shadowRoot.querySelectorAll<HTMLTableRowElement>('tbody tr')].map(({ cells }) =>
      [...cells].map((cell) => cell.textContent),
    );
    expect(rows.at(-1)).toEqual(['Step', '22.0\u00a0ms', '100\u00a0%', expect.stringContaining('ms'), '']);
    expect(rows.map(([account]) => account)).toContain('Straggler wait');
  });
});
