/** What the tab shows, and the one place that changes it: elements draw the state and fire events. */

import { type AddressState, NOWHERE } from './address.js';
import { type Backend, BackendError, type Progress, type TimelineAsk, type TraceAccess } from './backend.js';
import { deepest } from './clipboard.js';
import { learn } from './glossary.js';
import type { Host } from './host.js';
import { type Mark, type Marks, holding, marked, nextFinding } from './list.js';
import type { Finding, Place, Prediction, Report, StepTimeline, Trials } from './model.js';
import type { BoardState } from './panels/board/logic.js';
import { firstPlace, stepOf } from './steps.js';
import type { Thresholds, OtherThresholds } from './thresholds.js';
import { FIELDS, type Field, NONE_REFUSED, type Refusals, type Typed, UNTYPED, isTyped, typedIn } from './typed.js';
import type { Run } from './types.js';

/** How long the last report stays when another run is chosen: most are there sooner, and nothing flickers. */
const LEAVING_MS = 150;

export interface State {
  view: 'waiting' | 'empty' | 'failed' | 'runs' | 'report';
  runs: Run[];
  trials: Trials;
  /** The run on screen; null: none, or all. */
  run: string | null;
  /** The last report; it stays while the next one is fetched. */
  report: Report | null;
  progress: Progress | null;
  error: BackendError | null;
  access: TraceAccess | null;
  /** What of it is shown: finding, step, zoom, baseline, rows of the board. */
  address: AddressState;
  /** Id of the finding that stays in full though it was marked. */
  kept: string | null;
  /** Id of the finding under the hand. */
  hovered: string | null;
  /** Id of the finding that claims the chosen span. */
  owner: string | null;
  /** The place to show in the timeline; a new object each time. */
  target: Place | null;
  marks: Marks;
  /** What the report was computed with, and what of the typed texts could not be read. */
  typed: Typed;
  refused: Refusals;
  /** Whether the next report differs by what was typed: until then the last one stays on screen. */
  recomputing: boolean;
  /** The board as it was left. */
  board: BoardState;
  /** How often the board's runs were loaded; it is there after the first time. */
  round: number;
  /** For those who do not see that the page has changed. */
  said: string;
}

export const NO_TRIALS: Trials = { trials: [], more_count: 0 };

export const FIRST: State = {
  view: 'waiting',
  runs: [],
  trials: NO_TRIALS,
  run: null,
  report: null,
  progress: null,
  error: null,
  access: null,
  address: NOWHERE,
  board: boardOf(NOWHERE),
  kept: null,
  hovered: null,
  owner: null,
  target: null,
  marks: {},
  typed: UNTYPED,
  refused: NONE_REFUSED,
  recomputing: false,
  round: 0,
  said: '',
};

/** The finding that the page shows in full: the one that the address names, else the next one to work on. */
export function selected({ report, address, kept, marks }: State): Finding | null {
  const findings = report?.findings ?? [];
  return holding(findings, address.finding ?? kept)?.finding ?? nextFinding(findings, marks);
}

export class Controller {
  state = FIRST;
  /** Where the page is going; on screen, and in the address bar, as soon as it is there. */
  private goal: AddressState = NOWHERE;
  /** What the next report is to be computed with; null until the run is known. */
  private wanted: Typed | null = null;
  /** Fields whose refusal, if any, is a matter of the past. */
  private readonly retyped = new Set<Field>();
  private loading = new AbortController();
  private trying = new AbortController();
  private leaving = 0;
  private stale = false;
  /** Whether runs were looked for since the last load began. */
  private listed = false;
  /** What had the focus before each new entry of the history. */
  private readonly trail: (HTMLElement | null)[] = [];
  private known: Promise<Thresholds> | null = null;
  private words: Promise<void> | null = null;

  constructor(
    readonly backend: Backend,
    private readonly host: Host,
    private readonly draw: (state: State) => void,
  ) {}

  /** Shows what the address names, or else the only run, or all. */
  start(): Promise<void> {
    this.host.onShown(() => this.catchUp());
    return this.choose(this.host.readAddress());
  }

  /** TensorBoard reloaded its data: look again now, or when this tab is shown again. */
  reload(): void {
    if (this.host.isShown()) void this.load();
    else this.stale = true;
  }

  retry(): void {
    const { view, error } = this.state;
    void this.load(view === 'failed' && error?.kind === 'cancelled');
  }

  cancel(): void {
    void this.backend.cancel(this.state.run ?? '').catch((problem: unknown) => this.fail(problem));
  }

  openRun(run: string): void {
    this.host.stepOn();
    void this.choose({ ...NOWHERE, run, base: this.goal.base });
  }

  /** Shows all runs, with the one on screen in focus. */
  openRuns(): void {
    const { runs, trials, run, board } = this.state;
    if (!runs.some(({ name }) => name !== run) && trials.trials.length === 0) return;
    this.host.stepOn();
    void this.choose({ ...NOWHERE, ...board, base: this.goal.base, row: run ?? board.row });
  }

  changeBoard(change: Partial<BoardState>): void {
    this.set({ board: { ...this.state.board, ...change } });
    if (this.state.view === 'runs') this.remember(change);
  }

  setBase(base: string | null): void {
    this.remember({ base });
  }

  /** Takes the run on screen as the baseline, or no run any more. */
  pin(): void {
    const { run, address } = this.state;
    this.setBase(address.base === run ? null : run);
  }

  /** Has the report computed with what was typed; null: as estimated. */
  assume(field: Field, text: string | null): void {
    this.wanted = { ...(this.wanted ?? this.state.typed), [field]: text };
    this.retyped.add(field);
    this.set({ recomputing: true });
    void this.load();
  }

  hover(hovered: string | null): void {
    this.set({ hovered });
  }

  own(owner: string | null): void {
    this.set({ owner });
  }

  /** Selects a finding, and shows its worst place. Back returns. */
  select(id: string): void {
    const { report } = this.state;
    const places = holding(report?.findings ?? [], id)?.finding.where ?? [];
    this.goToPlace(report ? firstPlace(places, report) : undefined, { finding: id });
  }

  goToPlace(place: Place | undefined, also: Partial<AddressState> = {}): void {
    const { report, address } = this.state;
    const step = (place && report && stepOf(place, report)) ?? address.step;
    this.trail.push(deepest(document.activeElement));
    this.host.stepOn();
    this.remember({ ...also, step, zoom: null });
    if (place) this.set({ target: { ...place } });
  }

  goToStep(step: string): void {
    this.remember({ step, zoom: null });
  }

  zoom(zoom: string | null): void {
    this.remember({ zoom });
  }

  /** To where the user came from, if that was here. */
  back(): void {
    if (this.trail.length > 0) this.host.back();
  }

  /** Marks a finding, which stays on screen. */
  mark(id: string, mark: Mark | null): void {
    const { run, marks } = this.state;
    this.set({ marks: marked(marks, id, mark), kept: selected(this.state)?.id ?? null });
    if (run !== null) this.host.keepMarks(run, this.state.marks);
  }

  setWithout(without: string | null): void {
    this.remember({ without });
  }

  link(finding: string): string {
    return this.host.link({ ...this.state.address, finding });
  }

  thresholds(): Promise<Thresholds> {
    return (this.known ??= this.backend.thresholds().catch((problem: unknown) => {
      this.known = null;
      throw problem;
    }));
  }

  /** What the report would be with other thresholds; the one on screen, and its address, stay as they are. */
  async tryOut(tried: string[]): Promise<OtherThresholds> {
    const { report: base, run, typed } = this.state;
    if (base === null || run === null) throw new Error('There is no report.');
    const other = await this.backend.report({ run, ...typed, tried }, () => undefined, this.trying.signal);
    return { base, other };
  }

  readonly timeline = (ask: TimelineAsk, signal: AbortSignal): Promise<StepTimeline> => {
    const { run, typed } = this.state;
    return this.backend.timeline({ run: run ?? '', ...typed, ...ask }, signal);
  };

  readonly predict = (without: readonly string[], signal: AbortSignal): Promise<Prediction> => {
    const { run, typed } = this.state;
    return this.backend.predict({ run: run ?? '', ...typed }, without, signal);
  };

  private set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.draw(this.state);
  }

  /** Changes what of the report, or of the board, is shown. */
  private remember(change: Partial<AddressState>): void {
    this.goal = { ...this.goal, ...change };
    this.set({ address: { ...this.state.address, ...change } });
    this.host.writeAddress(this.state.address);
  }

  /** Another address was typed, or TensorBoard has forgotten ours while it showed another tab. */
  private catchUp(): void {
    const there = this.host.readAddress();
    const { view, address } = this.state;
    const says = there.run !== null || there.row !== null;
    const going = this.goal.run !== address.run;
    if (!going && says && JSON.stringify(there) !== JSON.stringify(address)) {
      if (view !== 'report' || !sameReport(there, address)) {
        void this.choose(there);
        return;
      }
      this.restore(there);
    } else if (!going) this.host.writeAddress(address);
    if (this.stale) void this.load();
  }

  /** One step back in the history: another part of the same report. */
  private restore(address: AddressState): void {
    this.goal = address;
    this.set({ address, target: null });
    this.trail.pop()?.focus({ preventScroll: true });
  }

  private choose(goal: AddressState): Promise<void> {
    this.trying.abort();
    this.trying = new AbortController();
    this.goal = goal;
    this.wanted = null;
    this.retyped.clear();
    this.trail.length = 0;
    return this.load();
  }

  /** The newest call wins; calls before it end without a trace. */
  private async load(again = false): Promise<void> {
    this.loading.abort();
    this.loading = new AbortController();
    clearTimeout(this.leaving);
    this.stale = this.listed = false;
    const { signal } = this.loading;
    try {
      const words = (this.words ??= this.learnWords());
      const listed = this.state.runs.length === 0 ? this.list() : null;
      const runs = this.goal.run === null ? ((await listed) ?? this.state.runs) : [];
      signal.throwIfAborted();
      if (runs.length > 1 || (this.goal.run === null && this.state.trials.trials.length > 0)) {
        await words;
        signal.throwIfAborted();
        this.showRuns();
      } else {
        const run = this.goal.run ?? runs[0]?.name;
        if (run === undefined) {
          this.set({ run: null, view: 'empty' });
          return;
        }
        const { view, report } = this.state;
        if (run !== report?.run || view !== 'report') this.leaveSoon(run);
        this.wanted ??= isTyped(this.goal) ? typedIn(this.goal) : this.host.recall(run);
        const [answer] = await Promise.all([this.ask(run, this.wanted, signal, again), words, listed]);
        signal.throwIfAborted();
        this.present(run, answer);
      }
    } catch (problem) {
      if (!signal.aborted) this.fail(problem);
    }
    if (!signal.aborted) afterPaint(() => this.listAgain());
  }

  private showRuns(): void {
    const round = this.state.round + 1;
    const board = boardOf(this.goal);
    this.set({ view: 'runs', run: null, address: this.goal, board, round, said: 'The runs are shown.' });
    this.host.writeAddress(this.goal);
  }

  private async list(): Promise<Run[]> {
    this.listed = true;
    const [runs, trials] = await Promise.all([
      this.backend.runs(),
      this.backend.trials().catch(() => this.state.trials),
    ]);
    if (JSON.stringify(runs) !== JSON.stringify(this.state.runs)) this.set({ runs });
    if (JSON.stringify(trials) !== JSON.stringify(this.state.trials)) this.set({ trials });
    return runs;
  }

  /** Looks once a load for new runs, when the report no longer has to wait for that. */
  private listAgain(): void {
    if (!this.listed) void this.list().catch(() => undefined);
  }

  /** Without it the report is shown all the same, with less explained. */
  private async learnWords(): Promise<void> {
    try {
      learn(await this.backend.glossary());
    } catch {
      this.words = null;
    }
  }

  /** What is on screen stays for a moment; without anything there, the wait is shown at once. */
  private leaveSoon(run: string): void {
    const { view } = this.state;
    if (view === 'report' || view === 'runs') this.leaving = window.setTimeout(() => this.leaveFor(run), LEAVING_MS);
    else this.leaveFor(run);
  }

  private leaveFor(run: string, change: Partial<State> = {}): void {
    clearTimeout(this.leaving);
    const address = { ...this.goal, run };
    this.set({ run, address, progress: null, access: null, view: 'waiting', said: '', ...change });
    this.host.writeAddress(address);
  }

  /** Texts that the backend cannot read are left out: what was on screen before counts, or the estimate. */
  private async ask(run: string, wanted: Typed, signal: AbortSignal, again: boolean): Promise<Answer> {
    const show = (progress: Progress): void => {
      this.listAgain();
      if (!this.state.recomputing) this.leaveFor(run, { progress });
    };
    const report = (typed: Typed): Promise<Report> =>
      this.backend.report({ run, ...typed, ...(again ? { again } : {}) }, show, signal);
    let refused = NONE_REFUSED;
    try {
      return { report: await report(wanted), typed: wanted, refused };
    } catch (problem) {
      if (!isRefusal(problem)) throw problem;
    }
    // One text at a time tells which of them it is.
    let typed = this.state.run === run ? this.state.typed : UNTYPED;
    for (const field of FIELDS) {
      const text = wanted[field];
      if (text === typed[field]) continue;
      try {
        await report({ ...typed, [field]: text });
        typed = { ...typed, [field]: text };
      } catch (problem) {
        if (!isRefusal(problem)) throw problem;
        refused = { ...refused, [field]: { text: text ?? '', message: problem.message } };
      }
    }
    return { report: await report(typed), typed, refused };
  }

  private present(run: string, { report, typed, refused }: Answer): void {
    clearTimeout(this.leaving);
    const { state } = this;
    const another = state.view !== 'report' || run !== state.run;
    const former = another
      ? []
      : FIELDS.filter((field) => !this.retyped.has(field) && !refused[field] && state.refused[field]);
    if (state.recomputing) this.host.keep(run, typed);
    this.wanted = typed;
    this.retyped.clear();
    this.goal = { ...this.goal, run, ...typed };
    performance.mark('tfperf:report');
    // The same report again must not close what the user has opened.
    const same = !another && JSON.stringify(report) === JSON.stringify(state.report);
    this.set({
      view: 'report',
      run,
      report: same ? state.report : report,
      said: same ? state.said : `The report of ${run} is shown.`,
      address: this.goal,
      typed,
      refused: former.reduce((all, field) => ({ ...all, [field]: state.refused[field] }), refused),
      recomputing: false,
      marks: another ? this.host.marks(run) : state.marks,
      ...(another ? { access: null, target: null, kept: null, hovered: null, owner: null } : {}),
    });
    this.host.writeAddress(this.goal);
    afterPaint(() => {
      performance.mark('tfperf:painted');
      // The profile plugin takes its time for this.
      void this.backend.traceAccess(run).then((access) => {
        if (this.state.run === run) this.set({ access });
      });
    });
  }

  private fail(problem: unknown): void {
    const error =
      problem instanceof BackendError
        ? problem
        : new BackendError(problem instanceof Error ? problem.message : String(problem), 'internal');
    clearTimeout(this.leaving);
    const run = this.goal.run ?? this.state.run;
    this.set({ run, address: this.goal, error, recomputing: false, view: 'failed' });
    this.host.writeAddress(this.goal);
  }
}

/** A report, what it was computed with, and what of the typed texts it could not be. */
interface Answer {
  report: Report;
  typed: Typed;
  refused: Refusals;
}

function boardOf({ sort, filter, only, row, pair, trial }: AddressState): BoardState {
  return { sort, filter, only, row, pair, trial };
}

function afterPaint(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act));
}

/** Whether two addresses differ only in the part of the report that they show. */
function sameReport(a: AddressState, b: AddressState): boolean {
  const parts = ['finding', 'step', 'zoom'];
  return (Object.keys(a) as (keyof AddressState)[]).every((key) => parts.includes(key) || a[key] === b[key]);
}

function isRefusal(problem: unknown): problem is BackendError {
  return problem instanceof BackendError && problem.kind === 'bad_request';
}
