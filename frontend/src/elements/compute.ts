import { html } from 'lit-html';
import { stackedBar } from '../charts/stacked_bar.js';
import { causesSentence, type ComputeRow, computeBar, computeRows, computeSentence } from '../compute.js';
import { duration } from '../format.js';
import type { Ledger } from '../model.js';
import { css } from '../theme.js';
import { TfperfElement } from './base.js';
import { headWords } from './table.js';
import './text.js';

const HEADS = ['Kind', 'Time', 'Needed', 'Could be won', 'Not judged', 'In parts'];

/** Compute against the GPU's limits: both bounds in a sentence, and each kind of kernels in numbers and as a bar. */
export class ComputeElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    table {
      margin-top: 10px;
      max-width: 1000px;
    }
    th.number {
      white-space: normal;
    }
    td:last-child,
    th:last-child {
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
  `;
  static readonly properties = { ledger: Object };

  ledger!: Ledger;

  protected override template() {
    const { ledger } = this;
    const { rows, sum } = computeRows(ledger.compute_parts);
    const words = computeSentence(ledger);
    return html`
      <h2>Compute against the GPU’s limits <small>average of GPUs, per step</small></h2>
      <p><tfperf-text .text=${words}></tfperf-text></p>
      <p><tfperf-text .text=${causesSentence(ledger)}></tfperf-text></p>
      <div class="scroll" tabindex="0" role="group" aria-label="Compute by kind of kernels">
        <table>
          <thead>
            <tr>
              ${HEADS.map(
                (head, i) => html`<th class=${i > 0 && i < 5 ? 'number' : ''}>${headWords(head, 'compute')}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${rows.map((row) => line(row, '', sum.ns))} ${line(sum, 'sum', sum.ns)}
          </tbody>
        </table>
      </div>
    `;
  }
}

function line(row: ComputeRow, kind: string, full: number) {
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

customElements.define('tfperf-compute', ComputeElement);
