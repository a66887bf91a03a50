import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import { accountLook } from '../src/accounts.js';
import type { FieldElement } from '../src/elements/field.js';
import { duration } from '../src/format.js';
import type { AllReduce, Report } from '../src/model.js';
import { stepsChart } from '../src/panels/communication/chart.js';
import type { CommunicationElement } from '../src/panels/communication/element.js';
import '../src/panels/communication/element.js';
import * as logic from '../src/panels/communication/logic.js';
import { settled } from './settled.js';
import { learn } from '../src/glossary.js';
import { NONE_REFUSED, UNTYPED } from '../src/typed.js';
import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { plain } from './some.js';

learn(GLOSSARY);

const fields = ({ shadowRoot }: CommunicationElement): FieldElement[] => [
  ...shadowRoot.querySelectorAll<FieldElement>('tfperf-field'),
];
const inputOf = (element: CommunicationElement, name: string): HTMLInputElement =>
  fields(element)
    .find((field) => field.name === name)!
    .shadowRoot.querySelector('input')!;

const card = reportOf('staggered').allreduce as AllReduce;

describe('numbers of the card', () => {
  it('are those of the place', () => {
    const terms = (at: 'card' | 'below' | 'table'): string[] => logic.numbers(card, at).map(({ term }) => term);
    expect(terms('card')).toEqual(['measured transfer', 'guide estimate', 'ring bound', 'achievable']);
    expect(terms('below')).toEqual(['measured waiting', 'exposed', 'hidden']);
  });

  it('say how they are known and how to change that', () => {
    const note = (value: string, known: string): string =>
      logic.fieldNote(
        { ...card, numbers: [{ term: 'parameters', value, known, note: '', at: 'table' }] },
        'parameters',
      );
    expect(note('25,600,000', 'recorded by the training')).toBe('25,600,000, recorded by the training');
    expect(note('25,600,000', 'as typed')).toBe('25,600,000, as typed. Empty the field to go back.');
    expect(note('not known', '')).toBe('not known: type it to get the estimates');
    expect(note('not known', 'the link is not known')).toBe('the link is not known: type it to get the estimates');
  });
});

describe('tables of the card', () => {
  it('name GPUs and calls', () => {
    const call = { ...card.calls[0]!, last: 'GPU:3', transfer_ns: 730_000 };
    expect(logic.lastWords(call)).toBe('GPU 3');
    expect(logic.lastWords({ ...call, last: 'worker-1 GPU:3' })).toBe('worker-1 GPU 3');
    expect(logic.lastWords({ ...call, last: '' })).toBe('not known');
    expect(logic.callPlace(call, 'AllReduce')).toMatchObject({
      host: call.host,
      begin_ms: call.begin_ms,
      end_ms: call.end_ms,
      step: call.step,
    });
    expect(plain(logic.callPlace({ ...call, size_bytes: null }, 'AllReduce').label)).toBe(
      'AllReduce, 0.73 ms of transfer',
    );
    const { collectives } = reportOf('all-to-all');
    expect(logic.kindWords('all_to_all', collectives)).toBe('AllToAll');
    expect(logic.kindWords('broadcast', collectives)).toBe('broadcast');
  });
});

/** A number of an attribute. */
const value = (element: Element | null | undefined, name: string): number =>
  parseFloat(element?.getAttribute(name) ?? '');

describe('chart of the steps', () => {
  const steps = [{ step: '3', transfer_ns: 2_000_000, wait_ns: 6_000_000, exposed_ns: 4_000_000 }];
  const lines = [{ words: 'ring bound', ns: 1_000_000, dashes: 'none' }];

  it('stacks waiting on transfer, from the ground, and marks what is exposed', () => {
    const { columns, drawing } = stepsChart(steps, lines, 'words');
    const box = (account: string): [number, number] => {
      const rect = [...(columns[0]?.querySelectorAll('rect') ?? [])].find((r) =>
        r.getAttribute('fill')?.includes(accountLook(account).colour),
      );
      return [value(rect, 'y'), value(rect, 'height')];
    };
    const [transferTop, transfer] = box('communication.transfer');
    const [waitTop, wait] = box('communication.wait');
    expect(wait).toBeCloseTo(3 * transfer);
    expect(waitTop + wait).toBeCloseTo(transferTop);
    const ground = transferTop + transfer;
    expect(value(columns[0]?.querySelector('.exposed'), 'y1')).toBeCloseTo(ground - 2 * transfer);
    expect(value(drawing.querySelector('.estimate'), 'y1')).toBeCloseTo(ground - transfer / 2);
    expect(stepsChart([{ ...steps[0]!, exposed_ns: null }], [], '').drawing.querySelector('.exposed')).toBeNull();
  });

  it('holds an estimate far above what was measured, and as many steps as there are', () => {
    const { drawing } = stepsChart(steps, [{ words: 'x', ns: 80_000_000, dashes: 'none' }], '');
    expect(value(drawing.querySelector('.estimate'), 'y1')).toBeGreaterThanOrEqual(0);
    const many = Array.from({ length: 200 }, (_, step) => ({ ...steps[0]!, step: String(step) }));
    const long = stepsChart(many, lines, '');
    expect(long.columns).toHaveLength(200);
    expect([...long.drawing.querySelectorAll('.tick:not(.end)')].map((t) => t.textContent)).toEqual(['0', '199']);
  });

  it('is of the exchange with the known estimates, or of the accounts where other collectives take more', () => {
    const times = { guide_ns: 445_000, ring_bound_ns: 668_000, achievable_ns: 720_000 };
    const steps = [4_500_000, 4_900_000].map((ns, i) => ({
      ...card.steps[i]!,
      transfer_ns: 910_000,
      wait_ns: ns - 910_000,
    }));
    const own = logic.chart({ ...reportOf('staggered'), allreduce: { ...card, ...times, steps } });
    expect(plain(logic.chartWords(own))).toBe(
      'AllReduce of each step (2): measured transfer and measured waiting together take 4.5 ms to 4.9 ms; ' +
        'guide estimate 0.45 ms; ring bound 0.67 ms; achievable 0.72 ms',
    );
    expect(logic.estimates({ ...card, guide_ns: null }).map((line) => line.words)).toEqual([
      'ring bound',
      'achievable',
    ]);
    const beside = (ns: number): Report => {
      const report = reportOf('staggered');
      return { ...report, collectives: [...report.collectives, { ...report.collectives[0]!, kind: 'all_to_all', ns }] };
    };
    const { ns } = reportOf('staggered').collectives[0]!;
    expect(logic.chart(beside(ns / 2)).lines).toHaveLength(3);
    for (const report of [beside(2 * ns), reportOf('all-to-all')]) {
      const { heading, steps: columns, lines: known } = logic.chart(report);
      expect([heading, known]).toEqual(['Exposed communication of each step', []]);
      expect(columns.map(({ step }) => step)).toEqual(
        report.steps.columns.filter(({ judged }) => judged).map(({ id }) => id),
      );
      expect(columns[0]?.wait_ns).toBe(
        report.steps.columns.find(({ judged }) => judged)?.accounts['communication.wait'],
      );
    }
  });
});

describe('the section', () => {
  async function show(report = reportOf('staggered')): Promise<CommunicationElement> {
    const element = document.createElement('tfperf-communication') as CommunicationElement;
    element.report = report;
    document.body.replaceChildren(element);
    await settled();
    return element;
  }
  const said = (element: CommunicationElement): string => plain(element.shadowRoot.textContent).replaceAll(/\s+/g, ' ');

  it('begins with the accounts of the step', async () => {
    const first = (await show()).shadowRoot.querySelector('p')!;
    const { transfer, wait, both } = logic.exposed(reportOf('staggered'))!;
    expect(both).toBe(transfer + wait);
    expect([...first.querySelectorAll('b')].map((b) => b.textContent)).toEqual([both, transfer, wait].map(duration));
    expect([...first.querySelectorAll('tfperf-term')].map((term) => term.getAttribute('word'))).toEqual([
      'Exposed communication',
      'Exposed transfer',
      'Straggler wait',
    ]);
    expect(said(await show(reportOf('grouped')))).toContain('No collective was recorded in this profile.');
    const sections = reportOf('all-to-all').sections.map((one) => ({ ...one, note: `${one.id} is not covered.` }));
    expect(said(await show({ ...reportOf('all-to-all'), sections }))).toContain('communication is not covered.');
  });

  it('has no field where nothing can be estimated, and one where the guide does not apply', async () => {
    expect(fields(await show(reportOf('all-to-all')))).toHaveLength(0);
    const sharded = { ...reportOf('staggered'), allreduce: { ...card, title: 'ReduceScatter', guide_applies: false } };
    const element = await show(sharded);
    expect(fields(element).map(({ name }) => name)).toEqual(['bandwidth']);
    expect(element.shadowRoot.querySelector('h3')?.textContent).toContain('ReduceScatter 4 GPUs');
  });

  it('fills in the link of a card that the GPUs may be', async () => {
    const links = [
      { gpu: 'H100 80GB HBM3', typed: 'NVLink 4' },
      { gpu: 'H800', typed: '200 GB/s' },
    ];
    const element = await show({ ...reportOf('staggered'), allreduce: { ...card, links } });
    const asked: unknown[] = [];
    element.addEventListener('assume', (event) => asked.push((event as CustomEvent).detail));
    const buttons = [...element.shadowRoot.querySelectorAll<HTMLButtonElement>('.fields button')];
    expect(buttons.map(({ textContent }) => plain(textContent).trim())).toEqual([
      'H100 80GB HBM3: NVLink 4',
      'H800: 200 GB/s',
    ]);
    buttons[0]!.click();
    expect(asked).toEqual([{ field: 'bandwidth', text: 'NVLink 4' }]);
    element.typed = { ...UNTYPED, bandwidth: 'NVLink 4' };
    await settled();
    expect(inputOf(element, 'bandwidth').value).toBe('NVLink 4');
  });

  it('asks with what is typed, and leaves what is being typed alone', async () => {
    const element = await show();
    const asked: unknown[] = [];
    element.addEventListener('assume', (event) => asked.push((event as CustomEvent).detail));
    const input = inputOf(element, 'bandwidth');
    input.value = ' 600 GB/s ';
    input.dispatchEvent(new Event('change'));
    input.value = '';
    input.dispatchEvent(new Event('change'));
    expect(asked).toEqual([
      { field: 'bandwidth', text: '600 GB/s' },
      { field: 'bandwidth', text: null },
    ]);
    input.value = 'NVL';
    element.typed = { ...UNTYPED, bandwidth: '600 GB/s' };
    element.refused = { ...NONE_REFUSED, bandwidth: { text: '<b>', message: 'Write 600 GB/s.' } };
    await settled();
    expect(input.value).toBe('NVL');
    const refused = fields(element)[1]!.shadowRoot.querySelector('[role=alert]:not([hidden])');
    expect(refused?.textContent).toBe('Write 600 GB/s.');
    expect(input.getAttribute('aria-invalid')).toBe('true');
  });
});
