/** Which finding the verdict is of, by what the user marked, and what to record next time. */

import type { Marks } from '../../list.js';
import type { AfterWords, Finding, FindingWords, Report } from '../../model.js';

export interface Lead {
  asks: string;
  action: string;
  cause: string;
  /** A line to copy that does it, or tells what nobody knows; "" for none. */
  command: string;
  /** The first finding that the user did not mark, unless nothing can be judged or it brings no time. */
  first: Finding | null;
  words: FindingWords | undefined;
  /** "after the one you marked as done". */
  follows: string;
  /** "up to 8.0 ms per step (27 %); alone it brings 7.1 ms". */
  saving: string;
  /** The step without the first finding alone. */
  after: AfterWords | null;
  /** Ids of what is done and of the first finding, where their common effect has to be asked for; else empty. */
  together: string[];
}

export function leadOf(report: Report, marks: Marks = {}): Lead {
  const findings = report.steps.unit ? report.findings : [];
  const first = findings.find(({ id }) => !marks[id]) ?? null;
  const words = first ? wordsOf(report, first.id) : undefined;
  const earlier = findings.slice(0, first ? findings.indexOf(first) : undefined).map(({ id }) => marks[id]);
  const follows =
    earlier.length > 0 ? `after the ${earlier.length === 1 ? 'one' : earlier.length} you marked${as(earlier)}` : '';
  if (!first || !words?.asks) {
    const small = words?.most ? first : null;
    return {
      asks: 'Verdict',
      action: resting(report, first, earlier),
      cause: report.verdict.checked,
      command: (earlier.length === 0 && report.measure) || (small?.command ?? ''),
      first: small,
      words,
      follows,
      saving: words?.saving ?? '',
      after: null,
      together: [],
    };
  }
  const done = findings.filter(({ id }) => marks[id] === 'done' && wordsOf(report, id)?.after);
  const beside = first === findings[0] && !first.saving?.once_ns ? words.beside : '';
  return {
    asks: `${words.asks} ${earlier.length > 0 ? 'next' : 'first'}`,
    action: first.action || first.title,
    cause: first.cause || first.summary,
    command: first.command,
    first,
    words,
    follows,
    saving: [words.saving, beside].filter(Boolean).join('; '),
    after: done.length > 0 ? null : words.after,
    together: words.after && done.length > 0 ? [...done, first].map(({ id }) => id) : [],
  };
}

/** What the report says of a finding. */
export function wordsOf({ words }: Pick<Report, 'words'>, id: string): FindingWords | undefined {
  return words.find((one) => one.id === id);
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
    const note = doubts.find(({ id }) => id === 'no-device-events') ?? doubts[0] ?? null;
    const words =
      gpus.total > 0
        ? 'Record again where CUPTI is installed and may be used.'
        : 'If the training uses GPUs, record it on their machine, with CUPTI installed.';
    const title = note?.title ?? 'No GPU events recorded';
    return { title, words: note ? remedy(note, advice) : words, note, line: '' };
  }
  const worst = doubts.find(({ severity }) => severity === 'critical');
  const steps = doubts.find(({ id }) => id === 'too-few-steps');
  const note = quality?.level === 'thin' ? (worst ?? steps ?? doubts[0]) : undefined;
  if (!note) return null;
  // A line of the callback beside "needs no callback" would contradict it.
  const line = note.fix.actions.concat(note.fix.summary).some((one) => one.includes('tfperf record'))
    ? ''
    : lineOf(note);
  return { title: note.title, words: remedy(note, advice), note, line };
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
