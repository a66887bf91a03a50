import { html, nothing } from 'lit-html';
import type { Backend } from '../../backend.js';
import '../compare/element.js';
import { ICONS } from '../../elements/severity.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import { breakable } from '../../elements/text.js';
import { counted, duration, gpuKinds, percent } from '../../format.js';
import type { BoardRow, Outline } from '../../model.js';
import { css } from '../../theme.js';
import type { Run } from '../../types.js';
import {
  type BoardColumn,
  type BoardState,
  type Sides,
  COLUMNS,
  EVIDENCE,
  FILTERS,
  againstWords,
  batch,
  gpuWords,
  isOpen,
  lineup,
  MOST_LAUNCHES,
  readPair,
  readSides,
  swapped,
  wonWords,
  sortOf,
  toggledPair,
  toggledSort,
} from './logic.js';
import { spark } from './chart.js';

/** Rows that are drawn at once, and added by each click. */
const PAGE = 50;
/** Pause between two questions for rows whose reports are being made. */
const PAUSE_MS = 700;

export const NO_BOARD: BoardState = { sort: null, filter: null, only: null, row: null, pair: null, trial: null };

/** All runs, one a row. What it knows of a row it has asked for when the row came into view. */
export class BoardElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      padding-top: 16px;
    }
    h1 {
      display: inline-block;
      font-size: 18px;
      margin-right: 12px;
    }
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      margin-top: 12px;
    }
    input[type='search'] {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 5px 10px;
      width: 250px;
    }
    .button[aria-pressed='true'] {
      background: var(--info-ground);
      border-color: var(--accent);
    }
    .scroll {
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 12px;
      max-height: none;
      padding: 0 12px;
    }
    th,
    td {
      padding: 6px 13px 6px 0;
      vertical-align: middle;
      white-space: nowrap;
    }
    th button {
      color: inherit;
      white-space: nowrap;
    }
    th[aria-sort] {
      color: var(--ink);
      font-weight: 600;
    }
    /* Two lines, before a report is there and after: no row moves when one comes. */
    tbody td {
      height: 54px;
      padding-bottom: 0;
      padding-top: 0;
    }
    tr:last-child td {
      border-bottom: 0;
    }
    tr.pinned td:first-child {
      box-shadow: inset 3px 0 var(--accent);
    }
    tbody tr:focus-within td {
      background: var(--ground);
    }
    td.run {
      max-width: 320px;
      min-width: 150px;
      overflow-wrap: anywhere;
      white-space: normal;
    }
    /* Long names end after two lines; the title has all of them. */
    td.run a,
    td.finding div {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
      display: -webkit-box;
      overflow: hidden;
    }
    td.gpus {
      max-width: 150px;
      overflow: hidden;
      text-overflow: ellipsis;
    }
    td.run a {
      font-weight: 500;
      text-decoration: none;
    }
    td.run a:hover {
      text-decoration: underline;
    }
    td.text {
      max-width: 260px;
      overflow-wrap: anywhere;
      white-space: normal;
    }
    .pin {
      color: var(--accent);
      font-size: 16px;
      height: 24px;
      line-height: 24px;
      text-align: center;
      width: 28px;
    }
    .choose {
      padding-left: 8px;
      width: 76px;
    }
    .side {
      border: 1px solid var(--control-line);
      border-radius: 4px;
      font-weight: 600;
      height: 24px;
      line-height: 22px;
      text-align: center;
      vertical-align: top;
      width: 24px;
    }
    .choose input {
      accent-color: var(--accent);
      height: 24px;
      margin: 0;
      vertical-align: top;
      width: 24px;
    }
    .quiet {
      color: var(--ink-2);
    }
    /* The row has two lines anyway. */
    .step .quiet {
      display: block;
    }
    svg {
      display: block;
    }
    rect.judged {
      fill: var(--control-line);
    }
    rect.partial {
      fill: var(--account-unknown);
    }
    rect.outlier {
      fill: var(--critical);
    }
    .critical {
      color: var(--critical);
    }
    .warning {
      color: var(--warning);
    }
    .info {
      color: var(--info);
    }
    .good {
      color: var(--good);
      font-weight: 600;
    }
    .worse {
      color: var(--critical);
      font-weight: 600;
    }
    .share {
      background: var(--line);
      border-radius: 2px;
      display: inline-block;
      height: 6px;
      margin-left: 6px;
      overflow: hidden;
      vertical-align: middle;
      width: 30px;
    }
    .share i {
      background: var(--accent);
      display: block;
      height: 100%;
    }
    .level {
      padding: 1px 9px;
    }
    .strong {
      color: var(--good);
    }
    progress {
      accent-color: var(--accent);
      margin-right: 8px;
      vertical-align: middle;
      width: 120px;
    }
    kbd {
      border: 1px solid var(--line);
      border-radius: 4px;
      font: inherit;
      padding: 0 4px;
    }
    table:not(.watched) .running {
      display: none;
    }
    footer {
      margin: 10px 0 0;
    }
    @media (max-width: 1500px) {
      .active,
      .watched .each {
        display: none;
      }
    }
    @media (max-width: 1300px) {
      .recorded,
      .exposed {
        display: none;
      }
    }
    @media (max-width: 1120px) {
      .running,
      .each,
      .gpus,
      .compute {
        display: none;
      }
    }
    /* As far as the first finding, all is in view. */
    @media (max-width: 640px) {
      th,
      td {
        padding-right: 10px;
      }
      th button {
        white-space: normal;
      }
      .choose {
        padding-left: 0;
        width: 28px;
      }
      .choose > * {
        display: block;
      }
      .scroll td.run,
      .scroll td.finding {
        max-width: 110px;
        min-width: 110px;
      }
      tbody td {
        height: 62px;
      }
      td.finding div {
        -webkit-line-clamp: 3;
      }
    }
  `;
  static readonly properties = {
    backend: Object,
    runs: Array,
    base: String,
    state: Object,
    round: Number,
    on: Boolean,
    rows: Object,
    shown: Number,
    problem: String,
  };

  backend!: Backend;
  runs: readonly Run[] = [];
  /** The pinned baseline. */
  base: string | null = null;
  state: BoardState = NO_BOARD;
  /** Counts how often TensorBoard has loaded its data: what failed may have changed. */
  round = 0;
  /** Whether it is on screen. */
  on = false;
  rows: ReadonlyMap<string, BoardRow> = new Map();
  /** Rows that may be drawn. */
  shown = PAGE;
  problem = '';
  private readonly inView = new Set<Element>();
  private readonly sights = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) this.inView[isIntersecting ? 'add' : 'delete'](target);
    this.askSoon();
  });
  /** Runs that were asked for in this round. */
  private readonly asked = new Set<string>();
  private asking: AbortController | null = null;
  private timer = 0;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sights.disconnect();
    clearTimeout(this.timer);
    this.asking?.abort();
  }

  protected override changed(former: Former): void {
    if ('round' in former) this.asked.clear();
    if ('base' in former) this.rows = new Map([...this.rows].map(([name, row]) => [name, { ...row, against: null }]));
    if ('state' in former) {
      // What the address names is on screen, however far down it is.
      const at = this.state.row === null ? -1 : this.names.indexOf(this.state.row);
      this.shown = Math.max(this.shown, at + 1);
    }
  }

  private get names(): string[] {
    return lineup(this.runs, this.rows, this.state);
  }

  protected override template() {
    const { runs, state, base } = this;
    const names = this.names;
    const drawn = names.slice(0, this.shown);
    const more = names.length - drawn.length;
    const sides = readSides(state.pair, base, runs);
    const known = [...this.rows.values()];
    return html`
      <h1>Runs</h1>
      <span class="note">${counted(runs.length, 'profile')} in this log directory</span>
      <slot></slot>
      ${this.tools(known)}
      <p class="name critical" role="status">${this.problem}</p>
      ${this.comparison(sides)}
      <p class="note" role="status">${sidesWords(sides)}</p>
      <div class="scroll" role="region" aria-label="Runs" tabindex="0">
        <table class=${known.some(({ outline }) => outline && outline.running_ratio !== null) ? 'watched' : ''}>
          <thead>
            <tr>
              <th><span class="unseen">Baseline and selection</span></th>
              ${COLUMNS.map((column) => this.head(column))}
            </tr>
          </thead>
          <tbody>
            ${drawn.map((name) => this.line(name, sides))}
          </tbody>
        </table>
      </div>
      <footer class="note">
        ${counted(drawn.length, 'run')} of ${names.length} shown
        ${
          more > 0
            ? html`·
                <button class="button" @click=${() => (this.shown += PAGE)}>Show ${Math.min(more, PAGE)} more</button>`
            : nothing
        }
        · Reports are made as rows come into view, and kept. <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Enter</kbd> open ·
        <kbd>p</kbd> pin as baseline · <kbd>Space</kbd> select to compare · <kbd>/</kbd> filter
      </footer>
    `;
  }

  private comparison({ base, now }: Sides) {
    if (base.length === 0 || now.length === 0 || base.length + now.length > MOST_LAUNCHES) return nothing;
    return html`<tfperf-compare
      .backend=${this.backend}
      .sides=${JSON.stringify([base, now])}
      .round=${this.round}
      @base-change=${(event: Event) => {
        // The pinned baseline stays.
        event.stopPropagation();
        this.set({ pair: null });
      }}
    ></tfperf-compare>`;
  }

  private tools(known: readonly BoardRow[]) {
    const { state, base } = this;
    return html`
      <div class="tools">
        <input
          type="search"
          aria-label="Filter runs"
          placeholder="Filter by name, GPU, finding   /"
          .value=${state.filter ?? ''}
          @keydown=${(event: KeyboardEvent) => {
            if (['ArrowDown', 'Enter'].includes(event.key)) this.links()[0]?.focus();
          }}
          @input=${(event: Event) => this.set({ filter: (event.target as HTMLInputElement).value || null })}
        />
        ${FILTERS.filter(({ id }) => id !== 'comparable' || base !== null).map(
          ({ id, words, is }) => html`
            <button
              class="button"
              aria-pressed=${state.only === id}
              @click=${() => this.set({ only: state.only === id ? null : id })}
            >
              ${words} ${known.filter(is).length}
            </button>
          `,
        )}
      </div>
    `;
  }

  private head(column: BoardColumn) {
    const order = sortOf(this.state.sort) ?? sortOf('recorded');
    const sorted = order?.column === column;
    return html`<th
      class="${column.id} ${column.kind ?? ''}"
      aria-sort=${sorted ? (order.falling ? 'descending' : 'ascending') : nothing}
      title=${column.meaning}
    >
      <button
        class="bare"
        aria-description=${column.meaning}
        @click=${() => this.set({ sort: toggledSort(this.state.sort ?? 'recorded', column.id) })}
      >
        ${column.head}${sorted ? (order.falling ? ' ↓' : ' ↑') : ''}
      </button>
    </th>`;
  }

  private line(name: string, sides: Sides) {
    const row = this.rows.get(name);
    const pinned = name === this.base;
    const chosen = readPair(this.state.pair).includes(name);
    const several = sides.base.length + sides.now.length > 2;
    return html`<tr class=${pinned ? 'pinned' : ''} .name=${name} @focusin=${() => this.focused(name)}>
      <td class="choose">
        <input
          type="checkbox"
          aria-label="Compare ${name}"
          .checked=${chosen}
          @click=${() => this.set({ pair: toggledPair(this.state.pair, name) })}
        /><button class="bare pin" aria-pressed=${pinned} aria-label="Baseline ${name}" @click=${() => this.pin(name)}>
          ${pinned ? '★' : '☆'}</button
        >${several && chosen ? this.side(name, sides) : nothing}
      </td>
      <td class="run name">
        <a href="#" title=${name} @click=${(event: Event) => this.open(event, name)}>${breakable(name)}</a>
      </td>
      ${this.cells(row)}
    </tr>`;
  }

  /** On which side of the comparison a run is, to be changed by a click. */
  private side(name: string, sides: Sides) {
    const before = sides.base.includes(name);
    const words = before ? 'before the change' : 'after the change';
    return html`<button
      class="bare side"
      title="${words}; a click puts it on the other side"
      aria-label="${name} is ${words}"
      @click=${() => this.set({ pair: swapped(sides, name) })}
    >
      ${before ? 'A' : 'B'}
    </button>`;
  }

  private cells(row: BoardRow | undefined) {
    const outline = row?.outline;
    if (!outline) {
      const words = row?.error || (row?.share == null ? 'Waiting …' : `${percent(row.share)} analyzed`);
      const shown = row?.error ? words : html`<span class="quiet">${words}</span>`;
      const bar = html`<progress max="1" .value=${row?.share ?? 0} aria-label="Share of the analysis"></progress>`;
      return html`<td class="recorded quiet">${row?.recorded.slice(0, 10)}</td>
        <td class="name text" colspan="11">${row?.share == null || row.error ? nothing : bar}${shown}</td>`;
    }
    const { p50_ns: median, p95_ns: p95, recoverable_ns: won, step_ns: step, evidence } = outline;
    const ratio = (value: number | null): string => (value === null ? '–' : percent(value));
    return html`
      <td class="recorded quiet" title=${row.recorded}>${row.recorded.slice(0, 10) || '–'}</td>
      <td class="gpus" title=${gpuKinds({ kinds: outline.gpus })}>${gpuWords(outline)}</td>
      <td class="number step">
        ${median === null ? '–' : duration(median)}
        <span class="quiet">${p95 === null ? nothing : `p95 ${duration(p95)}`}</span>
      </td>
      <td class="number running">${ratio(outline.running_ratio)}</td>
      <td class="each">${outline.lengths.length > 0 ? spark(outline) : '–'}</td>
      <td class="number compute">${ratio(outline.compute_ratio)}</td>
      <td class="number active">${ratio(outline.active_ratio)}</td>
      <td class="number exposed">${outline.exposed_ns === null ? '–' : duration(outline.exposed_ns)}</td>
      <td class="finding name text" title=${outline.finding?.title ?? ''}><div>${findingCell(outline)}</div></td>
      <td class="recoverable">
        ${
          won === null
            ? '–'
            : html`${wonWords(outline, won)}<span
                  class="share"
                  title="${percent(step ? won / step : 0)} of the mean step"
                  ><i style="width: ${step ? Math.min(100, (100 * won) / step) : 0}%"></i
                ></span>`
        }
      </td>
      <td class="against" title=${row.against?.sentence ?? ''}>${this.againstCell(row)}</td>
      <td class="evidence" title=${outline.lacks.join(' ')}>
        ${evidence === null ? '–' : html`<span class="level pill ${LOOKS[evidence]}">${EVIDENCE[evidence]}</span>`}
      </td>
    `;
  }

  private againstCell({ against }: BoardRow) {
    if (this.base === null || !against) return '';
    const { change, words } = againstWords(against);
    const look = { better: 'good', worse: 'worse' }[against.verdict as string] ?? '';
    return html`<span class=${look}>${change}</span> <span class="quiet">${words}</span>`;
  }

  protected override drawn(former: Former): void {
    const lines = [...this.shadowRoot.querySelectorAll('tbody tr')];
    for (const line of this.inView) if (!lines.includes(line)) this.inView.delete(line);
    for (const line of lines) this.sights.observe(line);
    // Rows move under the focus, which stays with its run.
    const active = this.shadowRoot.activeElement;
    if (active?.matches('td.run a') && nameOf(active) !== this.state.row) this.link(this.state.row)?.focus();
    // On screen again: the focus is where it was left.
    if ('on' in former && this.on) this.link(this.state.row)?.focus();
    // An answer is followed by a pause.
    if (Object.keys(former).some((name) => name !== 'rows' && name !== 'problem')) this.askSoon();
  }

  private link(name: string | null): HTMLAnchorElement | undefined {
    return this.links().find((link) => nameOf(link) === name);
  }

  private links(): HTMLAnchorElement[] {
    return [...this.shadowRoot.querySelectorAll<HTMLAnchorElement>('td.run a')];
  }

  private set(change: Partial<BoardState>): void {
    fire(this, 'board-change', change);
  }

  private focused(name: string): void {
    if (this.state.row !== name) this.set({ row: name });
  }

  private open(event: Event, name: string): void {
    event.preventDefault();
    this.focused(name);
    fire(this, 'run-change', { run: name });
  }

  private pin(name: string): void {
    fire(this, 'base-change', { base: this.base === name ? null : name });
  }

  protected override onPageKey(event: KeyboardEvent): void {
    if (!this.on) return;
    const links = this.links();
    const active = this.shadowRoot.activeElement;
    const at = links.findIndex((link) => nameOf(link) === this.state.row);
    const name = at < 0 ? null : this.state.row;
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const there = links[at < 0 ? 0 : active?.matches('td.run a') ? Math.max(at + (move ?? 0), 0) : at];
    if (move !== undefined && there) there.focus();
    else if (event.key === '/') this.shadowRoot.querySelector('input')?.focus();
    else if (event.key === 'p' && name !== null) this.pin(name);
    else if (event.key === ' ' && name !== null && active?.matches('td.run a'))
      this.set({ pair: toggledPair(this.state.pair, name) });
    else return;
    event.preventDefault();
  }

  /** One question at a time, for what is in view. */
  private askSoon(): void {
    if (!this.on || this.asking) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask());
  }

  private async ask(): Promise<void> {
    const { base } = this;
    const waits = (name: string): boolean => !this.asked.has(name) || isOpen(this.rows.get(name), base);
    const open = [...this.inView].map(nameOf).filter(waits);
    if (open.length === 0 || this.asking || !this.on) return;
    const names = batch(open);
    const asking = (this.asking = new AbortController());
    let pause = PAUSE_MS;
    try {
      const { rows, done } = await this.backend.board(names, base, asking.signal);
      if (asking.signal.aborted) return;
      if (done) pause = 0;
      for (const name of names) this.asked.add(name);
      // Of a baseline that cannot be read there is nothing to wait for.
      const settled = rows.map((row) => (done && base !== null && !row.against ? { ...row, against: UNKNOWN } : row));
      const gone = names.filter((name) => !rows.some(({ run }) => run === name)).map((run) => ({ ...GONE, run }));
      if (this.base === base) {
        const all = [...settled, ...gone].map((row): [string, BoardRow] => [row.run, row]);
        this.rows = new Map([...this.rows, ...all]);
      }
      this.problem = '';
    } catch (problem) {
      if (asking.signal.aborted) return;
      this.problem = problem instanceof Error ? problem.message : String(problem);
      pause = 10 * PAUSE_MS;
    } finally {
      this.asking = null;
    }
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), pause);
  }
}

/** What is missing for a comparison of several runs, or "". */
function sidesWords({ base, now }: Sides): string {
  const count = base.length + now.length;
  if (count > MOST_LAUNCHES) return `At most ${MOST_LAUNCHES} runs can be compared at once.`;
  if (count > 2 && (base.length === 0 || now.length === 0))
    return 'All selected runs are on one side: a click on A or B puts a run on the other one.';
  return '';
}

const LOOKS = { strong: 'strong', fair: '', thin: 'warning', none: 'critical' } as const;
const UNKNOWN = { verdict: 'cannot_compare', change: null, why: '–', sentence: '' } as const;
const GONE: Omit<BoardRow, 'run'> = {
  recorded: '',
  outline: null,
  against: null,
  stage: '',
  share: null,
  error: 'This run is not in the log directory any more.',
};

/** The run of a row, or of what is in it. */
function nameOf(part: Element): string {
  return (part.closest('tr') as { name?: string } | null)?.name ?? '';
}

function findingCell({ finding, settled, evidence }: Outline) {
  if (settled) return html`<span class="good">✓ Nothing to fix</span>`;
  if (evidence === 'none') return html`<span class="critical">No GPU events recorded</span>`;
  if (!finding) return html`<span class="quiet">No finding</span>`;
  const { severity, title, others } = finding;
  return html`<span class=${severity} role="img" aria-label=${severity}>${ICONS[severity]}</span> ${title}
    <span class="quiet">${others > 0 ? `+${others}` : ''}</span>`;
}

customElements.define('tfperf-board', BoardElement);
