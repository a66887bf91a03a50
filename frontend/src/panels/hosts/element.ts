import { html } from 'lit-html';
import { tableOf } from '../../blocks.js';
import { TfperfElement } from '../../elements/base.js';
import '../../elements/rows.js';
import { counted } from '../../format.js';
import type { Report } from '../../model.js';

/** The hosts of a run: the slow ones first, each against the median host. */
export class HostsElement extends TfperfElement {
  static readonly properties = { report: Object };

  report!: Report;

  protected override template() {
    const { by_host: hosts } = this.report;
    const steps = Math.max(0, ...hosts.map(({ steps_count }) => steps_count));
    return html`
      <p class="note">
        ${counted(hosts.length, 'host')}, average of the ${counted(steps, 'step')} that all of them recorded whole.
      </p>
      <tfperf-rows .table=${tableOf(this.report, 'hosts')}></tfperf-rows>
    `;
  }
}

customElements.define('tfperf-hosts', HostsElement);
