import { afterEach, describe, expect, it } from 'vitest';
import { finding, healthy, hostOnly, staggered } from '../src/fakes.js';
import { noSteps, rarelyLong, thin as partial } from '../src/fakes_budget.js';
import type { Report, StepGroup } from '../src/model.js';
import '../src/panels/verdict/element.js';
import { bandOf, computeLine, verdictOf } from '../src/panels/verdict/logic.js';
import { settled } from './settled.js';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
const group = (name: string, count: number, ms: number): StepGroup => ({
  name,
  count,
  hosts: ['worker-0'],
  p50_ns: ms * 1e6,
  step_ns: ms * 1e6,
  accounts: [],
});
const grouped = (groups: StepGroup[]): Report => ({ ...staggered(), steps: { ...staggered().steps, groups } });
const thin = (): Report => ({ ...staggered(), capture_quality: { level: 'thin', reasons: [] } });

describe('the verdict', () => {
  it('repeats the first finding', () => {
    const report = staggered();
    const [first] = report.findings;
    const found = verdictOf(report);
    expect(found.first).toBe(first);
    expect([found.asks, found.action, found.cause]).toEqual(['Change first', first?.action, first?.cause]);
    expect(plain(found.saving)).toBe('up to 7.1 ms per step (32 %)');
    expect(plain(JSON.stringify(found.now))).toBe('[{"time":"22.0 ms","of":""}]');
    expect(plain(JSON.stringify(found.after))).toBe(
      '{"of":"After fix 1","time":"14.9 ms","change":"−32 %, 1.48×","likely":"likely 12.9–15.7 ms"}',
    );
  });

  it('shows the title where there is no action', () => {
    const first = finding({ action: '', cause: '' });
    const found = verdictOf({ ...staggered(), findings: [first] });
    expect([found.action, found.cause]).toEqual([first.title, first.summary]);
  });

  it('names groups of steps and never their mean', () => {
    const hosts = verdictOf(grouped([group('3 hosts', 9, 14.4), group('worker-3', 3, 26.5)]));
    expect(plain(hosts.now.map(({ time, of }) => `${time} ${of}`).join())).toBe(
      '14.4 ms on 3 hosts,26.5 ms on worker-3',
    );
    expect(plain(hosts.after?.time ?? '')).toBe('14.9 ms');
    const steps = verdictOf(grouped([group('usual steps', 6, 18), { ...group('long steps', 1, 40), p50_ns: 39e6 }]));
    expect(plain(steps.now.map(({ time, of }) => `${time} ${of}`).join())).toBe(
      '18.0 ms in 6 usual steps,40.0 ms in 1 long step',
    );
    expect(plain(`${steps.after?.time} ${steps.after?.change}`)).toBe('7.1 ms less −32 %, 1.48× on average');
  });

  it('keeps rare long steps apart from the usual one', () => {
    const found = verdictOf(rarelyLong());
    expect(plain(JSON.stringify(found.now))).toBe('[{"time":"22.0 ms","of":""}]');
    expect(plain(found.note)).toMatch(/^\d+ usual steps.*; 66\.0 ms in 4 rare long steps$/);
    expect([found.asks, found.after]).toEqual(['Change first', null]);
    expect(plain(found.saving)).toBe('up to 8.8 ms per step (40 %), averaged over all steps');
  });

  it('says what the first finding brings by itself where that is less than it claims', () => {
    const report = staggered();
    const [first, ...others] = report.findings;
    const alone = (alone_ns: number): string => {
      const saving = { ...first!.saving!, alone_ns };
      return plain(verdictOf({ ...report, findings: [{ ...first!, saving }, ...others] }).saving);
    };
    expect(alone(0.95 * first!.saving!.ns)).not.toContain('alone');
    expect(alone(4.2e6)).toMatch(/ per step \(\d+ %\); alone it brings 4\.2 ms$/);
  });

  it('has one length for one step', () => {
    const report = staggered();
    const steps = { ...report.steps, count: 1, p50_ns: 11e6, items: [] };
    expect(verdictOf({ ...report, steps }).note).toBe('1 step');
    expect(verdictOf({ ...report, steps, ledger: null }).note).toBe('1 step, as the host marks it');
    const [item] = report.steps.items;
    const items = [{ ...item!, judged: true, note: 'partial: its end was not recorded' }];
    expect(verdictOf({ ...report, steps: { ...steps, items }, ledger: null }).note).toBe(
      'recorded part of one step, as the host marks it',
    );
    expect(plain(verdictOf({ ...report, steps: { ...steps, count: 3 } }).note)).toContain('the median is 11.0 ms');
    // The median of two steps is one of them.
    expect(plain(verdictOf({ ...report, steps: { ...steps, count: 2 } }).note)).toBe('2 steps');
  });

  it('is a bound on thin evidence, without a likely range', () => {
    const { after } = verdictOf(thin());
    expect(plain(`${after?.time} ${after?.change}`)).toBe('≥ 14.9 ms −32 %, 1.48× at best');
    expect(after?.likely).toBe('');
  });

  it('tells only the longer end of a wide range, and of one that reaches below the short steps', () => {
    const likely = (report: Report): string => plain(verdictOf(report).after?.likely ?? '');
    const after = (low_ns: number): Report => ({
      ...staggered(),
      findings: [finding({ after: { ns: 10e6, low_ns, high_ns: 11.1e6 } })],
    });
    expect(likely(after(6.2e6))).toBe('likely 6.2–11.1 ms');
    expect(likely(after(6e6))).toBe('likely at most 11.1 ms');
    expect(likely(grouped([group('usual steps', 6, 14.9), group('long steps', 3, 40)]))).toBe('likely at most 15.7 ms');
  });

  it('promises no shorter step where the action only finds the cause', () => {
    const found = verdictOf({ ...staggered(), findings: [finding({ id: 'unexplained-idle' })] });
    expect([found.asks, found.after]).toEqual(['Look first', null]);
  });

  it('promises nothing without a saving, for what was seen once, or without GPUs', () => {
    const saving = { ...finding().saving!, once_ns: 213e6 };
    for (const first of [finding({ saving: null, after: null }), finding({ saving })])
      expect(verdictOf({ ...staggered(), findings: [first] }).after).toBeNull();
    expect(verdictOf({ ...hostOnly(), findings: [finding()] }).after).toBeNull();
    expect(verdictOf({ ...hostOnly(), findings: [] }).note).toBe('No step was told apart in the recording');
  });

  it('says what was checked where nothing is to be fixed', () => {
    const found = verdictOf({ ...healthy(), findings: [finding({ severity: 'info' })] });
    expect([found.acts, found.action, found.after]).toEqual([false, healthy().advice, null]);
    expect(found.first?.severity).toBe('info');
    expect(found.cause).toMatch(/^\d+ checks? passed/);
  });

  it('is of calls where steps are calls, and of nothing where there is no step', () => {
    const { steps } = staggered();
    const call = verdictOf({ ...staggered(), steps: { ...steps, unit: 'call of 16 training steps' } });
    expect([call.unit, call.note.includes('7 calls')]).toEqual(['Time of a call of 16 training steps', true]);
    const none = verdictOf({ ...staggered(), steps: { ...steps, unit: '' } });
    expect([none.now, none.first, none.action]).toEqual([[], null, staggered().advice]);
  });

  it('goes on to what the user did not mark, and says after what', () => {
    const report = staggered();
    const [first, second, third] = report.findings;
    const next = verdictOf(report, { [first!.id]: 'done' });
    expect([next.first, next.asks, next.follows]).toEqual([second, 'Change next', 'after the one you marked as done']);
    const step = report.ledger!.step_ns - first!.saving!.ns - second!.saving!.ns;
    expect([next.after?.of, plain(next.after?.time ?? '')]).toEqual([
      'After fixes 1 and 2',
      `≥ ${(step / 1e6).toFixed(1)} ms`,
    ]);
    expect(verdictOf(report, { [first!.id]: 'irrelevant' })).toMatchObject({
      after: { of: 'After fix 2' },
      follows: 'after the one you marked as not relevant',
    });
    const small = verdictOf(report, { [first!.id]: 'done', [second!.id]: 'irrelevant' });
    expect(third!.saving).toBeNull();
    expect(small).toMatchObject({ first: null, saving: '', acts: false, after: null });
    expect(plain(small.action)).toBe('No other finding is worth 5 % of a step.');
    expect(small.follows).toBe('after the 2 you marked as done or not relevant');
    const all = Object.fromEntries(report.findings.map(({ id }) => [id, 'done' as const]));
    expect(verdictOf(report, all)).toMatchObject({
      first: null,
      action: 'Record again: you marked every finding as done.',
    });
  });

  it('names what to record next where this capture is thin or holds no GPU events', () => {
    expect(bandOf(staggered())).toBeNull();
    expect(bandOf(partial())).toMatchObject({
      title: 'Only one step was recorded, without what lies between steps',
      line: 'tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))',
    });
    expect(bandOf(noSteps())).toMatchObject({ title: 'Step boundaries unknown', line: '' });
    const repeated = {
      ...noSteps(),
      advice: 'Mend the recording first: Mark each step and record about ten of them, after the first few.',
    };
    expect(bandOf(repeated)?.words).toBe('');
    const none = bandOf(hostOnly());
    expect([none?.title, none?.words]).toEqual([
      'No GPU events recorded',
      'If the training uses GPUs, record it on their machine, with CUPTI installed.',
    ]);
    expect(verdictOf(hostOnly()).cause).toContain(hostOnly().headline);
  });

  it('has compute and MFU in one line', () => {
    const { share, mfu } = computeLine(healthy()) ?? { share: '', mfu: '' };
    expect(plain(share)).toMatch(/^Computes \d+ % of the step$/);
    expect(plain(mfu)).toBe('39 % of 312 TFLOP/s in bf16, dense');
    expect(computeLine(hostOnly())).toBeNull();
  });
});

describe('the element', () => {
  afterEach(() => document.body.replaceChildren());
  const shown = async (report: Report): Promise<ShadowRoot> => {
    const element = Object.assign(document.createElement('tfperf-verdict'), { report });
    document.body.append(element);
    await settled();
    return element.shadowRoot!;
  };

  it('opens notes in full', async () => {
    const report = staggered();
    const root = await shown(report);
    const [note] = report.trust;
    const chip = root.querySelector<HTMLElement>('.chip');
    expect(chip?.textContent).toContain(note?.title);
    chip?.click();
    await settled();
    expect(root.querySelector('.note-body h3')?.textContent).toBe(note?.title);
    expect(chip?.getAttribute('aria-expanded')).toBe('true');
  });

  it('shows no projection and no NaN where nothing is known', async () => {
    const root = await shown({ ...hostOnly(), findings: [] });
    expect(root.querySelector('.after')).toBeNull();
    expect(root.textContent).not.toMatch(/NaN|Infinity|undefined|null/);
  });
});
