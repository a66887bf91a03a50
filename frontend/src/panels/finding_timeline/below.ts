/** What stands below the timeline: the places of the finding, and what is selected. */

import { html, nothing } from 'lit-html';
import { deviceName, duration, timelineRange } from '../../format.js';
import type { Finding, Place, Report, StepTimeline, TimelineRow } from '../../model.js';
import { type RangeWords, ownerOf, ownerWords } from './logic.js';
import { type Mark, type View, rowName } from './timeline.js';

/** Places that have a button. */
export const PLACES = 6;

/** @param show goes to a place */
export function placeButtons(
  { findings, hosts }: Report,
  finding: Finding,
  at: Place | null,
  show: (place: Place) => void,
) {
  if (finding.where.length === 0) return nothing;
  return html`<div class="places" role="group" aria-label="Places of this finding, worst first">
    <span class="note">Places of finding ${findings.indexOf(finding) + 1}</span>
    ${finding.where.slice(0, PLACES).map((one, i, all) => {
      return html`<button
        class="button name"
        title=${one.label}
        aria-pressed=${at !== null && samePlace(one, at)}
        @click=${() => show(one)}
      >
        ${nameOf(one, i, all, hosts.length > 1)}
      </button>`;
    })}
    <span class="note">Key <kbd>n</kbd>: next</span>
  </div>`;
}

/** "Step 3 · GPU 1", with its time where another place has the same name. */
export function nameOf(one: Place, at: number, all: readonly Place[], several: boolean): string {
  const short = ({ step, host, device, label }: Place): string =>
    [step === null ? '' : `Step ${step}`, several ? host : '', device === null ? '' : deviceName(device)]
      .filter(Boolean)
      .join(' · ') || label;
  const alike = all.some((other, i) => i !== at && short(other) === short(one));
  return alike ? `${short(one)} · ${timelineRange(one.begin_ms, one.end_ms)}` : short(one);
}

/** @param unkept whether single kernels were asked for and are not there */
export function hint(unkept: boolean, link: unknown) {
  return html`<p class="note">
      ${unkept ? 'Single kernels of this run are not kept: it is too large. ' : ''}Click a span, or choose it with the
      arrow keys and Enter: this says whose time it is, and what the host did meanwhile. Shift + drag measures a range.
    </p>
    <div class="line" ?hidden=${!link}>${link ?? nothing}</div>`;
}

/** A stretch of a row that is selected. */
export interface Selected {
  whole: StepTimeline;
  mark: Mark;
  row: TimelineRow;
  /** What is done there, and its account. */
  what: string;
  account: string;
  /** Who launched it, for whom it waits, its kernels, and what the host did meanwhile; "" if that is not known. */
  launched: string;
  late: string;
  ran: string;
  did: string;
  link: unknown;
  /** Selects the finding whose time it is. */
  select: (id: string) => void;
  back: () => void;
}

export function selected(findings: Report['findings'], s: Selected) {
  const { whole, mark, row } = s;
  const owner = row.is_gpu ? ownerOf(whole, mark) : null;
  const words = row.is_gpu ? ownerWords(owner, findings, s.account) : '';
  const where = `${rowName(row, whole.hosts.length > 1)} · ${timelineRange(mark.begin / 1e6, mark.end / 1e6)}`;
  return html`
    <dl>
      <dt>Selected</dt>
      <dd>
        <b>${where}</b> · ${s.what},
        ${duration(mark.end - mark.begin)}${
          owner ? html`, <button class="bare" @click=${() => s.select(owner)}>${words}</button>` : words && `, ${words}`
        }
      </dd>
      ${line('Launched', s.launched && `by ${s.launched}`)} ${line('Waits', s.late)} ${line('Kernels', s.ran)}
      ${line('Host', s.did)}
    </dl>
    <div class="line">
      ${s.link}
      <button class="button" @click=${s.back}>Back to finding <kbd>Esc</kbd></button>
    </div>
  `;
}

/** A range that is measured; `words` are null until they are there. */
export function measured({ begin, end }: View, words: RangeWords | null, whole: StepTimeline, back: () => void) {
  const gpus = whole.rows.filter(({ is_gpu, kernels }) => is_gpu && !kernels).length;
  const of = whole.others ? 'Mean of those shown' : gpus > 1 ? 'Mean GPU' : 'GPU';
  return html`
    <dl>
      <dt>Range</dt>
      <dd><b>${timelineRange(begin / 1e6, end / 1e6)}</b> · ${duration(end - begin)}</dd>
      ${line(of, words?.gpus ?? '')} ${line('Kernels', words?.kernels ?? '')} ${line('Host', words?.host ?? '')}
    </dl>
    <div class="line">
      <button class="button" @click=${back}>Back to finding <kbd>Esc</kbd></button>
    </div>
  `;
}

function line(term: string, words: string) {
  return words
    ? html`<dt>${term}</dt>
        <dd title=${words}>${words}</dd>`
    : nothing;
}

export function samePlace(a: Place, b: Place): boolean {
  return a.host === b.host && a.device === b.device && a.begin_ms === b.begin_ms && a.end_ms === b.end_ms;
}
