import { html } from 'lit-html';
import { counted, duration, gpuKinds } from '../format.js';
import type { Outline, Run } from '../model.js';
import { css } from '../theme.js';
import { type Typed, UNTYPED } from '../typed.js';
import { TfperfElement, fire } from './base.js';
import './export.js';

/** The run picker, and what was analysed. */
export class BarElement extends TfperfElement {
  static override readonly styles = css`
    :host { align-items: center; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 8px 16px; padding: 16px 0 14px; }
    label { align-items: center; color: var(--ink-2); display: flex; font-size: 13px; gap: 12px; min-width: 0; }
    select { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; color: var(--ink); max-width: min(280px, 70vw); padding: 6px 8px; text-overflow: ellipsis; }
    .end { align-items: center; display: flex; flex: 1 1 340px; gap: 16px; justify-content: end; min-width: 0; }
    p { -webkit-box-orient: vertical; -webkit-line-clamp: 2; display: -webkit-box; min-width: 0; overflow: hidden; overflow-wrap: anywhere; text-align: right; }
  `;
  static readonly properties = { runs: Array, run: String, base: String, report: Object, typed: Object };

  runs: Run[] = [];
  run: string | null = null;
  /** The run that the chosen one is compared with. */
  base: string | null = null;
  report: Outline | null = null;
  typed: Typed = UNTYPED;

  protected override template() {
    const { run, base, report } = this;
    const others = this.names(base).filter((name) => name !== run);
    const about = report ? aboutOf(report) : '';
    const option = (name: string, chosen: string | null) => html`<option .value=${name} .selected=${name === chosen}>${name}</option>`;
    return html`
      <label>Run
        <select id="run" title=${run ?? ''} @change=${this.onChange}>${this.names(run).map((name) => option(name, run))}</select>
      </label>
      <label ?hidden=${others.length === 0}>Compare with
        <select id="base" title=${base ?? ''} @change=${this.onBase}>
          <option value="" .selected=${!base}>—</option>
          ${others.map((name) => option(name, base))}
        </select>
      </label>
      <div class="end">
        <p class="note" title=${about}>${about}</p>
        <tfperf-export .run=${run} .typed=${this.typed} ?hidden=${!report}></tfperf-export>
      </div>
    `;
  }

  /** A run that the address names stays visible even when the log directory does not hold it. */
  private names(named: string | null): string[] {
    const names = this.runs.map(({ name }) => name);
    return named === null || names.includes(named) ? names : [named, ...names];
  }

  private onChange(event: Event): void {
    fire(this, 'run-change', { run: (event.target as HTMLSelectElement).value });
  }

  private onBase(event: Event): void {
    fire(this, 'base-change', { base: (event.target as HTMLSelectElement).value || null });
  }
}

function aboutOf({ steps, gpus, hosts, timing }: Outline): string {
  const took = timing.reduce((sum, { ns }) => sum + ns, 0);
  return [
    counted(steps.count, 'step'),
    gpus.total > 0 ? gpuKinds(gpus) : 'no GPU',
    hosts.length === 1 ? `host ${hosts[0]}` : counted(hosts.length, 'host'),
    took > 0 ? `analysed in ${duration(took)}` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

customElements.define('tfperf-bar', BarElement);
