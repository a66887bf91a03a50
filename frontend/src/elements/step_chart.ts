import { html } from 'lit-html';
import { accountLook, drawn } from '../accounts.js';
import { type Chart, scaleOf, stepColumns } from '../charts/step_columns.js';
import { legendItem } from '../charts/svg.js';
import { counted, duration, percent } from '../format.js';
import type { StepColumn, Steps } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, fire } from './base.js';
import { Tip } from './tip.js';

/** How many accounts the words of a step name, the largest first. */
const NAMED = 4;

/** Every step as a column; one can be chosen. */
export class StepChartElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    #frame {
      display: grid;
      gap: 8px;
      grid-template-columns: max-content 1fr;
      margin-top: 8px;
    }
    #scale {
      position: relative;
      min-width: 48px;
    }
    #scale span {
      color: var(--ink-2);
      font-size: 12px;
      line-height: 1;
      position: absolute;
      right: 0;
      transform: translateY(-50%);
      white-space: nowrap;
    }
    #chart {
      position: relative;
    }
    svg {
      display: block;
      overflow: visible;
    }
    [role='option'] {
      cursor: pointer;
    }
    .ground {
      fill: transparent;
    }
    [role='option']:hover .ground,
    .on .ground {
      fill: var(--ground);
    }
    [aria-selected='true'] .ground {
      fill: var(--info-ground);
      stroke: var(--accent);
    }
    .on .ground {
      stroke: var(--control-line);
    }
    .out {
      opacity: 0.45;
    }
    .tick {
      stroke: var(--line);
    }
    .outlier {
      fill: var(--ink);
      font-size: 12px;
    }
    .number {
      fill: var(--ink-2);
      font-size: 12px;
    }
    .mark {
      fill: var(--accent);
    }
    .legend b {
      color: var(--ink);
      font-weight: 400;
      width: 12px;
      text-align: center;
    }
    .legend .accent {
      background: var(--accent);
      height: 3px;
      width: 12px;
    }
  `;
  static readonly properties = { steps: Object, chosen: String, marked: Array };

  steps!: Steps;
  /** Id of the chosen step. */
  chosen: string | null = null;
  /** Ids of steps that hold places of open findings. */
  marked: string[] = [];
  private chart: Chart | null = null;
  private words: string[] = [];
  private tip: Tip | undefined;
  private at = 0;

  protected override template() {
    const { columns, columns_total } = this.steps;
    const outliers = columns.filter(({ outlier }) => outlier).map(({ number }) => number);
    const unusual =
      outliers.length === 0
        ? 'None is much longer than the others.'
        : `${counted(outliers.length, 'outlier')}, much longer than the others: ` +
          `${counted(outliers.length, 'step').replace(/^\S+ /, '')} ` +
          `${outliers.slice(0, 12).join(', ')}${outliers.length > 12 ? ' …' : ''}.`;
    const capped = columns_total > columns.length ? ` The first ${columns.length} of ${columns_total} steps.` : '';
    return html`
      <p class="note">Each column is a step, averaged over its GPUs. ${unusual}${capped}</p>
      <div id="frame">
        <div id="scale" aria-hidden="true"></div>
        <div id="chart"></div>
      </div>
      <ul id="legend" class="legend" aria-label="What the columns show"></ul>
    `;
  }

  protected override drawn(former: Former): void {
    if ('steps' in former || 'marked' in former) this.draw();
    this.choose();
  }

  private draw(): void {
    const { columns } = this.steps;
    const host = this.child('chart');
    const places = new Set(this.marked);
    this.tip ??= new Tip(host);
    this.tip.hide();
    this.words = columns.map((column) => stepWords(column, places.has(column.id)));
    const focused = this.shadowRoot.activeElement !== null && this.chart !== null;
    this.chart?.drawing.remove();
    this.chart = stepColumns(columns, this.words, places);
    const { drawing, options } = this.chart;
    drawing.style.maxWidth = `${columns.length * 64}px`;
    host.prepend(drawing);
    options.forEach((option, i) => {
      option.addEventListener('pointerenter', () => this.tip?.show(option, this.words[i] ?? ''));
      option.addEventListener('click', () => this.pick(i));
    });
    drawing.addEventListener('pointerleave', () => this.tip?.hide());
    drawing.addEventListener('focus', () => this.go(this.at));
    drawing.addEventListener('blur', () => this.tip?.hide());
    drawing.addEventListener('keydown', (event) => this.onKey(event));
    if (focused) drawing.focus();
    this.child('scale').replaceChildren(
      ...scaleOf(columns).map(({ words, top }) => {
        const label = document.createElement('span');
        label.textContent = words;
        label.style.top = `${top}px`;
        return label;
      }),
    );
    this.legend(columns, places.size > 0);
  }

  private choose(): void {
    const index = this.steps.columns.findIndex(({ id }) => id === this.chosen);
    if (index >= 0) this.at = index;
    this.chart?.options.forEach((option, i) => option.setAttribute('aria-selected', String(i === index)));
  }

  private legend(columns: readonly StepColumn[], marked: boolean): void {
    const ids = new Set(columns.flatMap(({ accounts }) => Object.keys(accounts)));
    const worth = (id: string): boolean =>
      columns.some(({ accounts, step_ns }) => (accounts[id] ?? 0) >= 0.005 * step_ns);
    const items = drawn([...ids].filter(worth).map((id) => ({ id, ns: 1 }))).map(({ id }) =>
      legendItem(accountLook(id), accountLook(id).words),
    );
    if (columns.some(({ outlier }) => outlier)) items.push(sign('◆', 'outlier: much longer than the others'));
    if (columns.some(({ judged }) => !judged)) items.push(sign('', 'pale: left out of the averages'));
    if (marked) items.push(sign(null, 'a place of a finding that is open'));
    this.child('legend').replaceChildren(...items);
  }

  private go(index: number): void {
    const options = this.chart?.options ?? [];
    this.at = Math.min(Math.max(index, 0), options.length - 1);
    const option = options[this.at];
    if (!option) return;
    this.chart?.drawing.setAttribute('aria-activedescendant', option.id);
    this.tip?.show(option, this.words[this.at] ?? '');
  }

  private pick(index: number): void {
    const column = this.steps.columns[index];
    if (column) fire(this, 'step-change', { id: column.id });
  }

  private onKey(event: KeyboardEvent): void {
    const { key } = event;
    if (key === 'Escape') return this.tip?.hide();
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: Infinity }[key];
    if (to !== undefined) this.go(to);
    else if (key === 'Enter' || key === ' ') this.pick(this.at);
    else return;
    event.preventDefault();
  }
}

function sign(mark: string | null, words: string): HTMLLIElement {
  const item = document.createElement('li');
  if (mark !== '') {
    const shape = document.createElement(mark === null ? 'span' : 'b');
    shape.setAttribute('aria-hidden', 'true');
    if (mark === null) shape.className = 'accent';
    else shape.textContent = mark;
    item.append(shape);
  }
  item.append(words);
  return item;
}

/** "Step 12: 48.6 ms, outlier. Compute 55 %, idle, waiting for input 38 %". */
function stepWords(
  { number, step_ns, accounts, outlier, judged, note, gpus_count }: StepColumn,
  marked: boolean,
): string {
  const parts = Object.entries(accounts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED)
    .map(([id, ns]) => `${accountLook(id).words} ${duration(ns)} (${percent(ns / step_ns)})`);
  return [
    `Step ${number}: ${duration(step_ns)}${gpus_count > 1 ? `, average of ${counted(gpus_count, 'GPU')}` : ''}`,
    outlier ? 'outlier: much longer than the others' : '',
    note || (judged ? '' : 'left out of the averages'),
    parts.join(', '),
    marked ? 'a place of an open finding lies here' : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

customElements.define('tfperf-step-chart', StepChartElement);
