/** What the verdict says, in the words of the exports (report/render/verdict.py). It repeats the first finding. */

import { counted, deviceName, duration, percent, quantity, savingTime, timelineRange } from '../../format.js';
import type { Finding, Report, StepGroup } from '../../model.js';

/** The mean of steps that differ is a step's length if it is this close to that of the shorter ones. */
const ALIKE = 0.05;
/** The median is named if it differs from the mean by more. */
const BENT = 0.02;

export interface After {
  /** "22.1 ms" or "≥ 8.0 ms"; with a word if it is no step's length. */
  time: string;
  /** "−27 %, 1.36×". */
  change: string;
  likely: string;
}

export interface Verdict {
  unit: string;
  /** Times of a step, several where steps differ; a sentence where there are none. */
  now: { time: string; of: string }[];
  note: string;
  after: After | null;
  asks: string;
  action: string;
  cause: string;
  /** Whether the first finding is worth a change. */
  acts: boolean;
  first: Finding | null;
  /** "up to 8.0 ms per step (27 %)". */
  saving: string;
  level: string;
}

export function verdictOf(report: Report): Verdict {
  const { steps, advice, capture_quality: quality } = report;
  const first = (steps.unit && report.findings[0]) || null;
  const acts = first !== null && first.severity !== 'info';
  return {
    unit: steps.unit && steps.unit !== 'step' ? `Time of a ${steps.unit}` : 'Step time',
    ...now(report),
    after: acts ? after(report, first) : null,
    asks: acts ? (first.saving && !first.saving.once_ns ? 'Change first' : 'Look first') : 'Verdict',
    action: acts ? first.action || first.title : advice,
    cause: acts ? first.cause || first.summary : checked(report),
    acts,
    first,
    saving: first ? savingText(first) : '',
    level: quality?.level ?? '',
  };
}

export function savingText({ saving }: Finding): string {
  if (!saving) return '';
  return saving.once_ns ? savingTime(saving) : `${savingTime(saving)} per step (${percent(saving.ratio)})`;
}

function isThin({ capture_quality: quality }: Report): boolean {
  return quality?.level === 'thin' || quality?.level === 'none';
}

function now(report: Report): Pick<Verdict, 'now' | 'note'> {
  const { steps, ledger, headline, devices } = report;
  const word = steps.unit.split(' ')[0] || 'step';
  if (!steps.unit) return { now: [], note: headline };
  if (steps.groups.length > 0)
    return { now: steps.groups.map((group) => ({ time: duration(group.p50_ns), of: members(group, word) })), note: '' };
  if (steps.count === 0) {
    const busy = devices.filter((d) => d.participates).map((d) => d.busy_ratio);
    const mean = busy.reduce((sum, ratio) => sum + ratio, 0) / busy.length;
    const active = busy.length > 0 ? `; the GPUs are active for ${percent(mean)} of it` : '';
    return { now: [], note: `No step was told apart in the recording${active}` };
  }
  if (!ledger)
    return {
      now: [{ time: duration(steps.p50_ns), of: '' }],
      note: `median of ${counted(steps.count, word)}, as the host marks them`,
    };
  const judged = steps.items.filter((item) => item.judged);
  const partial = judged.length > 0 && judged.every(({ note }) => note.startsWith('partial'));
  const bent = Math.abs(ledger.step_ns - steps.p50_ns) > BENT * steps.p50_ns;
  const parts = judged.length === 1 ? 'part of one step' : `parts of ${judged.length} steps`;
  const lengths = steps.items_total <= steps.items_cap ? judged.map((i) => (i.end_ms - i.begin_ms) * 1e6) : [];
  const low = Math.min(...lengths);
  const high = Math.max(...lengths);
  const span = lengths.length > 0 && duration(low) !== duration(high) ? `, ${between(low, high)}` : '';
  const median = bent ? `; mean, the median is ${duration(steps.p50_ns)}` : '';
  return {
    now: [{ time: duration(ledger.step_ns), of: '' }],
    note: partial ? `recorded ${parts}` : `${counted(steps.count, word)}${span}${median}`,
  };
}

/** "on worker-3", "in 6 long steps". */
function members({ name, count }: StepGroup, word: string): string {
  return name.endsWith(' steps')
    ? `in ${count} ${name.slice(0, -'steps'.length)}${word}${count === 1 ? '' : 's'}`
    : `on ${name}`;
}

/** "19.2–23.2 ms". */
export function between(low: number, high: number): string {
  const [from, to] = [duration(low), duration(high)];
  const unit = to.slice(to.search(/\s/));
  return from === to ? to : `${from.endsWith(unit) ? from.slice(0, -unit.length) : from}–${to}`;
}

function after(report: Report, { saving, after }: Finding): After | null {
  const { ledger, steps } = report;
  if (!saving || saving.once_ns || !ledger) return null;
  const [step, thin] = [ledger.step_ns, isThin(report)];
  const ns = after ? after.ns : step - saving.ns;
  const gain = `−${percent((step - ns) / Math.max(1, step))}${ns > 0 ? `, ${(step / ns).toFixed(2)}×` : ''}`;
  const change = `${gain}${steps.groups.length > 0 ? ' on average' : ''}${thin ? ' at best' : ''}`;
  const shortest = Math.min(...steps.groups.map((group) => group.p50_ns));
  if (Number.isFinite(shortest) && Math.abs(ns - shortest) > ALIKE * shortest)
    return { time: `${thin ? '≤ ' : ''}${duration(step - ns)} less`, change, likely: '' };
  const least = thin || (after === null && saving.bound);
  const [low, high] = after ? [Math.max(0, after.low_ns), after.high_ns] : [0, 0];
  return {
    time: `${least ? '≥ ' : ''}${duration(ns)}`,
    change,
    likely: thin || !after ? '' : `likely ${low > 0 ? between(low, high) : `at most ${duration(high)}`}`,
  };
}

/** What was judged; first what the profile is of, if of no GPU. */
function checked({ passed, missing_data: missing, not_applicable: others, ...report }: Report): string {
  const parts = [
    `${counted(passed.length, 'check')} passed`,
    ...(missing.length > 0 ? [`${missing.length} lacked data`] : []),
    ...(others.length > 0 ? [`${others.length} do not apply`] : []),
  ];
  const what = report.steps.unit && report.devices.length === 0 ? `${report.headline} ` : '';
  return `${what}${parts.join(', ')}.`;
}

/** "Computes 72 % of the step", and what MFU is of. */
export function computeLine({ ledger, steps, key_numbers: k }: Report): { share: string; mfu: string } | null {
  if (!ledger || !steps.unit) return null;
  const share = ledger.accounts.find(({ id }) => id === 'compute')?.ratio ?? 0;
  const what = steps.groups.length > 0 ? 'time' : (steps.unit.split(' ')[0] ?? 'step');
  return {
    share: `Computes ${percent(share)} of the ${what}`,
    mfu: k.mfu_ratio === null ? '' : `${percent(k.mfu_ratio)} ${k.mfu_basis.replace(/ \([^)]*\)/, '')}`,
  };
}

/** The first finding for one who is to mend it: what, why, how much, where, and how to see that it worked. */
export function agentText(report: Report): string {
  const { first, action, cause, unit, now, note, after, saving, level } = verdictOf(report);
  if (!first) return '';
  const times = now.map(({ time, of }) => `${time} ${of}`.trim()).join(', ');
  const limits = first.evidence.flatMap(({ label, value, unit: of, threshold }) =>
    typeof value === 'number' && threshold !== null
      ? [`${inline(label)} ${value >= threshold ? '≤' : '≥'} ${quantity(threshold, of)}`]
      : [],
  );
  const lines = [
    `# ${inline(action)}`,
    '',
    inline(cause),
    '',
    `- Run: ${inline(report.run)}`,
    `- ${inline(unit)}: ${[times, inline(note)].filter(Boolean).join(', ')}`,
    ...(after ? [`- After the fix: ${[after.time, after.likely, after.change].filter(Boolean).join(', ')}`] : []),
    `- Severity: ${first.severity}; ${first.confidence} confidence${saving && `; ${saving}`}`,
    `- Evidence of the capture: ${level}`,
    '',
    '## Measured',
    ...first.evidence.map((e) => `- ${inline(e.label)}: ${inline(quantity(e.value, e.unit))}`),
    ...(first.where.length > 0 ? ['', '## Places'] : []),
    ...first.where.map((p) => {
      const on = [p.host, deviceName(p.device ?? ''), p.stream ?? ''].filter(Boolean).join(' ');
      return `- ${inline(p.label)}: ${inline(on)}, ${timelineRange(p.begin_ms, p.end_ms)}`;
    }),
    ...(first.fix.actions.length > 0 ? ['', '## Do', ...first.fix.actions.map((one) => `- ${inline(one)}`)] : []),
    ...(first.command ? ['', '```sh', first.command.replace(/\s+/g, ' '), '```'] : []),
    '',
    '## Verify',
    `Record again: the finding \`${first.id}\` is gone` +
      (after && !after.time.includes('less') ? `, and a step takes ${near(after.time)}.` : '.'),
    ...limits.slice(0, 1).map((limit) => `Look at: ${limit}.`),
  ];
  return `${lines.join('\n')}\n`;
}

function near(time: string): string {
  return time.startsWith('≥') ? `no less than ${time.slice(2)}` : `about ${time}`;
}

/** Names of a profile on one line, and never markup. */
function inline(words: string): string {
  return words.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
