import { html, nothing } from 'lit-html';
import { accountLook } from '../../accounts.js';
import type { TimelineAsk, TraceAccess } from '../../backend.js';
import { legendItem } from '../../charts/svg.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import type { Column } from '../../elements/table.js';
import '../../elements/table.js';
import { explained } from '../../elements/text.js';
import type { TimelinePlotElement } from './plot.js';
import './plot.js';
import { counted, duration, timelineRange } from '../../format.js';
import type { Marks } from '../../list.js';
import type { Finding, Place, Report, StepTimeline, TimelineRow } from '../../model.js';
import { firstPlace, firstStep, stepOf } from '../../steps.js';
import {
  type Line,
  type Mark,
  type View,
  around,
  inView,
  launchWords,
  legendWords,
  marks,
  placeOf,
  spanAt,
  used,
} from './timeline.js';
import './detail.js';
import { PLACES, hint, measured, placeButtons, samePlace, selected } from './below.js';
import './host_dots.js';
import {
  type RangeWords,
  doing,
  expectedRows,
  kernelWords,
  meanwhile,
  othersWords,
  ownerOf,
  parseZoom,
  rangeWords,
  ranges,
  tagOf,
  waitIn,
  waitWords,
  zoomText,
} from './logic.js';
import './strip.js';
import { STYLE } from './style.js';
import { traceLink } from './trace_link.js';

type Gpu = { host: string; device: string };
type AskTimeline = (ask: TimelineAsk, signal: AbortSignal) => Promise<StepTimeline>;

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

/** The selected finding beside the timeline of a step, on which its time is drawn. */
export class FindingTimelineElement extends TfperfElement {
  static override readonly styles = STYLE;
  static readonly properties = {
    report: Object,
    access: Object,
    ask: Object,
    locked: String,
    hovered: String,
    step: String,
    zoom: String,
    marks: Object,
    target: Object,
    near: Boolean,
    host: String,
    whole: Object,
    chosen: Object,
    did: String,
    late: String,
    ran: String,
    range: Object,
    rangeSays: Object,
    seen: String,
    problem: String,
    kernels: Boolean,
    arrows: Boolean,
    lines: Array,
    tableNote: String,
  };

  report!: Report;
  access: TraceAccess | null = null;
  ask: AskTimeline | null = null;
  /** Id of the finding that is selected; null: the first one. */
  locked: string | null = null;
  /** Id of the finding under the hand. */
  hovered: string | null = null;
  /** Id of the step that the address names. */
  step: string | null = null;
  /** The part that the address names; see `zoomText`. */
  zoom: string | null = null;
  marks: Marks = {};
  /** A place to zoom to; a new object each time. */
  target: Place | null = null;
  /** Whether the timeline is, or is about to be, on screen: nothing is asked for before. */
  near = false;
  whole: StepTimeline | null = null;
  chosen: Mark | null = null;
  /** What the host did during what is chosen, for whom it waits, and its longest kernels. */
  did = '';
  late = '';
  ran = '';
  /** The time that is measured on all rows, and what is said of it. */
  range: View | null = null;
  private rangeSays: RangeWords | null = null;
  seen = '';
  /** The host whose rows alone are shown; null: those that matter of all. */
  host: string | null = null;
  problem = '';
  kernels = false;
  arrows = true;
  lines: Line[] = [];
  tableNote = '';

  /** Id of the step that is shown. */
  private shown: string | null = null;
  /** What was chosen when another step came: it is chosen again when its step comes back. */
  private left: { step: string; row: TimelineRow; mark: Mark } | null = null;
  private awaited: Place | null = null;
  private place: Place | null = null;
  private keep: TimelineAsk['keep'] = null;
  private loading = new AbortController();
  private refining = new AbortController();
  private telling = new AbortController();
  private watcher: IntersectionObserver | null = null;

  constructor() {
    super();
    this.addEventListener('span-choose', (event) => {
      event.stopPropagation();
      const { mark } = (event as CustomEvent<{ mark: Mark | null }>).detail;
      this.choose(mark);
    });
    this.addEventListener('range-choose', (event) => {
      event.stopPropagation();
      this.measure((event as CustomEvent<{ range: View | null }>).detail.range);
    });
    this.addEventListener('host-choose', (event) => {
      event.stopPropagation();
      this.host = (event as CustomEvent<{ host: string | null }>).detail.host;
    });
    this.addEventListener('view-rest', () => this.settle());
  }

  /** Whether there is a timeline: without steps on a GPU the finding stands alone. */
  private get timed(): boolean {
    return this.report.steps.columns.length > 0;
  }

  private get finding(): Finding | undefined {
    const { findings } = this.report;
    const { locked } = this;
    const holds = ({ id, explains }: Finding): boolean => id === locked || explains.some((one) => one.id === locked);
    return findings.find(holds) ?? findings[0];
  }

  protected override changed(former: Former): void {
    const { report } = this;
    if ('report' in former) this.host = null;
    const beside = report.findings.length > 0 && this.timed;
    if (beside !== this.hasAttribute('beside'))
      this.shadowRoot.querySelector<TimelinePlotElement>('#plot')?.remeasure();
    this.toggleAttribute('beside', beside);
    this.toggleAttribute('hosts-only', report.ledger === null);
    this.toggleAttribute('saves', report.viewer !== 'XProf');
    if ('report' in former || 'step' in former || 'locked' in former)
      this.shown = firstStep(this.step, this.finding?.where ?? [], report);
    if ('locked' in former || 'report' in former) this.place = firstPlace(this.finding?.where ?? [], report) ?? null;
    if ('target' in former) {
      // Whoever goes back before it was there does not wait for it any more.
      this.awaited = this.target;
      this.place = this.target ?? this.place;
    }
  }

  protected override template() {
    const { report, finding, timed } = this;
    return html`
      ${
        finding
          ? html`<tfperf-chosen-finding
              .report=${report}
              .finding=${finding}
              .access=${this.access}
              .mark=${this.marks[finding.id] ?? null}
              .opened=${this.locked}
              .told=${finding === report.findings[0]}
              .alone=${!timed}
            ></tfperf-chosen-finding>`
          : nothing
      }
      ${timed ? this.timeline() : nothing}
    `;
  }

  private timeline() {
    const { report, whole, problem, shown, finding, hovered, chosen, place, range } = this;
    const { steps, findings, omitted } = report;
    const drawnOf = findings.find(({ id }) => id === hovered) ?? finding;
    const omission = omitted.find(({ what }) => what === 'timeline')?.sentence ?? '';
    const tags = whole?.rows.map((row) => tagOf(row, whole, report.stragglers)) ?? [];
    const at = place && [null, shown].includes(stepOf(place, report)) ? place : null;
    return html`
      <section aria-labelledby="head">
        ${
          report.by_host.length > 1
            ? html`<tfperf-host-dots .hosts=${report.by_host} .chosen=${this.host}></tfperf-host-dots>`
            : nothing
        }
        ${this.head()}
        ${
          steps.columns.length > 1
            ? html`<tfperf-step-strip
                .steps=${steps}
                .chosen=${shown}
                .marked=${(finding?.where ?? []).map((place) => stepOf(place, report))}
              ></tfperf-step-strip>`
            : nothing
        }
        <p class="note name" ?hidden=${!omission}>${omission}</p>
        <p class="note" role="alert" ?hidden=${!problem}>${problem}</p>
        <tfperf-timeline-plot
          id="plot"
          .marks=${whole ? ranges(whole, drawnOf) : []}
          .chosen=${chosen}
          .tags=${tags}
          .wait=${chosen && whole ? waitIn(whole, chosen) : null}
          .arrows=${this.arrows}
          .range=${range}
          .expected=${expectedRows(report, this.place)}
          ?hidden=${problem}
        ></tfperf-timeline-plot>
        <p class="note" ?hidden=${!whole?.others}>${whole ? othersWords(whole) : ''}</p>
        ${finding ? placeButtons(report, finding, at, (one) => this.goThere(one)) : nothing}
        <div class="selected" role="status">
          ${
            range && whole
              ? measured(range, this.rangeSays, whole, () => this.back())
              : chosen && whole
                ? this.selection(whole, chosen)
                : this.hint()
          }
        </div>
        <p id="seen" class="note" role="status">${this.seen}</p>
        <div id="table">
          <tfperf-table
            ?hidden=${!whole}
            heading="What is in view, as a table"
            .columns=${COLUMNS}
            .items=${this.lines}
            .note=${this.tableNote}
          ></tfperf-table>
        </div>
        <ul id="legend" class="legend" aria-label="What the rows show"></ul>
      </section>
    `;
  }

  private head() {
    const { report, shown } = this;
    const { steps, hosts, ledger } = report;
    const column = steps.columns.find(({ id }) => id === shown);
    const about = [
      column ? duration(column.step_ns) : '',
      column?.outlier ? 'outlier: much longer than the others' : '',
      column?.note ?? '',
    ];
    const toggle = (name: 'kernels' | 'arrows', words: string) =>
      html`<button class="button" aria-pressed=${this[name]} @click=${() => (this[name] = !this[name])}>
        ${words}
      </button>`;
    return html`
      <header>
        <h2 id="head">Timeline, step ${column?.number ?? shown ?? ''}</h2>
        <span class="note">${about.filter(Boolean).join(' · ')}</span>
        <label ?hidden=${hosts.length < 2}
          >Host
          <select id="host" @change=${this.onHost}>
            <option value="" .selected=${this.host === null}>all ${hosts.length}</option>
            ${hosts.map((host) => html`<option value=${host} .selected=${host === this.host}>${host}</option>`)}
          </select>
        </label>
        ${ledger ? html`${toggle('kernels', 'Kernel rows')} ${toggle('arrows', 'Launch arrows')}` : nothing}
        <button class="button" aria-label="Zoom out" @click=${() => this.plot.zoomOut()}>−</button>
        <button class="button" aria-label="Zoom in" @click=${() => this.plot.zoomIn()}>+</button>
        <button class="button" @click=${() => this.plot.showAll()}>Whole step</button>
      </header>
    `;
  }

  private hint() {
    const { report, whole, place, access } = this;
    const unkept = this.kernels && whole !== null && !whole.rows.some(({ kernels }) => kernels);
    return hint(unkept, place && traceLink(report, place, access));
  }

  private selection(whole: StepTimeline, mark: Mark) {
    const { report, access, late, did, ran } = this;
    const row = whole.rows[mark.row];
    if (!row) return nothing;
    const what = this.plot.wordsOf(mark);
    const place = placeOf(whole, { ...mark, end: Math.min(mark.end, row.length_ns) }, what);
    return selected(report.findings, {
      ...{ whole, mark, row, what, late, did, ran },
      launched: launchWords(this.plot.spans ?? whole, mark),
      account: row.kernels ? 'compute' : (whole.codes[this.code(mark)] ?? ''),
      link: traceLink(report, place, access),
      select: (id) => fire(this, 'finding-select', { id }),
      back: () => this.back(),
    });
  }

  private code({ row, begin }: Mark): number {
    const line = this.plot.spans?.rows[row];
    return (line && line.code[spanAt(line, begin)]) ?? -1;
  }

  protected override drawn(former: Former): void {
    if ('target' in former && this.target) this.onTarget();
    if ('ask' in former || 'report' in former) this.asked = '';
    if (['report', 'step', 'locked', 'ask', 'near', 'kernels', 'host'].some((name) => name in former)) void this.load();
    else if ('zoom' in former && !('target' in former)) this.applyZoom();
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
    for (const one of [this.loading, this.refining, this.telling]) one.abort();
  }

  /** What was asked for last: the same is not asked for twice. */
  private asked = '';

  private request(begin: number, end: number | null, width: number): TimelineAsk {
    const { shown, host, kernels, keep } = this;
    return { step: shown ?? '', host, begin_ns: begin, end_ns: end, width, keep, kernels };
  }

  private async load(): Promise<void> {
    const { report, shown, ask, near, kernels, place } = this;
    if (shown === null || !ask || !near) return;
    this.keep = place?.device ? { host: place.host, device: place.device } : null;
    const request = this.request(0, null, this.plot.width);
    const key = JSON.stringify([report.run, { ...request, width: 0 }]);
    if (this.asked === key && this.whole) {
      this.applyZoom();
      return;
    }
    this.loading.abort();
    this.loading = new AbortController();
    this.refining.abort();
    const { signal } = this.loading;
    this.asked = key;
    this.plot.classList.add('wait');
    try {
      const whole = await ask(request, signal);
      if (signal.aborted) return;
      const same = this.whole?.step === whole.step && this.whole.rows.some((row) => row.kernels) !== kernels;
      const view = same ? this.plot.view : null;
      this.problem = '';
      if (this.chosen) this.leave(this.chosen);
      this.whole = whole;
      this.plot.show(whole);
      this.choose(this.awaited ? null : this.leftIn(whole));
      if (this.awaited) this.goTo(this.awaited);
      else if (view) this.plot.move(view);
      else this.applyZoom();
      // At once, so that what follows below does not move when the view rests.
      this.tell();
      this.child('legend').replaceChildren(
        ...used(whole).map((code) => legendItem(accountLook(code), ...explained(legendWords(code)))),
      );
    } catch (problem) {
      if (signal.aborted) return;
      this.asked = '';
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    this.plot.classList.remove('wait');
  }

  private get plot(): TimelinePlotElement {
    return this.child('plot') as TimelinePlotElement;
  }

  private onTarget(): void {
    this.near = true;
    // Its step may be on its way: then it is gone to when that is there.
    if (this.whole?.step === this.shown) this.goTo(this.target);
  }

  private goTo(target: Place | null): void {
    const [mark] = this.whole && target ? marks(this.whole, [target]) : [];
    if (!mark || !this.whole) return;
    this.awaited = null;
    this.plot.move(around(mark, this.whole.length_ns));
  }

  /** Shows what the address says, unless it is shown already. */
  private applyZoom(): void {
    if (!this.whole || zoomText(this.plot.view) === this.zoom) return;
    const wanted = parseZoom(this.zoom);
    if (wanted && wanted.end <= this.whole.length_ns) this.plot.move(wanted);
    else if (!this.awaited) this.plot.showAll();
  }

  /** The view rests: says what is in it, and asks for finer spans if they were merged. */
  private settle(): void {
    const { whole } = this;
    // Of a step that is left, what is in view is no longer what is looked at.
    if (!whole || whole.step !== this.shown) return;
    this.tell();
    const { view } = this.plot;
    const all = view.begin <= 0 && view.end >= whole.length_ns;
    fire(this, 'zoom-change', { zoom: all ? null : zoomText(view) });
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
      : `${timelineRange(view.begin / 1e6, view.end / 1e6)} of ${duration(whole.length_ns)}`;
    const merged =
      spans.merged_below_ns > 0
        ? ` Neighbors shorter than ${duration(spans.merged_below_ns)} are drawn as one; zoom in to part them.`
        : '';
    const aligned = whole.hosts.length > 1 ? '; hosts aligned at its start' : '';
    this.seen = `${part}${aligned}.${merged}`;
    this.list();
  }

  private async refine(): Promise<void> {
    const { whole, ask } = this;
    const { view, spans, width } = this.plot;
    const length = view.end - view.begin;
    if (!whole || !ask || !spans || spans.merged_below_ns <= length / width) return;
    const begin = Math.floor(Math.max(view.begin - length, 0));
    const end = Math.ceil(Math.min(view.end + length, whole.length_ns));
    if (spans.begin_ns === begin && spans.end_ns === end) return;
    this.refining.abort();
    this.refining = new AbortController();
    const { signal } = this.refining;
    try {
      const fine = await ask(this.request(begin, end, 3 * width), signal);

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
    this.tableNote = total > lines.length ? `The longest ${lines.length} of ${counted(total, 'span')} in view.` : '';
  }

  /** Selects a stretch: says whose it is, and asks what the host did meanwhile. */
  private choose(mark: Mark | null): void {
    const { whole, ask } = this;
    this.chosen = mark;
    this.range = null;
    this.did = this.late = this.ran = '';
    this.telling.abort();
    const row = mark ? whole?.rows[mark.row] : undefined;
    fire(this, 'owner', { id: mark && whole && row?.is_gpu ? ownerOf(whole, mark) : null });
    if (!mark || !row?.is_gpu || !whole || !ask) return;
    const account = whole.codes[this.code(mark)];
    const wait = account === 'communication.wait' && !row.kernels ? waitIn(whole, mark) : null;
    const several = whole.hosts.length > 1;
    this.telling = new AbortController();
    const { signal } = this.telling;
    const tell = (begin: number, end: number, { host, device }: Gpu, say: (answer: StepTimeline) => void): void => {
      const window = this.request(Math.max(Math.floor(begin), 0), Math.ceil(end), this.plot.width);
      void ask({ ...window, host, keep: { host, device }, kernels: true }, signal).then(
        (answer) => {
          if (!signal.aborted) say(answer);
        },
        () => undefined,
      );
    };
    tell(mark.begin, mark.end, { host: row.host, device: row.name }, (answer) => {
      this.did = meanwhile(answer.rows);
      if (account === 'compute' && !row.kernels) this.ran = kernelWords(answer, row);
    });
    if (!wait) return;
    this.late = waitWords(wait, several, '');
    tell(wait.arrives_ns - (wait.end_ns - wait.begin_ns), wait.arrives_ns, wait, (answer) => {
      this.late = waitWords(wait, several, doing(answer, wait));
    });
  }

  /** Selects a range of all rows: asks what is in it. */
  private measure(range: View | null): void {
    const { whole, ask } = this;
    this.choose(null);
    if (!range || !whole || !ask) return;
    this.range = range;
    this.rangeSays = null;
    this.telling = new AbortController();
    const { signal } = this.telling;
    const window = this.request(Math.floor(range.begin), Math.ceil(range.end), this.plot.width);
    void ask({ ...window, kernels: true }, signal).then(
      (answer) => {
        if (!signal.aborted) this.rangeSays = rangeWords(answer);
      },
      () => undefined,
    );
  }

  private leave(mark: Mark): void {
    const row = this.whole?.rows[mark.row];
    this.left = row && this.whole ? { step: this.whole.step, row, mark } : null;
  }

  private leftIn({ step, rows }: StepTimeline): Mark | null {
    const { left } = this;
    const same = ({ host, name, kernels }: TimelineRow): boolean =>
      host === left?.row.host && name === left.row.name && kernels === left.row.kernels;
    const row = rows.findIndex(same);
    return left && left.step === step && row >= 0 ? { ...left.mark, row } : null;
  }

  private onHost(event: Event): void {
    this.host = (event.target as HTMLSelectElement).value || null;
  }

  /** Lets go of what is selected; if nothing is, goes back to where the user came from. */
  private back(): void {
    if (this.chosen ?? this.range) {
      // The button that was pressed is gone.
      this.plot.focusPlot();
      this.choose(null);
    } else fire(this, 'timeline-back');
  }

  protected override onPageKey(event: KeyboardEvent): void {
    const { key } = event;
    if (!this.timed) return;
    const path = event.composedPath();
    if (key === 'Escape' && (path.includes(this) || path[0] === document.body)) this.back();
    if (!this.near) return;
    const { columns } = this.report.steps;
    const at = columns.findIndex(({ id }) => id === this.shown);
    const to = { '[': columns[at - 1], ']': columns[at + 1] }[key];
    if (to) fire(this, 'step-change', { id: to.id });
    else if (key === 'n') this.nextPlace();
    else if (key === '+') this.plot.zoomIn();
    else if (key === '-') this.plot.zoomOut();
    else if (key === '0') this.plot.showAll();
    else if (key === 'm') this.measure(this.plot.view);
    else return;
    event.preventDefault();
  }

  private goThere(place: Place): void {
    fire(this, 'show-in-timeline', { place });
  }

  private nextPlace(): void {
    const { place } = this;
    const where = (this.finding?.where ?? []).slice(0, PLACES);
    const at = where.findIndex((one) => place !== null && samePlace(one, place));
    const next = where[(at + 1) % Math.max(where.length, 1)];
    if (next) this.goThere(next);
  }
}

customElements.define('tfperf-finding-timeline', FindingTimelineElement);
