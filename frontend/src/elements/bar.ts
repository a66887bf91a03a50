import { html, noChange } from 'lit-html';
import { counted, duration, gpuKinds } from '../format.js';
import type { Report } from '../model.js';
import { css } from '../theme.js';
import { type Typed, UNTYPED } from '../typed.js';
import type { Run } from '../types.js';
import { type Former, TfperfElement, fire } from './base.js';
import './export.js';

/** The runs to choose from, and those to compare with; each has its choice as a property of that name. */
const LISTS = ['run', 'base'] as const;
type List = (typeof LISTS)[number];

/** The run picker, and what was analyzed. */
export class BarElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      align-items: center;
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 8px 16px;
      padding: 16px 0 14px;
    }
    label {
      align-items: center;
      color: var(--ink-2);
      display: flex;
      font-size: 13px;
      gap: 12px;
      min-width: 0;
    }
    /* Without a width of its own the list would be as wide as the longest name, all of which are measured for that. */
    select {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      color: var(--ink);
      min-width: 0;
      padding: 6px 8px;
      text-overflow: ellipsis;
      width: min(280px, 70vw);
    }
    .end {
      align-items: center;
      display: flex;
      flex: 1 1 340px;
      gap: 16px;
      justify-content: end;
      min-width: 0;
    }
    p {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
      display: -webkit-box;
      min-width: 0;
      overflow: hidden;
      overflow-wrap: anywhere;
      text-align: right;
    }
  `;
  static readonly properties = { runs: Array, run: String, base: String, report: Object, typed: Object };

  runs: Run[] = [];
  run: string | null = null;
  /** The run that the chosen one is compared with. */
  base: string | null = null;
  report: Report | null = null;
  typed: Typed = UNTYPED;
  /** The names in both lists, as they were last drawn. */
  private readonly listed: Record<List, string[]> = { run: [], base: [] };

  protected override template() {
    const { run, base, report } = this;
    const bases = this.names(base);
    const about = report ? aboutOf(report) : '';
    return html`
      <label
        >Run
        <select id="run" title=${run ?? ''} @change=${this.onChange}>
          ${this.options('run', this.names(run))}
        </select>
      </label>
      <label ?hidden=${bases.every((name) => name === run)}
        >Compare with
        <select id="base" title=${base ?? ''} @change=${this.onBase}>
          <option value="">—</option>
          ${this.options('base', bases)}
        </select>
      </label>
      <div class="end">
        <p class="note" title=${about}>${about}</p>
        <tfperf-export .run=${run} .typed=${this.typed} ?hidden=${!report}></tfperf-export>
      </div>
    `;
  }

  protected override drawn(former: Former): void {
    // Of a list whose own property is as it was, what was just chosen stays: its report is still to come.
    for (const id of LISTS) {
      const list = this.list(id);
      const chosen = this[id] ?? '';
      // Not to what it is already: browsers then read all fields of the page, to fill in forms, before they go on.
      if ((id in former || 'runs' in former) && list.value !== chosen) list.value = chosen;
    }
    for (const option of this.list('base').options) option.hidden = option.disabled = option.value === this.run;
  }

  private list(id: List): HTMLSelectElement {
    return this.child(id) as HTMLSelectElement;
  }

  /** A run that the address names stays visible even when the log directory does not hold it. */
  private names(named: string | null): string[] {
    const names = this.runs.map(({ name }) => name);
    return named === null || names.includes(named) ? names : [named, ...names];
  }

  /** There may be hundreds of them: they are left as they are until the names change. */
  private options(id: List, names: string[]) {
    const former = this.listed[id];
    if (names.length === former.length && names.every((name, i) => name === former[i])) return noChange;
    this.listed[id] = names;
    return names.map((name) => html`<option .value=${name}>${name}</option>`);
  }

  private onChange(event: Event): void {
    fire(this, 'run-change', { run: (event.target as HTMLSelectElement).value });
  }

  private onBase(event: Event): void {
    fire(this, 'base-change', { base: (event.target as HTMLSelectElement).value || null });
  }
}

function aboutOf({ steps, gpus, hosts, timing }: Report): string {
  const took = timing.reduce((sum, { ns }) => sum + ns, 0);
  return [
    counted(steps.count, 'step'),
    gpus.total > 0 ? gpuKinds(gpus) : 'no GPU',
    hosts.length === 1 ? `host ${hosts[0]}` : counted(hosts.length, 'host'),
    took > 0 ? `analyzed in ${duration(took)}` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

customElements.define('tfperf-bar', BarElement);
