import { afterEach, describe, expect, it } from 'vitest';
import { recorded, reportOf } from '../src/recorded.js';

import type { Marks } from '../src/list.js';
import type { Prediction, Report } from '../src/model.js';
import '../src/panels/verdict/element.js';
import { bandOf, leadOf, wordsOf } from '../src/panels/verdict/logic.js';
import { predicted } from '../src/fakes.js';
import { withSlowTraining } from '../src/patches.js';
import { settled } from './settled.js';
import { finding, plain } from './some.js';

describe('the verdict', () => {
  it('repeats the first finding, in the words of the report', () => {
    const report = reportOf('staggered');
    const [first] = report.findings;
    const words = wordsOf(report, first!.id)!;
    const found = leadOf(report);
    expect(found).toMatchObject({ first, words, saving: words.saving, after: words.after, together: [] });
    expect([found.asks, found.action, found.cause]).toEqual(['Change first', first?.action, first?.cause]);
  });

  it('shows the title where there is no action', () => {
    const first = finding({ action: '', cause: '' });
    const found = leadOf({ ...reportOf('staggered'), findings: [first] });
    expect([found.action, found.cause]).toEqual([first.title, first.summary]);
  });

  it('says what the first finding brings alone, and nothing of the kind of what was seen once', () => {
    const report = reportOf('staggered');
    const [words, ...others] = report.words;
    const told = { ...report, words: [{ ...words!, beside: 'alone it brings 4.2 ms' }, ...others] };
    expect(leadOf(told).saving).toMatch(/ per step .*; alone it brings 4\.2 ms$/);
    const [first, ...more] = report.findings;
    const once = { ...first!, saving: { ...first!.saving!, once_ns: 213e6 } };
    expect(leadOf({ ...told, findings: [once, ...more] }).saving).not.toContain('alone');
  });

  it('says what was checked where nothing is to be fixed, and what would bring most', () => {
    const { findings, ...rest } = reportOf('staggered');
    const [small, free] = [2, 4].map((i) => findings[i]!);
    expect([small?.severity, free?.saving]).toEqual(['info', null]);
    const report = { ...rest, findings: [small!] };
    const found = leadOf(report);
    expect([found.asks, found.action, found.after]).toEqual(['Verdict', report.advice, null]);
    expect([found.first, found.cause]).toEqual([small, report.verdict.checked]);
    const nothing = leadOf({ ...rest, findings: [free!] });
    expect([nothing.first, nothing.saving]).toEqual([null, '']);
  });

  it('is of no finding where there is no step', () => {
    const { steps, advice } = reportOf('staggered');
    const found = leadOf({ ...reportOf('staggered'), steps: { ...steps, unit: '' } });
    expect([found.first, found.action]).toEqual([null, advice]);
  });

  it('goes on to what the user did not mark, and says after what', () => {
    const report = reportOf('staggered');
    const [first, second, third] = report.findings;
    const next = leadOf(report, { [first!.id]: 'done' });
    expect([next.first, next.asks, next.follows]).toEqual([second, 'Change next', 'after the one you marked as done']);
    expect([next.after, next.together]).toEqual([null, [first!.id, second!.id]]);
    expect(leadOf(report, { [first!.id]: 'irrelevant' })).toMatchObject({
      after: { of: 'After fix 2' },
      together: [],
      follows: 'after the one you marked as not relevant',
    });
    const small = leadOf(report, { [first!.id]: 'done', [second!.id]: 'irrelevant' });
    expect(small).toMatchObject({ asks: 'Verdict', first: third, after: null, together: [] });
    expect(plain(small.action)).toBe('No other finding is worth 5 % of a step.');
    expect(small.follows).toBe('after the 2 you marked as done or not relevant');
    const all = Object.fromEntries(report.findings.map(({ id }) => [id, 'done' as const]));
    expect(leadOf(report, all)).toMatchObject({
      first: null,
      action: 'Record again: you marked every finding as done.',
    });
  });

  it('names what to record next where this capture is thin or holds no GPU events', () => {
    expect(bandOf(reportOf('staggered'))).toBeNull();
    expect(bandOf(reportOf('thin'))).toMatchObject({
      title: 'One step recorded, not the time after it',
      // The words say that no callback is needed, so there is no line of one.
      line: '',
    });
    const [few] = reportOf('thin').trust;
    const missing = { ...few!, id: 'events-dropped', severity: 'critical' as const, title: 'Missing' };
    const both = { ...reportOf('thin'), trust: [few!, missing] };
    expect(bandOf(both)?.title).toBe('Missing');
    expect(bandOf(reportOf('no-steps'))).toMatchObject({ title: 'Step boundaries unknown', line: '' });
    expect(bandOf(reportOf('no-steps'))?.words).toBe('');
    const { fix } = reportOf('no-steps').trust[0]!;
    expect(bandOf({ ...reportOf('no-steps'), advice: 'Step times cannot be judged.' })?.words).toBe(fix.summary);
    expect(bandOf(reportOf('host-only'))).toMatchObject({ title: 'No GPU events recorded', words: '' });
    expect(bandOf({ ...reportOf('host-only'), trust: [] })?.words).toMatch(/^Record again where CUPTI is installed/);
    const failed = { ...few!, id: 'events-dropped', title: 'Kernel launches failed' };
    expect(bandOf({ ...reportOf('host-only'), trust: [failed] })?.title).toBe('Kernel launches failed');
    const cpus = { ...reportOf('host-only').gpus, total: 0 };
    expect(bandOf({ ...reportOf('host-only'), trust: [], gpus: cpus })?.words).toMatch(/^If the training uses GPUs/);
  });
});

describe('the element', () => {
  afterEach(() => document.body.replaceChildren());
  const shown = async (
    report: Report,
    marks: Marks = {},
    ask: (ids: readonly string[]) => Promise<Prediction> = (ids) =>
      Promise.resolve(predicted(recorded('staggered'), ids)),
  ): Promise<ShadowRoot> => {
    const element = Object.assign(document.createElement('tfperf-verdict'), { report, marks, ask });
    document.body.append(element);
    await settled();
    return element.shadowRoot!;
  };

  it('opens notes in full', async () => {
    const report = reportOf('staggered');
    const root = await shown(report);
    const [note] = report.trust;
    const chip = root.querySelector<HTMLElement>('.chip');
    expect(chip?.textContent).toContain(note?.title);
    chip?.click();
    await settled();
    expect(root.querySelector('.note-body h3')?.textContent).toBe(note?.title);
    expect(chip?.getAttribute('aria-expanded')).toBe('true');
  });

  it('leads from data that checks lacked to the checks', async () => {
    const report = reportOf('staggered');
    const [one] = report.passed;
    const text = '1 check lacked data';
    const quality = { ...report.capture_quality!, reasons: [{ ok: false, text }] };
    const missing = { ...report, missing_data: [one!], capture_quality: quality };
    expect((await shown(missing)).querySelector('.lacks')?.textContent).toBe(text);
    expect((await shown(report)).querySelector('.lacks')).toBeNull();
  });

  it('has two scales: how much the finding matters, and the evidence, to which its confidence belongs', async () => {
    const report = reportOf('staggered');
    const [first, ...rest] = report.findings;
    for (const [confidence, mark] of [
      ['medium', '✓'],
      ['low', '!'],
    ] as const) {
      const root = await shown({ ...report, findings: [{ ...first!, confidence }, ...rest] });
      expect(root.querySelector('.first')?.textContent).not.toContain('confidence');
      const reason = plain(root.querySelector('.reasons li')?.textContent);
      expect(reason).toContain(`Finding of ${confidence} confidence`);
      expect(reason).toContain(mark);
    }
  });

  it('has what measures most of the step as a command to copy, until a finding is marked', async () => {
    const report = reportOf('staggered');
    const command = 'ncu --set full --kernel-name regex:gemm --launch-count 1 PROGRAM';
    const small = { ...report.findings[2]!, command: 'A=1 python train.py' };
    const advice = 'Nothing was found. To find out, run the command below.';
    const told = { ...report, findings: [small], advice, measure: command };
    const root = await shown(told);
    expect(root.querySelector('h1')?.textContent).toBe(advice);
    expect([...root.querySelectorAll('.command')].map(({ textContent }) => textContent)).toEqual([command]);
    expect(root.querySelector('.do tfperf-copy')).toMatchObject({ words: 'Copy', text: command });
    expect((await shown({ ...told, measure: '' })).querySelector('.command')?.textContent).toBe(small.command);
    expect((await shown(told, { [small.id]: 'done' })).querySelector('.command')).toBeNull();
  });

  it('asks for the step after several fixes, and promises nothing without an answer', async () => {
    const report = reportOf('staggered');
    const marks = { [report.findings[0]!.id]: 'done' } as const;
    const root = await shown(report, marks);
    expect(plain(root.querySelector('.after .head')?.textContent)).toBe('After fixes 1 and 2');
    expect((await shown(report)).querySelector('.after .head')?.textContent).toBe('After fix 1');
    const refused = await shown(report, marks, () => Promise.reject(new Error('too large')));
    expect(refused.querySelector('.after')).toBeNull();
  });

  it('has the times, what they are of, and compute in one line', async () => {
    const report = reportOf('healthy');
    const root = await shown(report);
    expect(plain(root.querySelector('.now')?.textContent)).toBe(
      plain(`Step time ${report.verdict.now[0]?.time} ${report.verdict.note}`),
    );
    expect(plain(root.querySelector('.compute')?.textContent)).toMatch(/^Computes \d+ % of the step; MFU/);
    const key_numbers = { ...report.key_numbers, mfu_ratio: null, mfu_basis: 'Nobody knows.' };
    const verdict = { ...report.verdict, compute: 'Computes 97 % of the step; MFU not known' };
    const other = await shown({ ...report, key_numbers, verdict });
    expect(other.querySelector('.compute tfperf-term')).toMatchObject({ meaning: 'Nobody knows.' });
  });

  it('says first that a training is slower than its recording', async () => {
    const { report } = withSlowTraining(recorded('healthy'));
    const [first] = (await shown(report)).querySelectorAll('.band');
    expect(plain(first?.textContent)).toContain('A recorded step takes 22.5 ms, the training 153 ms a step');
  });

  it('says below the step how long an epoch takes', async () => {
    const { report } = withSlowTraining(recorded('healthy'));
    const pace = {
      ...report.pace!,
      counts: 'epochs' as const,
      verdict: '' as const,
      sentence: 'An epoch takes 60.4 s.',
    };
    const whole = { ...report.whole!, sentence: pace.sentence };
    const root = await shown({ ...report, pace, whole });
    expect(plain(root.querySelector('.training')?.textContent)).toBe(pace.sentence);
    expect(root.querySelector('.band')).toBeNull();
    expect(root.querySelector('tfperf-field')).toMatchObject({ name: 'steps_per_epoch', hint: 'e.g. 300' });
  });

  it('asks for the steps of an epoch only where they help, and says what the training recorded', async () => {
    const { report } = withSlowTraining(recorded('healthy'));
    expect((await shown(report)).querySelector('tfperf-field')).toBeNull();
    const pace = { ...report.pace!, steps_per_epoch: 2960 };
    expect((await shown({ ...report, pace })).querySelector('tfperf-field')).toMatchObject({ hint: '2,960' });
  });

  it('shows no projection and no NaN where nothing is known', async () => {
    const root = await shown({ ...reportOf('host-only'), findings: [] });
    expect(root.querySelector('.after')).toBeNull();
    expect(root.textContent).not.toMatch(/NaN|Infinity|undefined|null/);
  });
});
