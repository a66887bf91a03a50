import { beforeEach, describe, expect, it } from 'vitest';
import { NOWHERE } from '../src/address.js';
import {
  accountRows,
  bars,
  columns,
  dotsWords,
  launchDots,
  noiseWords,
  notes,
  projectedWords,
} from '../src/panels/compare/logic.js';
import '../src/elements/app.js';
import type { CompareElement } from '../src/panels/compare/element.js';
import '../src/panels/compare/element.js';
import {
  FakeBackend,
  FakeHost,
  allToAll,
  crowded,
  healthy,
  hostOnly,
  idleGpus,
  staggered,
  unreduced,
} from '../src/fakes.js';
import { COMPARISONS, better, launched } from '../src/fakes_compare.js';
import { fire } from '../src/elements/base.js';
import { signed } from '../src/format.js';
import { settled } from './settled.js';

const NBSP = '\u00a0';

describe('a comparison', () => {
  it('adds up in every column, and its bars hold what the columns hold', () => {
    for (const make of Object.values(COMPARISONS)) {
      const shown = columns(make());
      const sum = accountRows(shown.accounts).at(-1)!;
      expect(sum.delta_ns).toBe(sum.new_ns - sum.base_ns);
      const [before, now] = bars(shown);
      expect([before?.total, now?.total]).toEqual([sum.base_ns, sum.new_ns]);
      for (const bar of [before!, now!]) expect(bar.parts.reduce((all, { ns }) => all + ns, 0)).toBe(bar.total);
    }
  });

  it('shows the ideal instead of the run before where the numbers of GPUs differ', () => {
    expect(columns(COMPARISONS[idleGpus().run]!())).toMatchObject({ first: 'Ideal', second: 'Real', change: 'Lost' });
    expect(columns(better())).toMatchObject({ first: 'Before', second: 'Now', change: 'Change' });
    expect(columns({ ...better(), basis: 'examples' }).title).toContain('for the examples of one step before');
  });

  it('writes changes with their sign, what was projected and from when on a difference counts', () => {
    expect(signed(4_100_000)).toBe(`+4.1${NBSP}ms`);
    expect(signed(-9_600_000)).toBe(`−9.6${NBSP}ms`);
    expect(signed(0)).toBe(`0${NBSP}ms`);
    expect(projectedWords(better())).toContain(`Projected: 22.1${NBSP}ms. The finding that is gone promised`);
    expect(noiseWords(better())).toBe(`Differences up to 0.89${NBSP}ms do not count.`);
    const cannot = COMPARISONS[hostOnly().run]!();
    expect([projectedWords(cannot), noiseWords(cannot)]).toEqual(['', '']);
  });
});

describe('several launches a side', () => {
  it('are dots in two lanes in the order of time, with the interval and what was foretold', () => {
    const found = launched();
    const dots = launchDots(found)!;
    expect(dots.lanes.map(({ name, dots: mine }) => [name, mine.length])).toEqual([
      ['Before', 6],
      ['Now', 6],
    ]);
    const [before, now] = dots.lanes;
    expect(before?.dots[0]?.words).toBe(`before/2026_11_20_14_03_00, 30.4${NBSP}ms, 2026-11-20 14:03:00`);
    expect(Math.max(...now!.dots.map(({ at }) => at))).toBeLessThan(Math.min(...before!.dots.map(({ at }) => at)));
    for (const { at } of [...dots.ticks, ...dots.lanes.flatMap((lane) => lane.dots)]) {
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(1);
    }
    expect(dots.ticks.map(({ words }) => words)).toEqual([`25.0${NBSP}ms`, `30.0${NBSP}ms`]);
    expect(dots.interval?.words).toBe(`Now, with the interval of the change: 21.5${NBSP}ms to 23.2${NBSP}ms`);
    // What was promised is a bound: anything up to it was foretold.
    expect(dots.foretold?.words).toBe(`Foretold by findings that are gone: 22.1${NBSP}ms to 29.8${NBSP}ms`);
    expect(dotsWords(found)).toBe(
      `Each dot is a launch, the first one above. Launches of one side differ by 2.9${NBSP}% (standard deviation).`,
    );
  });

  it('have no interval where order does not decide, and no order where times are not known', () => {
    const { launches } = launched();
    const items = launches!.items.map((item) => ({ ...item, recorded: '' }));
    const found = { ...launched(), prediction: null, launches: { ...launches!, items, low: null, high: null } };
    expect(launchDots(found)).toMatchObject({ interval: null, foretold: null });
    expect(dotsWords(found)).toMatch(/^Each dot is a launch\. /);
    expect(launchDots(better())).toBeNull();
    expect(dotsWords(better())).toBe('');
  });

  it('of the same time have an axis, too', () => {
    const { launches } = launched();
    const items = launches!.items.map((item) => ({ ...item, level_ns: 20_000_000 }));
    const dots = launchDots({
      ...launched(),
      prediction: null,
      launches: { ...launches!, items, low: null, high: null },
    });
    expect(new Set(dots!.lanes.flatMap((lane) => lane.dots.map(({ at }) => at)))).toEqual(new Set([0.5]));
  });

  it('say why in place of from when on a difference counts', () => {
    expect(notes(launched()).join(' ')).toContain('of the orders in which these launches could have run');
    expect(notes(launched()).join(' ')).not.toContain('do not count');
    expect(notes(better()).join(' ')).toContain('do not count');
    expect(notes(COMPARISONS['all-to-all']!()).join(' ')).toContain('One launch a side does not show');
  });
});

describe('the tab', () => {
  beforeEach(() => document.body.replaceChildren());

  async function open(run: string, base: string | null) {
    const host = new FakeHost({ ...NOWHERE, run, base });
    const app = document.createElement('tfperf-app');
    document.body.append(app);
    void app.start(new FakeBackend(), host);
    await settled();
    const choose = (name: string): void => fire(app, 'base-change', { base: name });
    const panel = (): CompareElement | null => app.shadowRoot.querySelector('tfperf-compare');
    const said = (): string => panel()?.shadowRoot.querySelector('#said')?.textContent ?? '';
    return { app, host, choose, panel, said };
  }

  it.each([
    [staggered().run, 'Better: a step takes 22.0 ms instead of 29.8 ms'],
    [healthy().run, 'Worse: a step takes 22.0 ms'],
    [unreduced().run, 'Neither better nor worse'],
    [allToAll().run, 'Unproven: a step takes 22.0 ms instead of 29.8 ms'],
    [hostOnly().run, 'These runs cannot be compared.'],
    [idleGpus().run, '61 % of the ideal'],
    ['unreadable', 'ends in the middle of an event'],
    ['analysing', 'Analyzing both runs, 62'],
  ])('says first what became of %s', async (base, sentence) => {
    const { said } = await open(crowded().run, base);
    expect(said()).toContain(sentence);
  });

  it.each([
    [staggered().run, 'do not count'],
    [unreduced().run, 'profile several launches a side'],
  ])('says with the verdict on %s by how much launches differ', async (base, sentence) => {
    const { said } = await open(crowded().run, base);
    expect(said()).toContain(sentence);
  });

  it('compares with the run that is chosen, keeps it in the address, and stops', async () => {
    const { host, choose, panel, said } = await open(staggered().run, null);
    expect(panel()).toBeNull();
    choose(healthy().run);
    await settled();
    expect(host.state.base).toBe(healthy().run);
    expect(said()).toContain('Worse');
    const tables = [...panel()!.shadowRoot.querySelectorAll('tfperf-table')];
    expect(tables.find(({ id }) => id === 'accounts')?.shadowRoot?.textContent).toContain('together');
    expect(tables.find(({ id }) => id === 'findings')?.shadowRoot?.textContent).toContain('New');
    panel()!.shadowRoot.querySelector('button')!.click();
    await settled();
    expect(panel()).toBeNull();
    expect(host.state.base).toBeNull();
  });

  it('pins the run on screen, which is not compared with itself', async () => {
    const { app, host, panel } = await open(staggered().run, null);
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'p' }));
    await settled();
    expect(host.state.base).toBe(staggered().run);
    expect(panel()).toBeNull();
    expect(app.shadowRoot.querySelector('tfperf-bar')?.shadowRoot?.textContent).toContain('★ Baseline');
  });

  it('keeps names as text', async () => {
    const { panel } = await open(staggered().run, hostOnly().run);
    expect(panel()!.shadowRoot.querySelector('img')).toBeNull();
    expect(panel()!.shadowRoot.textContent).toContain('<img src=x');
  });
});
