import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { recorded, reportOf } from '../src/recorded.js';
import { beforeEach, describe, expect, it } from 'vitest';
<<<<<<< HEAD
import { duration } from '../src/format.js';
import { computeRows } from '../src/panels/kernels/compute.js';
import { learn, meaningOf } from '../src/glossary.js';
import { hostile, huge } from '../src/patches.js';

import type { KernelName, KeyNumbers, Report } from '../src/model.js';
=======
import { healthy, hostOnly, idleGpus, staggered } from '../src/fakes.js';
import { learn, meaningOf } from '../src/glossary.js';
import { hostile } from '../src/hostile.js';
import type { KeyNumbers, Report } from '../src/model.js';
>>>>>>> blocks
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
<<<<<<< HEAD
async function search(root: ShadowRoot, id: 'text' | 'phase', value: string): Promise<void> {
  const field = root.getElementById(id) as HTMLInputElement;
  field.value = value;
  field.dispatchEvent(new Event(id === 'text' ? 'input' : 'change'));
  await settled();
}

/** A report with one kernel. */
function withKernel(change: Partial<KernelName>): Report {
  const report = reportOf('staggered');
  const kernels = report.kernels!;
  return { ...report, kernels: { ...kernels, names: [{ ...kernels.names[0]!, ...change }], names_total: 1 } };
}

/** A report of which no kernel's work is known. */
const UNKNOWN: Report = {
  ...withKernel({ flops: null, bytes: null, floor_ns: null, peak_ns: null, judged_ns: null, bound_by: 'not judged' }),
  key_numbers: { ...reportOf('staggered').key_numbers, mfu_ratio: null, mfu_basis: 'No work is known.' },
};

const SEVEN = ['ms per step', 'Share', 'Calls', 'Bound by', '% of bound', 'Time to win, ms'];

describe('the table of kernels', () => {
  it('has seven columns: name over op, time, share, calls, and what binds', async () => {
    const times = { ns: 4_100_000, ratio: 0.31, count_per_step: 2, judged_ns: 4_100_000 };
    const work = { flops: 486e9, floor_ns: 1_790_000, peak_ns: 1_560_000, bound_by: 'compute' } as const;
    const root = await shown(withKernel({ name: 'sm80_gemm', op: 'dense/MatMul', ops: 1, ...times, ...work }));
    expect(heads(root)).toEqual(['Kernel over op', ...SEVEN]);
    const [first] = lines(root);
    // 486 GFLOP in 4.1 ms; at 312 TFLOP/s these take 1.56 ms, at 87 % of it 1.79 ms.
    expect(first?.slice(1)).toEqual(['4.10', '31 %', '2', 'compute', '38 %', '2.31']);
    expect(first?.[0]).toBe('sm80_gemmdense/MatMul');
  });

  it('has the same columns by op', async () => {
    const root = await shown(reportOf('staggered'));
    const button = await press(root, 'By op');
    expect(button.getAttribute('aria-pressed')).toBe('true');
    expect(heads(root)).toEqual(['Op over type', ...SEVEN]);
    expect(lines(root)).toHaveLength(Math.min(12, reportOf('staggered').ops!.rows.length));
  });

  it('adds the other columns on demand, and only those that say something', async () => {
    const root = await shown(reportOf('staggered'));
    const columns = root.getElementById('columns')!;
    expect(columns.getAttribute('aria-expanded')).toBe('false');
    await press(root, 'Columns');
    expect(columns.getAttribute('aria-expanded')).toBe('true');
    expect(heads(root).slice(7)).toEqual(expect.arrayContaining(['TFLOP/s', 'Phase', 'Mean', 'Registers', 'Grid']));
    await press(root, 'Columns');
    expect(heads(root)).toHaveLength(7);
    const unjudged = await shown(UNKNOWN);
    await press(unjudged, 'Columns');
    expect(heads(unjudged)).not.toContain('TFLOP/s');
  });

  it('explains each head that is no plain word', async () => {
    const root = await shown(reportOf('staggered'));
    for (const head of SEVEN.filter((one) => one !== 'Share')) expect(meaningOf(head, 'ops'), head).toBeTruthy();
    expect(table(root).querySelectorAll('thead [aria-description]').length).toBeGreaterThanOrEqual(5);
  });

  it('names the op with most time and counts the others', async () => {
    const root = await shown(withKernel({ op: 'dense/MatMul:MatMul', ops: 4 }));
    expect(lines(root)[0]?.[0]).toMatch(/MatMul \+ 3 more ops$/);
  });

  it('leaves what binds a kernel open where only its op is judged', async () => {
    const root = await shown(withKernel({ bound_by: 'not judged', floor_ns: null, peak_ns: null, judged_ns: null }));
    expect(lines(root)[0]?.slice(4)).toEqual(['', '', '']);
  });

  it('tells names apart by both of their ends, all of them on hover and focus', async () => {
    const name = `Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_${'SN_1LDSB0_'.repeat(20)}WGM32.kd`;
    const root = await shown(withKernel({ name }));
    const span = table(root).querySelector<HTMLElement>('tbody .elided')!;
    expect(span.textContent).toMatch(/^Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_.*….*WGM32\.kd$/);
    expect(span.title).toBe(name);
    span.dispatchEvent(new Event('focus'));
    expect(span.textContent).toBe(name);
  });

  it('keeps its order with more columns, and drops it with other rows', async () => {
    const root = await shown(reportOf('staggered'));
    const sorted = (): string | null | undefined =>
      table(root).querySelector('th[aria-sort]')?.querySelector('button')?.textContent;
    table(root).querySelector<HTMLElement>('thead th button')!.click();
    await press(root, 'Columns');
    expect(sorted()).toBe('Kernel over op');
    await press(root, 'By op');
    expect(sorted()).toBeUndefined();
  });

  it('shows twelve rows, then all, and says what the rows are of all kernels', async () => {
    const root = await shown(huge(recorded('staggered')).report);
    expect(lines(root)).toHaveLength(12);
    await press(root, 'Show all 200 rows');
    expect(lines(root)).toHaveLength(200);
    expect(plain(table(root).querySelector('.note')?.textContent)).toMatch(
      /^The 200 with the most time of 9,000: \d+ %/,
    );
  });

  it('is filtered by phase and by words', async () => {
    const root = await shown(reportOf('staggered'));
    await search(root, 'phase', 'forward');
    const { names } = reportOf('staggered').kernels!;
    const forward = names.filter(({ phases }) => phases.includes('forward'));
    expect(lines(root)).toHaveLength(forward.length);
    expect(plain(root.querySelector('[role=status]')?.textContent)).toBe(`${forward.length} of ${names.length} match.`);
    await search(root, 'phase', '');
    await search(root, 'text', 'SOFTMAX tanh');
    expect(lines(root)).toHaveLength(0);
    await search(root, 'text', 'SOFTMAX_GPU');
    expect(lines(root)).toHaveLength(1);
    await press(root, 'On the host');
    expect(lines(root)).toHaveLength(0);
  });

  it('shows names, never markup', async () => {
    const root = await shown(hostile(recorded('staggered')).report);
    await press(root, 'Show all');
    expect(table(root).querySelectorAll('tbody img, tbody script, tbody b')).toHaveLength(0);
  });

  it('begins with the host where no kernel was recorded', async () => {
    const root = await shown(reportOf('host-only'));
    const lists = listings(reportOf('host-only'));
    expect(lists.map(({ id }) => id).filter((id) => id !== 'host')).toEqual([]);
    if (lists.length > 0) expect(heads(root)[0]).toBe('Op over type');
  });

  it('says nothing of what is left out where nothing is', () => {
    const [kernels] = listings(reportOf('staggered'));
    expect(listedSentence(kernels!)).toBe('');
    expect(found(kernels!, { phase: 'optimizer', text: '' })).toHaveLength(1);
=======
describe('the tables of kernels', () => {
  it('are chosen by name', async () => {
    const root = await shown(staggered());
    expect(heads(root)).toEqual(['Kernel over op', 'Per step', 'Share', 'Calls', 'Bound by', 'Of bound', 'To win']);
    // 486 GFLOP in 4.1 ms; at 312 TFLOP/s these take 1.56 ms, at 87 % of it 1.79 ms.
    expect(lines(root)[0]?.slice(1)).toEqual(['4.1 ms', '31 %', '2', 'compute', '38 %', '2.3 ms']);
    const button = await press(root, 'Ops');
    expect(button.getAttribute('aria-pressed')).toBe('true');
    expect(heads(root)[0]).toBe('Op over type');
    expect(lines(root)).toHaveLength(4);
  });

  it('are those of the host where no kernel was recorded', async () => {
    const root = await shown(hostOnly());
    expect(heads(root)[0]).toBe('Op over type');
    expect(plain(root.textContent)).toContain('No kernels can be given to steps in this profile');
  });

  it('show names, never markup', async () => {
    const root = await shown(hostile());
    expect(table(root).querySelectorAll('tbody img, tbody script, tbody b')).toHaveLength(0);
>>>>>>> blocks
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
    expect(await numbers(UNKNOWN)).toContain('MFU | not known | No work is known. How it is counted');
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
