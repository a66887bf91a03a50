import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { AXIS_PX, type Ink, ROW_PX, inkOf, paint } from '../charts/timeline_canvas.js';
import type { StepTimeline } from '../model.js';
import { sharedStyles } from './old.js';
import { type Mark, type Spot, type View, panned, rowName, spanAfter, spanAt, spanWords, stretch, zoomed } from '../timeline.js';
import { fire } from './base.js';
import { Tip } from './tip.js';

/** How long the view must rest before it is told: finer spans are asked for then. */
const REST_MS = 120;
const ZOOM = 1.6;
const PAN = 0.15;
/** What a click may move and still be a click. */
const SLOP_PX = 4;

/** The drawn rows of a timeline, which can be zoomed, moved, and walked through by keyboard. */
export class TimelinePlotElement extends PolymerElement {
  static get is() {
    return 'tfperf-timeline-plot';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        #frame { display: grid; gap: 10px; grid-template-columns: minmax(64px, max-content) minmax(0, 1fr); max-height: 70vh; overflow: hidden auto; }
        #labels { font-size: 13px; max-width: 240px; min-width: 0; }
        #labels div { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #labels .host { color: var(--ink-2); }
        #plot { position: relative; }
        #wrap { position: relative; }
        canvas:focus-visible { outline-offset: -2px; }
        canvas { cursor: grab; display: block; touch-action: pan-y; width: 100%; }
        canvas.held { cursor: grabbing; }
        #spot { pointer-events: none; position: absolute; }
        .help { margin-top: 6px; }
      </style>
      <div id="wrap"><div id="frame">
        <div id="labels" aria-hidden="true"></div>
        <div id="plot">
          <canvas id="canvas" tabindex="0" role="application" aria-roledescription="timeline" aria-label$="[[label(data)]]" aria-describedby="help"
            on-keydown="onKey" on-focus="onFocus" on-blur="onBlur" on-pointerdown="onDown" on-pointermove="onMove" on-pointerup="onUp"
            on-pointercancel="onUp" on-pointerleave="onLeave"></canvas>
          <div id="spot"></div>
        </div>
      </div></div>
      <p id="help" class="note help">Drag or ← → to move · Ctrl + wheel or + − to zoom, 0 for the whole step · ↑ ↓ for rows, Shift + ← → for spans · click or Enter to choose a span, Esc to leave it</p>
    `;
  }

  static get properties() {
    return {
      /** The whole step. */
      data: { type: Object, value: null },
      /** Finer spans of a part of it. */
      fine: { type: Object, value: null },
      marks: { type: Array, value: () => [] },
      chosen: { type: Object, value: null },
    };
  }

  static get observers() {
    return ['onData(data)', 'draw(fine, marks, chosen)'];
  }

  declare data: StepTimeline | null;
  declare fine: StepTimeline | null;
  declare marks: Mark[];
  declare chosen: Mark | null;

  view: View = { begin: 0, end: 1 };
  private at: Spot = { row: 0, span: 0 };
  private ink: Ink | null = null;
  private frame = 0;
  private resting = 0;
  private held: { x: number; view: View; moved: boolean } | null = null;
  private tip: Tip | undefined;
  private readonly watchers: { disconnect(): void }[] = [];

  override ready(): void {
    super.ready();
    this.tip = new Tip(this.child('wrap'));
    this.canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
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
    this.watchers.push(sized, themed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const watcher of this.watchers.splice(0)) watcher.disconnect();
  }

  onData(data: StepTimeline | null): void {
    if (!data) return;
    this.ink = null;
    this.at = { row: 0, span: 0 };
    this.child('labels').replaceChildren(
      ...data.rows.map((row, i) => {
        const label = document.createElement('div');
        label.textContent = label.title = rowName(row, data.hosts.length > 1);
        label.className = row.is_gpu ? '' : 'host';
        label.style.cssText = `height:${ROW_PX}px;line-height:${ROW_PX}px;${i === 0 ? `margin-top:${AXIS_PX}px` : ''}`;
        return label;
      }),
    );
    this.move({ begin: 0, end: Math.max(data.length_ns, 1) });
  }

  /** What is drawn: the finer spans where they cover the view. */
  get drawn(): StepTimeline | null {
    const { fine, view } = this;
    return fine && fine.begin_ns <= view.begin && fine.end_ns >= view.end ? fine : this.data;
  }

  /** In px of the page. */
  get width(): number {
    return Math.max(Math.round(this.child('plot').clientWidth), 100);
  }

  move(view: View): void {
    this.view = view;
    this.tip?.hide();
    this.draw();
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => fire(this, 'view-rest'), REST_MS);
  }

  /** @param factor above 1 shows less; `at` stays where it is */
  zoom(factor: number, at = (this.view.begin + this.view.end) / 2): void {
    if (this.data) this.move(zoomed(this.view, factor, at, this.data.length_ns));
  }

  zoomIn(): void {
    this.zoom(ZOOM);
  }

  zoomOut(): void {
    this.zoom(1 / ZOOM);
  }

  showAll(): void {
    if (this.data) this.move({ begin: 0, end: this.data.length_ns });
  }

  /** Draws before the next frame, once for all that happened meanwhile. */
  draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  label(data: StepTimeline | null): string {
    return data ? `Timeline of step ${data.step}, ${data.rows.length} rows` : 'Timeline';
  }

  private get canvas(): HTMLCanvasElement {
    return this.$['canvas'] as HTMLCanvasElement;
  }

  private child(id: string): HTMLElement {
    return this.$[id] as HTMLElement;
  }

  private drawNow(): void {
    const { drawn, canvas } = this;
    const context = canvas.getContext?.('2d');
    const width = this.child('plot').clientWidth;
    if (!drawn || !context || width === 0) return;
    const height = AXIS_PX + drawn.rows.length * ROW_PX;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) {
      [canvas.width, canvas.height] = [wide, high];
      canvas.style.height = `${height}px`;
    }
    this.ink ??= inkOf(this, drawn.codes, context);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, width, drawn, this.view, this.ink, this.marks, this.chosen);
  }

  private pan(share: number): void {
    if (this.data) this.move(panned(this.view, share * (this.view.end - this.view.begin), this.data.length_ns));
  }

  private toNs(px: number): number {
    return this.view.begin + (px / this.width) * (this.view.end - this.view.begin);
  }

  /** Says what a span is, beside it. */
  private point(spot: Spot): void {
    const { drawn, view, width } = this;
    if (!drawn) return;
    const { begin, end } = stretch(drawn, spot);
    const scale = width / (view.end - view.begin);
    const left = Math.max((begin - view.begin) * scale, 0);
    const right = Math.min((end - view.begin) * scale, width);
    const box = this.child('spot');
    box.style.cssText = `left:${left}px;width:${Math.max(right - left, 1)}px;top:${AXIS_PX + spot.row * ROW_PX}px;height:${ROW_PX}px`;
    this.tip?.show(box, spanWords(drawn, spot));
  }

  /** Goes to a span, and brings it into view. */
  private go({ row, span }: Spot): void {
    const { drawn, view, data } = this;
    const line = drawn?.rows[row];
    if (!drawn || !data || !line) return;
    if (line.code.length === 0) {
      // A row of which nothing was recorded: it is passed, not said.
      this.at = { row, span: 0 };
      return this.tip?.hide();
    }
    this.at = { row, span: Math.min(Math.max(span, 0), line.code.length - 1) };
    const { begin, end } = stretch(drawn, this.at);
    if (end <= view.begin || begin >= view.end) this.move(panned(view, (begin + end - view.begin - view.end) / 2, data.length_ns));
    this.point(this.at);
  }

  /** The span that the keyboard is at, if it is in view; else the first in view of its row. */
  private get current(): Spot {
    const { drawn, at, view } = this;
    const row = drawn?.rows[at.row];
    if (!drawn || !row) return at;
    const { begin, end } = stretch(drawn, at);
    return end > view.begin && begin < view.end ? at : { row: at.row, span: Math.min(spanAfter(row, view.begin), Math.max(row.code.length - 1, 0)) };
  }

  /** Zooms around the span that the keyboard is at. */
  private zoomAt(factor: number): void {
    const { drawn, current, view } = this;
    if (!drawn) return;
    const { begin, end } = stretch(drawn, current);
    const middle = (Math.max(begin, view.begin) + Math.min(end, view.end)) / 2;
    this.zoom(factor, Math.min(Math.max(middle, view.begin), view.end));
  }

  /** Another row, at the same time. */
  private goRow(by: number): void {
    const { drawn, current: at, view } = this;
    const row = drawn?.rows[at.row + by];
    if (!drawn || !row) return;
    this.go({ row: at.row + by, span: spanAfter(row, Math.max(stretch(drawn, at).begin, view.begin)) });
  }

  private choose(spot: Spot | null): void {
    const { drawn } = this;
    if (spot) this.at = spot;
    fire(this, 'span-choose', spot && drawn ? { mark: stretch(drawn, spot), words: spanWords(drawn, spot) } : { mark: null, words: '' });
  }

  private spotAt(event: { clientX: number; clientY: number }): Spot | null {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - AXIS_PX) / ROW_PX);
    const line = this.drawn?.rows[row];
    if (!line) return null;
    const span = spanAt(line, this.toNs(event.clientX - box.left));
    return span < 0 ? null : { row, span };
  }

  onFocus(): void {
    const row = this.drawn?.rows[this.at.row];
    if (row && !this.held) this.go({ row: this.at.row, span: spanAfter(row, this.view.begin) });
  }

  onBlur(): void {
    this.tip?.hide();
  }

  onKey(event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const line = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (side !== undefined && shiftKey) this.go({ row: this.at.row, span: this.current.span + side });
    else if (side !== undefined) this.pan(side * PAN);
    else if (line !== undefined) this.goRow(line);
    else if (key === '+' || key === '=') this.zoomAt(ZOOM);
    else if (key === '-') this.zoomAt(1 / ZOOM);
    else if (key === '0') this.showAll();
    else if (key === 'Enter' || key === ' ') this.choose(this.current);
    else if (key === 'Escape') this.choose(null);
    else return;
    event.preventDefault();
  }

  onWheel(event: WheelEvent): void {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      const left = event.clientX - this.canvas.getBoundingClientRect().left;
      this.zoom(2 ** (-event.deltaY / 200), this.toNs(left));
    } else if (Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) this.pan(sideways / this.width);
    else return;
    event.preventDefault();
  }

  onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.held = { x: event.clientX, view: this.view, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  onMove(event: PointerEvent): void {
    const { held, data } = this;
    if (!held || !data) {
      const spot = this.spotAt(event);
      if (spot) this.point(spot);
      else this.tip?.hide();
      return;
    }
    const by = event.clientX - held.x;
    held.moved ||= Math.abs(by) > SLOP_PX;
    if (!held.moved) return;
    this.canvas.classList.add('held');
    this.move(panned(held.view, (-by / this.width) * (held.view.end - held.view.begin), data.length_ns));
  }

  onUp(event: PointerEvent): void {
    const { held } = this;
    this.held = null;
    this.canvas.classList.remove('held');
    if (held && !held.moved && event.type === 'pointerup') this.choose(this.spotAt(event));
  }

  onLeave(): void {
    if (!this.held) this.tip?.hide();
  }
}

customElements.define(TimelinePlotElement.is, TimelinePlotElement);
