import { html, nothing } from 'lit-html';
import { accountLook } from '../../accounts.js';
import type { Backend, Progress } from '../../backend.js';
import { ticks } from '../../charts/scale.js';
import { DOTS_STYLE, drawLaunches } from '../../charts/launches.js';
import { stackedBar } from '../../charts/stacked_bar.js';
import { legendItem } from '../../charts/svg.js';
import {
  type Columns,
  STATUS_WORDS,
  SIDE_WORDS,
  accountRows,
  bars,
  columns,
  dotsWords,
  launchDots,
  notes,
  numberWords,
} from './logic.js';
import { counted, duration, percent, signed } from '../../format.js';
import type { AccountChange, Comparison, FindingChange, LaunchLevel, NumberChange, Side } from '../../model.js';
import { css } from '../../theme.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import { type Column, number, sortable } from '../../elements/table.js';
import { breakable } from '../../elements/text.js';
import { Tip } from '../../elements/tip.js';
import './steps.js';

const ICONS = { better: '▼', worse: '▲', same: '=', unproven: '≈', suspicious: '!', cannot_compare: '?' };

const FINDINGS: Column<FindingChange>[] = [
  { head: 'Since then', cell: ({ status }) => STATUS_WORDS[status] },
  { head: 'Finding', cell: ({ title }) => title, kind: 'name' },
  number('Cost before', (change) => cost(change.base_ns, change.base_severity)),
  number('Cost now', (change) => cost(change.new_ns, change.new_severity)),
  { head: 'What the check says where it is not found', cell: ({ note }) => note, kind: 'note name' },
];
const LAUNCHES: Column<LaunchLevel>[] = [
  { head: 'Launch', cell: ({ run }) => run, kind: 'name' },
  { head: 'Side', cell: ({ side }) => SIDE_WORDS[side] },
  { head: 'Recorded', cell: ({ recorded }) => recorded || 'not known' },
  sortable('A step', ({ level_ns: ns }) => ns, duration),
  sortable('Steps', ({ steps_count: count }) => count, String),
];
const NUMBERS: Column<NumberChange>[] = [
  { head: 'Number', cell: ({ label }) => label, kind: 'name' },
  number('Before', (row) => numberWords(row.base, row.unit)),
  number('Now', (row) => numberWords(row.new, row.unit)),
];
const SETTINGS: Column<Comparison['settings'][number]>[] = [
  { head: 'Setting', cell: ({ label }) => label, kind: 'name' },
  { head: 'Before', cell: (row) => row.base, kind: 'name' },
  { head: 'Now', cell: (row) => row.new, kind: 'name' },
];

/** Two runs, or launches of two versions: which is better and by how much, and whether that is proven. */
export class CompareElement extends TfperfElement {
  static override readonly styles = css`
    ${DOTS_STYLE}
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 12px;
      padding: 12px 18px;
    }
    header {
      align-items: baseline;
      display: flex;
      gap: 16px;
      justify-content: space-between;
    }
    h2 {
      color: var(--ink-2);
      font-size: 12.5px;
      font-weight: 400;
      min-width: 0;
    }
    .verdict {
      font-size: 20px;
      line-height: 26px;
    }
    .better b {
      color: var(--good);
    }
    .worse b {
      color: var(--critical);
    }
    .suspicious b,
    .cannot_compare b {
      color: var(--warning);
    }
    #chart {
      display: grid;
      gap: 6px 12px;
      grid-template-columns: minmax(80px, 220px) minmax(0, 1fr) 76px;
      margin-top: 8px;
    }
    #chart .name {
      font-size: 13px;
      grid-column: 1;
      line-height: 20px;
    }
    .axis {
      grid-column: 2;
      height: 16px;
    }
    .axis span:first-child {
      transform: none;
    }
    #chart > b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      text-align: right;
    }
    #steps,
    #more {
      margin-top: 6px;
    }
  `;
  static readonly properties = {
    backend: Object,
    sides: String,
    round: Object,
    comparison: Object,
    stacked: Boolean,
    problem: String,
    waiting: String,
  };

  backend!: Backend;
  /** The runs before and now, as JSON of two lists. */
  sides!: string;
  /** When it changes, either report may have changed. */
  round: unknown = null;
  comparison: Comparison | null = null;
  /** Whether a step of each run is shown, too. */
  private stacked = false;
  problem = '';
  waiting = '';
  /** The base and the new run, where both have a step to show. */
  private usual: readonly Side[] = [];
  private loading = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.loading.abort();
  }

  protected override changed(former: Former): void {
    const another = 'backend' in former || 'sides' in former;
    if (another || 'round' in former) void this.load(another);
    const { comparison: found } = this;
    if ('comparison' in former)
      this.usual = found?.times && found.base.usual_step && found.new.usual_step ? [found.base, found.new] : [];
  }

  protected override template() {
    const { comparison, problem, waiting, usual } = this;
    const [base, now] = this.runs;
    const shown = comparison && columns(comparison);
    const rows = shown?.accounts.length ? accountRows(shown.accounts) : [];
    const { verdict, sentence = '', launches } = comparison ?? {};
    return html`
      <header>
        <h2><span class="name">${called(now)}</span> against <span class="name">${called(base)}</span></h2>
        <button class="button" @click=${() => fire(this, 'base-change', { base: null })}>Stop comparing</button>
      </header>
      <div id="said" role="status">
        <p class="note" ?hidden=${!waiting}>${waiting}</p>
        <p class="name" ?hidden=${!problem}>${problem}</p>
        <p class="verdict name ${verdict}" ?hidden=${!comparison}>
          <b aria-hidden="true">${verdict && ICONS[verdict]}</b> ${sentence}
        </p>
        ${(comparison ? notes(comparison) : []).map((words) => html`<p class="note name">${words}</p>`)}
      </div>
      <p class="note" ?hidden=${!launches}>${comparison && dotsWords(comparison)}</p>
      <div id="launches" class="launches" ?hidden=${!launches}></div>
      <p class="note" ?hidden=${comparison?.basis !== 'examples'}>${shown?.title}</p>
      <div id="chart" ?hidden=${rows.length === 0}></div>
      <ul id="legend" class="legend" aria-label="Colors" ?hidden=${rows.length === 0}></ul>
      <details id="steps" ?hidden=${usual.length < 2} ?open=${this.stacked} @toggle=${this.onToggle}>
        <summary>A step of each run, on one time axis</summary>
        ${
          this.stacked && comparison
            ? html`<tfperf-two-steps .backend=${this.backend} .sides=${usual}></tfperf-two-steps>`
            : nothing
        }
      </details>
      <details id="more" ?hidden=${!comparison}>
        <summary>What changed, in numbers</summary>
        ${launches ? table('each', 'Each launch', LAUNCHES, launches.items) : nothing}
        ${table('accounts', 'Each account', shown ? accountColumns(shown) : [], rows)}
        ${table('findings', 'Findings that appeared, vanished or stayed', FINDINGS, comparison?.findings ?? [])}
        ${table('numbers', 'Key numbers', NUMBERS, comparison?.numbers ?? [])}
        ${table('settings', 'What the trainings recorded differently', SETTINGS, comparison?.settings ?? [])}
      </details>
    `;
  }

  protected override drawn(former: Former): void {
    if (!('comparison' in former) || !this.comparison?.times) return;
    this.draw(this.comparison);
    const dots = launchDots(this.comparison);
    if (dots) drawLaunches(this.child('launches'), dots);
  }

  private onToggle(event: Event): void {
    this.stacked = (event.target as HTMLDetailsElement).open;
  }

  private get runs(): [string[], string[]] {
    return JSON.parse(this.sides) as [string[], string[]];
  }

  /** The newest call wins. */
  private async load(another: boolean): Promise<void> {
    this.loading.abort();
    this.loading = new AbortController();
    const { signal } = this.loading;
    if (another) this.comparison = null;
    this.problem = '';
    this.waiting = another ? 'Comparing …' : '';
    const [base, now] = this.runs;
    const what = base.length + now.length > 2 ? 'all runs' : 'both runs';
    const onProgress = ({ share }: Progress): void => {
      if (!signal.aborted) this.waiting = `Analyzing ${what}, ${percent(share)} done …`;
    };
    try {
      const comparison = await this.backend.compare(base, now, onProgress, signal);
      if (!signal.aborted) this.comparison = comparison;
    } catch (problem) {
      if (!signal.aborted) this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    if (!signal.aborted) this.waiting = '';
  }

  private draw(comparison: Comparison): void {
    const shown = columns(comparison);
    const both = bars(shown);
    const full = Math.max(...both.map(({ total }) => total), 1);
    const chart = this.child('chart');
    chart.replaceChildren();
    const tip = new Tip(chart);
    const axis = document.createElement('div');
    axis.className = 'axis';
    axis.setAttribute('aria-hidden', 'true');
    axis.append(
      ...ticks(full).map((at) => {
        const label = text('span', duration(at));
        label.style.left = `${(100 * at) / full}%`;
        return label;
      }),
    );
    chart.append(axis);
    const names = comparison.scaling ? both.map(({ name }) => name) : [comparison.base.run, comparison.new.run];
    both.forEach(({ total, parts }, i) => {
      const name = text('span', '');
      name.className = 'name';
      name.append(...breakable(names[i] ?? ''));
      const words = parts.map((part) => `${part.look.words}, ${duration(part.ns)}, ${percent(part.ns / total)}`);
      const { drawing, segments } = stackedBar(parts, full, `${names[i]}, ${duration(total)}: ${words.join('; ')}`);
      tip.explain(drawing, segments, words);
      chart.append(name, drawing, text('b', duration(total)));
    });
    // What is too thin to be seen in either bar is in the table.
    const seen = accountRows(shown.accounts).filter((a) => a.id && Math.max(a.base_ns, a.new_ns) >= full / 200);
    this.child('legend').replaceChildren(...seen.map(({ id, words }) => legendItem(accountLook(id), words)));
  }
}

/** The name of a run, or how many launches there are. */
function called(runs: readonly string[]): string {
  return runs.length === 1 ? (runs[0] ?? '') : counted(runs.length, 'launch', 'launches');
}

function accountColumns(shown: Columns): Column<AccountChange & { words: string }>[] {
  return [
    { head: 'Account', cell: ({ words }) => words, kind: 'name' },
    sortable(shown.first, ({ base_ns }) => base_ns, duration),
    sortable(shown.second, ({ new_ns }) => new_ns, duration),
    sortable(shown.change, ({ delta_ns }) => delta_ns, signed),
  ];
}

function table<T>(id: string, heading: string, columns: readonly Column<T>[], items: readonly T[]) {
  return html`<tfperf-table id=${id} .heading=${heading} .columns=${columns} .items=${items} open></tfperf-table>`;
}

function text(tag: string, words: string): HTMLElement {
  const one = document.createElement(tag);
  one.textContent = words;
  return one;
}

function cost(ns: number | null, severity: string | null): string {
  return severity === null ? '' : ns === null ? severity : `${duration(ns)}, ${severity}`;
}

customElements.define('tfperf-compare', CompareElement);
