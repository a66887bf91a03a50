/// <reference types="vite/client" />
import { describe, expect, it } from 'vitest';
import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { accountLook } from '../src/accounts.js';
import '../src/elements/text.js';
import { learn, meaningOf, terms } from '../src/glossary.js';

learn(GLOSSARY);

const LABELS = [
  ...['compute', 'compute.floor', 'compute.recoverable', 'compute.not_judged'],
  ...['communication.transfer', 'communication.wait', 'copy.h2d', 'copy.d2h', 'copy.d2d'],
  ...['stagger', 'input', 'launch', 'dispatch', 'compile', 'host_op', 'sync', 'between_steps', 'unknown'].map(
    (kind) => `idle.${kind}`,
  ),
].map((id) => accountLook(id).words);

const words = (sentence: string): string[] =>
  terms(sentence).flatMap((part) => (typeof part === 'string' ? [] : part.word));

describe('terms', () => {
  it('are found where they are words, once in a sentence', () => {
    expect(words('Small kernels: each kernel is launched alone, and AllReduce waits for the launch.')).toEqual([
      'kernels',
      'launched',
      'AllReduce',
    ]);
    expect(words('97 % in 16 bit, the rest in TF32 on Tensor Cores.')).toEqual(['16 bit', 'TF32', 'Tensor Cores']);
  });

  it('are not found inside names', () => {
    expect(words('model/kernel_3/launch:0 in my-kernel and ops.py, step-kernel/x takes 3 ms')).toEqual([]);
    expect(words('optimizer, Upstream, hops')).toEqual([]);
  });

  it('are all labels of accounts, as a whole', () => {
    for (const label of LABELS) expect(terms(label)).toMatchObject([{ word: label }]);
    expect(words('Compute 26.7 ms, Launch wait 3.1 ms')).toEqual(['Compute', 'Launch wait']);
  });

  it('leave the sentence as it is', () => {
    const sentence = 'The ops (kernels) of XLA.\nNothing else.';
    expect(
      terms(sentence)
        .map((part) => (typeof part === 'string' ? part : part.word))
        .join(''),
    ).toBe(sentence);
    expect(terms('')).toEqual([]);
  });

  it('tell their meaning on focus', async () => {
    const text = Object.assign(document.createElement('tfperf-text'), { text: 'Waiting inside AllReduce.' });
    document.body.append(text);
    const term = text.querySelector('tfperf-term');
    const button = term?.shadowRoot?.querySelector('button');
    expect(button?.textContent).toBe('AllReduce');
    expect(button?.getAttribute('aria-description')).toContain('All GPUs add up tensors');
    button?.dispatchEvent(new Event('focus'));
    expect(term?.shadowRoot?.querySelector('#meaning')?.textContent).toContain('All GPUs add up tensors');
  });
});

describe('heads', () => {
  it('mean what the panel says of them, or the term that they begin with', () => {
    expect(meaningOf('Exposed', 'allreduce')).toBe(GLOSSARY.heads.allreduce.Exposed);
    expect(meaningOf('Blocks', 'memory')).toBe(GLOSSARY.heads.memory.Blocks);
    expect(meaningOf('Kernels', 'ops')).toMatch(/^A function that runs on the GPU/);
    expect(meaningOf('Own', 'nowhere')).toBeUndefined();
  });

  it('are only explained where a panel has them', () => {
    const sources = Object.entries(
      import.meta.glob('../src/**/*.ts', { query: '?raw', import: 'default', eager: true }),
    );
    const text = sources
      .filter(([path]) => !path.includes('fakes'))
      .map(([, source]) => source)
      .join('');
    const { 'per step': ofTheReport, ...heads } = GLOSSARY.heads;
    expect(Object.keys(ofTheReport)).toContain('ring bound');
    for (const head of Object.values(heads).flatMap((one) => Object.keys(one))) {
      expect(text, head).toMatch(new RegExp(`(['"])${head}\\1`));
    }
  });
});
