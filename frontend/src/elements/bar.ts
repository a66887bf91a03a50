import { html, nothing } from 'lit-html';
import { counted, duration, gpuKinds } from '../format.js';
import type { Report } from '../model.js';
import { css } from '../theme.js';
import { type Typed, UNTYPED } from '../typed.js';
import type { Run } from '../types.js';
import { TfperfElement, fire } from './base.js';
import './export.js';

/** The run on screen, the way back to all runs, the baseline, and what was analyzed. */
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
    .run {
      font-weight: 600;
    }
    .run,
    .base {
      max-width: min(420px, 70vw);
    }
    .end {
      align-items: center;
      display: flex;
      flex: 1 1 340px;
      gap: 16px;
      justify-content: end;
      min-width: 0;
    }
    .about {
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

  protected override template() {
    const { run, base, report } = this;
    const about = report ? aboutOf(report) : '';
    const several = this.runs.length > 1;
    return html`
      <button class="button" ?hidden=${!several} title="All runs (r)" @click=${() => fire(this, 'go-to-runs')}>
        ‹ Runs
      </button>
      <span class="run name">${run}</span>
      ${base === null || base === run ? nothing : html`<span class="base name note">Baseline ★ ${base}</span>`}
      <button
        class="button"
        ?hidden=${!several}
        aria-pressed=${base === run}
        title="Compare other runs with this one (p)"
        @click=${() => fire(this, 'base-change', { base: base === run ? null : run })}
      >
        ${base === run ? '★ Baseline' : '☆ Pin as baseline'}
      </button>
      <div class="end">
        <p class="about note" title=${about}>${about}</p>
        <tfperf-export .run=${run} .typed=${this.typed} ?hidden=${!report}></tfperf-export>
      </div>
    `;
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
