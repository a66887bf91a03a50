import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendItem } from '../charts/svg.js';
import { duration, percent } from '../format.js';
import type { Account, Phases } from '../model.js';
import { phaseLook, phasePart, phasesSentence } from '../phases.js';
import { sharedStyles } from './old.js';
import './table.js';
import type { Column } from './table.js';
import { Tip } from './tip.js';

const COLUMNS: Column<Account>[] = [
  { head: 'Phase', cell: ({ id }) => phaseLook(id).words },
  { head: 'Per step', cell: ({ ns }) => duration(ns), kind: 'number' },
  { head: 'Share of compute', cell: ({ ratio }) => percent(ratio), kind: 'number' },
];

/** Compute by phase of training: a sentence, a bar, and the numbers. */
export class PhasesElement extends PolymerElement {
  static get is() {
    return 'tfperf-phases';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        #chart { margin-top: 8px; position: relative; }
        #chart svg { border-radius: 4px; display: block; overflow: hidden; }
        #chart g.on { stroke: var(--ink); stroke-width: 2; }
        tfperf-table { margin-top: 8px; }
      </style>
      <h2>Compute by phase</h2>
      <p class="note">[[sentence(phases)]]</p>
      <div hidden$="[[!phases.items]]">
        <div id="chart"></div>
        <ul id="legend" class="legend" aria-label="Phases, shares of compute"></ul>
        <tfperf-table heading="The phases as a table" columns="[[columns]]" items="[[rows(phases)]]" note="Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the one that began first, so phases add up to the compute time above."></tfperf-table>
      </div>
    `;
  }

  static get properties() {
    return { phases: { type: Object, observer: 'onPhases' }, columns: { type: Array, value: () => COLUMNS } };
  }

  declare phases: Phases | null;
  declare columns: Column<Account>[];

  onPhases(phases: Phases | null): void {
    const items = this.rows(phases);
    if (items.length === 0) return;
    const words = items.map(phasePart);
    const { drawing, segments } = stackedBar(
      items.map(({ id, ns }) => ({ look: phaseLook(id), ns })),
      Math.max(1, items.reduce((sum, { ns }) => sum + ns, 0)),
      `Compute by phase: ${words.join('; ')}`,
      14,
    );
    const chart = this.$['chart'] as HTMLElement;
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, segments, words);
    this.$['legend']?.replaceChildren(
      ...items.map(({ id, ratio }) => legendItem(phaseLook(id), `${phaseLook(id).words} ${percent(ratio)}`)),
    );
  }

  rows(phases: Phases | null): Account[] {
    return phases?.items?.filter(({ ns }) => ns > 0) ?? [];
  }

  sentence(phases: Phases | null): string {
    return phases ? phasesSentence(phases) : '';
  }
}

customElements.define(PhasesElement.is, PhasesElement);
