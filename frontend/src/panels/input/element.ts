import { html } from 'lit-html';
import { tablesOf } from '../../blocks.js';
import { TfperfElement } from '../../elements/base.js';
import '../../elements/rows.js';
import { bytes, duration } from '../../format.js';
import type { Input, Report } from '../../model.js';

/** The input pipeline that steps wait for as a tree, from the step upstream, and the others on demand. */
export class InputElement extends TfperfElement {
  static readonly properties = { report: Object };

  report!: Report;

  protected override template() {
    const { input } = this.report;
    return html`
      <p class="note name">${input && subtitle(input)}</p>
      ${tablesOf(this.report, 'input').map(
        (table, i) => html`<tfperf-rows .table=${table} .folded=${i > 0}></tfperf-rows>`,
      )}
    `;
  }
}

function subtitle({ pipelines: [first], iterators }: Input): string {
  if (!first) return '';
  const hosts = new Set(iterators.map(({ host }) => host));
  const size = first.batch_bytes === null ? [] : [`${bytes(first.batch_bytes)} a batch`];
  return [...(hosts.size > 1 ? [first.host] : []), ...size, `slowest request ${duration(first.slowest_ns)}`].join(
    ' · ',
  );
}

customElements.define('tfperf-input', InputElement);
