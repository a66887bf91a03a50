/** The rows of the budget: a label, a bar under its axis, and a number. */

import { html, nothing } from 'lit-html';
import { styleMap } from 'lit-html/directives/style-map.js';
import { ticks } from '../../charts/scale.js';
import { fire } from '../../elements/base.js';
import { ICONS } from '../../elements/severity.js';
import '../../elements/term.js';
import { counted, duration, kept, percent } from '../../format.js';
import { MARK_WORDS, type Mark } from '../../list.js';
import type { Block, Budget, Claim, Division, Finding, FindingWords } from '../../model.js';
import { place, share, track } from './chart.js';
import { type Bar, factor, total } from './logic.js';

/** How many bars and findings are drawn at first, and how many more on demand. */
export const FEW = 8;
export const MORE = 64;

export function axis(full: number) {
  return html`<div class="row" aria-hidden="true">
    <span></span>
    <div class="axis">
      ${ticks(full / 1e6).map(
        (ms, i) =>
          html`<span style=${styleMap({ left: share(ms * 1e6, full) })}
            >${Number(ms.toPrecision(6))}${i === 0 ? ' ms' : ''}</span
          >`,
      )}
    </div>
  </div>`;
}

/** The step as it is; `floor`: where its work would end at the GPU's limits. */
export function now(
  { basis, step_ns, blocks }: Pick<Division, 'basis' | 'step_ns' | 'blocks'>,
  full: number,
  floor: number | null,
) {
  const roof = html`<i
    class="roof"
    style=${styleMap({ left: share(floor ?? 0, full) })}
    title="At the GPU’s limits, the work of this step needs ${duration(floor ?? 0)}"
  ></i>`;
  return html`<div class="row" id="now">
    <div class="label">
      <div><b>Now</b><small class="name">${basis}</small></div>
    </div>
    ${track(blocks, { label: `Now, ${duration(step_ns)}`, full, more: floor ? roof : nothing })}
    <div class="number"><b>${duration(step_ns)}</b><small>100&nbsp;%</small></div>
  </div>`;
}

export function bar({ name, step_ns, blocks }: Bar, full: number) {
  return html`<div class="row bar">
    <div class="label"><small class="name">${name}</small></div>
    ${track(blocks, { label: `${name}, ${duration(step_ns)}`, full, kind: 'small bare' })}
    <div class="number"><small>${duration(step_ns)}</small></div>
  </div>`;
}

/** What is left without the ticked findings; `fixed` says how many those are. */
export function projection(blocks: readonly Block[], { bound }: Budget, fixed: string, full: number, step: number) {
  const left = total(blocks);
  const time = leftWords(left, step, bound);
  return html`<div class="row" id="projected">
    <div class="label">
      <div>
        <b><tfperf-term word="Projected"></tfperf-term></b><small>${fixed || '\u00a0'}</small>
      </div>
    </div>
    ${track(blocks, {
      label: `Projected, ${time}`,
      full,
      more:
        left < step
          ? html`<i class="gone" style=${styleMap(place({ begin_ns: left, ns: step - left }, full))}></i>`
          : nothing,
    })}
    <div class="number"><b class=${left < step ? 'gain' : ''}>${time}</b><small>${factor(step, left)}</small></div>
  </div>`;
}

/** "≥ 7.1 ms": a projection from little evidence is a bound. */
export function leftWords(left: number, step: number, bound: boolean): string {
  return `${bound && left < step ? '≥\u00a0' : ''}${duration(left)}`;
}

interface FindingRow {
  finding: Finding;
  rank: number;
  selected: boolean;
  owner: boolean;
  mark: Mark | undefined;
}

/** A finding's rank, severity, title and what to do, which select it; the hand on it shows its time. */
export function findingRow(
  element: HTMLElement,
  { finding: { id, severity, title, action }, rank, selected, owner, mark }: FindingRow,
  box: unknown,
  beside: unknown,
) {
  const over = (hovered: string | null) => () => fire(element, 'finding-hover', { id: hovered });
  // In place of the icon, so that no row grows under the hand.
  const icon = mark ? { done: '✓', irrelevant: '–' }[mark] : ICONS[severity];
  return html`<div
    class="row finding ${mark ? 'marked' : ''}"
    data-finding=${id}
    ?data-selected=${selected}
    ?data-owner=${owner}
    @click=${() => fire(element, 'finding-select', { id })}
    @pointerenter=${over(id)}
    @pointerleave=${over(null)}
    @focusin=${over(id)}
    @focusout=${over(null)}
  >
    <div class="label">
      ${box}<span class="pill rank ${severity}" title=${severity} aria-hidden="true">${rank}&nbsp;${icon}</span>
      <button class="bare pick" aria-pressed=${selected}>
        <span class="unseen">${rank}, ${severity}${mark ? `, marked as ${MARK_WORDS[mark]}` : ''}: </span
        ><b class="name">${title}</b>${action ? html`<small class="name">${action}</small>` : nothing}
      </button>
    </div>
    ${beside}
  </div>`;
}

/** The time that a finding claims of `step`; without its blocks it is an average over steps that differ. */
export function claimed(
  { ns, begin_ns: begin }: Claim,
  { title, cause, saving }: Finding,
  words: FindingWords | undefined,
  blocks: readonly Block[],
  { ticked, full, step }: { ticked: boolean; full: number; step: number },
) {
  const grouped = blocks.length === 0;
  const edge = (at: number) => html`<i class="edge" style=${styleMap({ left: share(at, full) })}></i>`;
  return html`
    ${track(blocks, {
      label: grouped
        ? `${title}: ${duration(ns)} of a step, averaged over all steps`
        : `${title}, claims ${duration(ns)}`,
      full,
      kind: ticked ? '' : 'pale',
      more: grouped
        ? nothing
        : html`${edge(begin)}${edge(begin + ns)}
            <div class="why" style=${styleMap({ right: share(full - begin, full) })}>
              <span>${kept(words?.beside || cause)}</span>
            </div>`,
    })}
    <div class="number">
      <b>−${duration(ns)}</b><small>${grouped ? 'on average' : percent(ns / Math.max(1, step))}</small>
      ${saving?.once_ns ? html`<small>${kept(words?.saving ?? '')}</small>` : nothing}
    </div>
  `;
}

/** A button for what is not drawn yet. */
export function grow(all: number, shown: number, what: string, more: () => void) {
  if (all <= shown) return nothing;
  const next = all - shown > MORE ? `Show ${MORE} more of` : 'Show all';
  return html`<button class="button more" @click=${more}>${next} ${counted(all, what)}</button>`;
}
