import { html, nothing } from 'lit-html';
import { TfperfElement } from '../../elements/base.js';
import { type Column, headWords, number, sortable } from '../../elements/table.js';
import { count, counted, duration, signed } from '../../format.js';
import type { HostTimes } from '../../model.js';
import { css } from '../../theme.js';
import { behind, clockWords, listed } from './logic.js';

const time = (head: string, value: (host: HostTimes) => number | null): Column<HostTimes> =>
  sortable(head, value, duration, 'not known');

const TIMES = [
  time('Compute', ({ compute_ns }) => compute_ns),
  time('Waits for input', ({ input_ns }) => input_ns),
  time('Waits for others', ({ wait_ns }) => wait_ns),
  time('Arrives late by', ({ late_ns }) => late_ns),
];

const COLUMNS: Column<HostTimes>[] = [
  {
    head: 'Host',
    cell: ({ host, slow }) => `${host}${slow ? ' (slow)' : ''}`,
    value: ({ host }) => host,
    kind: 'name',
  },
  number('GPUs', ({ gpus_count }) => count(gpus_count)),
  number('Steps', ({ steps_count }) => count(steps_count)),
  time('Step', ({ step_ns }) => step_ns),
  time('Own', ({ own_ns }) => own_ns),
  ...TIMES,
  time('Clock off by', ({ clock_offset_ns }) => clock_offset_ns),
  time('Known to ±', ({ clock_uncertainty_ns }) => clock_uncertainty_ns),
  { head: 'Aligned by', cell: clockWords },
];

const COLUMNS_NOTE =
  '“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce calls ' +
  'that join hosts; median. “Clock off by”: against the clock of the first host, found by what “Aligned by” names: ' +
  'all GPUs leave an AllReduce together.';

/** The hosts of a run: the slow ones first, each against the median host. */
export class HostsElement extends TfperfElement {
  static override readonly styles = css`
    th.number {
      white-space: normal;
    }
    .slow {
      color: var(--warning);
      font-weight: 600;
      white-space: nowrap;
    }
    td.against {
      min-width: 180px;
      width: 30%;
    }
    .against div {
      align-items: center;
      display: grid;
      gap: 8px;
      grid-template-columns: 72px minmax(0, 1fr);
    }
    .against i {
      background: var(--account-unknown);
      border-radius: 2px;
      display: block;
      height: 8px;
    }
    .slow-row .against i {
      background: var(--warning);
    }
    .note {
      margin-top: 6px;
    }
    tfperf-table {
      margin-top: 4px;
    }
  `;
  static readonly properties = { hosts: Array };

  hosts: HostTimes[] = [];

  protected override template() {
    const { hosts } = this;
    const { shown, others } = listed(hosts);
    const steps = Math.max(0, ...hosts.map(({ steps_count }) => steps_count));
    const most = Math.max(1, ...shown.map((host) => Math.abs(behind(host, hosts))));
    const head = ({ head: words }: { head: string }) => html`<th class="number">${headWords(words, 'hosts')}</th>`;
    return html`
      <p class="note">
        ${counted(hosts.length, 'host')}, average of the ${counted(steps, 'step')} that all of them recorded whole.
      </p>
      <div class="scroll" tabindex="0" role="group" aria-label="Hosts">
        <table>
          <thead>
            <tr>
              <th>Host</th>
              ${head({ head: 'Own' })}
              <th>Against the median host</th>
              ${TIMES.map(head)}
            </tr>
          </thead>
          <tbody>
            ${shown.map((host) => this.row(host, behind(host, hosts), most))}
          </tbody>
        </table>
      </div>
      <p class="note" ?hidden=${!others}>${others}</p>
      <tfperf-table
        panel="hosts"
        heading="Each host, with its clock"
        .columns=${COLUMNS}
        .items=${hosts}
        note=${COLUMNS_NOTE}
      ></tfperf-table>
    `;
  }

  private row(host: HostTimes, late: number, most: number) {
    return html`
      <tr class=${host.slow ? 'slow-row' : ''}>
        <td class="name">${host.host} ${host.slow ? html`<span class="slow">▲ slow</span>` : nothing}</td>
        <td class="number">${duration(host.own_ns)}</td>
        <td class="against">
          <div><span>${signed(late)}</span><i style="width: ${((100 * Math.abs(late)) / most).toFixed(2)}%"></i></div>
        </td>
        ${TIMES.map(({ cell }) => html`<td class="number">${cell(host, 0)}</td>`)}
      </tr>
    `;
  }
}

customElements.define('tfperf-hosts', HostsElement);
