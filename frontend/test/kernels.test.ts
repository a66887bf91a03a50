import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { beforeEach, describe, expect, it } from 'vitest';
import { healthy, hostOnly, idleGpus, staggered } from '../src/fakes.js';
import { learn, meaningOf } from '../src/glossary.js';
import { hostile } from '../src/hostile.js';
import type { KeyNumbers, Report } from '../src/model.js';
import '../src/panels/kernels/element.js';
import { settled } from './settled.js';

beforeEach(() => document.body.replaceChildren());
learn(GLOSSARY);

const plain = (text: string | null | undefined): string =>
  (text ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();

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
  });
});

describe('compute', () => {
  it('has a table by kind', async () => {
    const root = await shown(staggered());
    const rows = [...root.querySelectorAll('.parts tr')].map((row) =>
      [...row.children].slice(0, 5).map((cell) => plain(cell.textContent)),
    );
    expect(rows[1]?.slice(1)).toEqual(['9.4 ms', '4.6 ms', '4.8 ms', '0 ms']);
    expect(rows.at(-1)).toEqual(['compute', '13.2 ms', '6.4 ms', '6.1 ms', '0.70 ms']);
    expect(plain(root.querySelector('tr.sum svg')?.getAttribute('aria-label'))).toContain('could be won, 6.1 ms');
  });

  it('is drawn by phase, with its numbers', async () => {
    const root = await shown(staggered());
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
    const report = healthy();
    return { ...report, key_numbers: { ...report.key_numbers, ...change } };
  };

  it('have MFU with its peak, HFU, the rate, what is judged, and formats', async () => {
    const all = await numbers(known({ compute_16bit_ratio: 0.7, compute_tf32_ratio: 0.2 }));
    expect(all).toContain('MFU | 39 % | of 312 TFLOP/s in bf16, dense (data sheet of the A100) How it is counted');
    expect(all).toContain('HFU | 46 %');
    expect(all).toContain('achieved per GPU | 143 TFLOP/s');
    expect(all).toContain('of compute judged | 94 %');
    expect(all).toContain('of compute in 16 bit | 70 %');
    expect(all).toContain('of compute in TF32 | 20 %');
    expect(all.join()).toMatch(/of op time on the GPU/);
  });

  it('each tell what they mean on focus', async () => {
    const root = await shown(healthy());
    const terms = [...root.querySelectorAll('dl tfperf-term')];
    expect(terms.length).toBeGreaterThan(4);
    for (const term of terms)
      expect(
        term.shadowRoot!.querySelector('button')?.getAttribute('aria-description'),
        plain(term.textContent),
      ).toMatch(/\w+ \w+/);
  });

  it('have HFU only where recomputation is seen', async () => {
    expect((await numbers(staggered())).join()).not.toContain('HFU');
  });

  it('say why there is no MFU', async () => {
    expect(await numbers(idleGpus())).toContain(
      'MFU | not known | No work of a kernel is known from this profile. How it is counted',
    );
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
