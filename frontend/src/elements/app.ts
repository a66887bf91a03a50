import '@polymer/polymer/lib/elements/dom-if.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { type AddressState, NOWHERE } from '../address.js';
import { type Backend, BackendError, type Progress, type TraceAccess } from '../backend.js';
import type { Host } from '../host.js';
import type { TraceTarget } from '../links.js';
import type { Report, Run } from '../model.js';
import { sharedStyles } from '../theme.js';
import './allreduce.js';
import './bar.js';
import './failure.js';
import './findings.js';
import './input.js';
import './ledger.js';
import './no_profiles.js';
import './progress.js';
import './steps.js';
import './summary.js';
import './trust.js';

type View = 'waiting' | 'empty' | 'failed' | 'report';

/** The tab: fetches, keeps the address, and hands the report down. */
export class AppElement extends PolymerElement {
  static get is() {
    return 'tfperf-app';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { background: var(--page); display: block; min-height: 100vh; }
        main { margin: 0 auto; max-width: 1180px; padding: 0 24px 64px; }
        tfperf-ledger, tfperf-findings, tfperf-allreduce, tfperf-input, tfperf-steps { margin-top: 32px; }
      </style>
      <main>
        <template is="dom-if" if="[[hasRuns(runs, run)]]">
          <tfperf-bar runs="[[runs]]" run="[[run]]" report="[[current(view, report)]]"></tfperf-bar>
        </template>
        <template is="dom-if" if="[[is(view, 'waiting')]]">
          <tfperf-progress progress="[[progress]]"></tfperf-progress>
        </template>
        <template is="dom-if" if="[[is(view, 'empty')]]"><tfperf-no-profiles></tfperf-no-profiles></template>
        <template is="dom-if" if="[[is(view, 'failed')]]">
          <tfperf-failure error="[[error]]"></tfperf-failure>
        </template>
        <template is="dom-if" if="[[is(view, 'report')]]" restamp>
          <tfperf-summary report="[[report]]"></tfperf-summary>
          <tfperf-trust notes="[[report.trust]]" hidden$="[[!report.trust.length]]"></tfperf-trust>
          <tfperf-ledger report="[[report]]"></tfperf-ledger>
          <tfperf-findings report="[[report]]" access="[[access]]" opened="[[opened]]"></tfperf-findings>
          <template is="dom-if" if="[[report.allreduce]]" restamp>
            <tfperf-allreduce allreduce="[[report.allreduce]]"></tfperf-allreduce>
          </template>
          <template is="dom-if" if="[[report.input.iterators.length]]" restamp>
            <tfperf-input input="[[report.input]]"></tfperf-input>
          </template>
          <template is="dom-if" if="[[report.steps.items.length]]">
            <tfperf-steps steps="[[report.steps]]"></tfperf-steps>
          </template>
        </template>
      </main>
    `;
  }

  static get properties() {
    return {
      view: { type: String, value: 'waiting' },
      runs: { type: Array, value: () => [] },
      run: { type: String, value: null },
      /** The last report; it stays while the next one is fetched, because what shows it does, too. */
      report: { type: Object, value: null },
      progress: { type: Object, value: null },
      error: { type: Object, value: null },
      access: { type: Object, value: null },
      opened: { type: String, value: null },
    };
  }

  declare view: View;
  declare runs: Run[];
  declare run: string | null;
  declare report: Report | null;
  declare progress: Progress | null;
  declare error: BackendError | null;
  declare access: TraceAccess | null;
  declare opened: string | null;

  private backend!: Backend;
  private host!: Host;
  private state: AddressState = NOWHERE;
  private loading = new AbortController();
  private stale = false;

  override ready(): void {
    super.ready();
    const listen = <T>(type: string, handle: (detail: T) => void): void =>
      this.addEventListener(type, (event) => handle((event as CustomEvent<T>).detail));
    listen<{ run: string }>('run-change', ({ run }) => this.choose({ ...NOWHERE, run }));
    listen<Partial<AddressState>>('assume', (typed) => this.choose({ ...this.state, ...typed }));
    listen('retry', () => {
      // What was asked makes no sense, so it is not asked again.
      if (this.view === 'failed' && this.error?.kind === 'bad_request') this.choose({ ...NOWHERE, run: this.run });
      else void this.load();
    });
    listen<{ id: string; expanded: boolean }>('finding-toggle', ({ id, expanded }) => {
      if (expanded) this.remember({ ...this.state, finding: id });
      else if (this.state.finding === id) this.remember({ ...this.state, finding: null });
    });
    listen<{ target: TraceTarget; click: Event }>('open-profile-tab', ({ target, click }) => {
      if (this.host.openProfileTab(target)) click.preventDefault();
    });
  }

  /** Shows what the address names, or else the newest run. */
  start(backend: Backend, host: Host): Promise<void> {
    this.backend = backend;
    this.host = host;
    this.state = host.readAddress();
    host.onShown(() => this.catchUp());
    return this.load();
  }

  /** TensorBoard reloaded its data: look again now, or when this tab is shown again. */
  reload(): void {
    if (this.host.isShown()) void this.load();
    else this.stale = true;
  }

  hasRuns(runs: Run[], run: string | null): boolean {
    return runs.length > 0 || run !== null;
  }

  is(view: View, wanted: View): boolean {
    return view === wanted;
  }

  /** Another address was typed, or TensorBoard has forgotten ours while it showed another tab. */
  private catchUp(): void {
    const there = this.host.readAddress();
    if (there.run !== null && JSON.stringify(there) !== JSON.stringify(this.state)) {
      this.choose(there);
      return;
    }
    this.host.writeAddress(this.state);
    if (this.stale) void this.load();
  }

  current(view: View, report: Report | null): Report | null {
    return view === 'report' ? report : null;
  }

  private remember(state: AddressState): void {
    this.state = state;
    this.host.writeAddress(state);
  }

  private choose(state: AddressState): void {
    this.remember(state);
    void this.load();
  }

  /** The newest call wins; calls before it end without a trace. */
  private async load(): Promise<void> {
    this.loading.abort();
    this.loading = new AbortController();
    this.stale = false;
    const { signal } = this.loading;
    try {
      const runs = await this.backend.runs();
      if (signal.aborted) return;
      this.runs = runs;
      const run = this.state.run ?? runs[0]?.name;
      if (run === undefined) {
        this.run = null;
        this.view = 'empty';
        return;
      }
      if (run !== this.report?.run || this.view !== 'report') this.wait(run);
      const { parameters, bandwidth } = this.state;
      const show = (progress: Progress): void => {
        this.progress = progress;
        this.view = 'waiting';
      };
      const report = await this.backend.report({ run, parameters, bandwidth }, show, signal);
      if (!signal.aborted) this.present(run, report);
    } catch (problem) {
      if (!signal.aborted) this.fail(problem);
    }
  }

  private wait(run: string): void {
    this.run = run;
    this.progress = null;
    this.access = null;
    this.view = 'waiting';
  }

  private present(run: string, report: Report): void {
    this.run = run;
    this.remember({ ...this.state, run });
    // The same report again must not close what the user has opened.
    if (this.view !== 'report' || JSON.stringify(report) !== JSON.stringify(this.report)) {
      this.opened = this.state.finding;
      this.report = report;
      this.view = 'report';
    }
    void this.backend.traceAccess(run).then((access) => {
      if (this.run === run) this.access = access;
    });
  }

  private fail(problem: unknown): void {
    this.error =
      problem instanceof BackendError
        ? problem
        : new BackendError(problem instanceof Error ? problem.message : String(problem), 'internal');
    this.view = 'failed';
  }
}

customElements.define(AppElement.is, AppElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-app': AppElement;
  }
}
