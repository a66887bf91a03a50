import { html } from 'lit-html';
import { accountLook } from '../../accounts.js';
import type { Backend } from '../../backend.js';
import { legendItem } from '../../charts/svg.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import { breakable, explained } from '../../elements/text.js';
import { duration } from '../../format.js';
import type { Side, StepTimeline } from '../../model.js';
import { css } from '../../theme.js';
import { UNTYPED } from '../../typed.js';
import '../finding_timeline/plot.js';
import type { TimelinePlotElement } from '../finding_timeline/plot.js';
import { type Mark, legendWords, used } from '../finding_timeline/timeline.js';

/** Spans are asked for this much finer than pixels, so that some zooming parts them. */
const FINER = 4;

/** A step of each run, the baseline above, on one axis from their start: where one zooms, the other follows. */
export class TwoStepsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      --labels: 190px;
    }
    h3 {
      font-size: 13px;
      margin-top: 8px;
      overflow-wrap: anywhere;
    }
  `;
  static readonly properties = { backend: Object, sides: Array, both: Array, problem: String };

  backend!: Backend;
  sides: readonly Side[] = [];
  private both: readonly StepTimeline[] = [];
  private problem = '';
  private loading = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.loading.abort();
  }

  protected override changed(former: Former): void {
    if ('sides' in former) void this.load();
  }

  protected override template() {
    const { sides, both, problem } = this;
    const hint = both.length === 0 ? 'Loading …' : 'Both from their start. Zoom or move one, and the other follows.';
    return html`
      <p class="note" role="status">${problem || hint}</p>
      ${sides.map(({ run }, i) => {
        const step = both[i];
        return html`<h3>
            ${breakable(run)} <small>${step ? `step ${step.step}, ${duration(step.length_ns)}` : ''}</small>
          </h3>
          <tfperf-timeline-plot @view-rest=${this.follow} @span-choose=${this.choose}></tfperf-timeline-plot>`;
      })}
      <ul class="legend" aria-label="What the rows show">
        ${[...new Set(both.flatMap(used))].map((code) =>
          legendItem(accountLook(code), ...explained(legendWords(code))),
        )}
      </ul>
    `;
  }

  protected override drawn(former: Former): void {
    if (!('both' in former)) return;
    const extent = Math.max(...this.both.map(({ length_ns }) => length_ns));
    this.plots.forEach((plot, i) => {
      plot.extent = extent;
      if (this.both[i]) plot.show(this.both[i]);
    });
  }

  private get plots(): TimelinePlotElement[] {
    return [...this.shadowRoot.querySelectorAll<TimelinePlotElement>('tfperf-timeline-plot')];
  }

  private follow({ target }: Event): void {
    const { view } = target as TimelinePlotElement;
    for (const plot of this.plots) if (plot.view !== view) plot.see(view);
  }

  private choose({ target, detail }: CustomEvent<{ mark: Mark | null }>): void {
    (target as TimelinePlotElement).chosen = detail.mark;
  }

  private async load(): Promise<void> {
    this.loading.abort();
    this.loading = new AbortController();
    const { signal } = this.loading;
    this.both = [];
    this.problem = '';
    const width = Math.max(FINER * this.clientWidth, 1);
    const whole = { host: null, begin_ns: 0, end_ns: null, width, keep: null, kernels: false };
    const ask = ({ run, usual_step: step }: Side): Promise<StepTimeline> =>
      this.backend.timeline({ run, ...UNTYPED, ...whole, step: step ?? '' }, signal);
    try {
      const both = await Promise.all(this.sides.map(ask));
      if (!signal.aborted) this.both = both;
    } catch (problem) {
      if (!signal.aborted) this.problem = problem instanceof Error ? problem.message : String(problem);
    }
  }
}

customElements.define('tfperf-two-steps', TwoStepsElement);
