import { html, nothing } from 'lit-html';
import { bytes, count, counted, duration, percent } from '../../format.js';
import { indented, otherIterators, shownIterators } from './logic.js';
import type { Input } from '../../model.js';
import { css } from '../../theme.js';
import type { DataIterator } from '../../types.js';
import { TfperfElement } from '../../elements/base.js';
import { type Column, headWords, number } from '../../elements/table.js';

const NUMBERS: Column<DataIterator>[] = [
  number('Works per batch', (item) => duration(item.batch_ns)),
  number('Of the wait', (item) => percent(item.wait_ratio)),
  number('At once', parallel),
  number('Ready', buffer),
  number('Calls', (item) => count(item.calls_count)),
  number('Above 50 µs', (item) => count(item.slow_calls_count)),
  number('Own', (item) => duration(item.self_ns)),
  number('Total', (item) => duration(item.total_ns)),
  number('Element', (item) => (item.element_bytes === null ? '' : bytes(item.element_bytes))),
];

const OTHERS: Column<DataIterator>[] = [
  { head: 'Host', cell: ({ host }) => host, kind: 'name' },
  { head: 'Iterator', cell: ({ name }) => name, kind: 'name' },
  { head: 'Does', cell: ({ stage }) => stage },
  ...NUMBERS,
];

/** The input pipeline that steps wait for as a tree, from the step upstream. */
export class InputElement extends TfperfElement {
  static override readonly styles = css`
    .scroll {
      margin-top: 8px;
      max-height: 480px;
    }
    table {
      min-width: 900px;
    }
    th,
    td {
      padding-right: 9px;
    }
    th {
      background: var(--page);
      position: sticky;
      top: 0;
    }
    th:focus-within,
    th:hover {
      z-index: 1;
    }
    /* Without calls. */
    @media (max-width: 1000px) {
      table {
        min-width: 0;
      }
      :is(th, td):is(:nth-child(7), :nth-child(8)) {
        display: none;
      }
    }
    td.stage {
      box-shadow: inset 3px 0 transparent;
      min-width: 230px;
      padding-left: 10px;
    }
    th.stage {
      padding-left: 10px;
    }
    tr.path td.stage {
      box-shadow: inset 3px 0 var(--account-input);
    }
    tr.bottleneck td {
      background: var(--warning-ground);
    }
    .code {
      font:
        12.5px/1.5 ui-monospace,
        'Roboto Mono',
        'DejaVu Sans Mono',
        Menlo,
        Consolas,
        monospace;
      overflow-wrap: anywhere;
    }
    .badge {
      background: var(--warning);
      border-radius: 4px;
      color: var(--page);
      font-size: 12px;
      font-weight: 600;
      margin-left: 8px;
      padding: 0 6px;
      white-space: nowrap;
    }
    .legend i {
      border-left: 3px solid var(--account-input);
      height: 14px;
    }
    tfperf-table {
      margin-top: 8px;
    }
  `;
  static readonly properties = { input: Object };

  input: Input | null = null;

  protected override template() {
    const { input } = this;
    const rows = input ? shownIterators(input) : [];
    const others = input ? otherIterators(input) : [];
    return html`
      <p class="note name">${subtitle(input)}</p>
      <div
        id="tree"
        class="scroll"
        tabindex="0"
        role="group"
        aria-label="Stages of the input pipeline, from the step to the files"
      >
        ${rows.length > 0 ? treeOf(rows) : nothing}
      </div>
      <ul class="legend" ?hidden=${!input?.critical_path.length}>
        <li><i></i>on the critical path of the slowest request</li>
      </ul>
      <tfperf-table
        panel="input"
        .heading="Other pipelines: ${counted(others.length, 'iterator')}"
        .columns=${OTHERS}
        .items=${others}
      ></tfperf-table>
    `;
  }
}

function subtitle(input: Input | null): string {
  const first = input?.pipelines[0];
  if (!first) return '';
  const hosts = new Set(input.iterators.map(({ host }) => host));
  const size = first.batch_bytes === null ? [] : [`${bytes(first.batch_bytes)} a batch`];
  return [...(hosts.size > 1 ? [first.host] : []), ...size, `slowest request ${duration(first.slowest_ns)}`].join(
    ' · ',
  );
}

const HEADS = [{ head: 'Stage', kind: 'stage' }, { head: 'Does' }, ...NUMBERS];

function treeOf(rows: readonly DataIterator[]) {
  return html`<table>
    <thead>
      <tr>
        ${HEADS.map(({ head, kind }) => html`<th scope="col" class=${kind ?? ''}>${headWords(head, 'input')}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${indented(rows).map(
        ([item, level]) =>
          html` <tr class="${item.on_critical_path ? 'path' : ''} ${item.is_bottleneck ? 'bottleneck' : ''}">
            <td class="stage" style="padding-left: ${10 + 12 * Math.min(level, 12)}px" title=${item.name}>
              <span class="unseen">level ${level + 1}${item.on_critical_path ? ', on the critical path' : ''}: </span
              ><span class="code">${item.written}</span
              >${item.is_bottleneck ? html`<span class="badge">bottleneck</span>` : nothing}
            </td>
            <td>${does(item)}</td>
            ${NUMBERS.map(({ cell }) => html`<td class="number">${cell(item, 0)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function does({ stage, filtered_ratio: dropped }: DataIterator): string {
  return dropped ? `${stage}, drops ${percent(dropped)}` : stage;
}

function parallel({ at_once: most, parallelism, autotune }: DataIterator): string {
  const degree = parallelism === null ? count(most) : `${count(most)} of ${count(parallelism)}`;
  return autotune && parallelism !== null ? `${degree}, tuned` : degree;
}

function buffer({ buffered_elements: filled, buffer_limit: limit }: DataIterator): string {
  if (filled === null) return limit === null ? '' : `of ${count(limit)}`;
  return limit === null ? count(filled) : `${count(filled)} of ${count(limit)}`;
}

customElements.define('tfperf-input', InputElement);
