import { beforeEach, describe, expect, it } from 'vitest';
import { BackendError } from '../src/backend.js';
import '../src/elements/what_if.js';
import { healthy, predictionOf, staggered } from '../src/fakes.js';
import type { Prediction } from '../src/model.js';
import { choosable, chosenIds, errorSentence, predictionSentence } from '../src/what_if.js';
import { settled } from './settled.js';

const plain = (text: string | null | undefined): string => (text ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
const report = staggered();

beforeEach(() => document.body.replaceChildren());

/** The panel inside an app that keeps what is chosen; `asked` collects the questions. */
async function panel(
  of = report,
  answer = (ids: readonly string[]): Promise<Prediction> => Promise.resolve(predictionOf(of, ids)),
) {
  const asked: { ids: readonly string[]; signal: AbortSignal }[] = [];
  const element = document.createElement('tfperf-what-if');
  element.addEventListener('without-change', (event) => {
    element.without = (event as CustomEvent<{ without: string | null }>).detail.without;
  });
  document.body.append(element);
  element.ask = (ids, signal) => {
    asked.push({ ids, signal });
    return answer(ids);
  };
  element.report = of;
  await settled();
  const find = (selector: string): HTMLElement | null => element.shadowRoot.querySelector(selector);
  const boxes = (): HTMLInputElement[] => [...element.shadowRoot.querySelectorAll('input')];
  const choose = async (index: number, checked = true): Promise<void> => {
    const box = boxes()[index]!;
    box.checked = checked;
    box.dispatchEvent(new Event('change'));
    await settled();
  };
  return { element, asked, find, boxes, choose };
}

describe('what if', () => {
  it('names what can be chosen, in the order of the report', () => {
    expect(choosable(report.findings).map(({ id }) => id)).toEqual(['gpu-stagger', 'allreduce-exposed']);
    expect(chosenIds('allreduce-exposed,memory-headroom,x,gpu-stagger', report.findings)).toEqual([
      'gpu-stagger',
      'allreduce-exposed',
    ]);
    expect(chosenIds(null, report.findings)).toEqual([]);
  });

  it('says the step and how good such predictions are', () => {
    const found = predictionOf(report, ['gpu-stagger']);
    expect(plain(predictionSentence(found))).toBe('A step would take about 14.9 ms instead of 22.0 ms (−32 %).');
    expect(plain(predictionSentence({ ...found, saved_ns: 0 }))).toBe('A step would still take about 22.0 ms.');
    expect(plain(errorSentence(found.error))).toContain(
      'nine of ten of 412 simulated runs, predictions of this kind were off by −3.4 % to +9.1 % of the step',
    );
    expect(errorSentence(null)).toBe('');
  });

  it('asks only for what is chosen, and shows the answer', async () => {
    const { asked, find, boxes, choose } = await panel();
    expect(boxes()).toHaveLength(2);
    expect(asked).toEqual([]);
    expect(find('#result')!.hidden).toBe(true);

    await choose(1);
    await choose(0);

    expect(asked.map(({ ids }) => ids)).toEqual([['allreduce-exposed'], ['gpu-stagger', 'allreduce-exposed']]);
    expect(find('#result')!.hidden).toBe(false);
    expect(plain(find('.answer')!.textContent)).toMatch(
      /^A step would take about 14 ms instead of 22.0 ms|^A step would take about 14\.0 ms/,
    );
    expect(find('#rows')!.children).toHaveLength(2);
    expect(find('#rows svg')!.getAttribute('aria-label')).toMatch(/^now, /);
    expect(find('.limits')!.textContent).toContain('input pipeline');
    await choose(0, false);
    await choose(1, false);
    expect(find('#result')!.hidden).toBe(true);
  });

  it('forgets an older question, and says what went wrong', async () => {
    const pending: ((found: Prediction) => void)[] = [];
    const { asked, find, choose } = await panel(report, () => new Promise((resolve) => pending.push(resolve)));
    await choose(0);
    expect(find('#result')!.getAttribute('aria-busy')).toBe('true');
    expect(plain(find('.answer')!.textContent)).toBe('Replaying the step …');
    await choose(1);
    expect(asked[0]!.signal.aborted).toBe(true);
    pending[1]!(predictionOf(report, ['gpu-stagger', 'allreduce-exposed']));
    pending[0]!(predictionOf(report, []));
    await settled();
    expect(plain(find('.answer')!.textContent)).toContain('instead of');
    expect(find('#result')!.getAttribute('aria-busy')).toBe('false');

    document.body.replaceChildren();
    const broken = await panel(report, () =>
      Promise.reject(new BackendError('TensorBoard does not answer.', 'unreachable')),
    );
    await broken.choose(0);
    expect(plain(broken.find('.answer')!.textContent)).toBe('TensorBoard does not answer.');
    expect(broken.find('#rows')!.children).toHaveLength(0);
  });

  it('is not there where nothing would save time', async () => {
    const { find } = await panel(healthy());
    expect(find('section')!.hidden).toBe(true);
  });
});
