import { html } from 'lit-html';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendItem } from '../charts/svg.js';
import { duration, percent } from '../format.js';
import type { Account, Phases } from '../model.js';
import { phaseLook, phasePart, phasesSentence } from '../phases.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import './table.js';
import type { Column } from './table.js';
import { Tip } from './tip.js';

const COLUMNS: Column<Account>[] = [
  { head: 'Phase', cell: ({ id }) => phaseLook(id).words },
  { head: 'Per step', cell: ({ ns }) => duration(ns), kind: 'number' },
  { head: 'Share of compute', cell: ({ ratio }) => percent(ratio), kind: 'number' },
];

const NOTE =
  'Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the ' +
  'one that began first, so phases add up to the compute time above.';

/** Compute by phase of training: a sentence, a bar, and the numbers. */
export class PhasesElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    #chart {
      margin-top: 8px;
      position: relative;
    }
    tfperf-table {
      margin-top: 8px;
    }
  `;
  static readonly properties = { phases: Object };

  phases!: Phases;

  protected override template() {
    const { phases } = this;
    const items = rows(phases);
    return html`
      <h2>Compute by phase</h2>
      <p class="note">${phasesSentence(phases)}</p>
      <div ?hidden=${!phases.items}>
        <div id="chart"></div>
        <ul id="legend" class="legend" aria-label="Phases, shares of compute">
          ${items.map(({ id, ratio }) => legendItem(phaseLook(id), `${phaseLook(id).words} ${percent(ratio)}`))}
        </ul>
        <tfperf-table heading="The phases as a table" .columns=${COLUMNS} .items=${items} note=${NOTE}></tfperf-table>
      </div>
    `;
  }

  protected override drawn(): void {
    const items = rows(this.phases);
    if (items.length === 0) return;
    const words = items.map(phasePart);
    const { drawing, segments } = stackedBar(
      items.map(({ id, ns }) => ({ look: phaseLook(id), ns })),
      Math.max(
        1,
        items.reduce((sum, { ns }) => sum + ns, 0),
      ),
      `Compute by phase: ${words.join('; ')}`,
      14,
    );
    const chart = this.child('chart');
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, segments, words);
  }
}

function rows({ items }: Phases): Account[] {
  return items?.filter(({ ns }) => ns > 0) ?? [];
}

customElements.define('tfperf-phases', PhasesElement);
