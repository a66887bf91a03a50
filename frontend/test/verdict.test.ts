import { afterEach, describe, expect, it } from 'vitest';
import { finding, healthy, hostOnly, predictionOf, staggered } from '../src/fakes.js';
import { noSteps, thin as partial } from '../src/fakes_budget.js';
import { worded } from '../src/fakes_words.js';
import type { Marks } from '../src/list.js';
import type { Prediction, Report } from '../src/model.js';
import '../src/panels/verdict/element.js';
import { bandOf, leadOf, wordsOf } from '../src/panels/verdict/logic.js';
import { settled } from './settled.js';

const plain = (text: string | null | undefined): string => (text ?? '').replace(/[\s\u00a0]+/g, ' ').trim();

describe('the verdict', () => {
  it('repeats the first finding, in the words of the report', () => {
    const report = staggered();
    const [first] = report.findings;
    const words = wordsOf(report, first!.id)!;
    const found = leadOf(report);
    expect(found).toMatchObject({ first, words, saving: words.saving, after: words.after, together: [] });
    expect([found.asks, found.action, found.cause]).toEqual(['Change first', first?.action, first?.cause]);
  });

  it('shows the title where there is no action', () => {
    const first = finding({ action: '', cause: '' });
    const found = leadOf(worded({ ...staggered(), findings: [first] }));
    expect([found.action, found.cause]).toEqual([first.title, first.summary]);
  });

  it('says what the first finding brings alone, and nothing of the kind of what was seen once', () => {
    const report = staggered();
    const [words, ...others] = report.words;
    const told = { ...report, words: [{ ...words!, beside: 'alone it brings 4.2 ms' }, ...others] };
    expect(leadOf(told).saving).toMatch(/ per step .*; alone it brings 4\.2 ms$/);
    const [first, ...more] = report.findings;
    const once = { ...first!, saving: { ...first!.saving!, once_ns: 213e6 } };
    expect(leadOf({ ...told, findings: [once, ...more] }).saving).not.toContain('alone');
  });

  it('says what was checked where nothing is to be fixed, and what would bring most', () => {
    const report = worded({ ...healthy(), findings: [finding({ severity: 'info' })] });
    const found = leadOf(report);
    expect([found.asks, found.action, found.after]).toEqual(['Verdict', report.advice, null]);
    expect([found.first, found.cause]).toEqual([report.findings[0], report.verdict.checked]);
    const nothing = leadOf(worded({ ...healthy(), findings: [finding({ severity: 'info', saving: null })] }));
    expect([nothing.first, nothing.saving]).toEqual([null, '']);
  });

  it('is of no finding where there is no step', () => {
    const { steps, advice } = staggered();
    const found = leadOf({ ...staggered(), steps: { ...steps, unit: '' } });
    expect([found.first, found.action]).toEqual([null, advice]);
  });

  it('goes on to what the user did not mark, and says after what', () => {
    const report = staggered();
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
    expect(third!.saving).toBeNull();
    expect(small).toMatchObject({ first: null, saving: '', after: null, together: [] });
    expect(plain(small.action)).toBe('No other finding is worth 5 % of a step.');
    expect(small.follows).toBe('after the 2 you marked as done or not relevant');
    const all = Object.fromEntries(report.findings.map(({ id }) => [id, 'done' as const]));
    expect(leadOf(report, all)).toMatchObject({
      first: null,
      action: 'Record again: you marked every finding as done.',
    });
  });

  it('names what to record next where this capture is thin or holds no GPU events', () => {
    expect(bandOf(staggered())).toBeNull();
    expect(bandOf(partial())).toMatchObject({
      title: 'One step recorded, not the time after it',
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
  });
});

describe('the element', () => {
  afterEach(() => document.body.replaceChildren());
  const shown = async (
    report: Report,
    marks: Marks = {},
    ask: (ids: readonly string[]) => Promise<Prediction> = (ids) => Promise.resolve(predictionOf(report, ids)),
  ): Promise<ShadowRoot> => {
    const element = Object.assign(document.createElement('tfperf-verdict'), { report, marks, ask });
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

  it('asks for the step after several fixes, and promises nothing without an answer', async () => {
    const report = staggered();
    const marks = { [report.findings[0]!.id]: 'done' } as const;
    const root = await shown(report, marks);
    expect(plain(root.querySelector('.after .head')?.textContent)).toBe('After fixes 1 and 2');
    expect((await shown(report)).querySelector('.after .head')?.textContent).toBe('After fix 1');
    const refused = await shown(report, marks, () => Promise.reject(new Error('too large')));
    expect(refused.querySelector('.after')).toBeNull();
  });

  it('has the times, what they are of, and compute in one line', async () => {
    const report = healthy();
    const root = await shown(report);
    expect(plain(root.querySelector('.now')?.textContent)).toBe(
      plain(`Step time ${report.verdict.now[0]?.time} ${report.verdict.note}`),
    );
    expect(plain(root.querySelector('.compute')?.textContent)).toMatch(/^Computes \d+ % of the step; MFU/);
    const unknown = { ...report.key_numbers, mfu_ratio: null, mfu_basis: 'Nobody knows.' };
    const other = await shown(worded({ ...report, key_numbers: unknown }));
    expect(other.querySelector('.compute tfperf-term')).toMatchObject({ meaning: 'Nobody knows.' });
  });

  it('shows no projection and no NaN where nothing is known', async () => {
    const root = await shown(worded({ ...hostOnly(), findings: [] }));
    expect(root.querySelector('.after')).toBeNull();
    expect(root.textContent).not.toMatch(/NaN|Infinity|undefined|null/);
  });
});
