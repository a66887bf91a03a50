import { beforeEach, describe, expect, it } from 'vitest';
import { reportOf, comparison } from '../src/recorded.js';
import { NOWHERE } from '../src/address.js';
import { accountRows, bars, columns, dotsWords, launchDots, noiseWords, notes } from '../src/panels/compare/logic.js';
import '../src/elements/app.js';
import type { CompareElement } from '../src/panels/compare/element.js';
import '../src/panels/compare/element.js';
import { FakeBackend, FakeHost } from '../src/fakes.js';
import type { Comparison } from '../src/model.js';
import { fire } from '../src/elements/base.js';
import { signed } from '../src/format.js';
import { settled } from './settled.js';

const NBSP = '\u00a0';
const KINDS = ['better', 'worse', 'same', 'unproven', 'not-comparable', 'scaling', 'launches'] as const;

describe('a comparison', () => {
  it('adds up in every column, and its bars hold what the columns hold', () => {
    for (const kind of KINDS) {
      const shown = columns(comparison(kind));
      const sum = accountRows(shown.accounts).at(-1)!;
      expect(sum.delta_ns).toBe(sum.new_ns - sum.base_ns);
      const [before, now] = bars(shown);
      expect([before?.total, now?.total]).toEqual([sum.base_ns, sum.new_ns]);
      for (const bar of [before!, now!]) expect(bar.parts.reduce((all, { ns }) => all + ns, 0)).toBe(bar.total);
    }
  });

  it('shows the ideal instead of the run before where the numbers of GPUs differ', () => {
    expect(columns(comparison('scaling'))).toMatchObject({
      first: 'Ideal',
      second: 'Real',
      change: 'Lost',
    });
    expect(columns(comparison('better'))).toMatchObject({ first: 'Before', second: 'Now', change: 'Change' });
    expect(columns({ ...comparison('better'), basis: 'examples' }).title).toContain(
      'for the examples of one step before',
    );
  });

  it('writes changes with their sign, and from when on a difference counts', () => {
    expect(signed(4_100_000)).toBe(`+4.1${NBSP}ms`);
    expect(signed(-9_600_000)).toBe(`−9.6${NBSP}ms`);
    expect(signed(0)).toBe(`0${NBSP}ms`);
    const { times } = comparison('better');
    expect(noiseWords({ ...comparison('better'), times: { ...times!, noise_ns: 298e3, drift_ns: 894e3 } })).toBe(
      `Differences up to 0.89${NBSP}ms do not count.`,
    );
    expect(noiseWords(comparison('not-comparable'))).toBe('');
  });

  it('begins with what changed, and what was predicted, proven or not', () => {
    for (const name of ['better', 'unproven'] as const) {
      const [changed, predicted] = notes(comparison(name));
      expect(changed).toMatch(/^Launch skew fell from /);
      expect(predicted).toMatch(/^Predicted with Launch skew across GPUs fixed: .* It became /);
    }
    expect(notes(comparison('not-comparable')).join(' ')).not.toContain('Predicted');
  });
});

/** Twelve launches with these steps in ms. */
function launched(): Comparison {
  const found = comparison('launches');
  const steps = [30.4, 22.9, 21.6, 29.1, 22.4, 31.2, 28.8, 21.9, 29.6, 22.1, 23.3, 29.9];
  const items = found.launches!.items.map((item, i) => ({ ...item, level_ns: steps[i]! * 1e6 }));
  return {
    ...found,
    times: { ...found.times!, base_ns: 29.8e6, new_ns: 22.36e6 },
    prediction: { ...found.prediction!, low_ns: 22.1e6, high_ns: 24.8e6 },
    launches: { ...found.launches!, items, sd: 0.029, low: -0.28, high: -0.22 },
  };
}

describe('several launches a side', () => {
  it('are dots in two lanes in the order of time, with the interval and what was foretold', () => {
    const found = launched();
    const dots = launchDots(found)!;
    expect(dots.lanes.map(({ name, dots: mine }) => [name, mine.length])).toEqual([
      ['Before', 6],
      ['Now', 6],
    ]);
    const [before, now] = dots.lanes;
    expect(before?.dots[0]?.words).toBe(`${found.launches!.items[0]!.run}, 30.4${NBSP}ms, 2026-01-01 00:00:00`);
    expect(Math.max(...now!.dots.map(({ at }) => at))).toBeLessThan(Math.min(...before!.dots.map(({ at }) => at)));
    for (const { at } of [...dots.ticks, ...dots.lanes.flatMap((lane) => lane.dots)]) {
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(1);
    }
    expect(dots.ticks.map(({ words }) => words)).toEqual([`25.0${NBSP}ms`, `30.0${NBSP}ms`]);
    expect(dots.interval?.words).toBe(`Now, with the interval of the change: 21.5${NBSP}ms to 23.2${NBSP}ms`);
    expect(dots.foretold?.words).toBe(`Foretold by findings that are gone: 22.1${NBSP}ms to 24.8${NBSP}ms`);
    expect(dotsWords(found)).toBe(
      `Each dot is a launch, the first one above. Launches of one side differ by 2.9${NBSP}% (standard deviation).`,
    );
  });

  it('have no interval where order does not decide, and no order where times are not known', () => {
    const { launches } = comparison('launches');
    const items = launches!.items.map((item) => ({ ...item, recorded: '' }));
    const found = {
      ...comparison('launches'),
      prediction: null,
      launches: { ...launches!, items, low: null, high: null },
    };
    expect(launchDots(found)).toMatchObject({ interval: null, foretold: null });
    expect(dotsWords(found)).toMatch(/^Each dot is a launch\. /);
    expect(launchDots(comparison('better'))).toBeNull();
    expect(dotsWords(comparison('better'))).toBe('');
  });

  it('of the same time have an axis, too', () => {
    const { launches } = comparison('launches');
    const items = launches!.items.map((item) => ({ ...item, level_ns: 20_000_000 }));
    const dots = launchDots({
      ...comparison('launches'),
      prediction: null,
      launches: { ...launches!, items, low: null, high: null },
    });
    expect(new Set(dots!.lanes.flatMap((lane) => lane.dots.map(({ at }) => at)))).toEqual(new Set([0.5]));
  });

  it('say why in place of from when on a difference counts', () => {
    expect(notes(comparison('launches')).join(' ')).toContain('of the orders in which these launches could have run');
    expect(notes(comparison('launches')).join(' ')).not.toContain('do not count');
    expect(notes(comparison('better')).join(' ')).toContain('do not count');
    expect(notes(comparison('unproven')).join(' ')).toContain('One launch a side does not show');
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
    [reportOf('staggered').run, comparison('better').sentence],
    [reportOf('healthy').run, 'Worse: a step takes'],
    [reportOf('grouped').run, 'Neither better nor worse'],
    [reportOf('all-to-all').run, 'Unproven: a step takes'],
    [reportOf('host-only').run, 'These runs cannot be compared.'],
    [reportOf('idle-gpus').run, '% of the ideal'],
    ['unreadable', 'ends in the middle of an event'],
    ['analysing', 'Analyzing both runs, 62'],
  ])('says first what became of %s', async (base, sentence) => {
    const { said } = await open(reportOf('crowded').run, base);
    expect(said()).toContain(sentence);
  });

  it.each([
    [reportOf('staggered').run, 'do not count'],
    [reportOf('grouped').run, 'profile several launches a side'],
  ])('says with the verdict on %s by how much launches differ', async (base, sentence) => {
    const { said } = await open(reportOf('crowded').run, base);
    expect(said()).toContain(sentence);
  });

  it('compares with the run that is chosen, keeps it in the address, and stops', async () => {
    const { host, choose, panel, said } = await open(reportOf('staggered').run, null);
    expect(panel()).toBeNull();
    choose(reportOf('healthy').run);
    await settled();
    expect(host.state.base).toBe(reportOf('healthy').run);
    expect(said()).toContain('Worse');
    const tables = [...panel()!.shadowRoot.querySelectorAll('tfperf-table')];
    expect(tables.find(({ id }) => id === 'accounts')?.shadowRoot?.textContent).toContain('together');
    expect(tables.find(({ id }) => id === 'findings')?.shadowRoot?.textContent).toContain('Gone');
    panel()!.shadowRoot.querySelector('button')!.click();
    await settled();
    expect(panel()).toBeNull();
    expect(host.state.base).toBeNull();
  });

  it('pins the run on screen, which is not compared with itself', async () => {
    const { app, host, panel } = await open(reportOf('staggered').run, null);
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'p' }));
    await settled();
    expect(host.state.base).toBe(reportOf('staggered').run);
    expect(panel()).toBeNull();
    expect(app.shadowRoot.querySelector('tfperf-bar')?.shadowRoot?.textContent).toContain('★ Baseline');
  });

  it('keeps names as text', async () => {
    const { panel } = await open(reportOf('staggered').run, reportOf('host-only').run);
    const reasons = ['Another model: layers differ (12 <img src=x> before, 0 now).'];
    panel()!.comparison = { ...comparison('not-comparable'), reasons };
    await settled();
    expect(panel()!.shadowRoot.querySelector('img')).toBeNull();
    expect(panel()!.shadowRoot.textContent).toContain('<img src=x>');
  });
});
