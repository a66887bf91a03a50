import '@polymer/polymer/lib/elements/dom-if.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { Progress } from '../backend.js';
import { percent } from '../format.js';
import { sharedStyles } from './old.js';
import { fire } from './base.js';

const STAGES: Record<string, string> = {
  xspace: 'Reading the profile',
  trace: 'Sorting events into kernels, copies and host work',
  steps: 'Finding the steps',
  ledger: 'Dividing each step among its causes',
  rules: 'Checking the rules',
  report: 'Writing the report',
};

/** How far the analysis of a profile is. */
export class ProgressElement extends PolymerElement {
  static get is() {
    return 'tfperf-progress';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; padding: 40px 0; }
        h1 { font-size: 20px; font-weight: 400; }
        progress { accent-color: var(--accent); display: block; height: 8px; margin: 14px 0 6px; max-width: 420px; width: 100%; }
        button { margin-top: 14px; }
      </style>
      <h1><span role="status">[[stage(progress)]]</span></h1>
      <template is="dom-if" if="[[progress]]">
        <progress max="1" value="[[progress.share]]" aria-label="Share of the analysis that is done"></progress>
        <p class="note">[[share(progress)]] done. A large profile takes some seconds once; the result is kept.</p>
        <button class="button" on-click="onCancel">Cancel</button>
      </template>
    `;
  }

  static get properties() {
    return { progress: { type: Object, value: null } };
  }

  declare progress: Progress | null;

  stage(progress: Progress | null): string {
    return `${progress ? (STAGES[progress.stage] ?? 'Analysing the profile') : 'Loading'} …`;
  }

  /** Whoever waits with us is stopped, too. */
  onCancel(): void {
    fire(this, 'cancel');
  }

  share(progress: Progress | null): string {
    const { share = 0, hosts_done_count: done, hosts_count: count } = progress ?? {};
    return `${done === undefined || !count ? '' : `Host ${Math.min(done + 1, count)} of ${count}. `}${percent(share)}`;
  }
}

customElements.define(ProgressElement.is, ProgressElement);
