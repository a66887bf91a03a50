import { html } from 'lit-html';
import { accountLook } from '../accounts.js';
import type { Backend, Progress } from '../backend.js';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendItem } from '../charts/svg.js';
import type { AccountChange, Comparison, FindingChange, NumberChange } from '../model.js';
import {
  type Columns,
  STATUS_WORDS,
  accountRows,
  bars,
  columns,
  numberWords,
  sideWords,
  signed,
} from '../comparison.js';
import { duration, percent } from '../format.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, fire } from './base.js';
import './table.js';
import type { Column } from './table.js';
import { Tip } from './tip.js';

const ICONS = { better: '▼', worse: '▲', same: '=', cannot_compare: '?' };

const FINDINGS: Column<FindingChange>[] = [
  { head: 'Since then', cell: ({ status }) => STATUS_WORDS[status] },
  { head: 'Finding', cell: ({ title }) => title, kind: 'name' },
  { head: 'Cost before', cell: (change) => cost(change.base_ns, change.base_severity), kind: 'number' },
  { head: 'Cost now', cell: (change) => cost(change.new_ns, change.new_severity), kind: 'number' },
  { head: 'Where it is not found, the check says', cell: ({ note }) => note, kind: 'note name' },
];
const NUMBERS: Column<NumberChange>[] = [
  { head: 'Number', cell: ({ label }) => label, kind: 'name' },
  { head: 'Before', cell: (row) => numberWords(row.base, row.unit), kind: 'number' },
  { head: 'Now', cell: (row) => numberWords(row.new, row.unit), kind: 'number' },
];
const SETTINGS: Column<Comparison['settings'][number]>[] = [
  { head: 'Setting', cell: ({ label }) => label, kind: 'name' },
  { head: 'Before', cell: (row) => row.base, kind: 'name' },
  { head: 'Now', cell: (row) => row.new, kind: 'name' },
];

/** This run beside another one: better or worse, by how much, where, and whether that can be said at all. */
export class CompareElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
      margin-top: 24px;
      padding: 16px 20px 18px;
    }
    header {
      align-items: baseline;
      display: flex;
      gap: 16px;
      justify-content: space-between;
    }
    header h2 {
      min-width: 0;
    }
    .verdict {
      display: flex;
      font-size: 18px;
      gap: 10px;
      line-height: 1.4;
      margin-top: 8px;
    }
    .verdict b {
      flex: none;
      text-align: center;
      width: 20px;
    }
    .better b {
      color: var(--good);
    }
    .worse b {
      color: var(--critical);
    }
    .cannot_compare b {
      color: var(--warning);
    }
    .words {
      list-style: none;
      margin: 6px 0 0;
      padding: 0 0 0 30px;
    }
    .words li {
      overflow-wrap: anywhere;
    }
    dl {
      display: grid;
      font-size: 13px;
      gap: 2px 12px;
      grid-template-columns: max-content 1fr;
      margin-top: 10px;
      padding-left: 30px;
    }
    dt {
      color: var(--ink-2);
    }
    h3 {
      font-size: 14px;
      font-weight: 600;
      margin: 18px 0 0;
    }
    #chart {
      position: relative;
    }
    .row {
      align-items: center;
      display: grid;
      font-size: 13px;
      gap: 12px;
      grid-template-columns: 56px 1fr 72px;
      margin-top: 7px;
    }
    .row span:last-child {
      font-variant-numeric: tabular-nums;
      text-align: right;
    }
    tfperf-table {
      margin-top: 10px;
    }
  `;
  static readonly properties = {
    backend: Object,
    base: String,
    run: String,
    comparison: Object,
    problem: String,
    waiting: String,
  };

  backend!: Backend;
  base!: string;
  run!: string;
  comparison: Comparison | null = null;
  problem = '';
  private waiting = '';
  private tip: Tip | undefined;
  private loading = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.loading.abort();
  }

  protected override changed(former: Former): void {
    if (['backend', 'base', 'run'].some((name) => name in former)) void this.load();
  }

  protected override template() {
    const { comparison, problem, waiting } = this;
    const shown = comparison && columns(comparison);
    const {
      reasons = [],
      scaling,
      prediction,
      caveats = [],
      findings = [],
      numbers = [],
      settings = [],
    } = comparison ?? {};
    const sentences = [...reasons, scaling?.sentence, prediction?.sentence].filter(Boolean);
    const rows = shown?.accounts.length ? accountRows(shown.accounts) : [];
    return html`
      <header>
        <h2>Compared with <span class="name">${this.base}</span></h2>
        <button class="button" @click=${this.onClose}>Stop comparing</button>
      </header>
      <div id="said" role="status" aria-live="polite">
        <p class="note" ?hidden=${!waiting}>${waiting}</p>
        <p class="verdict name" ?hidden=${!problem}><b aria-hidden="true">?</b><span>${problem}</span></p>
        <div ?hidden=${!comparison}>
          <p class="verdict name ${comparison?.verdict}">
            <b aria-hidden="true">${comparison && ICONS[comparison.verdict]}</b><span>${comparison?.sentence}</span>
          </p>
          <ul class="words">
            ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
          </ul>
          <ul class="words note" aria-label="To keep in mind">
            ${caveats.map((caveat) => html`<li>Note: ${caveat}</li>`)}
          </ul>
        </div>
      </div>
      <div ?hidden=${!comparison}>
        <dl>
          <dt>Before</dt>
          <dd class="name">${comparison && sideWords(comparison.base)}</dd>
          <dt>Now</dt>
          <dd class="name">${comparison && sideWords(comparison.new)}</dd>
        </dl>
        <div ?hidden=${rows.length === 0}>
          <h3>${shown?.title}</h3>
          <div id="chart"><div id="rows"></div></div>
          <ul id="legend" class="legend" aria-label="Colors"></ul>
          <tfperf-table
            id="accounts"
            heading="Each account"
            .columns=${shown ? accountColumns(shown) : []}
            .items=${rows}
            open
          ></tfperf-table>
        </div>
        <tfperf-table
          id="findings"
          heading="Findings that appeared, vanished or changed"
          .columns=${FINDINGS}
          .items=${findings.filter(({ status }) => status !== 'same')}
          open
        ></tfperf-table>
        <tfperf-table
          id="alike"
          heading="Findings as before"
          .columns=${FINDINGS}
          .items=${findings.filter(({ status }) => status === 'same')}
        ></tfperf-table>
        <tfperf-table id="numbers" heading="Key numbers" .columns=${NUMBERS} .items=${numbers}></tfperf-table>
        <tfperf-table
          id="settings"
          heading="What the trainings recorded differently"
          .columns=${SETTINGS}
          .items=${settings}
        ></tfperf-table>
      </div>
    `;
  }

  protected override drawn(former: Former): void {
    if (this.comparison && 'comparison' in former) this.draw(columns(this.comparison));
  }

  /** The newest call wins. */
  private async load(): Promise<void> {
    const { backend, base, run } = this;
    this.loading.abort();
    this.comparison = null;
    this.problem = '';
    this.waiting = 'Comparing …';
    this.loading = new AbortController();
    const { signal } = this.loading;
    const onProgress = ({ share }: Progress): void => {
      if (!signal.aborted) this.waiting = `Analyzing both runs, ${percent(share)} done …`;
    };
    try {
      const comparison = await backend.compare(base, run, onProgress, signal);
      if (!signal.aborted) this.comparison = comparison;
    } catch (problem) {
      if (!signal.aborted) this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    if (!signal.aborted) this.waiting = '';
  }

  private onClose(): void {
    fire(this, 'base-change', { base: null });
  }

  private draw(shown: Columns): void {
    this.tip ??= new Tip(this.child('chart'));
    this.tip.hide();
    const both = bars(shown);
    const full = Math.max(...both.map(({ total }) => total), 1);
    this.child('rows').replaceChildren(
      ...both.map(({ name, total, parts }) => {
        const { drawing, segments } = stackedBar(
          parts,
          full,
          `${name}, ${duration(total)}: ${parts.map(({ words }) => words).join('; ')}`,
        );
        this.tip?.explain(
          drawing,
          segments,
          parts.map(({ words }) => words),
        );
        const row = document.createElement('div');
        row.className = 'row';
        row.append(text(name), drawing, text(duration(total)));
        return row;
      }),
    );
    // What is too thin to be seen in either bar is in the table.
    const seen = accountRows(shown.accounts).filter((a) => a.id && Math.max(a.base_ns, a.new_ns) >= full / 200);
    this.child('legend').replaceChildren(...seen.map(({ id, words }) => legendItem(accountLook(id), words)));
  }
}

function accountColumns(shown: Columns): Column<AccountChange & { words: string }>[] {
  return [
    { head: 'Account', cell: ({ words }) => words, kind: 'name' },
    { head: shown.first, cell: ({ base_ns }) => duration(base_ns), kind: 'number', value: ({ base_ns }) => base_ns },
    { head: shown.second, cell: ({ new_ns }) => duration(new_ns), kind: 'number', value: ({ new_ns }) => new_ns },
    { head: shown.change, cell: ({ delta_ns }) => signed(delta_ns), kind: 'number', value: ({ delta_ns }) => delta_ns },
  ];
}

function text(words: string): HTMLElement {
  const span = document.createElement('span');
  span.textContent = words;
  return span;
}

function cost(ns: number | null, severity: string | null): string {
  return severity === null ? '' : ns === null ? severity : `${duration(ns)}, ${severity}`;
}

customElements.define('tfperf-compare', CompareElement);
