/** What the verdict says, in the words of the exports (report/render/verdict.py). It repeats one finding. */

import { between, counted, duration, multiple, percent, savingTime } from '../../format.js';
import { type Marks, holding } from '../../list.js';
import type { Finding, Report, StepGroup } from '../../model.js';
import { aloneWords } from '../budget/logic.js';

/** The mean of steps that differ is a step's length if it is this close to that of the shorter ones. */
const ALIKE = 0.05;
/** The median is named if it differs from the mean by more. */
const BENT = 0.02;
/** A likely range that is wider, as a share of the time, tells its longer end only. */
const WIDE = 0.5;
/** From this share of start-up on, shares of the step are not those of training. */
const STARTUP_MARKED = 0.05;
/** Rules whose action finds a cause, and makes no step shorter by itself. */
const LOOKS_ONLY: ReadonlySet<string> = new Set(['unexplained-idle']);

export interface After {
  /** "After fix 1", or "After fixes 1 and 2" with what the user marked as done. */
  of: string;
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
  /** Whether the finding is worth a change. */
  acts: boolean;
  /** The first finding that the user did not mark, unless nothing can be judged or it brings no time. */
  first: Finding | null;
  /** "after the one you marked as done". */
  follows: string;
  /** "up to 8.0 ms per step (27 %)". */
  saving: string;
  level: string;
}

export function verdictOf(report: Report, marks: Marks = {}): Verdict {
  const { steps, capture_quality: quality } = report;
  const findings = steps.unit ? report.findings : [];
  const first = findings.find(({ id }) => !marks[id]) ?? null;
  const acts = first !== null && first.severity !== 'info';
  const earlier = findings.slice(0, first ? findings.indexOf(first) : undefined).map(({ id }) => marks[id]);
  const ask = earlier.length > 0 ? 'next' : 'first';
  return {
    unit: steps.unit && steps.unit !== 'step' ? `Time of a ${steps.unit}` : 'Step time',
    ...nowOf(report),
    after: acts ? afterOf(report, first, marks) : null,
    asks: acts ? `${shortens(first) ? 'Change' : 'Look'} ${ask}` : 'Verdict',
    action: acts ? first.action || first.title : resting(report, first, earlier),
    cause: acts ? first.cause || first.summary : checked(report),
    acts,
    first: acts || (report.ledger && first?.saving) ? first : null,
    follows:
      earlier.length > 0 ? `after the ${earlier.length === 1 ? 'one' : earlier.length} you marked${as(earlier)}` : '',
    saving: first ? savingText(first) + brings(first, acts && first === report.findings[0]) : '',
    level: quality?.level ?? '',
  };
}

/** What to say where no finding, or none that is left, is worth a change. */
function resting({ advice }: Report, first: Finding | null, marked: readonly (string | undefined)[]): string {
  if (marked.length === 0) return advice;
  if (first) return 'No other finding is worth 5\u00a0% of a step.';
  return marked.includes('done')
    ? `Record again: you marked every finding${as(marked)}.`
    : `You marked every finding${as(marked)}.`;
}

function as(marked: readonly (string | undefined)[]): string {
  const words = [
    ...(marked.includes('done') ? ['done'] : []),
    ...(marked.includes('irrelevant') ? ['not relevant'] : []),
  ];
  return ` as ${words.join(' or ')}`;
}

export interface Band {
  title: string;
  words: string;
  /** The note of the capture that says more. */
  note: Finding | null;
  /** A line to copy. */
  line: string;
}

/** What to record next time, where this capture is too thin to rely on, or holds no GPU events. */
export function bandOf({ capture_quality: quality, trust, gpus, advice }: Report): Band | null {
  const doubts = trust.filter(({ severity }) => severity !== 'info');
  if (quality?.level === 'none') {
    const note = doubts.find(({ id }) => id === 'no-device-events') ?? null;
    const words =
      gpus.total > 0
        ? 'Record again where CUPTI is installed and may be used.'
        : 'If the training uses GPUs, record it on their machine, with CUPTI installed.';
    return { title: 'No GPU events recorded', words: note ? remedy(note, advice) : words, note, line: '' };
  }
  const note = quality?.level === 'thin' ? (doubts.find(({ id }) => id === 'too-few-steps') ?? doubts[0]) : undefined;
  return note ? { title: note.title, words: remedy(note, advice), note, line: lineOf(note) } : null;
}

/** What to do, unless the verdict itself says so. */
function remedy({ fix }: Finding, advice: string): string {
  return advice.includes(fix.summary) ? '' : fix.summary;
}

/** The line of the note's code that chooses the steps. */
function lineOf({ fix }: Finding): string {
  const lines = (fix.snippets[0]?.code ?? '').split('\n');
  return lines.find((line) => line.includes('profile_batch'))?.trim() ?? '';
}

/** "; alone it brings 41.9 ms", if that is less than the first finding claims. */
function brings(finding: Finding, leads: boolean): string {
  const { saving } = finding;
  const words = leads && saving && !saving.once_ns ? aloneWords({ finding, rank: 1, ns: saving.ns }) : '';
  return words && `; ${words}`;
}

export function savingText(finding: Finding): string {
  const { saving } = finding;
  if (!saving) return '';
  if (saving.once_ns) return savingTime(saving);
  const rare = usual(finding) ? '' : ', averaged over all steps';
  return `${savingTime(saving)} per step (${percent(saving.ratio)})${rare}`;
}

function isThin({ capture_quality: quality }: Report): boolean {
  return quality?.level === 'thin' || quality?.level === 'none';
}

export function nowOf(report: Report): Pick<Verdict, 'now' | 'note'> {
  const { steps, ledger, headline, devices } = report;
  const word = steps.unit.split(' ')[0] || 'step';
  if (!steps.unit) return { now: [], note: headline };
  if (steps.groups.length > 0)
    return {
      now: [...steps.groups, ...(steps.rare ? [steps.rare] : [])].map((group) => ({
        time: duration(group.step_ns || group.p50_ns),
        of: members(group, word),
      })),
      note: '',
    };
  if (steps.count === 0) {
    const busy = devices.filter((d) => d.participates).map((d) => d.busy_ratio);
    const mean = busy.reduce((sum, ratio) => sum + ratio, 0) / busy.length;
    // Without steps it is not known which of it is waiting.
    const ran = busy.length > 0 ? `; kernels and copies run for ${percent(mean)} of it on the GPUs` : '';
    return { now: [], note: `No step was told apart in the recording${ran}` };
  }
  const median = steps.count === 1 ? 'as the host marks it' : 'median, as the host marks them';
  const judged = steps.items.filter((item) => item.judged);
  const partial = judged.length > 0 && judged.every(({ note }) => note.startsWith('partial'));
  const parts = `recorded ${judged.length === 1 ? 'part of one step' : `parts of ${judged.length} steps`}`;
  if (!ledger)
    return {
      now: [{ time: duration(steps.p50_ns), of: '' }],
      note: `${partial ? parts : counted(steps.count, word)}, ${median}`,
    };
  const bent = steps.count > 2 && Math.abs(ledger.step_ns - steps.p50_ns) > BENT * steps.p50_ns;
  const lengths = steps.items_total <= steps.items_cap ? judged.map((i) => (i.end_ms - i.begin_ms) * 1e6) : [];
  const low = Math.min(...lengths);
  const high = Math.max(...lengths);
  const span = lengths.length > 0 && duration(low) !== duration(high) ? `, ${between(low, high)}` : '';
  const rare = steps.rare ? `; ${duration(steps.rare.step_ns)} ${members(steps.rare, word)}` : '';
  const other = bent ? `; mean, the median is ${duration(steps.p50_ns)}` : '';
  return {
    now: [{ time: duration(ledger.step_ns), of: '' }],
    note: partial ? parts : `${counted(steps.count, steps.rare ? `usual ${word}` : word)}${span}${other}${rare}`,
  };
}

/** "on worker-3", "in 6 long steps". */
function members({ name, count }: StepGroup, word: string): string {
  return name.endsWith(' steps')
    ? `in ${count} ${name.slice(0, -'steps'.length)}${word}${count === 1 ? '' : 's'}`
    : `on ${name}`;
}

/** Whether what it saves lies in the usual step, not in rare long ones. */
function usual({ saving }: Finding): boolean {
  return Object.keys(saving?.accounts ?? {}).length > 0;
}

/** Whether its action makes steps shorter. */
function shortens({ id, saving }: Finding): boolean {
  return saving !== null && saving.once_ns === 0 && !LOOKS_ONLY.has(id);
}

export function afterOf(report: Report, finding: Finding, marks: Marks = {}): After | null {
  const { ledger, steps } = report;
  const { id, saving, after: alone } = finding;
  if (!saving || !usual(finding) || !shortens(finding) || !ledger) return null;
  const [step, thin] = [ledger.step_ns, isThin(report)];
  // With what is done the claims add up; of one finding alone the replay knows more.
  const done = report.findings.filter((one) => marks[one.id] === 'done' && shortens(one) && usual(one));
  const after = done.length > 0 ? null : alone;
  const ns = after ? after.ns : step - [saving.ns, ...done.map((one) => one.saving?.ns ?? 0)].reduce((a, b) => a + b);
  const of = `After fix${done.length > 0 ? 'es' : ''} ${listed(
    [...done.map((one) => one.id), id].map((one) => holding(report.findings, one)?.rank ?? 1),
  )}`;
  const gain = `−${percent((step - ns) / Math.max(1, step))}${ns > 0 ? `, ${multiple(step / ns)}` : ''}`;
  const change = `${gain}${steps.groups.length > 0 ? ' on average' : ''}${thin ? ' at best' : ''}`;
  const shortest = Math.min(...steps.groups.map((group) => group.p50_ns));
  if (Number.isFinite(shortest) && Math.abs(ns - shortest) > ALIKE * shortest)
    return { of, time: `${thin ? '≤ ' : ''}${duration(step - ns)} less`, change, likely: '' };
  const least = thin || (after === null && saving.bound);
  const [low, high] = [after?.low_ns ?? 0, after?.high_ns ?? 0];
  // A fix that makes all steps alike makes none shorter than the short ones.
  const wide = Number.isFinite(shortest) || high - low > WIDE * ns;
  return {
    of,
    time: `${least ? '≥ ' : ''}${duration(ns)}`,
    change,
    likely: thin || !after ? '' : `likely ${wide ? `at most ${duration(high)}` : between(low, high)}`,
  };
}

/** "1 and 2", or "1, 2 and 3". */
function listed(ranks: readonly number[]): string {
  const sorted = [...ranks].sort((a, b) => a - b);
  return sorted.length === 1 ? `${sorted[0]}` : `${sorted.slice(0, -1).join(', ')} and ${sorted.at(-1)}`;
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
  const starting = ledger.accounts.find(({ id }) => id === 'idle.startup');
  if (starting && starting.ratio >= STARTUP_MARKED)
    return {
      share:
        `Start-up takes ${duration(starting.ns)} of it (${percent(starting.ratio)}), ` +
        'which later steps do not have',
      mfu: '',
    };
  const share = ledger.accounts.find(({ id }) => id === 'compute')?.ratio ?? 0;
  const what = steps.groups.length > 0 ? 'time' : (steps.unit.split(' ')[0] ?? 'step');
  return {
    share: `Computes ${percent(share)} of the ${what}`,
    mfu: k.mfu_ratio === null ? '' : `${percent(k.mfu_ratio)} ${k.mfu_basis.replace(/ \([^)]*\)/, '')}`,
  };
}
