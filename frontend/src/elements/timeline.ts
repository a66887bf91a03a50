import { html, nothing } from 'lit-html';
import type { TraceAccess } from '../backend.js';
import { legendItem } from '../charts/svg.js';
import { duration } from '../format.js';
import type { Place } from '../model.js';
import { css } from '../theme.js';
import { type Line, type Mark, around, inView, legendWords, marks, placeOf, used, workLook } from '../timeline.js';
import type { StepTimeline } from '../model.js';
import { type Former, TfperfElement } from './base.js';
import './places.js';
import type { Column } from './table.js';
import './table.js';
import type { TimelinePlotElement } from './timeline_plot.js';
import './timeline_plot.js';
import './trace.js';

/** A part of the step, as ns from its begin; null: all hosts, to its end. */
export interface TimelineAsk {
  step: string;
  host: string | null;
  begin_ns: number;
  end_ns: number | null;
  width: number;
}
export type AskTimeline = (ask: TimelineAsk, signal: AbortSignal) => Promise<StepTimeline>;

/** Spans in the table. */
const TABLE_CAP = 300;
/** How near to the screen the timeline must come before it is asked for. */
const NEAR = '300px';

const COLUMNS: Column<Line>[] = [
  { head: 'Row', cell: ({ row }) => row, kind: 'name' },
  { head: 'What', cell: ({ what }) => what },
  { head: 'From', cell: ({ begin }) => duration(begin), kind: 'number', value: ({ begin }) => -begin },
  { head: 'Length', cell: ({ length }) => duration(length), kind: 'number', value: ({ length }) => length },
];

/** One step: a row for each GPU and for what its host does; a span, a place or what is in view opens the trace. */
export class TimelineElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
      min-height: 200px;
    }
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      margin-bottom: 8px;
    }
    .tools p {
      flex: 1;
      min-width: 200px;
    }
    .tools label {
      align-items: center;
      display: flex;
      gap: 8px;
      font-size: 13px;
      color: var(--ink-2);
    }
    select {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      color: var(--ink);
      max-width: 260px;
      padding: 5px 8px;
      text-overflow: ellipsis;
    }
    .wait {
      opacity: 0.5;
    }
    .chosen {
      background: var(--ground);
      border-radius: 8px;
      margin-top: 10px;
      padding: 10px 14px;
    }
    tfperf-table {
      margin-top: 10px;
    }
  `;
  static readonly properties = {
    run: String,
    step: String,
    ask: Object,
    access: Object,
    marked: Array,
    target: Object,
    near: Boolean,
    whole: Object,
    chosen: Object,
    seen: String,
    problem: String,
    places: Array,
    traced: Object,
    lines: Array,
    tableNote: String,
  };

  run!: string;
  /** Id of the step. */
  step: string | null = null;
  ask: AskTimeline | null = null;
  access: TraceAccess | null = null;
  /** Places of findings that are open. */
  marked: Place[] = [];
  /** A place to zoom to. */
  target: Place | null = null;
  /** Whether the timeline is, or is about to be, on screen: nothing is asked for before. */
  near = false;
  whole: StepTimeline | null = null;
  chosen: Mark | null = null;
  seen = '';
  problem = '';
  places: Place[] = [];
  traced: Place | null = null;
  lines: Line[] = [];
  tableNote = '';

  /** Where the marked places lie. */
  private found: Mark[] = [];
  private host: string | null = null;
  /** The place that was asked for and is not in view yet. */
  private awaited: Place | null = null;
  private loading = new AbortController();
  private refining = new AbortController();
  private watcher: IntersectionObserver | null = null;

  constructor() {
    super();
    const listen = <T>(type: string, handle: (detail: T) => void): void =>
      this.addEventListener(type, (event) => {
        event.stopPropagation();
        handle((event as CustomEvent<T>).detail);
      });
    listen<{ place: Place | null }>('show-trace', ({ place }) => (this.traced = place));
    listen<{ mark: Mark | null; words: string }>('span-choose', ({ mark, words }) => this.choose(mark, words));
    listen('view-rest', () => this.settle());
  }

  protected override changed(former: Former): void {
    const { whole, marked } = this;
    if ('whole' in former || 'marked' in former) this.found = whole ? marks(whole, marked) : [];
  }

  protected override template() {
    const { whole, problem, run, places, traced } = this;
    const { hosts = [], hosts_cap = 0 } = whole ?? {};
    return html`
      <div class="tools">
        <p class="note" role="status">${this.seen}</p>
        <label ?hidden=${hosts.length < 2}
          >Host
          <select id="host" @change=${this.onHost}>
            <option value="">${hosts.length > hosts_cap ? `the first ${hosts_cap} of` : 'all'} ${hosts.length}</option>
            ${hosts.map((host) => html`<option value=${host}>${host}</option>`)}
          </select>
        </label>
        <button class="button" @click=${() => this.plot.zoomIn()} aria-label="Zoom in">+</button>
        <button class="button" @click=${() => this.plot.zoomOut()} aria-label="Zoom out">−</button>
        <button class="button" @click=${() => this.plot.showAll()}>Whole step</button>
      </div>
      <p class="note" role="alert" ?hidden=${!problem}>${problem}</p>
      <tfperf-timeline-plot
        id="plot"
        .marks=${this.found}
        .chosen=${this.chosen}
        ?hidden=${problem}
      ></tfperf-timeline-plot>
      <ul id="legend" class="legend" aria-label="What the rows show"></ul>
      <div class="chosen" ?hidden=${places.length === 0}>
        <tfperf-places
          .inTimeline=${true}
          .run=${run}
          .places=${places}
          .access=${this.access}
          .shown=${traced !== null}
        ></tfperf-places>
        ${traced ? html`<tfperf-trace .run=${run} .place=${traced}></tfperf-trace>` : nothing}
      </div>
      <tfperf-table
        ?hidden=${!whole}
        heading="What is in view, as a table"
        .columns=${COLUMNS}
        .items=${this.lines}
        .note=${this.tableNote}
      ></tfperf-table>
    `;
  }

  protected override drawn(former: Former): void {
    if (['run', 'step', 'ask', 'near'].some((name) => name in former)) void this.load();
    if ('target' in former) this.onTarget();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.watcher = new IntersectionObserver(
      (entries) => (this.near ||= entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: NEAR },
    );
    this.watcher.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.watcher?.disconnect();
    this.loading.abort();
    this.refining.abort();
  }

  private async load(): Promise<void> {
    const { run, step, ask, near } = this;
    this.loading.abort();
    if (!run || step === null || !ask || !near) return;
    this.loading = new AbortController();
    this.refining.abort();
    const { signal } = this.loading;
    this.plot.classList.add('wait');
    try {
      const whole = await ask({ step, host: this.host, begin_ns: 0, end_ns: null, width: this.plot.width }, signal);
      if (signal.aborted) return;
      this.problem = '';
      this.whole = whole;
      this.plot.show(whole);
      this.choose(null);
      this.goTo(this.awaited);
      // At once, so that what follows below does not move when the view rests.
      this.tell();
      this.child('legend').replaceChildren(...used(whole).map((code) => legendItem(workLook(code), legendWords(code))));
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    this.plot.classList.remove('wait');
  }

  private onTarget(): void {
    const { target } = this;
    this.awaited = target;
    if (!target) return;
    this.near = true;
    // Its step may be on its way: then it is gone to when that is there.
    if (this.whole?.step === this.step) this.goTo(target);
  }

  private goTo(target: Place | null): void {
    const [mark] = this.whole && target ? marks(this.whole, [target]) : [];
    if (!mark || !this.whole) return;
    this.awaited = null;
    this.plot.move(around(mark, this.whole.length_ns));
    this.choose(mark, target?.label ?? '');
  }

  private get plot(): TimelinePlotElement {
    return this.child('plot') as TimelinePlotElement;
  }

  /** The view rests: says what is in it, and asks for finer spans if they were merged. */
  private settle(): void {
    this.tell();
    if (!this.chosen) this.choose(null);
    void this.refine();
  }

  /** Says what is in view, in words and as a table. */
  private tell(): void {
    const { whole } = this;
    const { view, spans } = this.plot;
    if (!whole || !spans) return;
    const all = view.end - view.begin >= whole.length_ns;
    const part = all
      ? `The whole step, ${duration(whole.length_ns)}`
      : `${duration(view.begin)} to ${duration(view.end)} of ${duration(whole.length_ns)}`;
    const merged =
      spans.merged_below_ns > 0
        ? ` Neighbors shorter than ${duration(spans.merged_below_ns)} are drawn as one; zoom in to part them.`
        : '';
    this.seen = `${part}.${merged}`;
    this.list();
  }

  private async refine(): Promise<void> {
    const { whole, ask, step } = this;
    const { view, spans, width } = this.plot;
    const length = view.end - view.begin;
    if (!whole || !ask || !spans || step === null || spans.merged_below_ns <= length / width) return;
    const part = {
      begin_ns: Math.floor(Math.max(view.begin - length, 0)),
      end_ns: Math.ceil(Math.min(view.end + length, whole.length_ns)),
    };
    if (spans.begin_ns === part.begin_ns && spans.end_ns === part.end_ns) return;
    this.refining.abort();
    this.refining = new AbortController();
    const { signal } = this.refining;
    try {
      const fine = await ask({ step, host: this.host, ...part, width: 3 * width }, signal);
      if (signal.aborted || this.whole !== whole) return;
      this.plot.fine = fine;
      this.list();
    } catch {
      // What is drawn is coarser than it might be, but true.
    }
  }

  private list(): void {
    const { spans, view } = this.plot;
    if (!spans) return;
    const { lines, total } = inView(spans, view, TABLE_CAP);
    this.lines = lines;
    this.tableNote =
      total > lines.length ? `The longest ${lines.length} of ${total} spans in view; zoom in for the others.` : '';
  }

  /** What can be opened in the trace: a span, a place, or else what is in view. */
  private choose(mark: Mark | null, words = ''): void {
    const { whole } = this;
    this.chosen = mark;
    this.traced = null;
    const of = mark ?? { row: 0, ...this.plot.view };
    const row = whole?.rows[of.row];
    const end = Math.min(of.end, row?.length_ns ?? 0);
    if (!whole || end <= of.begin) this.places = [];
    else if (mark) this.places = [placeOf(whole, { ...mark, end }, words)];
    else this.places = [{ ...placeOf(whole, { ...of, end }, 'what is in view'), device: null }];
  }

  private onHost(event: Event): void {
    this.host = (event.target as HTMLSelectElement).value || null;
    void this.load();
  }
}

customElements.define('tfperf-timeline', TimelineElement);
