import { html, nothing } from 'lit-html';
import { stackedBar } from '../../charts/stacked_bar.js';
import { legendItem } from '../../charts/svg.js';
import { type Former, TfperfElement } from '../../elements/base.js';
import '../../elements/rows.js';
import { headWords } from '../../elements/table.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { Tip } from '../../elements/tip.js';
import { tableOf, tablesOf } from '../../blocks.js';
import { duration, percent } from '../../format.js';
import type { Ledger, Report } from '../../model.js';
import { css } from '../../theme.js';
import { causesSentence, type ComputeRow, computeBar, computeRows, computeSentence } from './compute.js';
import { type KeyNumber, keyNumbers, phaseParts } from './logic.js';
import { phasesSentence } from './phases.js';
import { hasRoofline } from './roofline.js';
import './roofline_element.js';

const PARTS = ['Kind', 'Time', 'Needed', 'Could be won', 'Not judged', 'In parts'];

const PHASES_NOTE =
  'Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the ' +
  'one that began first, so phases add up to compute.';

const NO_KERNELS = 'No kernels can be given to steps in this profile; the host’s ops are below.';

/** What the GPUs compute: key numbers, the roofline, compute by kind and phase, and tables of kernels and ops. */
export class KernelsElement extends TfperfElement {
  static override readonly styles = css`
    section + section {
      margin-top: 24px;
    }
    dl {
      display: flex;
      flex-wrap: wrap;
      gap: 12px 32px;
    }
    dl div {
      display: flex;
      flex-direction: column;
      max-width: 240px;
    }
    dt {
      color: var(--ink-2);
      font-size: 13px;
      order: 1;
    }
    dd {
      font-size: 18px;
      line-height: 1.4;
    }
    dd.basis {
      font-size: 12.5px;
      line-height: 18px;
      order: 2;
    }
    dd.missing {
      color: var(--ink-2);
      font-size: 15px;
    }
    .parts {
      margin-top: 10px;
      max-width: 1000px;
    }
    .parts td:last-child,
    .parts th:last-child {
      min-width: 90px;
      width: 36%;
    }
    td svg {
      margin-top: 4px;
    }
    tr.sum td {
      border-bottom: 0;
      font-weight: 600;
    }
    #phases {
      margin-top: 8px;
      position: relative;
    }
    tfperf-rows {
      display: block;
      margin-top: 8px;
    }
  `;
  static readonly properties = { report: Object, view: String };

  report!: Report;
  /** The table that is shown. */
  private view = '';

  protected override changed(former: Former): void {
    if ('report' in former) this.view = tablesOf(this.report, 'kernels')[0]?.id ?? '';
  }

  protected override template() {
    const { report } = this;
    const { ledger, phases } = report;
    const numbers = keyNumbers(report.key_numbers);
    return html`
      ${numbers.length > 0 ? html`<section><dl>${numbers.map(keyNumber)}</dl></section>` : nothing}
      ${hasRoofline(report) ? html`<section><tfperf-roofline .report=${report}></tfperf-roofline></section>` : nothing}
      ${ledger?.compute_parts.length ? computeParts(ledger) : nothing} ${this.tables()}
      ${
        phases
          ? html`<section>
              <h3>Compute by phase</h3>
              <p class="note">${phasesSentence(phases)}</p>
              <div id="phases" ?hidden=${!phases.items}></div>
              <ul class="legend" aria-label="Phases, shares of compute" ?hidden=${!phases.items}>
                ${phaseParts(phases).map(({ look, ns, ratio }) =>
                  legendItem(look, `${look.words} ${duration(ns)}, ${percent(ratio)}`),
                )}
              </ul>
              <p class="note" ?hidden=${!phases.items}>${PHASES_NOTE}</p>
            </section>`
          : nothing
      }
    `;
  }

  private tables() {
    const { report, view } = this;
    const tables = tablesOf(report, 'kernels');
    const table = tables.find(({ id }) => id === view);
    if (!table) return nothing;
    return html`<section>
      <h3>Kernels and ops <small>per step and GPU</small></h3>
      <p ?hidden=${tableOf(report, 'kernels') !== null}>${NO_KERNELS}</p>
      <div class="switch" role="group" aria-label="Rows">
        ${tables.map(
          ({ id, title }) =>
            html`<button aria-label="Table: ${title}" aria-pressed=${id === view} @click=${() => (this.view = id)}>
              ${title}
            </button>`,
        )}
      </div>
      <tfperf-rows .table=${table}></tfperf-rows>
    </section>`;
  }

  protected override drawn(former: Former): void {
    if (!('report' in former)) return;
    const parts = this.report.phases ? phaseParts(this.report.phases) : [];
    if (parts.length === 0) return;
    const words = parts.map((part) => part.words);
    const full = parts.reduce((sum, { ns }) => sum + ns, 0);
    const { drawing, segments } = stackedBar(parts, Math.max(1, full), `Compute by phase: ${words.join('; ')}`, 14);
    const chart = this.child('phases');
    chart.replaceChildren(drawing);
    new Tip(chart).explain(drawing, segments, words);
  }
}

function keyNumber({ value, words, more, note }: KeyNumber) {
  return html`<div>
    <dt><tfperf-term .word=${words} .meaning=${more ?? ''}></tfperf-term></dt>
    <dd class=${value === null ? 'missing' : ''}>${value ?? 'not known'}</dd>
    ${
      note
        ? html`<dd class="basis note name">
            ${note} <a href="page?rule=compute" target="_blank" rel="noopener">How it is counted</a>
          </dd>`
        : nothing
    }
  </div>`;
}

function computeParts(ledger: Ledger) {
  const { rows, sum } = computeRows(ledger.compute_parts);
  return html`<section>
    <h3>Compute against the GPU’s limits <small>average of GPUs, per step</small></h3>
    <p><tfperf-text .text=${computeSentence(ledger)}></tfperf-text></p>
    <p><tfperf-text .text=${causesSentence(ledger)}></tfperf-text></p>
    <p><a href="page?rule=compute" target="_blank" rel="noopener">How compute is judged</a></p>
    <div class="scroll parts" tabindex="0" role="group" aria-label="Compute by kind of kernels">
      <table>
        <thead>
          <tr>
            ${PARTS.map(
              (head, i) => html`<th class=${i > 0 && i < 5 ? 'number' : ''}>${headWords(head, 'compute')}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => partLine(row, '', sum.ns))} ${partLine(sum, 'sum', sum.ns)}
        </tbody>
      </table>
    </div>
  </section>`;
}

function partLine(row: ComputeRow, kind: string, full: number) {
  const parts = computeBar(row);
  const words = parts.map(({ look, ns }) => `${look.words}, ${duration(ns)}`).join('; ');
  return html`
    <tr class=${kind}>
      <td><tfperf-text .text=${row.kind}></tfperf-text></td>
      ${[row.ns, row.floor_ns, row.recoverable_ns, row.not_judged_ns].map(
        (ns) => html`<td class="number">${duration(ns)}</td>`,
      )}
      <td>${stackedBar(parts, Math.max(1, full), `${row.kind}: ${words}`, 14).drawing}</td>
    </tr>
  `;
}

customElements.define('tfperf-kernels', KernelsElement);
