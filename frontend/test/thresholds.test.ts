import { describe, expect, it } from 'vitest';
import { reportOf } from '../src/recorded.js';
import type { FindingWords, Report } from '../src/model.js';
import { difference, tried } from '../src/thresholds.js';
import { finding } from './some.js';

const TRIED = {
  rule: 'gpu-stagger',
  threshold: 'spread',
  name: 'spread of first kernels',
  value: 0.05,
  default: 0.02,
  unit: 'ratio' as const,
};

/** Words of findings of which nothing but the saving matters here. */
function savings(said: Record<string, string>): FindingWords[] {
  const [words] = reportOf('staggered').words;
  return Object.entries(said).map(([id, saving]) => ({ ...words!, id, saving }));
}

function report(change: Partial<Report> = {}): Report {
  const base = reportOf('staggered');
  return {
    ...base,
    findings: [finding()],
    words: savings({ 'step-gaps': 'up to 1.1 ms per step (3.0 %)' }),
    passed: [{ id: 'step-gaps', title: 'Steps follow each other', reason: 'Gaps take 0.4 %.', how: '' }],
    ...change,
  };
}

describe('what another threshold would change', () => {
  it('is nothing where both say the same', () => {
    expect(difference(report(), report({ tried: [TRIED] }), ['gpu-stagger'])).toEqual([]);
  });

  it('names what would be found, with saving and places', () => {
    const gaps = finding({
      id: 'step-gaps',
      title: 'Gaps between steps',
      severity: 'info',
      summary: 'Idle for 0.1 ms.',
      where: finding().where.slice(0, 2),
    });
    const [said] = difference(report(), report({ findings: [finding(), gaps], passed: [] }), []);
    expect(said?.replace(/\u00a0/g, ' ')).toBe(
      '“Gaps between steps” would be found: info, up to 1.1 ms per step (3.0 %), 2 places. Idle for 0.1 ms.',
    );
  });

  it('names what would no longer be found, and the advice that follows', () => {
    const passed = [
      ...report().passed,
      { id: 'gpu-stagger', title: 'Start of the GPUs', reason: 'They start 7.8 ms apart.', how: '' },
    ];
    expect(difference(report(), report({ findings: [], passed, advice: 'Nothing to do.' }), [])).toEqual([
      '“Launch skew across GPUs” would no longer be found; it would pass: They start 7.8 ms apart.',
      'The advice would be: Nothing to do.',
    ]);
  });

  it('tells severity, saving, confidence and words apart', () => {
    const other = finding({ severity: 'warning', confidence: 'low', saving: null, summary: 'No cause is named.' });
    expect(difference(report(), report({ findings: [other] }), [])).toEqual([
      '“Launch skew across GPUs” would be warning instead of critical, save nothing by ' +
        'itself, have low confidence.',
      '“Launch skew across GPUs” would say: No cause is named.',
    ]);
  });

  it('sees findings move under others and away from them', () => {
    const other = finding({ id: 'idle-gpus', title: 'Idle' });
    const apart = report({ findings: [finding(), other], passed: [] });
    const under = report({ findings: [finding({ explains: [other] })], passed: [] });
    expect(difference(apart, under, [])).toEqual(['“Idle” would be listed under “Launch skew across GPUs”.']);
    expect(difference(under, apart, [])).toEqual(['“Idle” would be a finding of its own.']);
  });

  it('hears other words of a check only where its own threshold is tried', () => {
    const other = report({
      passed: [{ id: 'step-gaps', title: 'Steps follow each other', reason: '0.4 %, below 3 %.', how: '' }],
    });
    expect(difference(report(), other, [])).toEqual([]);
    expect(difference(report(), other, ['step-gaps'])).toEqual([
      '“Steps follow each other” would pass: 0.4 %, below 3 %.',
    ]);
  });

  it('says which values', () => {
    const severity = { ...TRIED, rule: 'severity', name: 'warning', value: 0.005, default: 0.05 };
    expect(tried(report({ tried: [TRIED, severity] }))).toBe(
      'With 5 % instead of 2 % (spread of first kernels) and 0.5 % instead of 5 % (severity warning):',
    );
  });
});
