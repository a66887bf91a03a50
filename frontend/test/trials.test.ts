import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NOWHERE } from '../src/address.js';
import { copy } from '../src/clipboard.js';
import '../src/elements/app.js';
import type { CopyElement } from '../src/elements/copy.js';
import { FakeBackend, FakeHost } from '../src/fakes.js';
import type { TrialFolder } from '../src/model.js';
import { switchBars, trialDots } from '../src/panels/trials/logic.js';
import { TRIALS, reportOf } from '../src/recorded.js';
import { settled } from './settled.js';
import { plain } from './some.js';

vi.mock('../src/clipboard.js', async (actual) => ({ ...(await actual<object>()), copy: vi.fn(async () => true) }));

const named = (name: string): TrialFolder => TRIALS.trials.find((one) => one.name === name)!;
const run = reportOf('healthy').run;

beforeEach(() => document.body.replaceChildren());

describe('a trial', () => {
  it('is dots a launch on two rows, an interval and what was foretold', () => {
    const trial = named('trials/private threads');
    const dots = trialDots(trial)!;
    expect(dots.lanes.map(({ name, dots: mine }) => [name, mine.length])).toEqual([
      ['Before', 6],
      ['With the change', 6],
    ]);
    const [before, after] = dots.lanes.map(({ dots: mine }) => mine.map(({ at }) => at));
    expect(Math.max(...after!)).toBeLessThan(Math.min(...before!));
    expect(plain(dots.lanes[0]!.dots[0]!.words)).toMatch(/^launch 3, 61\.2 ms$/);
    expect(plain(dots.interval!.words)).toBe('With the interval of the change: 47.0 ms to 49.9 ms');
    expect(plain(dots.foretold!.words)).toBe('Foretold by the finding: 45.7 ms to 51.8 ms');
    expect(dots.foretold!.begin).toBeLessThan(dots.interval!.begin);
  });

  it('has no interval where the sides cannot be compared, and nothing without launches', () => {
    expect(trialDots(named('trials/larger batch'))).toMatchObject({ interval: null, foretold: null });
    expect(trialDots(named('trials/damaged'))).toBeNull();
  });
});

describe('a tuning', () => {
  it('is a bar a switch from no change to the change, with its interval, its state and its words', () => {
    const { bars, ticks } = switchBars(named('tuned').switches);
    const bar = (name: string) => bars.find((one) => one.name === name)!;
    const zero = ticks.find(({ words }) => plain(words) === '0 %')!.at;
    expect(bar('loader-workers=4').bar!.end).toBeCloseTo(zero);
    expect(bar('cudnn-benchmark').bar!.begin).toBeCloseTo(zero);
    expect(bar('cudnn-benchmark')).toMatchObject({ state: 'worse', look: 'critical' });
    for (const { bar: own, interval } of bars)
      if (own && interval) for (const at of [own.begin, own.end, interval.begin, interval.end]) inside(at);
    expect(bar('one-batch (a probe)').words).toContain('It shows what input costs');
    expect(bar('torch-compile')).toMatchObject({ state: 'failed', bar: null, interval: null });
    expect(bar('loader-workers=4').words).toMatch(/ Named by input-bound\.$/);
  });

  it('shows which switches were not tried when it was interrupted', () => {
    const { bars, ticks } = switchBars(named('interrupted').switches);
    expect(bars.filter(({ state }) => state === 'not tried')).toHaveLength(5);
    expect(bars.at(-1)!.words).toBe('cudnn-benchmark was not tried.');
    expect(ticks.length).toBeGreaterThan(1);
  });

  it('has an axis where nothing was measured', () => {
    const waiting = named('interrupted').switches.slice(2);
    expect(switchBars(waiting).ticks.some(({ words }) => plain(words) === '0 %')).toBe(true);
  });
});

function inside(at: number): void {
  expect(at).toBeGreaterThanOrEqual(0);
  expect(at).toBeLessThanOrEqual(1);
}

async function open(names: string[], trial: string | null = null, shown: string | null = null) {
  const backend = new FakeBackend(names);
  backend.kept = TRIALS;
  const host = new FakeHost({ ...NOWHERE, run: shown, trial });
  const app = document.createElement('tfperf-app');
  document.body.append(app);
  void app.start(backend, host);
  await settled();
  const trials = () => app.shadowRoot.querySelector('tfperf-trials')!;
  const heads = () => [...trials().shadowRoot.querySelectorAll<HTMLElement>('.head')];
  return { app, backend, host, trials, heads };
}

describe('the trials in a log directory', () => {
  it('are listed below its only run, and one that is chosen opens, in the address, too', async () => {
    const { app, host, heads, trials } = await open([run]);
    expect(app.state.view).toBe('runs');
    expect(heads().map((head) => head.querySelector('.title')!.textContent)).toEqual(
      TRIALS.trials.map(({ name }) => name),
    );
    expect(trials().shadowRoot.querySelector('.detail')).toBeNull();
    heads()[0]!.click();
    await settled();
    expect(heads()[0]!.getAttribute('aria-expanded')).toBe('true');
    expect(host.state.trial).toBe('tuned');
    expect(trials().shadowRoot.querySelectorAll('#launches circle')).toHaveLength(12);
    expect(trials().shadowRoot.querySelectorAll('#switches .change')).toHaveLength(5);
    heads()[0]!.click();
    await settled();
    expect(host.state.trial).toBeNull();
  });

  it('are shown without a run, and the board of runs is not', async () => {
    const { app, trials } = await open([], 'tuned');
    expect(trials().hidden).toBe(false);
    expect(app.shadowRoot.querySelector<HTMLElement>('tfperf-board')!.hidden).toBe(true);
    expect(app.shadowRoot.querySelector('tfperf-no-profiles')).toBeNull();
  });

  it('copy the lines to keep, and the command', async () => {
    const { trials } = await open([], 'tuned');
    for (const button of trials().shadowRoot.querySelectorAll<CopyElement>('tfperf-copy')) await button.copy();
    const { keep, command } = named('tuned');
    expect(vi.mocked(copy).mock.calls.map(([text]) => text)).toEqual([keep, command]);
  });

  it('show names and sentences as text', async () => {
    const { backend, app, heads, trials } = await open([run]);
    const evil = '<img src=x onerror="top.hacked=1">';
    const hostile = { ...named('tuned'), name: evil, sentence: evil, reasons: [evil], keep: evil, command: evil };
    backend.kept = { trials: [hostile], more_count: 3 };
    app.reload();
    await settled();
    heads()[0]!.click();
    await settled();
    expect(trials().shadowRoot.querySelector('img')).toBeNull();
    expect(heads()[0]!.textContent).toContain(evil);
    expect(plain(trials().shadowRoot.textContent)).toContain('3 older ones are not shown.');
  });

  it('leave a way back from a report of the only run', async () => {
    const { app } = await open([run], null, run);
    const back = app.shadowRoot.querySelector('tfperf-bar')!.shadowRoot!.querySelector('button')!;
    expect(back.hidden).toBe(false);
    back.click();
    await settled();
    expect(app.state.view).toBe('runs');
  });

  it('do not keep the runs from being shown when they cannot be listed', async () => {
    const backend = new FakeBackend();
    backend.trials = () => Promise.reject(new Error('no'));
    const app = document.createElement('tfperf-app');
    document.body.append(app);
    void app.start(backend, new FakeHost());
    await settled();
    expect(app.state.view).toBe('runs');
  });
});
