import { beforeEach, describe, expect, it } from 'vitest';
import { recorded, reportOf } from '../src/recorded.js';
import { BackendError } from '../src/backend.js';

import type { TableElement } from '../src/elements/table.js';
import type { Block, Finding, Prediction, Report } from '../src/model.js';
import { share } from '../src/panels/budget/chart.js';
import '../src/panels/budget/element.js';
import {
  NONE,
  bars,
  choices,
  factor,
  neededNs,
  projected,
  tickedIds,
  total,
  withoutText,
} from '../src/panels/budget/logic.js';
import { predicted } from '../src/fakes.js';
import { duration, percent } from '../src/format.js';
import { settled } from './settled.js';
import { plain } from './some.js';

const REPORTS = [reportOf('staggered'), reportOf('healthy'), reportOf('thin'), reportOf('rarely-long')];

const STAGGERED = reportOf('staggered');
/** Two findings that claim time, and one that does not. */
const THREE: Report = {
  ...STAGGERED,
  findings: [0, 1, 4].map((i) => STAGGERED.findings[i]!),
  budget: { ...STAGGERED.budget!, claims: STAGGERED.budget!.claims.slice(0, 2) },
};

/** Each block begins where the one before it ends. */
function expectClosed(blocks: readonly Block[], begin: number, end: number): void {
  for (const block of blocks) {
    expect(block.begin_ns).toBe(begin);
    begin += block.ns;
  }
  expect(begin).toBe(end);
}

beforeEach(() => document.body.replaceChildren());

describe('what is left', () => {
  it('is the step less what is ticked', () => {
    for (const report of REPORTS) {
      const { claims, divisions } = report.budget!;
      const { blocks, step_ns } = divisions[0]!;
      for (const ticked of [[], [1], [2], [1, 2, 3]]) {
        const left = projected(blocks, new Set(ticked), 0);
        const gone = total(claims.filter(({ rank }) => ticked.includes(rank)));
        expectClosed(left, 0, step_ns - gone);
      }
    }
  });

  it('is no shorter than the input pipeline needs, unless what is ticked makes it faster', () => {
    const report = reportOf('staggered');
    const [first, ...others] = report.findings as [Finding, ...Finding[]];
    const { blocks, step_ns: step } = report.budget!.divisions[0]!;
    const input = { ...report.input!, needed_ns: step - 1000 };
    const least = neededNs({ ...report, input }, [first.id], step);
    const left = projected(blocks, new Set([1]), least);
    expectClosed(left, 0, step - 1000);
    expect(left.at(-1)?.account).toBe('idle.input');
    const freed = { ...first, saving: { ...first.saving!, frees_input: true } };
    expect(neededNs({ ...report, input, findings: [freed, ...others] }, [first.id], step)).toBe(0);
    expect(neededNs({ ...report, input: { ...input, needed_ns: 2 * step } }, [], step)).toBe(step);
    expect(neededNs({ ...report, input: null }, [first.id], step)).toBe(0);
  });
});

describe('the words', () => {
  it('keep ticks in the address', () => {
    const claims = reportOf('staggered').budget!.claims.slice(0, 2);
    const [a, b] = claims.map(({ id }) => id) as [string, string];
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
    expect(ids(reportOf('staggered'))).toEqual(['0', 'gpus', 'steps']);
    expect(choices(reportOf('grouped')).map(({ words }) => words)).toEqual([
      '3 hosts',
      'worker2',
      'Each host',
      'Each step',
    ]);
    expect(ids(reportOf('host-only'))).not.toContain('gpus');
    expect(ids(reportOf('rarely-long'))).toEqual(['0', 'rare', 'steps']);
  });

  it('has a bar for each, which adds up', () => {
    for (const id of ['gpus', 'hosts', 'steps']) {
      const found = bars(reportOf('staggered'), id);
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
    return answer ? answer(ids) : Promise.resolve(predicted(recorded('staggered'), ids));
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
    const { all } = await panel(reportOf('thin'));
    const rows = all('.row.finding').map((row) => [...row.querySelectorAll<HTMLElement>('.block')].map(edges));
    expect(rows).toHaveLength(reportOf('thin').findings.length);
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
    const report = reportOf('staggered');
    const { all, asked, said } = await panel(report);
    expect(asked).toEqual([]);
    expect(said('#said')).toBe('');
    expect(said('#projected')).toContain('with 4 of 4 findings fixed');
    const time = plain(duration(report.ledger!.step_ns));
    const before = said('#projected .number b');
    all<HTMLInputElement>('input')[0]?.click();
    await settled();
    const others = report.budget!.claims.slice(1).map(({ id }) => id);
    expect(asked).toEqual([others]);
    expect(said('#projected')).toContain('with 3 of 4 findings fixed');
    expect(said('#projected .number b')).not.toBe(before);
    expect(said('#said')).toBe(plain(predicted(recorded('staggered'), others).said));
    expect(all('.row.finding .track.pale')).toHaveLength(1);
    for (const input of all<HTMLInputElement>('input').slice(1)) {
      input.click();
      await settled();
    }
    expect(asked.at(-1)).toEqual([]);
    expect(said('#said')).toContain(`Projected ${time} with 0 of 4 findings fixed.`);
  });

  it('says the sum, and why there is no more, without an answer', async () => {
    const { all, said } = await panel(reportOf('staggered'), () =>
      Promise.reject(new BackendError('Too large.', 'internal')),
    );
    all<HTMLInputElement>('input')[0]?.click();
    await settled();
    const { ledger, budget } = reportOf('staggered');
    const left = plain(duration(ledger!.step_ns - total(budget!.claims.slice(1))));
    expect(said('#said')).toBe(`Projected ${left}. Too large.`);
    expect(said('#projected .number b')).toBe(left);
  });

  it('selects with j and k and ticks with x, outside of fields only', async () => {
    const { element, all, press } = await panel(THREE);
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
    const { said } = await panel(reportOf('staggered'));
    expect(said('.others')).toContain('Straggler in AllReduce: GPU 3: explained by 1');
    expect(said('.others')).toContain(reportOf('staggered').findings.at(-1)?.title);
  });

  it('marks the least that is left where evidence is thin', async () => {
    const report = reportOf('thin');
    const budget = { ...report.budget!, stays: '1.3 ms of idle time that no finding counts as saved.' };
    const { all, said } = await panel({ ...report, budget });
    expect(said('#projected .number b')).toBe(`≥ ${plain(duration(budget.projected_ns))}`);
    expect(
      all('.below')
        .map(({ textContent }) => plain(textContent))
        .join(),
    ).toMatch(/What stays: 1\.3 ms/);
  });

  it('shows groups of steps, and no projection of a mean that no step has', async () => {
    const { all, said } = await panel(reportOf('grouped'));
    const [usual, slow] = reportOf('grouped').budget!.divisions;
    expect(said('#now')).toContain(slow!.basis);
    expect(said('#now .number')).toContain(plain(duration(slow!.step_ns)));
    expect([all('#projected'), all('input'), all('.row.finding .block')]).toEqual([[], [], []]);
    all('.switch button')[0]?.click();
    await settled();
    expect(said('#now .number')).toContain(plain(duration(usual!.step_ns)));
  });

  it('shows a rare long step beside the usual one', async () => {
    const { all, said } = await panel(reportOf('rarely-long'));
    expect(said('#now')).toContain('usual steps');
    expect(said('.others')).toContain('Step-time outliers');
    const projected = all('#projected .number');
    expect(projected).toHaveLength(1);
    all('.switch button')[1]?.click();
    await settled();
    const { rare } = reportOf('rarely-long').budget!;
    expect(said('#now')).toContain(rare!.basis);
    expect(said('#now .number')).toContain(plain(duration(rare!.step_ns)));
    expect([all('#projected'), all('.row.finding .block')]).toEqual([[], []]);
  });

  it('has only Now and the limit of the GPU where nothing claims time', async () => {
    const { all } = await panel(reportOf('healthy'));
    expect(all('#now .roof')).toHaveLength(1);
    expect(all('#projected, .row.finding')).toEqual([]);
  });

  it('has something else in its place without steps or GPUs', async () => {
    const host = await panel(reportOf('on-cpu'));
    expect(host.said('h2')).toBe('Time on the CPU');
    const { kinds, blocks, step_ns } = reportOf('on-cpu').host_time!;
    expectClosed(blocks, 0, step_ns);
    expect(plain(host.all('#now .block')[0]?.title)).toBe(plain(blocks[0]!.words));
    expect(host.all('.row.bar').map((row) => plain(row.textContent).split(' ')[0])).toEqual(
      kinds.map(({ id }) => id.split(' ')[0]),
    );
    expect(host.all('.row.bar .ran')[0]!.style.width).toBe(share(kinds[0]!.ratio, 1));
    expect(host.all('.legend')[0]!.textContent).not.toContain('GPU');
    const none = await panel(reportOf('no-steps'));
    expect(none.said('h2')).toBe('Shares of the recording');
    const { devices } = reportOf('no-steps');
    expect(none.all('.row.bar').map((row) => plain(row.textContent))).toEqual(
      devices.map(({ busy_ratio }, gpu) => `GPU ${gpu} ${plain(percent(busy_ratio))}`),
    );
    const unmarked = await panel({ ...reportOf('no-steps'), steps: { ...reportOf('no-steps').steps, count: 3 } });
    expect(unmarked.said('p.empty')).toContain('in the steps that the host marks');
    for (const { element } of [host, none]) {
      expect(element.shadowRoot.textContent).not.toMatch(/NaN|Infinity|undefined/);
      expect(element.hidden).toBe(false);
    }
    expect((await panel(reportOf('host-only'))).element.hidden).toBe(true);
  });

  it('offers no mean of GPUs whose steps differ', () => {
    const { steps, budget } = reportOf('staggered');
    const names = ['usual steps', 'long steps'];
    const groups = names.map((name) => ({ ...reportOf('grouped').steps.groups[0]!, name }));
    const divisions = names.map((name) => ({ ...budget!.divisions[0]!, name }));
    const grouped = { ...reportOf('staggered'), steps: { ...steps, groups }, budget: { ...budget!, divisions } };
    const ids = choices(grouped).map(({ id }) => id);
    expect(ids).toEqual(['0', '1', 'steps']);
  });

  it('has its numbers as a table, with why GPUs are idle', async () => {
    const { all } = await panel(reportOf('staggered'));
    const [table] = all<TableElement>('tfperf-table');
    table!.open = true;
    await settled();
    const rows = [...table!.shadowRoot.querySelectorAll<HTMLTableRowElement>('tbody tr')].map(({ cells }) =>
      [...cells].map((cell) => cell.textContent),
    );
    expect(rows.at(-1)).toEqual([
      'Step',
      duration(reportOf('staggered').ledger!.step_ns),
      '100\u00a0%',
      expect.stringContaining('ms'),
      '',
    ]);
    expect(rows.map(([account]) => account)).toContain('Straggler wait');
  });
});
