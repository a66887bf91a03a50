import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { counted, deviceSummary, duration } from '../format.js';
import type { Report, Run } from '../model.js';
import { sharedStyles } from '../theme.js';
import { type Typed, UNTYPED } from '../typed.js';
import { fire } from './base.js';
import './export.js';

/** The run picker, and what was analysed. */
export class BarElement extends PolymerElement {
  static get is() {
    return 'tfperf-bar';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { align-items: center; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 8px 16px; padding: 16px 0 14px; }
        label { align-items: center; color: var(--ink-2); display: flex; font-size: 13px; gap: 12px; min-width: 0; }
        select { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; color: var(--ink); max-width: min(280px, 70vw); padding: 6px 8px; text-overflow: ellipsis; }
        .end { align-items: center; display: flex; flex: 1 1 340px; gap: 16px; justify-content: end; min-width: 0; }
        p { -webkit-box-orient: vertical; -webkit-line-clamp: 2; display: -webkit-box; min-width: 0; overflow: hidden; overflow-wrap: anywhere; text-align: right; }
      </style>
      <label>Run
        <select id="run" title$="[[run]]" on-change="onChange">
          <template is="dom-repeat" items="[[names(runs, run)]]">
            <option value="[[item]]" selected="[[isRun(item, run)]]">[[item]]</option>
          </template>
        </select>
      </label>
      <label hidden$="[[!others.length]]">Compare with
        <select id="base" title$="[[base]]" on-change="onBase">
          <option value="" selected="[[!base]]">—</option>
          <template is="dom-repeat" items="[[others]]">
            <option value="[[item]]" selected="[[isRun(item, base)]]">[[item]]</option>
          </template>
        </select>
      </label>
      <div class="end">
        <p class="note" title$="[[about]]">[[about]]</p>
        <tfperf-export run="[[run]]" typed="[[typed]]" hidden$="[[!report]]"></tfperf-export>
      </div>
    `;
  }

  static get properties() {
    return {
      runs: { type: Array, value: () => [] },
      run: { type: String, value: null },
      /** The run that the chosen one is compared with. */
      base: { type: String, value: null },
      report: { type: Object, value: null },
      typed: { type: Object, value: () => UNTYPED },
      others: { type: Array, computed: 'othersOf(runs, run, base)' },
      about: { type: String, computed: 'aboutOf(report)' },
    };
  }

  declare runs: Run[];
  declare run: string | null;
  declare base: string | null;
  declare report: Report | null;
  declare typed: Typed;
  declare others: string[];
  declare about: string;

  /** A run that the address names stays visible even when the log directory does not hold it. */
  names(runs: Run[], run: string | null): string[] {
    const names = runs.map(({ name }) => name);
    return run === null || names.includes(run) ? names : [run, ...names];
  }

  othersOf(runs: Run[], run: string | null, base: string | null): string[] {
    return this.names(runs, base).filter((name) => name !== run);
  }

  isRun(name: string, run: string | null): boolean {
    return name === run;
  }

  aboutOf(report: Report | null): string {
    if (!report) return '';
    const { steps, devices, hosts, timing } = report;
    const took = timing.reduce((sum, { ns }) => sum + ns, 0);
    return [
      counted(steps.count, 'step'),
      devices.length > 0 ? deviceSummary(devices.map(({ name }) => name)) : 'no GPU',
      hosts.length === 1 ? `host ${hosts[0]}` : counted(hosts.length, 'host'),
      took > 0 ? `analysed in ${duration(took)}` : '',
    ]
      .filter(Boolean)
      .join(' · ');
  }

  onChange(event: Event): void {
    fire(this, 'run-change', { run: (event.target as HTMLSelectElement).value });
  }

  onBase(event: Event): void {
    fire(this, 'base-change', { base: (event.target as HTMLSelectElement).value || null });
  }
}

customElements.define(BarElement.is, BarElement);
