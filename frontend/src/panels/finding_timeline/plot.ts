import { html, nothing } from 'lit-html';
import { AXIS_PX, type Ink, NAMED_PX, ROW_PX, inkOf, paint } from './canvas.js';
import { css } from '../../theme.js';
import {
  type Mark,
  type Spot,
  type View,
  arrowOf,
  arrowsIn,
  panned,
  rowName,
  spanAfter,
  spanAt,
  spanWhat,
  spanWords,
  stretch,
  zoomed,
} from './timeline.js';
import type { StepTimeline, TimelineRow, Wait } from '../../model.js';
import type { Tag } from './logic.js';
import { TfperfElement, fire } from '../../elements/base.js';
import { Tip } from '../../elements/tip.js';

/** How long the view must rest before it is told: finer spans are asked for then. */
const REST_MS = 120;
const ZOOM = 1.6;
const PAN = 0.15;
/** What a click may move and still be a click. */
const SLOP_PX = 4;

/** The drawn rows of a timeline, which can be zoomed, moved, and walked through by keyboard. */
export class TimelinePlotElement extends TfperfElement {
  static override readonly styles = css`
    #frame {
      display: grid;
      gap: 10px;
      grid-template-columns: var(--labels, minmax(64px, max-content)) minmax(0, 1fr);
      max-height: 70vh;
      overflow: hidden auto;
    }
    #labels {
      font-size: 13px;
      max-width: 340px;
      min-width: 0;
    }
    #labels div {
      height: ${ROW_PX}px;
      line-height: ${ROW_PX}px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #labels > :first-child {
      margin-top: ${AXIS_PX}px;
    }
    .of {
      display: inline-block;
      max-width: 130px;
      overflow: hidden;
      text-overflow: ellipsis;
      vertical-align: bottom;
    }
    #labels .host {
      color: var(--ink-2);
    }
    .tag {
      background: var(--ground);
      border-radius: 4px;
      color: var(--ink-2);
      font-size: 12px;
      padding: 1px 5px;
    }
    .tag.late {
      background: var(--critical-ground);
      color: var(--critical);
    }
    #plot {
      position: relative;
    }
    #wrap {
      position: relative;
    }
    canvas:focus-visible {
      outline-offset: -2px;
    }
    canvas {
      cursor: grab;
      display: block;
      height: 0;
      touch-action: pan-y;
      width: 100%;
    }
    canvas.held {
      cursor: grabbing;
    }
    #spot,
    #range {
      pointer-events: none;
      position: absolute;
    }
    #range {
      background: color-mix(in srgb, var(--accent) 18%, transparent);
      border: solid var(--accent);
      border-width: 0 1px;
      bottom: 0;
      top: 0;
    }
  `;
  // The view is none of them: what follows the hand is drawn on the canvas, once a frame.
  static readonly properties = {
    data: Object,
    fine: Object,
    marks: Array,
    chosen: Object,
    tags: Array,
    expected: Number,
    arrows: Boolean,
    wait: Object,
    range: Object,
  };

  /** The whole step; see `show`. */
  data: StepTimeline | null = null;
  /** The least length of the axis. */
  extent = 0;
  /** Finer spans of a part of it. */
  fine: StepTimeline | null = null;
  marks: Mark[] = [];
  chosen: Mark | null = null;
  /** Beside the names of rows. */
  tags: (Tag | null)[] = [];
  /** The rows to keep room for before they come. */
  expected = 0;
  /** Whether launches are joined with the kernels that they start. */
  arrows = false;
  /** The wait that is chosen: an arrow leads to the GPU that it is for. */
  wait: Wait | null = null;
  /** The time that is measured, on all rows. */
  range: View | null = null;
  view: View = { begin: 0, end: 1 };
  /** The span that the keyboard is at, or that was chosen. */
  at: Spot = { row: 0, span: 0 };
  /** Its width when it was last laid out; 0: it is to be read anew. */
  private measured = 0;
  private ink: Ink | null = null;
  private frame = 0;
  private resting = 0;
  /** `from`: where a range begins; null while the view is moved. */
  private held: { x: number; view: View; moved: boolean; from: number | null } | null = null;
  private tip!: Tip;
  private readonly watchers: { disconnect(): void }[] = [];

  protected override template() {
    const { data } = this;
    const several = (data?.hosts.length ?? 0) > 1;
    const label = (row: TimelineRow, i: number) => {
      const name = rowName(row, several);
      const tag = this.tags[i];
      return html`<div
        class=${row.is_gpu && !row.kernels ? '' : 'host'}
        title=${tag ? `${name}: ${tag.words}. ${tag.meaning}` : name}
      >
        ${several ? html`<span class="of name">${row.host}</span> ·&nbsp;` : nothing}${rowName(row, false)}
        ${tag ? html`<span class=${tag.late ? 'tag late' : 'tag'}>${tag.words}</span>` : nothing}
      </div>`;
    };
    return html`
      <div id="wrap">
        <div id="frame" style="min-height:min(${AXIS_PX + this.expected * ROW_PX}px, 70vh)">
          <div id="labels" aria-hidden="true">${data?.rows.map(label)}</div>
          <div id="plot">
            <canvas
              id="canvas"
              tabindex="0"
              role="application"
              aria-roledescription="timeline"
              aria-describedby="help"
              aria-label=${data ? `Timeline of step ${data.step}, ${data.rows.length} rows` : 'Timeline'}
              @keydown=${this.onKey}
              @focus=${this.onFocus}
              @blur=${this.onBlur}
              @wheel=${this.onWheel}
              @pointerdown=${this.onDown}
              @pointermove=${this.onMove}
              @pointerup=${this.onUp}
              @pointercancel=${this.onUp}
              @pointerleave=${this.onLeave}
            ></canvas>
            <div id="spot"></div>
            <div id="range" ?hidden=${!this.range}></div>
          </div>
        </div>
      </div>
      <p id="help" class="unseen">
        Drag or ← → to move · Ctrl + wheel or + − to zoom, 0 for the whole step · ↑ ↓ for rows, Shift + ← → for spans ·
        click or Enter to choose a span, Shift + drag to measure a range, m to measure what is in view, Esc to leave it
      </p>
    `;
  }

  protected override drawn(): void {
    this.draw();
  }

  override ready(): void {
    super.ready();
    this.tip = new Tip(this.child('wrap'));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const sized = new ResizeObserver(() => {
      this.measured = this.child('plot').clientWidth;
      this.draw();
    });
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
    clearTimeout(this.resting);
    for (const watcher of this.watchers.splice(0)) watcher.disconnect();
  }

  /** What a stretch of a row shows, without its length. */
  wordsOf({ row, begin }: Mark): string {
    const { spans } = this;
    const line = spans?.rows[row];
    if (!spans || !line) return '';
    const at = spanAt(line, begin);
    return at < 0 ? '' : spanWhat(spans, { row, span: at });
  }

  /** Shows a step, all of it; its view is there at once. */
  show(data: StepTimeline): void {
    this.data = data;
    this.fine = null;
    this.ink = null;
    this.at = { row: 0, span: 0 };
    this.showAll();
  }

  /** What is drawn: the finer spans where they cover the view. */
  get spans(): StepTimeline | null {
    const { fine, view } = this;
    return fine && fine.begin_ns <= view.begin && fine.end_ns >= view.end ? fine : this.data;
  }

  /** In px of the page, as last laid out: to read it anew lays out all that has changed since. */
  get width(): number {
    return Math.max(this.measured || this.child('plot').clientWidth, 100);
  }

  /** What is around it has changed, and its width with it. */
  remeasure(): void {
    this.measured = 0;
  }

  private get length(): number {
    return Math.max(this.data?.length_ns ?? 0, this.extent, 1);
  }

  focusPlot(): void {
    this.canvas.focus({ preventScroll: true });
  }

  /** Shows a part without a word about it. */
  see(view: View): void {
    this.view = view;
    this.tip.hide();
    this.draw();
  }

  move(view: View): void {
    this.see(view);
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => fire(this, 'view-rest'), REST_MS);
  }

  /** @param factor above 1 shows less; `at` stays where it is */
  zoom(factor: number, at = (this.view.begin + this.view.end) / 2): void {
    if (this.data) this.move(zoomed(this.view, factor, at, this.length));
  }

  zoomIn(): void {
    this.zoom(ZOOM);
  }

  zoomOut(): void {
    this.zoom(1 / ZOOM);
  }

  showAll(): void {
    if (this.data) this.move({ begin: 0, end: this.length });
  }

  /** Draws the canvas before the next frame, once for all that happened meanwhile. */
  private draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  private get canvas(): HTMLCanvasElement {
    return this.child('canvas') as HTMLCanvasElement;
  }

  /** The canvas, too: what a frame shows. */
  protected override drawNow(): void {
    super.drawNow();
    const { spans, canvas } = this;
    const context = canvas.getContext('2d');
    if (!spans || !context) return;
    const height = AXIS_PX + spans.rows.length * ROW_PX;
    // Before the width is read, so that the page is laid out once.
    canvas.style.height = `${height}px`;
    const width = this.child('plot').clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    this.ink ??= inkOf(this, spans.codes, context);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { view, chosen, range, wait } = this;
    if (range) {
      const [left, right] = [this.toPx(range.begin, width), this.toPx(range.end, width)];
      this.child('range').style.cssText = `left:${left}px;width:${right - left}px`;
    }
    const arrows = this.arrows ? arrowsIn(spans, view, ((view.end - view.begin) / width) * NAMED_PX, chosen) : [];
    paint(context, width, spans, view, this.ink, this.marks, chosen, arrows, wait && arrowOf(spans, wait));
  }

  private pan(share: number): void {
    if (this.data) this.move(panned(this.view, share * (this.view.end - this.view.begin), this.length));
  }

  private toNs(px: number): number {
    return this.view.begin + (px / this.width) * (this.view.end - this.view.begin);
  }

  /** Inside the plot. */
  private toPx(ns: number, width: number): number {
    const { begin, end } = this.view;
    return Math.min(Math.max(((ns - begin) / (end - begin)) * width, 0), width);
  }

  /** Says what a span is, beside it. */
  private point(spot: Spot): void {
    const { spans, view, width } = this;
    if (!spans) return;
    const { begin, end } = stretch(spans, spot);
    const scale = width / (view.end - view.begin);
    const left = Math.max((begin - view.begin) * scale, 0);
    const right = Math.min((end - view.begin) * scale, width);
    const box = this.child('spot');
    const top = AXIS_PX + spot.row * ROW_PX;
    box.style.cssText = `left:${left}px;width:${Math.max(right - left, 1)}px;top:${top}px;height:${ROW_PX}px`;
    // Below all rows, so that it covers none of them.
    this.tip.show(box, spanWords(spans, spot), this.child('frame'));
  }

  /** Goes to a span, and brings it into view. */
  private go({ row, span }: Spot): void {
    const { spans, view, data } = this;
    const line = spans?.rows[row];
    if (!spans || !data || !line) return;
    if (line.code.length === 0) {
      // A row of which nothing was recorded: it is passed, not said.
      this.at = { row, span: 0 };
      this.tip.hide();
      return;
    }
    this.at = { row, span: Math.min(Math.max(span, 0), line.code.length - 1) };
    const { begin, end } = stretch(spans, this.at);
    if (end <= view.begin || begin >= view.end)
      this.move(panned(view, (begin + end - view.begin - view.end) / 2, this.length));
    this.point(this.at);
  }

  /** The span that the keyboard is at, if it is in view; else the first in view of its row. */
  private get current(): Spot {
    const { spans, at, view } = this;
    const row = spans?.rows[at.row];
    if (!spans || !row) return at;
    const { begin, end } = stretch(spans, at);
    return end > view.begin && begin < view.end
      ? at
      : { row: at.row, span: Math.min(spanAfter(row, view.begin), Math.max(row.code.length - 1, 0)) };
  }

  /** Zooms around the span that the keyboard is at. */
  private zoomAt(factor: number): void {
    const { spans, current, view } = this;
    if (!spans) return;
    const { begin, end } = stretch(spans, current);
    const middle = (Math.max(begin, view.begin) + Math.min(end, view.end)) / 2;
    this.zoom(factor, Math.min(Math.max(middle, view.begin), view.end));
  }

  /** Another row, at the same time. */
  private goRow(by: number): void {
    const { spans, current: at, view } = this;
    const row = spans?.rows[at.row + by];
    if (!spans || !row) return;
    this.go({ row: at.row + by, span: spanAfter(row, Math.max(stretch(spans, at).begin, view.begin)) });
  }

  private choose(spot: Spot | null): void {
    const { spans } = this;
    if (spot) this.at = spot;
    fire(this, 'span-choose', { mark: spot && spans ? stretch(spans, spot) : null });
  }

  /** Inside the step. */
  private timeAt({ clientX }: { clientX: number }): number {
    const at = this.toNs(clientX - this.canvas.getBoundingClientRect().left);
    return Math.round(Math.min(Math.max(at, 0), this.length));
  }

  private spotAt(event: { clientX: number; clientY: number }): Spot | null {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - AXIS_PX) / ROW_PX);
    const line = this.spans?.rows[row];
    if (!line) return null;
    const span = spanAt(line, this.toNs(event.clientX - box.left));
    return span < 0 ? null : { row, span };
  }

  private onFocus(): void {
    const row = this.spans?.rows[this.at.row];
    if (row && !this.held) this.go({ row: this.at.row, span: spanAfter(row, this.view.begin) });
  }

  private onBlur(): void {
    this.tip.hide();
  }

  private onKey(event: KeyboardEvent): void {
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
    else if (key === 'Escape' && this.chosen) this.choose(null);
    else return;
    event.preventDefault();
  }

  private onWheel(event: WheelEvent): void {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      const left = event.clientX - this.canvas.getBoundingClientRect().left;
      this.zoom(2 ** (-event.deltaY / 200), this.toNs(left));
    } else if (Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) this.pan(sideways / this.width);
    else return;
    event.preventDefault();
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    const from = event.shiftKey ? this.timeAt(event) : null;
    this.held = { x: event.clientX, view: this.view, moved: false, from };
    this.canvas.setPointerCapture(event.pointerId);
  }

  private onMove(event: PointerEvent): void {
    const { held, data } = this;
    if (!held || !data) {
      const spot = this.spotAt(event);
      if (spot) this.point(spot);
      else this.tip.hide();
      return;
    }
    const by = event.clientX - held.x;
    held.moved ||= Math.abs(by) > SLOP_PX;
    if (!held.moved) return;
    if (held.from !== null) {
      const [begin, end] = [held.from, this.timeAt(event)].sort((a, b) => a - b) as [number, number];
      this.range = end > begin ? { begin, end } : null;
      this.tip.hide();
      return;
    }
    this.canvas.classList.add('held');
    this.move(panned(held.view, (-by / this.width) * (held.view.end - held.view.begin), this.length));
  }

  private onUp(event: PointerEvent): void {
    const { held } = this;
    this.held = null;
    this.canvas.classList.remove('held');
    if (held?.moved && held.from !== null) fire(this, 'range-choose', { range: this.range });
    else if (held && !held.moved && event.type === 'pointerup') this.choose(this.spotAt(event));
  }

  private onLeave(): void {
    if (!this.held) this.tip.hide();
  }
}

customElements.define('tfperf-timeline-plot', TimelinePlotElement);
