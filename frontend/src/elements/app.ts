import { html, nothing } from 'lit-html';
import type { Backend, SavedTrace } from '../backend.js';
import { Controller, FIRST, type State, selected } from '../controller.js';
import { counted } from '../format.js';
import type { Host } from '../host.js';
import type { TraceTarget } from '../links.js';
import { type Mark, holding } from '../list.js';
import type { Place, Report } from '../model.js';
import '../panels/bar/element.js';
import '../panels/board/element.js';
import type { BoardState } from '../panels/board/logic.js';
import '../panels/budget/element.js';
import '../panels/finding_timeline/element.js';
import '../panels/keys/element.js';
import '../panels/sections/element.js';
import '../panels/trials/element.js';
import '../panels/verdict/element.js';
import { css } from '../theme.js';
import type { Thresholds, OtherThresholds } from '../thresholds.js';
import type { Field } from '../typed.js';
import { TfperfElement } from './base.js';
import '../panels/compare/element.js';
import './failure.js';
import './no_profiles.js';
import './progress.js';

/** The tab: draws the controller's state, and tells it what users do. */
export class AppElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      background: var(--page);
      min-height: 100vh;
      overflow-wrap: break-word;
    }
    /* Wide windows: the charts grow; lines of text do not (theme.ts). */
    main {
      margin: 0 auto;
      max-width: 1800px;
      padding: 0 24px 8px;
    }
    tfperf-budget,
    tfperf-finding-timeline,
    tfperf-sections {
      margin-top: 12px;
    }
  `;
  static readonly properties = { state: Object };

  state: State = FIRST;
  controller!: Controller;

  /** Shows what the address names, or else the only run, or all. */
  start(backend: Backend, host: Host): Promise<void> {
    this.controller = new Controller(backend, host, (state) => (this.state = state));
    this.listen(host);
    return this.controller.start();
  }

  /** TensorBoard reloaded its data. */
  reload(): void {
    this.controller.reload();
  }

  protected override template() {
    const { view, run, runs, trials, report, typed, address, round, said } = this.state;
    return html`
      <main class=${view}>
        <div class="unseen" role="status">${said}</div>
        ${
          view !== 'runs' && (runs.length > 0 || run !== null)
            ? html`<tfperf-bar
                .runs=${runs}
                .trials=${trials.trials.length}
                .run=${run}
                .base=${address.base}
                .typed=${typed}
                .report=${view === 'report' ? report : null}
              ></tfperf-bar>`
            : nothing
        }
        ${
          round > 0
            ? html`<tfperf-board
                  ?hidden=${view !== 'runs' || runs.length === 0}
                  .on=${view === 'runs'}
                  .backend=${this.controller.backend}
                  .runs=${runs}
                  .base=${address.base}
                  .state=${this.state.board}
                  .round=${round}
                  ><button class="button" ?hidden=${trials.trials.length === 0} @click=${this.toTrials}>
                    ${counted(trials.trials.length, 'trial')} ↓
                  </button></tfperf-board
                ><tfperf-trials
                  ?hidden=${view !== 'runs' || trials.trials.length === 0}
                  .found=${trials}
                  .chosen=${this.state.board.trial}
                ></tfperf-trials>`
            : nothing
        }
        ${this.content()}
        <tfperf-keys></tfperf-keys>
      </main>
    `;
  }

  private toTrials(): void {
    this.shadowRoot.querySelector('tfperf-trials')?.show();
  }

  private content() {
    const { view, report, progress, error } = this.state;
    switch (view) {
      case 'waiting':
        return html`<tfperf-progress .progress=${progress}></tfperf-progress>`;
      case 'empty':
        return html`<tfperf-no-profiles></tfperf-no-profiles>`;
      case 'failed':
        return html`<tfperf-failure .error=${error}></tfperf-failure>`;
      case 'runs':
        return nothing;
      case 'report':
        return report ? this.report(report) : nothing;
    }
  }

  private report(report: Report) {
    const { access, address, hovered, marks, owner, recomputing, refused, target, typed } = this.state;
    const { base, step, without, zoom } = address;
    const { backend, predict, timeline } = this.controller;
    const finding = selected(this.state);
    // It may be one that the selected finding explains: that one opens.
    const named = holding(finding ? [finding] : [], address.finding) ? address.finding : null;
    return html`
      ${
        base === null || base === report.run
          ? nothing
          : html`<tfperf-compare
              .backend=${backend}
              .sides=${JSON.stringify([[base], [report.run]])}
              .round=${report}
            ></tfperf-compare>`
      }
      <tfperf-verdict
        .report=${report}
        .ask=${predict}
        .marks=${marks}
        .typed=${typed}
        .refused=${refused}
      ></tfperf-verdict>
      <tfperf-budget
        .report=${report}
        .ask=${predict}
        .without=${without}
        .selected=${finding?.id ?? null}
        .owner=${owner}
        .marks=${marks}
      ></tfperf-budget>
      ${
        report.steps.columns.length + report.findings.length
          ? html`<tfperf-finding-timeline
              .report=${report}
              .access=${access}
              .ask=${timeline}
              .locked=${named ?? finding?.id ?? null}
              .hovered=${hovered}
              .step=${step}
              .zoom=${zoom}
              .marks=${marks}
              .target=${target}
            ></tfperf-finding-timeline>`
          : nothing
      }
      <tfperf-sections
        .report=${report}
        .access=${access}
        .typed=${typed}
        .refused=${refused}
        .recomputing=${recomputing}
        .finding=${finding}
      ></tfperf-sections>
    `;
  }

  private listen(host: Host): void {
    const { controller } = this;
    const on = <T>(type: string, handle: (detail: T) => void): void =>
      this.addEventListener(type, (event) => handle((event as CustomEvent<T>).detail));
    on<{ run: string }>('run-change', ({ run }) => controller.openRun(run));
    on('go-to-runs', () => controller.openRuns());
    on<Partial<BoardState>>('board-change', (change) => controller.changeBoard(change));
    on<{ base: string | null }>('base-change', ({ base }) => controller.setBase(base));
    on<{ field: Field; text: string | null }>('assume', ({ field, text }) => controller.assume(field, text));
    on('retry', () => controller.retry());
    on('cancel', () => controller.cancel());
    on<{ id: string }>('finding-select', ({ id }) => controller.select(id));
    on<{ id: string | null }>('finding-hover', ({ id }) => controller.hover(id));
    on<{ id: string | null }>('owner', ({ id }) => controller.own(id));
    on<{ zoom: string | null }>('zoom-change', ({ zoom }) => controller.zoom(zoom));
    on('timeline-back', () => controller.back());
    on<{ id: string }>('step-change', ({ id }) => controller.goToStep(id));
    on<{ place: Place }>('show-in-timeline', ({ place }) => controller.goToPlace(place));
    on<{ id: string; mark: Mark | null }>('mark', ({ id, mark }) => controller.mark(id, mark));
    on<{ without: string | null }>('without-change', ({ without }) => controller.setWithout(without));
    on<{ id: string; answer?: string }>('link', (question) => {
      question.answer = controller.link(question.id);
    });
    on<{ answer?: Promise<Thresholds> }>('thresholds', (question) => {
      question.answer = controller.thresholds();
    });
    on<{ tried: string[]; answer?: Promise<OtherThresholds> }>('try-out', (question) => {
      question.answer = controller.tryOut(question.tried);
    });
    on<{ target: TraceTarget; signal: AbortSignal; answer?: Promise<SavedTrace> }>('save-trace', (question) => {
      question.answer = controller.backend.slice(question.target, question.signal);
    });
    on<{ target: TraceTarget; click: Event }>('open-profile-tab', ({ target, click }) => {
      if (host.openProfileTab(target)) click.preventDefault();
    });
  }

  protected override onPageKey({ key }: KeyboardEvent): void {
    if (this.state.view === 'runs') return;
    if (key === 'r') this.controller.openRuns();
    else if (key === 'p') this.controller.pin();
  }
}

customElements.define('tfperf-app', AppElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-app': AppElement;
  }
}
