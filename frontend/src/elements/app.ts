import { html, noChange, nothing } from 'lit-html';
import { type AddressState, NOWHERE } from '../address.js';
import { type Backend, BackendError, type Progress, type TraceAccess } from '../backend.js';
import { learn } from '../glossary.js';
import type { Host } from '../host.js';
import type { TraceTarget } from '../links.js';
import { type Mark, type Marks, holding, marked, nextFinding } from '../list.js';
import type { Place, Report } from '../model.js';
import '../panels/budget/element.js';
import type { AskPrediction } from '../panels/budget/element.js';
import { hasRoofline } from '../roofline.js';
import '../panels/finding_timeline/element.js';
import type { AskTimeline } from '../panels/finding_timeline/element.js';
import { stepOf } from '../steps.js';
import { css } from '../theme.js';
import type { Thresholds } from '../trials.js';
import { FIELDS, type Field, NONE_REFUSED, type Refusals, type Typed, UNTYPED } from '../typed.js';
import type { Run } from '../types.js';
import '../panels/verdict/element.js';
import './allreduce.js';
import './bar.js';
import { TfperfElement, fire } from './base.js';
import './checks.js';
import './compare.js';
import './compute.js';
import { NO_BOARD } from '../panels/board/element.js';
import type { BoardState } from '../panels/board/logic.js';
import { isSingleKey } from '../keys.js';
import './failure.js';
import './hosts.js';
import './input.js';
import './memory.js';
import './no_profiles.js';
import './ops.js';
import './phases.js';
import './progress.js';
import './roofline.js';
import type { Trial } from './thresholds.js';
import './training.js';

/** So long the last report stays when another run is chosen: most are there sooner, and nothing flickers. */
const LEAVING_MS = 150;

type View = 'waiting' | 'empty' | 'failed' | 'runs' | 'report';

/** A report, what it was computed with, and what of the typed texts it could not be. */
interface Answer {
  report: Report;
  typed: Typed;
  refused: Refusals;
}

/** The tab: fetches, keeps the address, and hands the report down. */
export class AppElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      background: var(--page);
      display: block;
      min-height: 100vh;
      overflow-wrap: break-word;
    }
    /* Wide windows: the charts grow; lines of text do not (theme.ts). */
    main {
      margin: 0 auto;
      max-width: clamp(1180px, 78vw, 1800px);
      padding: 0 24px 64px;
    }
    main.runs {
      max-width: 1800px;
    }
    /* What lay below the last report, until the first paint of the next. */
    .former {
      content-visibility: hidden;
    }
    .late {
      animation: late 0s 0.5s backwards;
      margin-top: 32px;
    }
    @keyframes late {
      from {
        visibility: hidden;
      }
    }
    tfperf-budget,
    tfperf-checks,
    tfperf-compute,
    tfperf-roofline,
    tfperf-allreduce,
    tfperf-hosts,
    tfperf-input,
    tfperf-ops,
    tfperf-memory,
    tfperf-phases,
    tfperf-finding-timeline,
    tfperf-training {
      margin-top: 32px;
    }
  `;
  static readonly properties = {
    view: String,
    runs: Array,
    run: String,
    report: Object,
    progress: Object,
    error: Object,
    access: Object,
    step: String,
    hovered: String,
    owner: String,
    zoom: String,
    target: Object,
    timeline: Object,
    selected: String,
    marks: Object,
    base: String,
    without: String,
    predict: Object,
    typed: Object,
    board: Object,
    round: Number,
    refused: Object,
    recomputing: Boolean,
    parts: Number,
    said: String,
  };

  view: View = 'waiting';
  runs: Run[] = [];
  run: string | null = null;
  /** The last report; it stays while the next one is fetched. */
  report: Report | null = null;
  progress: Progress | null = null;
  error: BackendError | null = null;
  access: TraceAccess | null = null;
  step: string | null = null;
  /** Id of the finding under the hand. */
  hovered: string | null = null;
  /** Id of the finding that claims what is chosen in the timeline. */
  owner: string | null = null;
  /** The part of the step that the address names. */
  zoom: string | null = null;
  /** The place to show in the timeline; a new object each time. */
  target: Place | null = null;
  timeline: AskTimeline | null = null;
  /** Id of the finding, or of one folded into it, that is shown. */
  selected: string | null = null;
  marks: Marks = {};
  /** The run that this one is compared with. */
  base: string | null = null;
  /** The findings that the projection does without; null for all. */
  without: string | null = null;
  predict: AskPrediction | null = null;
  board: BoardState = NO_BOARD;
  /** How often the board's runs were loaded; it is there after the first time. */
  round = 0;
  /** What the report on screen was computed with. */
  typed: Typed = UNTYPED;
  refused: Refusals = NONE_REFUSED;
  /** Whether the next report differs by what was typed: until then the last one stays on screen. */
  recomputing = false;
  /**
   * How many parts of the report may be there, of three: a paint waits for one only. Of 0 there is nothing below the
   * bars.
   */
  parts = 0;
  /** For those who do not see that the page has changed. */
  said = '';

  backend!: Backend;
  private host!: Host;
  private state: AddressState = NOWHERE;
  /** Whether the address is still to say what was chosen: a report is on screen sooner when that waits. */
  private unwritten = false;
  /** What the next report is to be computed with; null until the run is known. */
  private wanted: Typed | null = null;
  /** Fields whose refusal, if any, is a matter of the past. */
  private readonly retyped = new Set<Field>();
  private loading = new AbortController();
  private stale = false;
  /** The run that was chosen while the last report is still on screen, and what will take that off. */
  private leaving: { run: string; timer: number } | null = null;
  /** Whether runs were looked for since the last load began. */
  private listed = false;
  /** What had the focus before each new entry of the history. */
  private readonly trail: (HTMLElement | null)[] = [];
  private thresholds: Promise<Thresholds> | null = null;
  private words: Promise<void> | null = null;

  protected override template() {
    const { run, runs, view } = this;
    const shown = view === 'report' ? this.report : null;
    return html`
      <main class=${view}>
        <div class="unseen" role="status">${this.said}</div>
        ${
          view !== 'runs' && (runs.length > 0 || run !== null)
            ? html`<tfperf-bar
                .runs=${runs}
                .run=${run}
                .base=${this.base}
                .typed=${this.typed}
                .report=${shown}
              ></tfperf-bar>`
            : nothing
        }
        ${
          this.round > 0
            ? html`<tfperf-board
                ?hidden=${view !== 'runs'}
                .on=${view === 'runs'}
                .backend=${this.backend}
                .runs=${runs}
                .base=${this.base}
                .state=${this.board}
                .round=${this.round}
              ></tfperf-board>`
            : nothing
        }
        ${this.content()}
      </main>
    `;
  }

  private content() {
    switch (this.view) {
      case 'waiting':
        return html`<tfperf-progress .progress=${this.progress}></tfperf-progress>`;
      case 'empty':
        return html`<tfperf-no-profiles></tfperf-no-profiles>`;
      case 'failed':
        return html`<tfperf-failure .error=${this.error}></tfperf-failure>`;
      case 'runs':
        return nothing;
      case 'report':
        return this.report ? this.first(this.report) : nothing;
    }
  }

  private first(report: Report) {
    return html`
      <tfperf-verdict .report=${report} .marks=${this.marks}></tfperf-verdict>
      ${this.comparison(report.run)}
      <tfperf-budget
        .report=${report}
        .ask=${this.predict}
        .without=${this.without}
        .selected=${holding(report.findings, this.selected)?.finding.id ?? null}
        .owner=${this.owner}
        .marks=${this.marks}
      ></tfperf-budget>
      <div class=${this.parts === 1 ? 'former' : ''}>${this.parts === 1 ? noChange : this.below(report)}</div>
    `;
  }

  /** The list of findings and the panels, with elements of their own for each run. */
  private comparison(run: string) {
    const { base, backend } = this;
    if (!base || base === run) return nothing;
    return html`<tfperf-compare .backend=${backend} .base=${base} .run=${run}></tfperf-compare>`;
  }

  private below(report: Report) {
    const { parts } = this;
    if (parts === 0) return nothing;
    return html`
      <tfperf-checks .report=${report}></tfperf-checks>
      ${parts > 2 ? this.panels(report) : html`<p class="note late">Charts and tables follow …</p>`}
    `;
  }

  private panels(report: Report) {
    const { run, access, typed } = this;
    const { ledger } = report;
    return html`
      ${
        report.steps.columns.length + report.findings.length
          ? html`<tfperf-finding-timeline
              .report=${report}
              .access=${access}
              .ask=${this.timeline}
              .locked=${this.selected}
              .hovered=${this.hovered}
              .step=${this.step}
              .zoom=${this.zoom}
              .marks=${this.marks}
              .target=${this.target}
            ></tfperf-finding-timeline>`
          : nothing
      }
      ${ledger?.compute_parts.length ? html`<tfperf-compute .ledger=${ledger}></tfperf-compute>` : nothing}
      ${hasRoofline(report) ? html`<tfperf-roofline .report=${report}></tfperf-roofline>` : nothing}
      ${
        report.allreduce
          ? html`<tfperf-allreduce
              .allreduce=${report.allreduce}
              .run=${run}
              .access=${access}
              .typed=${typed}
              .refused=${this.refused}
              .recomputing=${this.recomputing}
            ></tfperf-allreduce>`
          : nothing
      }
      ${report.by_host.length > 1 ? html`<tfperf-hosts .hosts=${report.by_host}></tfperf-hosts>` : nothing}
      ${report.input?.iterators.length ? html`<tfperf-input .input=${report.input}></tfperf-input>` : nothing}
      ${report.phases ? html`<tfperf-phases .phases=${report.phases}></tfperf-phases>` : nothing}
      ${(report.ops ?? report.host_ops) ? html`<tfperf-ops .report=${report}></tfperf-ops>` : nothing}
      ${report.memory ? html`<tfperf-memory .memory=${report.memory}></tfperf-memory>` : nothing}
      <tfperf-training .records=${report.training}></tfperf-training>
    `;
  }

  override ready(): void {
    super.ready();
    const listen = <T>(type: string, handle: (detail: T) => void): void =>
      this.addEventListener(type, (event) => handle((event as CustomEvent<T>).detail));
    listen<{ run: string }>('run-change', ({ run }) => {
      this.host.stepOn();
      this.choose({ ...NOWHERE, run, base: this.base });
    });
    listen('go-to-runs', () => this.goToRuns());
    listen<Partial<BoardState>>('board-change', (change) => {
      this.board = { ...this.board, ...change };
      if (this.view === 'runs') this.remember({ ...this.state, ...this.board });
    });
    listen<{ base: string | null }>('base-change', ({ base }) => {
      this.base = base;
      this.remember({ ...this.state, base });
    });
    document.addEventListener('keydown', (event) => {
      if (!this.isConnected || this.view === 'runs' || !isSingleKey(event)) return;
      if (event.key === 'r') this.goToRuns();
      else if (event.key === 'p') fire(this, 'base-change', { base: this.base === this.run ? null : this.run });
    });
    listen<{ field: Field; text: string | null }>('assume', ({ field, text }) => {
      this.wanted = { ...(this.wanted ?? this.typed), [field]: text };
      this.retyped.add(field);
      this.recomputing = true;
      void this.load();
    });
    listen('retry', () => void this.load(this.view === 'failed' && this.error?.kind === 'cancelled'));
    listen('cancel', () => void this.backend.cancel(this.run ?? '').catch((problem: unknown) => this.fail(problem)));
    listen<{ id: string }>('finding-select', ({ id }) => this.lock(id));
    listen<{ id: string }>('finding-lock', ({ id }) => this.lock(id));
    listen<{ id: string | null }>('finding-hover', ({ id }) => (this.hovered = id));
    listen<{ id: string | null }>('owner', ({ id }) => (this.owner = id));
    listen<{ zoom: string | null }>('zoom-change', ({ zoom }) => {
      this.zoom = zoom;
      this.remember({ ...this.state, zoom });
    });
    listen('timeline-back', () => {
      if (this.trail.length > 0) this.host.back();
    });
    listen<{ id: string }>('step-change', ({ id }) => this.goToStep(id));
    listen<{ place: Place }>('show-in-timeline', ({ place }) => this.goToPlace(place));
    listen<{ id: string; mark: Mark | null }>('mark', ({ id, mark }) => {
      this.marks = marked(this.marks, id, mark);
      if (this.run !== null) this.host.keepMarks(this.run, this.marks);
    });
    listen<{ id: string; answer?: string }>('link', (question) => {
      question.answer = this.host.link({ ...this.state, finding: question.id });
    });
    listen<{ answer?: Promise<Thresholds> }>('thresholds', (question) => {
      question.answer = this.thresholds ??= this.backend.thresholds().catch((problem: unknown) => {
        this.thresholds = null;
        throw problem;
      });
    });
    listen<{ trials: string[]; answer?: Promise<Trial> }>('try-out', (question) => {
      question.answer = this.tryOut(question.trials);
    });
    listen<{ without: string | null }>('without-change', ({ without }) => {
      this.without = without;
      this.remember({ ...this.state, without });
    });
    listen<{ target: TraceTarget; click: Event }>('open-profile-tab', ({ target, click }) => {
      if (this.host.openProfileTab(target)) click.preventDefault();
    });
  }

  /** Shows what the address names, or else the newest run. */
  start(backend: Backend, host: Host): Promise<void> {
    this.backend = backend;
    this.host = host;
    this.timeline = (ask, signal) => this.backend.timeline({ run: this.run ?? '', ...this.typed, ...ask }, signal);
    this.predict = (without, signal) => this.backend.predict({ run: this.run ?? '', ...this.typed }, without, signal);
    this.state = host.readAddress();
    this.board = boardOf(this.state);
    this.step = this.state.step;
    this.zoom = this.state.zoom;
    this.selected = this.state.finding;
    this.base = this.state.base;
    this.without = this.state.without;
    host.onShown(() => this.catchUp());
    return this.load();
  }

  /** TensorBoard reloaded its data: look again now, or when this tab is shown again. */
  reload(): void {
    if (this.host.isShown()) void this.load();
    else this.stale = true;
  }

  /** Another address was typed, or TensorBoard has forgotten ours while it showed another tab. */
  private catchUp(): void {
    const there = this.host.readAddress();
    const says = there.run !== null || there.row !== null;
    if (!this.unwritten && says && JSON.stringify(there) !== JSON.stringify(this.state)) {
      const near = this.view === 'report' && sameReport(there, this.state);
      if (near) this.restore(there);
      else this.choose(there);
      return;
    }
    this.writeAddress();
    if (this.stale) void this.load();
  }

  /** What the report would be with other thresholds; the one on screen, and its address, stay as they are. */
  private async tryOut(tried: string[]): Promise<Trial> {
    const { report: base, run, typed } = this;
    if (base === null || run === null) throw new Error('There is no report.');
    const other = await this.backend.report({ run, ...typed, tried }, () => undefined, this.loading.signal);
    return { base, other };
  }

  private remember(state: AddressState): void {
    this.state = state;
    this.writeAddress();
  }

  private writeAddress(): void {
    this.unwritten = false;
    this.host.writeAddress(this.state);
  }

  private goToStep(step: string): void {
    this.zoom = null;
    this.step = step;
    this.remember({ ...this.state, step, zoom: null });
  }

  /** Selects a finding, and shows its worst place. Back returns. */
  private lock(id: string): void {
    const finding = this.report?.findings.find((one) => one.id === id || one.explains.some((inner) => inner.id === id));
    this.selected = id;
    this.goToPlace(finding?.where[0], { ...this.state, finding: id });
  }

  private goToPlace(place: Place | undefined, state = this.state): void {
    const step = (place && this.report && stepOf(place, this.report)) ?? this.step;
    this.trail.push(focused());
    this.zoom = null;
    this.step = step;
    if (place) this.target = { ...place };
    this.host.stepOn();
    this.remember({ ...state, step, zoom: null });
  }

  /** One step back in the history: another part of the same report. */
  private restore(state: AddressState): void {
    this.state = state;
    this.target = null;
    this.selected = state.finding;
    this.step = state.step;
    this.zoom = state.zoom;
    this.trail.pop()?.focus({ preventScroll: true });
  }

  private choose(state: AddressState): void {
    this.state = state;
    this.unwritten = true;
    this.step = state.step;
    this.zoom = state.zoom;
    this.selected = state.finding;
    this.target = null;
    this.trail.length = 0;
    this.base = state.base;
    this.without = state.without;
    if (state.run === null) this.board = boardOf(state);
    this.wanted = null;
    this.typed = UNTYPED;
    this.refused = NONE_REFUSED;
    this.retyped.clear();
    this.recomputing = false;
    void this.load();
  }

  /** The newest call wins; calls before it end without a trace. */
  private async load(again = false): Promise<void> {
    this.loading.abort();
    this.loading = new AbortController();
    this.stay();
    this.stale = this.listed = false;
    const { signal } = this.loading;
    try {
      const words = (this.words ??= this.learnWords());
      const listed = this.runs.length === 0 ? this.list() : null;
      const runs = this.state.run === null ? ((await listed) ?? this.runs) : [];
      signal.throwIfAborted();
      if (runs.length > 1) {
        await words;
        signal.throwIfAborted();
        this.showRuns();
        this.listAgain();
        return;
      }
      const run = this.state.run ?? runs[0]?.name;
      if (run === undefined) {
        this.run = null;
        this.view = 'empty';
        return;
      }
      const another = run !== this.report?.run || this.view !== 'report';
      if (another) this.wait(run);
      const { parameters, bandwidth } = this.state;
      const addressed = parameters !== null || bandwidth !== null;
      this.wanted ??= addressed ? { parameters, bandwidth } : this.host.recall(run);
      const [answer] = await Promise.all([this.ask(run, this.wanted, signal, again), words, listed]);
      signal.throwIfAborted();
      this.present(run, answer);
    } catch (problem) {
      if (!signal.aborted) this.fail(problem);
    }
    if (!signal.aborted) afterPaint(() => this.listAgain());
  }

  private showRuns(): void {
    this.stay();
    this.run = null;
    this.round++;
    this.view = 'runs';
    this.said = 'The runs are shown.';
    this.writeAddress();
  }

  /** With the run on screen in focus. */
  private goToRuns(): void {
    if (this.runs.length < 2) return;
    this.host.stepOn();
    this.choose({ ...NOWHERE, ...this.board, row: this.run ?? this.board.row, base: this.base });
  }

  private async list(): Promise<Run[]> {
    this.listed = true;
    const runs = await this.backend.runs();
    if (JSON.stringify(runs) !== JSON.stringify(this.runs)) this.runs = runs;
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

  /** The last report stays for a moment, as it is: each change of the page would hold up the answer. */
  private wait(run: string): void {
    if (this.view === 'report' || this.view === 'runs')
      this.leaving = { run, timer: window.setTimeout(() => this.leave(), LEAVING_MS) };
    else this.leaveFor(run);
  }

  private stay(): void {
    clearTimeout(this.leaving?.timer);
    this.leaving = null;
  }

  /** Takes the last report off, if another run was chosen. */
  private leave(): void {
    if (this.leaving) this.leaveFor(this.leaving.run);
  }

  private leaveFor(run: string): void {
    this.stay();
    this.run = run;
    this.progress = null;
    this.access = null;
    this.view = 'waiting';
    this.said = '';
    this.writeAddress();
  }

  /** Texts that the backend cannot read are left out: what was on screen before counts, or the estimate. */
  private async ask(run: string, wanted: Typed, signal: AbortSignal, again: boolean): Promise<Answer> {
    const show = (progress: Progress): void => {
      this.leave();
      this.listAgain();
      if (this.recomputing) return;
      this.progress = progress;
      this.view = 'waiting';
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
    let typed = this.typed;
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
    this.stay();
    const another = this.view !== 'report' || run !== this.run;
    this.run = run;
    this.wanted = typed;
    if (this.recomputing) this.host.keep(run, typed);
    this.typed = typed;
    const former = FIELDS.filter((field) => !this.retyped.has(field) && !refused[field] && this.refused[field]);
    this.retyped.clear();
    this.refused = former.reduce((all, field) => ({ ...all, [field]: this.refused[field] }), refused);
    this.recomputing = false;
    this.state = { ...this.state, run, ...typed };
    // The same report again must not close what the user has opened.
    if (another || JSON.stringify(report) !== JSON.stringify(this.report)) {
      this.selected = this.state.finding;
      performance.mark('tfperf:report');
      this.report = report;
      this.view = 'report';
      this.said = `The report of ${run} is shown.`;
    }
    if (another) {
      this.access = null;
      this.parts = 1;
    } else {
      this.marks = this.host.marks(run);
      this.selectNext();
    }
    if (this.parts < 3) this.drawOn();
    afterPaint(() => {
      this.writeAddress();
      // The profile plugin takes its time for this.
      void this.backend.traceAccess(run).then((access) => {
        if (this.run === run) this.access = access;
      });
    });
  }

  /** Without one that the address names, the first finding that is not marked is shown. */
  private selectNext(): void {
    const { findings } = this.report ?? { findings: [] };
    if (!holding(findings, this.selected)) this.selected = nextFinding(findings, this.marks)?.id ?? null;
  }

  private drawOn(): void {
    afterPaint(() => {
      if (this.leaving) return;
      if (this.parts === 1) {
        // What lay below the last report goes only now: that takes as long as drawing the bars.
        this.parts = 0;
        this.drawNow();
        this.marks = this.host.marks(this.run ?? '');
        this.selectNext();
        this.parts = 2;
        this.drawOn();
        return;
      }
      performance.mark('tfperf:painted');
      this.parts = 3;
    });
  }

  private fail(problem: unknown): void {
    this.leave();
    this.error =
      problem instanceof BackendError
        ? problem
        : new BackendError(problem instanceof Error ? problem.message : String(problem), 'internal');
    this.recomputing = false;
    this.view = 'failed';
  }
}

function boardOf({ sort, filter, only, row, pair }: AddressState): BoardState {
  return { sort, filter, only, row, pair };
}

function afterPaint(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act));
}

/** Whether two addresses differ only in the part of the report that they show. */
function sameReport(a: AddressState, b: AddressState): boolean {
  const parts = ['finding', 'step', 'zoom'];
  return (Object.keys(a) as (keyof AddressState)[]).every((key) => parts.includes(key) || a[key] === b[key]);
}

/** What has the focus, in whatever shadow root. */
function focused(): HTMLElement | null {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found as HTMLElement | null;
}

function isRefusal(problem: unknown): problem is BackendError {
  return problem instanceof BackendError && problem.kind === 'bad_request';
}

customElements.define('tfperf-app', AppElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-app': AppElement;
  }
}
