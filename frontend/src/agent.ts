/** A finding as Markdown, for one who is to mend it: what, why, how much, where, and how to see that it worked. */

import { deviceName, quantity, threshold, timelineRange } from './format.js';
import type { Evidence, Finding, Place, Report } from './model.js';
import { type After, afterOf, nowOf, savingText } from './panels/verdict/logic.js';

export function agentText(report: Report, finding: Finding): string {
  const { id, title, severity, confidence, action, cause, summary, command, evidence, where, fix } = finding;
  const { now, note } = nowOf(report);
  const after = afterOf(report, finding);
  const saving = savingText(finding);
  const level = report.capture_quality?.level;
  const step = [now.map(({ time, of }) => `${time} ${of}`.trim()).join(', '), inline(note)].filter(Boolean).join(', ');
  const part = (head: string, lines: readonly string[]): string[] =>
    lines.length > 0 ? ['', `## ${head}`, ...lines] : [];
  const lines = [
    `# ${inline(action || title)}`,
    '',
    inline(cause || summary),
    '',
    `- Run: ${inline(report.run)}`,
    `- Finding: ${inline(title)} (\`${id}\`), ${severity}, ${confidence} confidence`,
    ...(step ? [`- Step: ${step}`] : []),
    ...(saving ? [`- Saves ${saving}`] : []),
    ...(after ? [`- After the fix: ${[after.time, after.likely, after.change].filter(Boolean).join(', ')}`] : []),
    ...(level ? [`- Evidence of the capture: ${level}`] : []),
    ...part('Measured', evidence.map(measured)),
    ...part('Places', where.map(placed)),
    ...part(
      'Do',
      (fix.actions.length > 0 ? fix.actions : [fix.summary]).filter(Boolean).map((one) => `- ${inline(one)}`),
    ),
    ...(command ? ['', '```sh', command.replace(/\s+/g, ' '), '```'] : []),
    ...part('Verify', [`Record again: ${aims(evidence, after).join(', ')}. The finding \`${id}\` is gone then.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function measured(item: Evidence): string {
  const against = [threshold(item), item.source].filter(Boolean).map(inline).join(', ');
  return `- ${inline(item.label)}: ${inline(quantity(item.value, item.unit))}${against && ` (${against})`}`;
}

function placed({ host, device, stream, step, begin_ms, end_ms, label }: Place): string {
  const on = [host, deviceName(device ?? ''), stream ?? ''].filter(Boolean).map(inline).join(' ');
  const when = `${step === null ? '' : `step ${step}, `}${timelineRange(begin_ms, end_ms)}`;
  return `- ${label ? `${inline(label)}: ` : ''}${on}, ${when}`;
}

/** "Launch skew below 0.6 ms", "step near 22.1 ms". */
function aims(evidence: readonly Evidence[], after: After | null): string[] {
  const limit = evidence.find((one) => typeof one.value === 'number' && one.threshold !== null);
  const less = after?.time.includes('less');
  return [
    limit
      ? `${inline(limit.label)} ${Number(limit.value) < Number(limit.threshold) ? 'above' : 'below'} ` +
        quantity(limit.threshold as number, limit.unit)
      : '',
    after && !less
      ? `step ${after.time.startsWith('≥') ? `no shorter than ${after.time.slice(2)}` : `near ${after.time}`}`
      : '',
    'compare both runs',
  ].filter(Boolean);
}

/** Names of a profile on one line, and never markup. */
function inline(words: string): string {
  return words.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
