/** What stands below the bars: the legend, the numbers as a table, and what there is without a ledger. */

import { html, nothing } from 'lit-html';
import { styleMap } from 'lit-html/directives/style-map.js';
import { accountLook } from '../../accounts.js';
import { type Column, number } from '../../elements/table.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { duration, gpuName, kept, percent } from '../../format.js';
import type { Account, Division, Report } from '../../model.js';
import { sample, share } from './chart.js';
import { absentWords, total, working } from './logic.js';
import { axis, now } from './rows.js';

export function legend({ legend: accounts, rest, active_ratio, hidden }: Division, claims: boolean) {
  return html`<ul class="legend" aria-label="Accounts of the step">
    ${items(accounts)}
    ${claims ? html`<li>${sample('idle.unknown', true)}<span>striped: a finding claims it</span></li>` : nothing}
    ${rest ? html`<li>${kept(rest)}</li>` : nothing}
    <li class="end">
      <span
        ><tfperf-term word="GPU active"></tfperf-term>
        <b>${percent(active_ratio)}</b>${hidden && kept(` · ${hidden}`)}</span
      >
    </li>
  </ul>`;
}

/** The accounts of a legend. */
function items(accounts: readonly Account[]) {
  return accounts.map(
    ({ id, ns, ratio }) =>
      html`<li>
        ${sample(id)}<span
          ><tfperf-text .text=${accountLook(id).words}></tfperf-text> <b>${duration(ns)}</b> ${percent(ratio)}</span
        >
      </li>`,
  );
}

/** An account in words, what it holds of the step, and why. */
interface Line {
  words: string;
  now: number;
  step: number;
  claimed: number;
  why: string;
}

const COLUMNS: Column<Line>[] = [
  { head: 'Account', cell: ({ words }) => words },
  number('Now', ({ now }) => duration(now)),
  number('Share', ({ now, step }) => percent(now / Math.max(1, step))),
  number('Claimed', ({ claimed }) => (claimed > 0 ? duration(claimed) : '')),
  {
    head: 'Why',
    cell: ({ why }) => Object.assign(document.createElement('tfperf-text'), { text: why }),
    kind: 'name',
  },
];

/** The same numbers for those who read them, and why GPUs are idle. */
export function table({ blocks, step_ns: step }: Division, { idle }: Report) {
  const lines = [...new Set(blocks.map(({ account }) => account))].map((id): Line => {
    const of = blocks.filter(({ account }) => account === id);
    const why = idle.find(({ account }) => account === id)?.sentence ?? '';
    const claimed = total(of.filter(({ owner }) => owner > 0));
    return { words: accountLook(id).words, now: total(of), step, claimed, why };
  });
  const claimed = total(blocks.filter(({ owner }) => owner > 0));
  return html`<tfperf-table
    class="fold"
    heading="The numbers as a table"
    .columns=${COLUMNS}
    .items=${[...lines, { words: 'Step', now: step, step, claimed, why: '' }]}
  ></tfperf-table>`;
}

/** What there is in place of a budget: the time on the CPU, or the first `count` shares of the recording. */
export function instead(report: Report, count: number, more: unknown) {
  const { hosts, host_time: cpu, steps } = report;
  const some = working(report);
  if (cpu)
    return html`
      ${axis(cpu.step_ns)} ${now(cpu, cpu.step_ns, null)}
      ${cpu.kinds.map(({ id, ns, ratio }) =>
        shareRow(id, ratio, html`${duration(ns)}<small>${percent(ratio)}</small>`),
      )}
      <ul class="legend" aria-label="Parts of the step">
        ${items(cpu.blocks.map(({ account, ns }) => ({ id: account, ns, ratio: ns / cpu.step_ns })))}
      </ul>
    `;
  if (some.length === 0) return nothing;
  return html`
    <p class="empty note">
      ${
        steps.count > 0
          ? 'Nothing ran on the GPUs in the steps that the host marks.'
          : 'No step can be told apart, so there are no ms per step.'
      }
      Kernels and copies run so much of the recording, waiting in collectives included.
    </p>
    ${some
      .slice(0, count)
      .map(({ host, device, busy_ratio: busy }) =>
        shareRow(gpuName({ host, device }, hosts.length > 1), busy, percent(busy)),
      )}
    ${more}
    <p class="empty note name">${absentWords(report)}</p>
  `;
}

function shareRow(name: string, ratio: number, number: unknown) {
  return html`<div class="row bar">
    <div class="label"><small class="name">${name}</small></div>
    <div class="track small"><div class="ran" style=${styleMap({ width: share(ratio, 1) })}></div></div>
    <div class="number"><b>${number}</b></div>
  </div>`;
}
