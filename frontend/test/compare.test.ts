import { beforeEach, describe, expect, it } from 'vitest';
import { NOWHERE } from '../src/address.js';
import { accountRows, bars, columns, noiseWords, projectedWords } from '../src/panels/compare/logic.js';
import '../src/elements/app.js';
import type { CompareElement } from '../src/panels/compare/element.js';
import '../src/panels/compare/element.js';
import { FakeBackend, FakeHost, crowded, healthy, hostOnly, idleGpus, staggered, unreduced } from '../src/fakes.js';
import { COMPARISONS, better } from '../src/fakes_compare.js';
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
