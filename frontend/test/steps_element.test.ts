import { describe, expect, it } from 'vitest';
import '../src/elements/steps.js';
import { staggered } from '../src/fakes.js';
import type { Omitted } from '../src/model.js';

function notes(omitted: Omitted[]): string[] {
  const steps = Object.assign(document.createElement('tfperf-steps'), { report: { ...staggered(), omitted } });
  document.body.append(steps);
  return [...steps.shadowRoot!.querySelectorAll<HTMLElement>('.note')]
    .filter(({ hidden }) => !hidden)
    .map((one) => one.textContent.trim());
}

describe('what is not kept of a large run', () => {
  it('is said beside the timeline', () => {
    expect(notes([{ what: 'timeline', hosts: ['b'], sentence: 'Timelines are kept of 1 of 2 hosts only.' }])).toContain(
      'Timelines are kept of 1 of 2 hosts only.',
    );
  });

  it('is nothing where all is kept', () => {
    expect(notes([])).not.toContain('');
    expect(notes([{ what: 'what_if', hosts: ['b'], sentence: 'No what-if.' }])).not.toContain('No what-if.');
  });
});
