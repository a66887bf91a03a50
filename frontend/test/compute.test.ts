import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { beforeEach, describe, expect, it } from 'vitest';
import '../src/elements/compute.js';
import '../src/elements/summary.js';
import { computeBar, computeRows, computeSentence, divided } from '../src/compute.js';
import { healthy, hostOnly, idleGpus, staggered } from '../src/fakes.js';
import { learn, meaningOf } from '../src/glossary.js';
import type { KeyNumbers, Ledger, Report } from '../src/model.js';
import { settled } from './settled.js';

beforeEach(() => document.body.replaceChildren());
learn(GLOSSARY);

const plain = (text: string | null | undefined): string =>
  (text ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
const ledger = staggered().ledger!;
const unknown: Ledger = { ...ledger, compute_parts: [], compute_floor_ns: null, compute_peak_ns: null };

async function shown(name: string, properties: object): Promise<ShadowRoot> {
  const panel = Object.assign(document.createElement(name), properties);
  document.body.append(panel);
  await settled();
  return panel.shadowRoot!;
}

describe('parts of compute', () => {
  it('add up to compute, by kind and together', () => {
    const { rows, sum } = computeRows(ledger.compute_parts);
    expect(rows.map(({ ns }) => ns)).toEqual([9_400_000, 2_600_000, 500_000, 700_000]);
    expect(sum).toEqual({
      kind: 'compute',
      ns: 13_200_000,
      floor_ns: 6_400_000,
      recoverable_ns: 6_100_000,
      not_judged_ns: 700_000,
    });
    expect(ledger.accounts.find(({ id }) => id === 'compute')?.ns).toBe(sum.ns);
    const none = { kind: 'other', floor_ns: 0, recoverable_ns: 0, not_judged_ns: 0 } as const;
    expect(computeRows([...ledger.compute_parts, none]).rows).toHaveLength(4);
  });

  it('take the place of compute in an average step, and nothing else changes', () => {
    const parts = divided(ledger);
    expect(parts.map(({ id }) => id)).toEqual(
      ledger.accounts.flatMap(({ id }) =>
        id === 'compute' ? ['compute.floor', 'compute.recoverable', 'compute.not_judged'] : [id],
      ),
    );
    const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
    expect(sum(parts.map(({ ns }) => ns))).toBe(sum(ledger.accounts.map(({ ns }) => ns)));
    expect(sum(parts.map(({ ratio }) => ratio))).toBeCloseTo(1, 9);
    expect(parts[0]?.ratio).toBeCloseTo(6.4 / 22, 3);
    expect(divided(unknown)).toBe(ledger.accounts);
  });

  it('look different without color', () => {
    const looks = computeBar(computeRows(ledger.compute_parts).sum).map(({ look }) => look);
    expect(looks[0]).toMatchObject({ colour: '--account-compute', pattern: 'solid' });
    expect(new Set(looks.map(({ pattern }) => pattern)).size).toBe(3);
  });

  it('are told with both bounds', () => {
    expect(plain(computeSentence(ledger))).toBe(
      'A step computes for 13.2 ms. At the rates that good libraries reach, its work needs 6.4 ms; at the data ' +
        'sheet’s peak, 5.6 ms. Up to 6.1 ms could be won. Not judged: 0.7 ms.',
    );
    const [matrix] = ledger.compute_parts;
    const all = { ...ledger, compute_parts: [matrix!], compute_floor_ns: 4_600_000, compute_peak_ns: null };
    expect(plain(computeSentence(all))).toMatch(/its work needs 4\.6 ms\. Up to 4\.8 ms could be won\.$/);
  });

  it('have a table by kind', async () => {
    const root = await shown('tfperf-compute', { ledger });
    const rows = [...root.querySelectorAll('tr')].map((row) =>
      [...row.children].slice(0, 5).map((c) => plain(c.textContent)),
    );
    expect(rows[1]?.slice(1)).toEqual(['9.4 ms', '4.6 ms', '4.8 ms', '0 ms']);
    expect(rows.at(-1)).toEqual(['compute', '13.2 ms', '6.4 ms', '6.1 ms', '0.7 ms']);
    expect(plain(root.querySelector('tr.sum svg')?.getAttribute('aria-label'))).toContain('could be won, 6.1 ms');
  });
});

describe('key numbers', () => {
  const numbers = async (report: Report): Promise<string[]> => {
    const root = await shown('tfperf-summary', { report });
    return [...root.querySelectorAll('dl div')].map((div) =>
      [
        div.querySelector('dt tfperf-term')?.shadowRoot?.querySelector('button')?.textContent,
        ...[...div.querySelectorAll('dd')].map(({ textContent }) => plain(textContent)),
      ].join(' | '),
    );
  };
  const known = (change: Partial<KeyNumbers>): Report => {
    const report = healthy();
    return { ...report, key_numbers: { ...report.key_numbers, ...change } };
  };

  it('have MFU with its peak, HFU, the rate and what is judged', async () => {
    const found = await numbers(healthy());
    expect(found).toContain('MFU | 39 % | of 312 TFLOP/s in bf16, dense (data sheet of the A100)');
    expect(found).toContain('HFU | 46 %');
    expect(found).toContain('achieved per GPU | 143 TFLOP/s');
    expect(found).toContain('of compute judged | 94 %');
  });

  it('have HFU only where recomputation is seen', async () => {
    expect((await numbers(staggered())).join()).not.toContain('HFU');
  });

  it('say why there is no MFU', async () => {
    expect(await numbers(idleGpus())).toContain('MFU | not known | No work of a kernel is known from this profile.');
    const without = await numbers(known({ mfu_ratio: null, mfu_basis: '', hfu_ratio: null, flops_per_s: null }));
    expect(without.join()).not.toMatch(/MFU|FLOP/);
    expect((await numbers(hostOnly())).join()).not.toContain('MFU');
  });

  it('tell what they mean and who defined them', () => {
    expect(meaningOf('MFU', 'page')).toMatch(/^Model FLOPs utilization: .*PaLM/);
    expect(meaningOf('HFU', 'page')).toMatch(/Korthikanti/);
    for (const word of [
      'Roofline',
      'arithmetic intensity',
      'ridge point',
      'speed of light',
      'memory-bound',
      'latency-bound',
    ])
      expect(meaningOf(word, 'page'), word).toBeTruthy();
    expect(meaningOf('Not judged', 'compute')).toBeTruthy();
  });
});
