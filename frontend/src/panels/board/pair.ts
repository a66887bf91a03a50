import { html, nothing } from 'lit-html';
import { accountLook } from '../../accounts.js';
import type { Backend, Progress } from '../../backend.js';
import { ticks } from '../../charts/scale.js';
import { stackedBar } from '../../charts/stacked_bar.js';
import { legendItem } from '../../charts/svg.js';
import { accountRows, bars, columns } from '../../comparison.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import { Tip } from '../../elements/tip.js';
import { duration, percent } from '../../format.js';
import type { Comparison } from '../../model.js';
import { css } from '../../theme.js';
import { pairNotes } from './logic.js';

/** Two runs on one axis: the verdict, what was projected, and from which difference on it counts. */
export class PairElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
      margin-top: 12px;
      padding: 12px 16px;
    }
    header {
      align-items: baseline;
      display: flex;
      gap: 16px;
      justify-content: space-between;
    }
    h2 {
      font-size: 14px;
      min-width: 0;
    }
    .better {
      color: var(--good);
      font-weight: 600;
    }
    .worse {
      color: var(--critical);
      font-weight: 600;
    }
    #chart {
      display: grid;
      gap: 6px 12px;
      grid-template-columns: minmax(80px, 220px) 1fr 76px;
      margin-top: 8px;
      position: relative;
    }
    #chart .name {
      grid-column: 1;
      font-size: 13px;
      line-height: 20px;
    }
    .axis {
      color: var(--ink-2);
      font-size: 12px;
      grid-column: 2;
      height: 16px;
      position: relative;
    }
    .axis span {
      position: absolute;
      transform: translateX(-50%);
      white-space: nowrap;
    }
    .axis span:first-child {
      transform: none;
    }
    #chart > b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      text-align: right;
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
  waiting = '';
  private loading = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.loading.abort();
  }

  protected override changed(former: Former): void {
    if ('base' in former || 'run' in former) void this.load();
  }

  protected override template() {
    const { comparison, base, run } = this;
    const reasons = comparison?.verdict === 'cannot_compare' ? comparison.reasons : [];
    return html`
      <header>
        <h2><span class="name">${run}</span> against <span class="name">${base}</span></h2>
        <button class="button" @click=${() => fire(this, 'board-change', { pair: null })}>Close</button>
      </header>
      <div role="status">
        ${this.waiting ? html`<p class="note">${this.waiting}</p>` : nothing}
        ${this.problem ? html`<p class="name">${this.problem}</p>` : nothing}
        ${
          comparison
            ? html`<p class="name"><span class=${comparison.verdict}>${comparison.sentence}</span></p>
                ${[...reasons, ...pairNotes(comparison)].map((words) => html`<p class="note name">${words}</p>`)}`
            : nothing
        }
      </div>
      <div id="chart" ?hidden=${!comparison?.accounts.length}></div>
      <ul id="legend" class="legend" aria-label="Colors" ?hidden=${!comparison?.accounts.length}></ul>
    `;
  }

  protected override drawn(former: Former): void {
    if ('comparison' in former && this.comparison?.times) this.draw(this.comparison);
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
        const label = document.createElement('span');
        label.style.left = `${(100 * at) / full}%`;
        label.textContent = duration(at);
        return label;
      }),
    );
    chart.append(axis);
    const names = comparison.scaling ? both.map(({ name }) => name) : [this.base, this.run];
    both.forEach(({ total, parts }, i) => {
      const name = document.createElement('span');
      name.className = 'name';
      name.textContent = names[i] ?? '';
      const words = parts.map((part) => `${part.look.words}, ${duration(part.ns)}, ${percent(part.ns / total)}`);
      const { drawing, segments } = stackedBar(parts, full, `${names[i]}, ${duration(total)}: ${words.join('; ')}`);
      tip.explain(drawing, segments, words);
      const time = document.createElement('b');
      time.textContent = duration(total);
      chart.append(name, drawing, time);
    });
    const seen = accountRows(shown.accounts).filter((a) => a.id && Math.max(a.base_ns, a.new_ns) >= full / 200);
    this.child('legend').replaceChildren(...seen.map(({ id, words }) => legendItem(accountLook(id), words)));
  }

  /** The newest call wins. */
  private async load(): Promise<void> {
    this.loading.abort();
    this.loading = new AbortController();
    const { signal } = this.loading;
    this.comparison = null;
    this.problem = '';
    this.waiting = 'Comparing …';
    const onProgress = ({ share }: Progress): void => {
      if (!signal.aborted) this.waiting = `Analyzing both runs, ${percent(share)} done …`;
    };
    try {
      const comparison = await this.backend.compare(this.base, this.run, onProgress, signal);
      if (!signal.aborted) this.comparison = comparison;
    } catch (problem) {
      if (!signal.aborted) this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    if (!signal.aborted) this.waiting = '';
  }
}

customElements.define('tfperf-pair', PairElement);
