import { describe, expect, it } from 'vitest';
import * as allreduce from '../src/allreduce.js';
import { staggered, unreduced } from '../src/fakes.js';
import type { AllReduce } from '../src/model.js';
import { learn } from '../src/glossary.js';
import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';

learn(GLOSSARY);

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

const card = staggered().allreduce as AllReduce;
const without = unreduced().allreduce as AllReduce;

describe('numbers of the card', () => {
  it('are estimates beside measurements, each with its meaning', () => {
    const said = allreduce.sentence(card).map(({ term, value, note }) => plain(`${term} ${value}${note}`));
    expect(said).toEqual([
      'guide estimate 0.45 ms',
      'ring bound 0.67 ms',
      'measured transfer 0.91 ms',
      'waiting 3.8 ms, mostly for GPU 3',
    ]);
    const all = [...allreduce.sentence(card), ...allreduce.further(card), ...allreduce.lines(card)];
    expect(all.filter(({ meaning }) => meaning === '')).toEqual([]);
  });

  it('leave out what was not measured', () => {
    expect(allreduce.sentence(without).map(({ value }) => value)).toEqual(['not known', 'not known']);
    expect(allreduce.further(without)).toEqual([]);
    expect(allreduce.lines(without).map(({ term }) => term)).not.toContain('Exposed');
  });

  it('name a GPU only if more than half of the waiting is for it', () => {
    const caused = (...ns: number[]): AllReduce => ({
      ...card,
      devices: ns.map((caused_wait_ns, i) => ({ ...card.devices[0]!, device: `GPU:${i}`, caused_wait_ns })),
    });
    expect(allreduce.mostWaitedFor(caused(1, 2, 10))).toBe('GPU 2');
    expect(allreduce.mostWaitedFor(caused(5, 5))).toBe('');
    expect(allreduce.mostWaitedFor(caused(0, 0))).toBe('');
    expect(allreduce.mostWaitedFor({ ...caused(0, 9), hosts_count: 2 })).toBe('worker-0 GPU 1');
    expect(allreduce.sentence({ ...card, wait_ns: 0 }).at(-1)?.note).toBe('');
  });

  it('say how parameters and bandwidth are known', () => {
    const note = (change: Partial<AllReduce>): string => plain(allreduce.parametersNote({ ...card, ...change }));
    expect(note({})).toBe('25,600,000, estimated from the profile: bytes reduced per step / 4 bytes');
    expect(note({ parameters_source: 'given', parameters_basis: '' })).toBe(
      '25,600,000, as typed. Empty the field to go back.',
    );
    expect(note({ parameters_source: 'recorded', parameters_basis: '' })).toBe('25,600,000, recorded by the training');
    expect(allreduce.parametersNote(without)).toBe('not known: type it to get the estimates');
    expect(plain(allreduce.bandwidthNote(card))).toBe('230 GB/s, NVLink 3, measured bus bandwidth');
    const unknown = (bandwidth_source: string): string =>
      allreduce.bandwidthNote({ ...card, bandwidth_gbps: null, bandwidth_source });
    expect(unknown('')).toBe('not known: type it to get the estimates');
    expect(unknown('the link is not known')).toBe('the link is not known: type it to get the estimates');
  });

  it('say why estimate and measurement differ, or that nothing was measured', () => {
    expect(allreduce.difference(card)).toBe(card.difference);
    expect(allreduce.difference({ ...card, difference: '' })).toBe('');
    expect(allreduce.difference(without)).toContain('With the number of parameters');
    expect(allreduce.difference({ ...without, guide_ns: 5 })).toBe(
      'No collective was recorded in this profile; the estimates say what AllReduce should take.',
    );
  });
});

describe('tables of the card', () => {
  it('name sizes, GPUs and calls', () => {
    expect(card.sizes.map((_, i) => plain(allreduce.sizeWords(card.sizes, i)))).toEqual([
      'up to 1.0 MB',
      'more than 1.0 MB',
    ]);
    expect(allreduce.sizeWords(card.sizes.slice(1), 0)).toBe('largest');
    const call = card.calls[0]!;
    expect(allreduce.lastWords(call)).toBe('GPU 3');
    expect(allreduce.lastWords({ ...call, last: 'worker-1 GPU:3' })).toBe('worker-1 GPU 3');
    expect(allreduce.lastWords({ ...call, last: '' })).toBe('not known');
    expect(allreduce.callPlace(call)).toMatchObject({
      host: 'worker-0',
      begin_ms: call.begin_ms,
      end_ms: call.end_ms,
      step: 5,
    });
    expect(plain(allreduce.callPlace({ ...call, size_bytes: null }).label)).toBe('AllReduce, 0.73 ms of transfer');
    expect(['reduce_scatter', 'all_gather', 'other'].map(allreduce.kindWords)).toEqual([
      'ReduceScatter',
      'AllGather',
      'other',
    ]);
  });
});
