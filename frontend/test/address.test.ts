import { describe, expect, it } from 'vitest';
import { NOWHERE, isOurs, readAddress, writeAddress } from '../src/address.js';

describe('address', () => {
  it('comes back as it was written, whatever the names hold', () => {
    const state = {
      run: 'a/b &=#% ü',
      finding: 'gpu-stagger',
      base: 'c/d',
      zoom: '5-9',
      step: '12~2',
      without: 'a-b,c',
      sort: '-step',
      only: 'critical',
      filter: 'A100 <b>',
      row: 'a/b c',
      pair: '["a","b&c"]',
      trial: 'tuned',
      parameters: '25.6 M',
      steps_per_epoch: '300',
      bandwidth: '300GB/s per direction',
    };
    const hash = writeAddress('#diagnostics', state);
    expect(hash.startsWith('#diagnostics&p.diagnostics.run=')).toBe(true);
    expect(readAddress(hash)).toEqual(state);
  });

  it('replaces its own keys and keeps those of others', () => {
    const hash = writeAddress('#diagnostics&p.diagnostics.run=old&theme=x', { ...NOWHERE, run: 'new' });
    expect(hash).toBe('#diagnostics&theme=x&p.diagnostics.run=new');
    expect(writeAddress(hash, NOWHERE)).toBe('#diagnostics&theme=x');
  });

  it('ignores what it cannot use', () => {
    expect(readAddress('')).toEqual(NOWHERE);
    expect(readAddress('#diagnostics&p.diagnostics.run=')).toEqual(NOWHERE);
    expect(readAddress('#p.diagnostics.parameters=&p.diagnostics.bandwidth')).toEqual(NOWHERE);
    expect(readAddress('#p.diagnostics.run=%E0%A4%A').run).toBe('%E0%A4%A');
  });

  it('belongs to this tab only while TensorBoard shows it', () => {
    expect(isOurs('')).toBe(true);
    expect(isOurs('#diagnostics&p.diagnostics.run=a')).toBe(true);
    expect(isOurs('#profile')).toBe(false);
  });
});
