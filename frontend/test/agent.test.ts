import { describe, expect, it } from 'vitest';
import { agentText } from '../src/agent.js';
import { finding, hostOnly, staggered } from '../src/fakes.js';
import type { Report } from '../src/model.js';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
const thin = (): Report => ({ ...staggered(), capture_quality: { level: 'thin', reasons: [] } });

describe('the text for an agent', () => {
  const [first, second] = staggered().findings;

  it('tells what, why, where and how to verify', () => {
    const text = plain(agentText(staggered(), first!));
    for (const words of [
      '# Give each GPU its own launch threads\n',
      '- Step: 22.0 ms, 7 steps',
      '```sh\nTF_GPU_THREAD_MODE=gpu_private python train.py\n```',
      'Record again: Start spread, median of 7 steps below 0.44 ms, step near 14.9 ms, compare both runs.',
      'The finding `gpu-stagger` is gone then.',
      '96.2–118.1 ms',
      '(≥ 0.44 ms',
    ])
      expect(text).toContain(words);
    for (const head of ['Measured', 'Places', 'Do', 'Verify']) expect(text).toContain(`\n## ${head}\n`);
  });

  it('is of the finding that is asked for, not of the first', () => {
    const text = agentText(staggered(), second!);
    expect(text).toContain(`(\`${second?.id}\`)`);
    expect(text).not.toContain(first?.title);
  });

  it('promises no more than a thin capture can', () => {
    expect(plain(agentText(thin(), first!))).toContain('step no shorter than 14.9 ms');
    const text = agentText({ ...hostOnly(), findings: [first!] }, first!);
    expect(text).not.toMatch(/NaN|undefined|After the fix/);
  });

  it('keeps names of a profile on one line, and never as markup', () => {
    const text = agentText(staggered(), finding({ action: 'a\n# b', cause: '<b>x</b>\n# y' }));
    expect(text).toContain('# a \\# b\n');
    expect(text).toContain('\\<b\\>x\\</b\\> \\# y');
  });
});
