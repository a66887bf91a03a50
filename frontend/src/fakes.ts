/** A backend that answers with recorded runs, and a host without TensorBoard, for the tests and for the dev page. */

import GLOSSARY from '../../tfperf_plugin/tensorboard/glossary.json';
import { type AddressState, NOWHERE, readAddress, writeAddress } from './address.js';
import {
  type Backend,
  BackendError,
  type Progress,
  type ReportRequest,
  type SavedTrace,
  type TimelineRequest,
  type TraceAccess,
} from './backend.js';
import { NO_TRIALS } from './controller.js';
import type { Glossary } from './glossary.js';
import type { Host } from './host.js';
import type { TraceTarget } from './links.js';
import type { Marks } from './list.js';
import type {
  Against,
  Board,
  Comparison,
  Prediction,
  Report,
  Side,
  StepTimeline,
  TimelineRow,
  Trials,
} from './model.js';
import { ALL, type Kind, type Recorded, comparison, reportOf } from './recorded.js';
import type { Thresholds } from './thresholds.js';
import { type Typed, UNTYPED } from './typed.js';
import type { Run } from './types.js';

/** Run that is compared with → what comes out of it. */
const COMPARED: Readonly<Record<string, Kind>> = {
  [reportOf('healthy').run]: 'worse',
  [reportOf('staggered').run]: 'better',
  [reportOf('grouped').run]: 'same',
  [reportOf('all-to-all').run]: 'unproven',
  [reportOf('host-only').run]: 'not-comparable',
  [reportOf('idle-gpus').run]: 'scaling',
};

const FAILURES: Record<string, BackendError> = {
  unreadable: new BackendError('The file worker-0.xplane.pb ends in the middle of an event.', 'unreadable'),
  'not judgeable': new BackendError('The profile holds no events.', 'not_judgeable'),
};

const DIVIDING = { stage: 'ledger', words: 'Dividing each step among its causes', share: 0.62 };

/** As the backend does with what it cannot read. */
function checkTyped(text: string | null, what: string): void {
  if (text !== null && !/^(\d|nvlink)/i.test(text))
    throw new BackendError(`${what} cannot be read from '${text}'.`, 'bad_request');
}

/** The report with what was typed in place of what the profile says; its estimates stay as they were. */
function withTyped(report: Report, { parameters, bandwidth }: ReportRequest): Report {
  checkTyped(parameters, 'The number of parameters');
  checkTyped(bandwidth, 'The bandwidth');
  const known = report.allreduce;
  const typed = new Map([
    ['parameters', parameters],
    ['bandwidth', bandwidth],
  ]);
  const numbers = known?.numbers.map((one) => {
    const value = typed.get(one.term);
    return value ? { ...one, value, known: 'as typed' } : one;
  });
  return { ...report, allreduce: known && { ...known, numbers: numbers ?? [] } };
}

/** As if every threshold were the share of the step that a finding must save. */
function withThresholds(report: Report, texts: readonly string[]): Report {
  const tried = texts.map((text) => {
    const [rule = '', threshold = '', value = ''] = text.split(':');
    if (!/^[\d.]+ ?%$/.test(value))
      throw new BackendError(`idle between steps: write a number like 2 % or 0.02, not '${value}'.`, 'bad_request');
    const ratio = Number.parseFloat(value) / 100;
    return { rule, threshold, name: 'idle between steps', value: ratio, default: 0.01, unit: 'ratio' as const };
  });
  const least = Math.max(0, ...tried.map(({ value }) => value));
  const less = report.findings.filter(({ saving }) => saving && saving.ratio < least);
  return {
    ...report,
    tried,
    findings: report.findings.filter((one) => !less.includes(one)),
    passed: [...report.passed, ...less.map(({ id, title }) => ({ id, title, reason: 'It is below that.', how: '' }))],
  };
}

/** The spans of the row that lie in the window. */
function inWindow(row: TimelineRow, begin: number, end: number): TimelineRow {
  const seen = row.begin_ns.map((at, i) => at < end && row.end_ns[i]! > begin);
  const kept = <T>(values: readonly T[]): T[] => values.filter((_, i) => seen[i]);
  return {
    ...row,
    begin_ns: kept(row.begin_ns),
    end_ns: kept(row.end_ns),
    code: kept(row.code),
    pieces: kept(row.pieces),
    thread: kept(row.thread),
    launched_ns: kept(row.launched_ns),
  };
}

/** The recorded step in place of the one that is asked for. */
export function stepTimeline({ timeline }: Recorded, { step, host, begin_ns, end_ns }: TimelineRequest): StepTimeline {
  if (!timeline) throw new BackendError('There is no such step.', 'bad_request');
  const end = Math.min(end_ns ?? timeline.length_ns, timeline.length_ns);
  const rows = timeline.rows.map((row) => inWindow(row, begin_ns, end));
  if (host === null) return { ...timeline, step, begin_ns, end_ns: end, rows };
  const alone = rows.filter((row) => row.host === host);
  return { ...timeline, step, begin_ns, end_ns: end, rows: alone, claims: [], arrows: [], others: null };
}

const BASELINE: Against = { verdict: 'base', change: null, why: '', sentence: '' };

/** A run beside this baseline. */
function beside(base: string): Against {
  const { verdict, times, sentence } = comparison(COMPARED[base] ?? 'not-comparable');
  return { verdict, change: times?.change ?? null, why: times ? '' : 'other model', sentence };
}

/** Serves recorded runs, failing runs, and one that never ends. */
export class FakeBackend implements Backend {
  readonly asked: ReportRequest[] = [];
  readonly timelines: TimelineRequest[] = [];
  readonly slices: TraceTarget[] = [];
  /** The names in each question for rows. */
  readonly boards: string[][] = [];
  access: TraceAccess = { state: 'ready', hosts: reportOf('staggered').hosts };
  kept: Trials = NO_TRIALS;
  /** What a report waits for after it has told its progress. */
  computing: Promise<void> | null = null;
  private stop: BackendError | null = null;
  private readonly stopped: ((why: Error) => void)[] = [];

  constructor(
    public names: string[] = [...ALL.map(({ report }) => report.run), ...Object.keys(FAILURES), 'analysing'],
    private readonly recorded: readonly Recorded[] = ALL,
  ) {}

  async runs(): Promise<Run[]> {
    return this.names.map((name) => ({ name, hosts: ['worker0'] }));
  }

  async trials(): Promise<Trials> {
    return this.kept;
  }

  private find(run: string): Recorded {
    const found = this.recorded.find(({ report }) => report.run === run);
    if (found) return found;
    throw FAILURES[run] ?? new BackendError(`There is no run "${run}" in this log directory.`, 'not_found');
  }

  async report(request: ReportRequest, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<Report> {
    this.asked.push(request);
    if (request.run === 'analysing') {
      if (request.again) this.stop = null;
      if (this.stop) throw this.stop;
      onProgress({ ...DIVIDING, hosts_done_count: 16, hosts_count: 256 });
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        this.stopped.push(reject);
      });
    }
    const answer = withThresholds(withTyped(this.find(request.run).report, request), request.tried ?? []);
    if (this.computing) {
      onProgress({ stage: 'rules', words: 'Checking the rules', share: 0.9 });
      await this.computing;
      signal.throwIfAborted();
    }
    return answer;
  }

  async cancel(run: string): Promise<void> {
    this.stop = new BackendError(`The analysis of run ${run} was stopped. It can be started again.`, 'cancelled');
    for (const reject of this.stopped.splice(0)) reject(this.stop);
  }

  async timeline(request: TimelineRequest): Promise<StepTimeline> {
    this.timelines.push(request);
    return stepTimeline(this.find(request.run), request);
  }

  async slice(target: TraceTarget): Promise<SavedTrace> {
    this.slices.push(target);
    return { content: new Blob(['']), name: 'trace.json.gz', note: 'It ends early.' };
  }

  async glossary(): Promise<Glossary> {
    return GLOSSARY;
  }

  async thresholds(): Promise<Thresholds> {
    const idle = { id: 'idle', name: 'idle between steps', unit: 'ratio', source: 'lowest severity', fixed: false };
    const gap = { ...idle, unit: 'ratio' as const, value: 0.01 };
    const rules = Object.fromEntries(
      ALL.flatMap(({ report: { findings, passed } }) => [...findings, ...passed]).map(({ id }) => [id, [gap]]),
    );
    const severities = Object.entries({ critical: 0.2, warning: 0.05, info: 0.01 });
    return {
      rules: {
        ...rules,
        'slow-host': [{ ...gap, id: 'hosts', name: 'hosts compared', value: 3, unit: 'count', fixed: true }],
      },
      severities: severities.map(([name, value]) => ({ ...gap, id: name, name, value })),
    };
  }

  async compare(
    [base = '', ...bases]: readonly string[],
    [run = '', ...runs]: readonly string[],
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<Comparison> {
    if (base === 'analysing') {
      onProgress(DIVIDING);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }
    const kind = bases.length + runs.length > 0 ? 'launches' : COMPARED[this.find(base).report.run];
    const found = comparison(kind ?? 'not-comparable');
    const side = (of: Side, name: string): Side => ({
      ...of,
      run: name,
      usual_step: this.recorded.find(({ report }) => report.run === name)?.report.steps.columns[0]?.id ?? null,
    });
    return { ...found, base: side(found.base, base), new: side(found.new, run) };
  }

  /** Of 'analysing' it is never done, and 'unreadable' says why. */
  async board(names: readonly string[], base: string | null): Promise<Board> {
    this.boards.push([...names]);
    const rows = names.map((run) => {
      const outline = this.recorded.find(({ report }) => report.run === run)?.outline ?? null;
      const against = outline && base !== null ? (run === base ? BASELINE : beside(base)) : null;
      const share = run === 'analysing' ? DIVIDING.share : null;
      const error = FAILURES[run]?.message ?? '';
      return { run, recorded: '2026-11-20 14:03:11', outline, against, stage: '', share, error };
    });
    return { rows, done: !names.includes('analysing') };
  }

  async predict({ run }: ReportRequest, without: readonly string[]): Promise<Prediction> {
    return predicted(this.find(run), without);
  }

  async traceAccess(): Promise<TraceAccess> {
    return this.access;
  }
}

/** What was recorded of the run without these findings. */
export function predicted({ report, predictions }: Recorded, without: readonly string[]): Prediction {
  const ids = report.findings.map(({ id }) => id).filter((id) => without.includes(id));
  const found = predictions[ids.join(',')];
  if (!found) throw new BackendError('This prediction was not recorded.', 'internal');
  return found;
}

export class FakeHost implements Host {
  readonly opened: TraceTarget[] = [];
  /** The addresses that the browser's Back leads to. */
  readonly history: AddressState[] = [];
  readonly kept = new Map<string, Typed>();
  readonly marked = new Map<string, Marks>();
  shown = true;
  show: () => void = () => undefined;

  constructor(public state: AddressState = NOWHERE) {}

  readAddress(): AddressState {
    return readAddress(writeAddress('', this.state));
  }

  writeAddress(state: AddressState): void {
    this.state = state;
  }

  stepOn(): void {
    this.history.push(this.state);
  }

  back(): void {
    this.state = this.history.pop() ?? this.state;
    this.show();
  }

  recall(run: string): Typed {
    return this.kept.get(run) ?? UNTYPED;
  }

  keep(run: string, typed: Typed): void {
    this.kept.set(run, typed);
  }

  isShown(): boolean {
    return this.shown;
  }

  onShown(callback: () => void): void {
    this.show = callback;
  }

  link(state: AddressState): string {
    return `http://tensorboard/${writeAddress('', state)}`;
  }

  marks(run: string): Marks {
    return this.marked.get(run) ?? {};
  }

  keepMarks(run: string, marks: Marks): void {
    this.marked.set(run, marks);
  }

  openProfileTab(target: TraceTarget): boolean {
    this.opened.push(target);
    return true;
  }
}
