import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { TraceAccess } from '../backend.js';
import { legendItem } from '../charts/svg.js';
import { AXIS_PX, type Ink, ROW_PX, inkOf, paint } from '../charts/timeline_canvas.js';
import { duration } from '../format.js';
import type { Place, StepTimeline } from '../model.js';
import { sharedStyles } from '../theme.js';
import {
  type Mark, type Spot, type View, around, marks, panned, placeOf, rowName, spanAfter, spanAt, spanWords, stretch, used, workLook, zoomed,
} from '../timeline.js';
import './places.js';
import type { Column } from './table.js';
import './table.js';
import { Tip } from './tip.js';
import './trace.js';

/** A part of the step, as ns from its begin; null: to its end. */
export interface TimelineAsk {
  step: string;
  host: string | null;
  begin_ns: number;
  end_ns: number | null;
  width: number;
}
export type AskTimeline = (ask: TimelineAsk, signal: AbortSignal) => Promise<StepTimeline>;

/** How long the view must rest before finer spans are asked for. */
const REST_MS = 120;
const ZOOM = 1.6;
const PAN = 0.15;
/** Spans in the table. */
const TABLE_CAP = 300;
/** What a click may move and still be a click. */
const SLOP_PX = 4;

interface Line {
  row: string;
  what: string;
  begin: number;
  length: number;
}

const COLUMNS: Column<Line>[] = [
  { head: 'Row', cell: ({ row }) => row, kind: 'name' },
  { head: 'What', cell: ({ what }) => what },
  { head: 'From', cell: ({ begin }) => duration(begin), kind: 'number', value: ({ begin }) => -begin },
  { head: 'Length', cell: ({ length }) => duration(length), kind: 'number', value: ({ length }) => length },
];

/** One step: a row for each GPU and for what its host does. Can be zoomed and moved; a span opens the trace. */
export class TimelineElement extends PolymerElement {
  static get is() {
    return 'tfperf-timeline';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .tools { align-items: center; display: flex; flex-wrap: wrap; gap: 8px; }
        .tools p { flex: 1; min-width: 200px; }
        .tools label { align-items: center; display: flex; gap: 8px; font-size: 13px; color: var(--ink-2); }
        select { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; color: var(--ink); max-width: 260px; padding: 5px 8px; text-overflow: ellipsis; }
        #frame { display: grid; grid-template-columns: minmax(64px, max-content) minmax(0, 1fr); gap: 10px; margin-top: 8px; max-height: 70vh; min-height: var(--rows-height, 120px); overflow: hidden auto; position: relative; }
        #labels { font-size: 13px; max-width: 240px; min-width: 0; }
        #labels div { color: var(--ink); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #labels .host { color: var(--ink-2); }
        #plot { position: relative; }
        canvas { cursor: grab; display: block; outline-offset: -2px; touch-action: pan-y; width: 100%; }
        canvas.held { cursor: grabbing; }
        #spot { pointer-events: none; position: absolute; }
        .wait { opacity: 0.5; }
        .help, .chosen { margin-top: 6px; }
        .chosen { background: var(--ground); border-radius: 8px; margin-top: 10px; padding: 10px 14px; }
        .chosen p { margin-bottom: 8px; }
        tfperf-table { margin-top: 10px; }
      </style>
      <div class="tools">
        <p class="note" role="status">[[seen]]</p>
        <label hidden$="[[!several(whole)]]">Host
          <select id="host" on-change="onHost">
            <option value="">[[allHosts(whole)]]</option>
            <template is="dom-repeat" items="[[whole.hosts]]"><option value="[[item]]">[[item]]</option></template>
          </select>
        </label>
        <button class="button" on-click="onIn" aria-label="Zoom in">+</button>
        <button class="button" on-click="onOut" aria-label="Zoom out">−</button>
        <button class="button" on-click="onAll">Whole step</button>
      </div>
      <p class="note" role="alert" hidden$="[[!problem]]">[[problem]]</p>
      <div id="frame" hidden$="[[problem]]">
        <div id="labels" aria-hidden="true"></div>
        <div id="plot">
          <canvas id="canvas" tabindex="0" role="application" aria-roledescription="timeline" aria-label$="[[label(whole)]]" aria-describedby="help"
            on-keydown="onKey" on-focus="onFocus" on-blur="onBlur" on-pointerdown="onDown" on-pointermove="onMove" on-pointerup="onUp"
            on-pointercancel="onUp" on-pointerleave="onLeave"></canvas>
          <div id="spot"></div>
        </div>
      </div>
      <p id="help" class="note help">Drag or ← → to move · Ctrl + wheel or + − to zoom, 0 for the whole step · ↑ ↓ for rows, Shift + ← → for spans · click or Enter to choose a span, Esc to leave it</p>
      <ul id="legend" class="legend" aria-label="What the rows show"></ul>
      <div class="chosen" hidden$="[[!places.length]]">
        <p class="name">[[chosenWords]]</p>
        <tfperf-places in-timeline run="[[run]]" places="[[places]]" access="[[access]]" shown="[[isShown(traced)]]"></tfperf-places>
        <template is="dom-if" if="[[traced]]" restamp><tfperf-trace run="[[run]]" place="[[traced]]"></tfperf-trace></template>
      </div>
      <tfperf-table heading="What is shown, as a table" columns="[[columns]]" items="[[lines]]" note="[[tableNote]]"></tfperf-table>
    `;
  }

  static get properties() {
    return {
      run: String,
      /** Id of the step. */
      step: { type: String, value: null },
      ask: { type: Object, value: null },
      access: { type: Object, value: null },
      /** Places of findings that are open. */
      places_of_findings: { type: Array, value: () => [] },
      /** A place to zoom to. */
      target: { type: Object, value: null },
      /** Whether the timeline is, or is about to be, on screen: nothing is asked for before. */
      near: { type: Boolean, value: false },
      whole: { type: Object, value: null },
      seen: { type: String, value: '' },
      problem: { type: String, value: '' },
      places: { type: Array, value: () => [] },
      chosenWords: { type: String, value: '' },
      traced: { type: Object, value: null },
      columns: { type: Array, value: () => COLUMNS },
      lines: { type: Array, value: () => [] },
      tableNote: { type: String, value: '' },
    };
  }

  static get observers() {
    return ['load(run, step, ask, near)', 'onPlaces(places_of_findings)', 'onTarget(target)'];
  }

  declare run: string;
  declare step: string | null;
  declare ask: AskTimeline | null;
  declare access: TraceAccess | null;
  declare places_of_findings: Place[];
  declare target: Place | null;
  declare near: boolean;
  declare whole: StepTimeline | null;
  declare seen: string;
  declare problem: string;
  declare places: Place[];
  declare chosenWords: string;
  declare traced: Place | null;
  declare columns: Column<Line>[];
  declare lines: Line[];
  declare tableNote: string;

  private host: string | null = null;
  /** Finer spans of a part of the step. */
  private fine: StepTimeline | null = null;
  private view: View = { begin: 0, end: 1 };
  private found: Mark[] = [];
  private chosen: Mark | null = null;
  private at: Spot = { row: 0, span: 0 };
  private ink: Ink | null = null;
  private loading = new AbortController();
  private refining = new AbortController();
  private frame = 0;
  private resting = 0;
  private held: { x: number; view: View; moved: boolean } | null = null;
  private tip: Tip | undefined;
  private readonly watchers: { disconnect(): void }[] = [];

  override ready(): void {
    super.ready();
    this.tip = new Tip(this.child('plot'));
    this.canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    this.addEventListener('show-trace', (event) => {
      event.stopPropagation();
      this.traced = (event as CustomEvent<{ place: Place | null }>).detail.place;
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const sized = new ResizeObserver(() => this.draw());
    sized.observe(this.child('plot'));
    const themed = new MutationObserver(() => {
      this.ink = null;
      this.draw();
    });
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const seen = new IntersectionObserver((entries) => (this.near ||= entries.some(({ isIntersecting }) => isIntersecting)), { rootMargin: '300px' });
    seen.observe(this);
    this.watchers.push(sized, themed, seen);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const watcher of this.watchers.splice(0)) watcher.disconnect();
    this.loading.abort();
    this.refining.abort();
  }

  /** What is drawn: the finer spans where they cover the view. */
  get data(): StepTimeline | null {
    const { fine, view } = this;
    return fine && fine.begin_ns <= view.begin && fine.end_ns >= view.end ? fine : this.whole;
  }

  async load(run: string, step: string | null, ask: AskTimeline | null, near: boolean): Promise<void> {
    this.loading.abort();
    if (!run || step === null || !ask || !near) return;
    this.loading = new AbortController();
    const { signal } = this.loading;
    this.child('frame').classList.add('wait');
    try {
      const whole = await ask({ step, host: this.host, begin_ns: 0, end_ns: null, width: this.width }, signal);
      if (!signal.aborted) this.show(whole);
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    this.child('frame').classList.remove('wait');
  }

  private show(whole: StepTimeline): void {
    const several = whole.hosts.length > 1;
    this.problem = '';
    this.fine = null;
    this.ink = null;
    this.whole = whole;
    this.at = { row: 0, span: 0 };
    this.view = { begin: 0, end: Math.max(whole.length_ns, 1) };
    this.child('labels').replaceChildren(
      ...whole.rows.map((row, i) => {
        const label = document.createElement('div');
        label.textContent = label.title = rowName(row, several);
        label.className = row.is_gpu ? '' : 'host';
        label.style.cssText = `height:${ROW_PX}px;line-height:${ROW_PX}px;${i === 0 ? `margin-top:${AXIS_PX}px` : ''}`;
        return label;
      }),
    );
    this.child('legend').replaceChildren(...used(whole).map((code) => legendItem(workLook(code), workLook(code).words)));
    this.style.setProperty('--rows-height', `min(${AXIS_PX + whole.rows.length * ROW_PX}px, 70vh)`);
    this.found = marks(whole, this.places_of_findings);
    this.choose(null);
    this.goTo(this.target);
    this.settle();
  }

  onPlaces(places: Place[]): void {
    if (this.whole) this.found = marks(this.whole, places);
    this.draw();
  }

  onTarget(target: Place | null): void {
    if (target) this.near = true;
    if (target && this.whole?.step === this.step) this.goTo(target);
  }

  private goTo(target: Place | null): void {
    const [mark] = this.whole && target ? marks(this.whole, [target]) : [];
    if (!mark || !this.whole) return;
    this.target = null;
    this.move(around(mark, this.whole.length_ns));
    this.choose(mark, target?.label ?? '');
  }

  onHost(event: Event): void {
    this.host = (event.target as HTMLSelectElement).value || null;
    void this.load(this.run, this.step, this.ask, this.near);
  }

  // ------------------------------------------------------------------------------------ view

  private get canvas(): HTMLCanvasElement {
    return this.$['canvas'] as HTMLCanvasElement;
  }

  private child(id: string): HTMLElement {
    return this.$[id] as HTMLElement;
  }

  private get width(): number {
    return Math.max(Math.round(this.child('plot').clientWidth), 100);
  }

  private toNs(px: number): number {
    return this.view.begin + (px / this.width) * (this.view.end - this.view.begin);
  }

  private move(view: View): void {
    this.view = view;
    this.tip?.hide();
    this.draw();
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.settle(), REST_MS);
  }

  private zoom(factor: number, at = (this.view.begin + this.view.end) / 2): void {
    if (this.whole) this.move(zoomed(this.view, factor, at, this.whole.length_ns));
  }

  private pan(share: number): void {
    if (this.whole) this.move(panned(this.view, share * (this.view.end - this.view.begin), this.whole.length_ns));
  }

  /** The view rests: says what is in it, and asks for finer spans if they were merged. */
  private settle(): void {
    const { whole, view } = this;
    if (!whole) return;
    const all = view.end - view.begin >= whole.length_ns;
    const merged = this.data && this.data.merged_below_ns > 0 ? ` Pieces shorter than ${duration(this.data.merged_below_ns)} are drawn as one; zoom in to part them.` : '';
    this.seen = `${all ? `The whole step, ${duration(whole.length_ns)}` : `${duration(view.begin)} to ${duration(view.end)} of ${duration(whole.length_ns)}`}.${merged}`;
    this.list();
    if (!this.chosen) this.choose(null);
    void this.refine();
  }

  private async refine(): Promise<void> {
    const { view, whole, ask, data, step } = this;
    const length = view.end - view.begin;
    if (!whole || !ask || !data || step === null || data.merged_below_ns <= length / this.width) return;
    const part = { begin_ns: Math.floor(Math.max(view.begin - length, 0)), end_ns: Math.ceil(Math.min(view.end + length, whole.length_ns)) };
    if (data.begin_ns === part.begin_ns && data.end_ns === part.end_ns) return;
    this.refining.abort();
    this.refining = new AbortController();
    const { signal } = this.refining;
    try {
      const fine = await ask({ step, host: this.host, ...part, width: 3 * this.width }, signal);
      if (signal.aborted || this.whole !== whole) return;
      this.fine = fine;
      this.draw();
      this.list();
    } catch {
      // What is drawn is coarser than it might be, but true.
    }
  }

  /** Draws before the next frame, once for all that happened meanwhile. */
  draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  private drawNow(): void {
    const { data, canvas } = this;
    const context = canvas.getContext?.('2d');
    const width = this.child('plot').clientWidth;
    if (!data || !context || width === 0) return;
    const height = AXIS_PX + data.rows.length * ROW_PX;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    this.ink ??= inkOf(this, data.codes, context);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, width, data, this.view, this.ink, this.found, this.chosen);
  }

  /** The spans in view as a table, in the order of rows and time. */
  private list(): void {
    const { data, view } = this;
    if (!data) return;
    const lines: Line[] = [];
    let total = 0;
    for (const row of data.rows) {
      const name = rowName(row, data.hosts.length > 1);
      for (let i = spanAfter(row, view.begin); (row.begin_ns[i] ?? Infinity) < view.end; i++) {
        const begin = row.begin_ns[i] as number;
        if (++total <= TABLE_CAP) {
          const pieces = row.pieces[i] as number;
          const what = workLook(data.codes[row.code[i] as number] ?? '').words;
          lines.push({ row: name, what: pieces > 1 ? `${pieces} pieces, mostly ${what}` : what, begin, length: (row.end_ns[i] as number) - begin });
        }
      }
    }
    this.lines = lines;
    this.tableNote = total > lines.length ? `The first ${lines.length} of ${total} spans in view; zoom in for the others.` : '';
  }

  // ------------------------------------------------------------------------------------ choosing

  /** What can be opened in the trace: a span, a place, or else what is in view. */
  private choose(mark: Mark | null, words = ''): void {
    const { whole, view } = this;
    this.chosen = mark;
    this.traced = null;
    this.draw();
    const of = mark ?? { row: this.at.row, ...view };
    const row = whole?.rows[of.row];
    if (!whole || !row) {
      this.places = [];
      return;
    }
    const end = Math.min(of.end, row.length_ns);
    const label = mark ? words : `What is in view on ${row.host}`;
    this.chosenWords = mark ? `Chosen: ${words}` : '';
    this.places = end > of.begin ? [placeOf(whole, { ...of, end }, label)] : [];
  }

  private chooseSpot(spot: Spot): void {
    const { data } = this;
    if (data) this.choose(stretch(data, spot), spanWords(data, spot));
  }

  private point(spot: Spot): void {
    const { data, view, width } = this;
    if (!data) return;
    const { begin, end } = stretch(data, spot);
    const scale = width / (view.end - view.begin);
    const left = Math.max((begin - view.begin) * scale, 0);
    const spotElement = this.child('spot');
    spotElement.style.cssText = `left:${left}px;width:${Math.max(Math.min((end - view.begin) * scale, width) - left, 1)}px;top:${AXIS_PX + spot.row * ROW_PX}px;height:${ROW_PX}px`;
    this.tip?.show(spotElement, spanWords(data, spot));
  }

  /** Goes to a span of the row, or of another row at the same time, and brings it into view. */
  private go({ row, span }: Spot): void {
    const { data, whole } = this;
    if (!data || !whole) return;
    const line = data.rows[Math.min(Math.max(row, 0), data.rows.length - 1)];
    if (!line || line.code.length === 0) return;
    this.at = { row: data.rows.indexOf(line), span: Math.min(Math.max(span, 0), line.code.length - 1) };
    const { begin, end } = stretch(data, this.at);
    const width = this.view.end - this.view.begin;
    if (end <= this.view.begin || begin >= this.view.end) this.move(panned(this.view, (begin + end) / 2 - width / 2 - this.view.begin, whole.length_ns));
    this.point(this.at);
  }

  private spotAt(event: { clientX: number; clientY: number }): Spot | null {
    const { data } = this;
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - AXIS_PX) / ROW_PX);
    const line = data?.rows[row];
    if (!line) return null;
    const span = spanAt(line, this.toNs(event.clientX - box.left));
    return span < 0 ? null : { row, span };
  }

  onFocus(): void {
    if (this.held) return;
    const row = this.data?.rows[this.at.row];
    if (row) this.go({ row: this.at.row, span: spanAfter(row, this.view.begin) });
  }

  onBlur(): void {
    this.tip?.hide();
  }

  onKey(event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { at } = this;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const line = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (step !== undefined && shiftKey) this.go({ row: at.row, span: at.span + step });
    else if (step !== undefined) this.pan(step * PAN);
    else if (line !== undefined) {
      const row = this.data?.rows[at.row + line];
      const middle = this.data && stretch(this.data, at);
      if (row && middle) this.go({ row: at.row + line, span: spanAfter(row, Math.max(middle.begin, this.view.begin)) });
    } else if (key === '+' || key === '=') this.zoom(ZOOM);
    else if (key === '-') this.zoom(1 / ZOOM);
    else if (key === '0') this.onAll();
    else if (key === 'Enter' || key === ' ') this.chooseSpot(at);
    else if (key === 'Escape') {
      this.tip?.hide();
      this.choose(null);
    } else return;
    event.preventDefault();
  }

  onWheel(event: WheelEvent): void {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      const left = event.clientX - this.canvas.getBoundingClientRect().left;
      this.zoom(2 ** (-event.deltaY / 200), this.toNs(left));
    } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) this.pan(sideways / this.width);
    else return;
    event.preventDefault();
  }

  onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.held = { x: event.clientX, view: this.view, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  onMove(event: PointerEvent): void {
    const { held, whole } = this;
    if (held && whole) {
      const by = event.clientX - held.x;
      held.moved ||= Math.abs(by) > SLOP_PX;
      if (!held.moved) return;
      this.canvas.classList.add('held');
      this.move(panned(held.view, (-by / this.width) * (held.view.end - held.view.begin), whole.length_ns));
      return;
    }
    const spot = this.spotAt(event);
    if (spot) this.point(spot);
    else this.tip?.hide();
  }

  onUp(event: PointerEvent): void {
    const { held } = this;
    this.held = null;
    this.canvas.classList.remove('held');
    if (!held || held.moved || event.type !== 'pointerup') return;
    const spot = this.spotAt(event);
    if (!spot) return this.choose(null);
    this.at = spot;
    this.chooseSpot(spot);
  }

  onLeave(): void {
    if (!this.held) this.tip?.hide();
  }

  onIn(): void {
    this.zoom(ZOOM);
  }

  onOut(): void {
    this.zoom(1 / ZOOM);
  }

  onAll(): void {
    if (this.whole) this.move({ begin: 0, end: this.whole.length_ns });
  }

  // ------------------------------------------------------------------------------------ words

  several(whole: StepTimeline | null): boolean {
    return (whole?.hosts.length ?? 0) > 1;
  }

  allHosts(whole: StepTimeline | null): string {
    if (!whole) return '';
    const { hosts, hosts_cap } = whole;
    return hosts.length > hosts_cap ? `the first ${hosts_cap} of ${hosts.length}` : `all ${hosts.length}`;
  }

  label(whole: StepTimeline | null): string {
    return whole ? `Timeline of step ${whole.step}, ${whole.rows.length} rows` : 'Timeline';
  }

  isShown(place: Place | null): boolean {
    return place !== null;
  }
}

customElements.define(TimelineElement.is, TimelineElement);
