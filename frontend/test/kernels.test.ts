import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { beforeEach, describe, expect, it } from 'vitest';
import { tableOf } from '../src/blocks.js';
import { duration } from '../src/format.js';
import { learn, meaningOf } from '../src/glossary.js';
import type { KeyNumbers, Report } from '../src/model.js';
import { computeRows } from '../src/panels/kernels/compute.js';
import { hostile } from '../src/patches.js';
import { recorded, reportOf } from '../src/recorded.js';
import '../src/panels/kernels/element.js';
import { settled } from './settled.js';
import { plain } from './some.js';

beforeEach(() => document.body.replaceChildren());
learn(GLOSSARY);

async function shown(report: Report): Promise<ShadowRoot> {
  const panel = Object.assign(document.createElement('tfperf-kernels'), { report });
  document.body.append(panel);
  await settled();
  return panel.shadowRoot!;
}

const table = (root: ShadowRoot): ShadowRoot =>
  root.querySelector('tfperf-rows')!.shadowRoot!.querySelector('#table')!.shadowRoot!;
const heads = (root: ShadowRoot): string[] =>
  [...table(root).querySelectorAll('thead th button')].map(({ textContent }) => plain(textContent));
const lines = (root: ShadowRoot): string[][] =>
  [...table(root).querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => plain(textContent)),
  );
async function press(root: ShadowRoot, words: string): Promise<HTMLButtonElement> {
  const button = [...root.querySelectorAll('button')].find(({ textContent }) => plain(textContent).startsWith(words))!;
  button.click();
  await settled();
  return button;
}

describe('the tables of kernels', () => {
  it('are chosen by name', async () => {
    const root = await shown(reportOf('staggered'));
    expect(heads(root)).toEqual(['Kernel over op', 'Per step', 'Share', 'Calls', 'Bound by', 'Of bound', 'To win']);
    expect(lines(root)).toHaveLength(tableOf(reportOf('staggered'), 'kernels')!.rows.length);
    const button = await press(root, 'Ops');
    expect(button.getAttribute('aria-pressed')).toBe('true');
    expect(heads(root)[0]).toBe('Op over type');
    expect(plain(root.querySelector('tfperf-rows')!.shadowRoot!.textContent)).toContain('Show all 37 rows');
  });

  it('are those of the host where no kernel was recorded', async () => {
    const root = await shown(reportOf('host-only'));
    expect(heads(root)[0]).toBe('Op over type');
    expect(plain(root.textContent)).toContain('No kernels can be given to steps in this profile');
  });

  it('show names, never markup', async () => {
    const root = await shown(hostile(recorded('staggered')).report);
    expect(table(root).querySelectorAll('tbody img, tbody script, tbody b')).toHaveLength(0);
  });
});

describe('compute', () => {
  it('has a table by kind', async () => {
    const root = await shown(reportOf('staggered'));
    const rows = [...root.querySelectorAll('.parts tr')].map((row) =>
      [...row.children].slice(0, 5).map((cell) => plain(cell.textContent)),
    );
    const { rows: kinds, sum } = computeRows(reportOf('staggered').ledger!.compute_parts);
    const times = ({ ns, floor_ns, recoverable_ns, not_judged_ns }: typeof sum): string[] =>
      [ns, floor_ns, recoverable_ns, not_judged_ns].map(duration).map(plain);
    expect(rows.slice(1).map((row) => row.slice(1))).toEqual([...kinds, sum].map(times));
    expect(rows.at(-1)?.[0]).toBe('compute');
    expect(plain(root.querySelector('tr.sum svg')?.getAttribute('aria-label'))).toContain(
      `could be won, ${plain(duration(sum.recoverable_ns))}`,
    );
  });

  it('is drawn by phase, with its numbers', async () => {
    const items = [
      { id: 'forward', ns: 5_100_000, ratio: 0.39 },
      { id: 'backward', ns: 8_100_000, ratio: 0.61 },
    ];
    const root = await shown({ ...reportOf('staggered'), phases: { items, told_ratio: 1, reason: '' } });
    expect(plain(root.querySelector('#phases svg')?.getAttribute('aria-label'))).toContain(
      'backward pass, 8.1 ms, 61 %',
    );
    expect(plain(root.querySelector('.legend')?.textContent)).toContain('backward pass 8.1 ms, 61 %');
  });
});

describe('key numbers', () => {
  const numbers = async (report: Report): Promise<string[]> => {
    const root = await shown(report);
    return [...root.querySelectorAll('dl div')].map((div) =>
      [
        div.querySelector('dt tfperf-term')?.shadowRoot?.querySelector('button')?.textContent,
        ...[...div.querySelectorAll('dd')].map(({ textContent }) => plain(textContent)),
      ].join(' | '),
    );
  };
  const known = (change: Partial<KeyNumbers>): Report => {
    const report = reportOf('healthy');
    return { ...report, key_numbers: { ...report.key_numbers, ...change } };
  };

  it('have MFU with its peak, HFU, the rate, what is judged, and formats', async () => {
    const rates = { mfu_ratio: 0.39, hfu_ratio: 0.46, flops_per_s: 143e12, compute_judged_ratio: 0.944 };
    const formats = { compute_16bit_ratio: 0.7, compute_tf32_ratio: 0.2 };
    const all = await numbers(known({ ...rates, mfu_basis: 'of 312 TFLOP/s in bf16', ...formats }));
    expect(all).toContain('MFU | 39 % | of 312 TFLOP/s in bf16 How it is counted');
    expect(all).toContain('HFU | 46 %');
    expect(all).toContain('achieved per GPU | 143 TFLOP/s');
    expect(all).toContain('of compute judged | 94 %');
    expect(all).toContain('of compute in 16 bit | 70 %');
    expect(all).toContain('of compute in TF32 | 20 %');
    expect(all.join()).toMatch(/of op time on the GPU/);
  });

  it('each tell what they mean on focus', async () => {
    const root = await shown(reportOf('healthy'));
    const terms = [...root.querySelectorAll('dl tfperf-term')];
    expect(terms.length).toBeGreaterThan(4);
    for (const term of terms)
      expect(
        term.shadowRoot!.querySelector('button')?.getAttribute('aria-description'),
        plain(term.textContent),
      ).toMatch(/\w+ \w+/);
  });

  it('have HFU only where recomputation is seen', async () => {
    expect((await numbers(reportOf('staggered'))).join()).not.toContain('HFU');
  });

  it('say why there is no MFU', async () => {
    expect(await numbers(known({ mfu_ratio: null, mfu_basis: 'No work is known.' }))).toContain(
      'MFU | not known | No work is known. How it is counted',
    );
    const without = await numbers(known({ mfu_ratio: null, mfu_basis: '', hfu_ratio: null, flops_per_s: null }));
    expect(without.join()).not.toMatch(/MFU|FLOP/);
    expect((await numbers(reportOf('host-only'))).join()).not.toContain('MFU');
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
