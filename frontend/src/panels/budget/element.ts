import { html, nothing } from 'lit-html';
import { styleMap } from 'lit-html/directives/style-map.js';
import { accountLook } from '../../accounts.js';
import { BackendError } from '../../backend.js';
import { ticks } from '../../charts/scale.js';
import { type Column, number } from '../../elements/table.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { ICONS } from '../../elements/severity.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import { between, counted, duration, gpuName, percent, savingTime } from '../../format.js';
import { MARK_WORDS, type Marks } from '../../list.js';
import type { Finding, Ledger, Prediction, Report, StepGroup } from '../../model.js';
import { css } from '../../theme.js';
import { TRACK, place, sample, share, track, trackLabel } from './chart.js';
import {
  type Bar,
  type Budget,
  type Claim,
  type Time,
  absentWords,
  aloneWords,
  bars,
  budget,
  choices,
  firstChoice,
  factor,
  fixedWords,
  heading,
  legend,
  projected,
  row,
  staysWords,
  summed,
  tickedIds,
  total,
  withoutText,
} from './logic.js';

type AskPrediction = (without: readonly string[], signal: AbortSignal) => Promise<Prediction>;

/** So many bars and findings are drawn at first, and so many more on demand. */
const FEW = 8;
const MORE = 64;

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

/** The step budget: the step now, each finding under the time it claims, and the step without the ticked ones. */
export class BudgetElement extends TfperfElement {
  static override readonly styles = css`
    ${TRACK}
    :host {
      --label: minmax(0, 340px);
      --number: 128px;
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      font-size: 13.5px;
      font-variant-numeric: tabular-nums;
    }
    header {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 4px 12px;
      padding: 8px 18px 0;
    }
    header .note {
      flex: 1 1 200px;
    }
    h2 {
      font-size: 14.5px;
    }
    .row {
      align-items: stretch;
      display: grid;
      gap: 0 14px;
      grid-template-columns: var(--label) minmax(0, 1fr) var(--number);
      padding: 0 18px;
    }
    .row.finding {
      cursor: pointer;
    }
    .row.finding:hover {
      background: var(--ground);
    }
    .row[data-selected] {
      background: var(--info-ground);
    }
    .row[data-owner] {
      box-shadow: inset 3px 0 var(--accent);
    }
    .label {
      align-items: center;
      display: flex;
      gap: 8px;
      line-height: 17px;
      min-width: 0;
      padding: 1px 0;
    }
    .label b {
      display: block;
      font-weight: 500;
      overflow-wrap: anywhere;
    }
    .label small,
    .folded {
      color: var(--ink-2);
      display: block;
      font-size: 12px;
      line-height: 15px;
      overflow-wrap: anywhere;
    }
    .label button {
      cursor: inherit;
      flex: 1;
      min-width: 0;
    }
    .label input {
      accent-color: var(--accent);
      flex: none;
      height: 15px;
      margin: 0;
      width: 15px;
    }
    .rank {
      flex: none;
      font-size: 12px;
      line-height: 20px;
      min-width: 20px;
      padding: 0 4px;
      text-align: center;
    }
    .marked b {
      color: var(--ink-2);
      font-weight: 400;
    }
    .number {
      align-content: center;
      text-align: right;
    }
    .number b {
      font-size: 14.5px;
      font-weight: 500;
      white-space: nowrap;
    }
    .number small {
      color: var(--ink-2);
      display: inline-block;
      font-size: 12px;
      margin-left: 6px;
      white-space: nowrap;
    }
    .gain {
      color: var(--good);
    }
    .axis {
      height: 18px;
    }
    .axis span:first-child {
      transform: none;
    }
    .edge {
      border-left: 1px dashed var(--control-line);
      bottom: -5px;
      position: absolute;
      top: -5px;
    }
    .gone {
      border: 1px dashed var(--control-line);
      border-radius: 3px;
    }
    .roof {
      background: var(--ink);
      bottom: 1px;
      margin-left: -1px;
      position: absolute;
      top: 1px;
      width: 2px;
    }
    /* The whole text or none of it, as in the blocks. */
    .why {
      color: var(--ink-2);
      display: flex;
      flex-flow: row-reverse wrap;
      font-size: 12px;
      left: 6px;
      line-height: 34px;
      overflow: hidden;
      position: absolute;
      height: 34px;
      top: calc(50% - 17px);
    }
    .why::before {
      content: '';
      height: 34px;
      width: 0;
    }
    .why span {
      padding-right: 8px;
      white-space: nowrap;
    }
    .legend {
      border-top: 1px solid var(--line);
      font-size: 12.5px;
      gap: 3px 16px;
      margin-top: 5px;
      padding: 5px 18px 6px;
    }
    .legend b {
      color: var(--ink);
      font-weight: 500;
    }
    .legend .end {
      margin-left: auto;
    }
    .below,
    .fold {
      border-top: 1px solid var(--line);
      font-size: 12.5px;
      padding: 3px 18px;
    }
    .below p:empty {
      display: none;
    }
    .others {
      border-top: 1px solid var(--line);
      padding: 2px 0;
    }
    .others .row {
      grid-template-columns: minmax(0, 1fr);
    }
    .others .label {
      min-height: 26px;
    }
    .others .folded {
      padding: 1px 18px 2px 58px;
    }
    .limits {
      list-style: disc;
      padding-left: 18px;
    }
    .more {
      margin: 4px 18px;
    }
    .empty {
      padding: 4px 18px 10px;
    }
    .empty:empty {
      display: none;
    }
    .ran {
      background: var(--accent);
      height: 12px;
      margin-top: 4px;
    }
    @media (max-width: 1199px) {
      :host {
        --label: 240px;
        --number: 88px;
      }
      .number small {
        display: block;
        line-height: 14px;
      }
    }
    @media (max-width: 760px) {
      .row {
        grid-template-columns: minmax(0, 1fr) 84px;
      }
      .row > .label {
        grid-column: 1 / -1;
      }
    }
  `;
  static readonly properties = {
    report: Object,
    ask: Object,
    without: String,
    selected: String,
    owner: String,
    marks: Object,
    choice: String,
    count: Number,
    rows: Number,
    replay: Object,
    problem: String,
    touched: Boolean,
  };

  report!: Report;
  ask: AskPrediction | null = null;
  /** Ids of the ticked findings; null for all. */
  without: string | null = null;
  /** Id of the selected finding. */
  selected: string | null = null;
  /** Id of the finding that claims what is chosen in the timeline. */
  owner: string | null = null;
  marks: Marks = {};
  /** What is divided: one of `choices`. */
  choice = '';
  /** How many bars, and how many findings, are drawn at most. */
  count = FEW;
  rows = MORE;
  /** What the backend says of the ticked findings. */
  replay: Prediction | null = null;
  problem = '';
  /** Whether a tick was changed: from then on the projection is said aloud. */
  touched = false;
  private asking = new AbortController();
  private made: { of: Report; budget: Budget | null } | null = null;

  protected override changed(former: Former): void {
    if (!('report' in former)) return;
    const { ledger, input, findings } = this.report;
    this.hidden = !ledger && !runs(this.report) && !input?.sentence && findings.length === 0;
    this.count = FEW;
    this.rows = MORE;
    this.touched = false;
    if (!choices(this.report).some(({ id }) => id === this.choice)) this.choice = firstChoice(this.report);
  }

  protected override template() {
    const { report } = this;
    const { ledger } = report;
    const instead = report.input?.sentence ? 'Input pipeline' : heading(report);
    const title = ledger ? heading(report) : runs(report) ? 'Shares of the recording' : instead;
    return html`
      <header>
        <h2 id="title" tabindex="-1">${title}</h2>
        <span class="note">${ledger ? this.about() : ''}</span>
        ${ledger ? this.switch() : nothing}
      </header>
      ${ledger ? this.chart(ledger) : this.noLedger()} ${this.others()}
    `;
  }

  protected override drawn(former: Former): void {
    if (!['report', 'ask', 'without'].some((name) => name in former)) return;
    this.asking.abort();
    this.replay = null;
    this.problem = '';
    const ids = this.ticked.map(({ finding }) => finding.id);
    if (this.ask && this.told && ids.length > 0) void this.predict(ids, this.ask);
  }

  private get budget(): Budget | null {
    const { report } = this;
    if (this.made?.of !== report)
      this.made = { of: report, budget: report.ledger && budget(report.ledger, report.findings) };
    return this.made.budget;
  }

  private get claims(): Claim[] {
    return this.budget?.claims ?? [];
  }

  private get ticked(): Claim[] {
    const ids = tickedIds(this.without, this.claims);
    return this.claims.filter(({ finding }) => ids.includes(finding.id));
  }

  /** Whether the projection is one that the user chose. */
  private get told(): boolean {
    return this.touched || this.without !== null;
  }

  private get thin(): boolean {
    return this.report.capture_quality?.level === 'thin';
  }

  private get group(): StepGroup | null {
    if (this.choice === 'rare') return this.report.steps.rare;
    const index = this.choice.startsWith('group-')
      ? Number(this.choice.slice(6))
      : this.report.steps.groups.length && 0;
    return this.report.steps.groups[index] ?? null;
  }

  private about(): string {
    if (this.choice === 'rare')
      return 'Where the time of a rare long step goes, summed, not in time order. Findings claim time of usual steps.';
    if (this.group)
      return (
        'Where the time goes, summed, not in time order. Steps differ, so each group has its own.' +
        (this.claims.length > 0 ? ' What findings claim is averaged over all steps.' : '')
      );
    const untick =
      this.claims.length > 0 ? ' No nanosecond is claimed twice; untick a finding to project without it.' : '';
    return `Where the time goes, summed, not in time order.${untick}`;
  }

  private switch() {
    const offered = choices(this.report);
    if (offered.length < 2) return nothing;
    return html`<span class="switch" role="group" aria-label="Whose time">
      ${offered.map(
        ({ id, words }) =>
          html`<button aria-pressed=${id === this.choice} @click=${() => this.choose(id)}>
            <span class="name">${words}</span>
          </button>`,
      )}
    </span>`;
  }

  private choose(id: string): void {
    this.choice = id;
    this.count = FEW;
  }

  private chart(ledger: Ledger) {
    const { group, report } = this;
    const found = this.budget as Budget;
    const step = group ? group.step_ns : found.step_ns;
    const now = group ? row(group.accounts) : found.now;
    const beside = bars(report, this.choice);
    const full = Math.max(1, step, ...beside.slice(0, this.count).map(({ step_ns }) => step_ns));
    const accounts = group ? group.accounts : summed(now);
    const claims = this.choice === 'rare' ? [] : this.claims;
    return html`
      <div class="row" aria-hidden="true">
        <span></span>
        <div class="axis">
          ${ticks(full / 1e6).map(
            (ms, i) =>
              html`<span style=${styleMap({ left: share(ms * 1e6, full) })}
                >${Number(ms.toPrecision(6))}${i === 0 ? ' ms' : ''}</span
              >`,
          )}
        </div>
      </div>
      <div class="row" id="now">
        <div class="label">
          <div><b>Now</b><small class="name">${this.basis(ledger)}</small></div>
        </div>
        ${track(now, {
          label: trackLabel(`Now, ${duration(step)}`, now, step),
          full,
          step,
          // Where a finding claims of it, the work at the limits is not in one piece.
          more: group || now[0]?.ns !== ledger.compute_floor_ns ? nothing : roof(ledger, full),
        })}
        <div class="number"><b>${duration(step)}</b><small>100&nbsp;%</small></div>
      </div>
      ${this.beside(beside, full)} ${claims.slice(0, this.rows).map((claim) => this.claim(claim, full, group !== null))}
      ${this.grow(claims.length, this.rows, 'finding', () => (this.rows += MORE))}
      ${group || this.claims.length === 0 ? nothing : this.projection(found, full)} ${this.legend(ledger, accounts)}
      ${group ? nothing : this.stays(found)} ${this.table()}
    `;
  }

  private basis({ devices_total: gpus }: Ledger): string {
    const { group, report } = this;
    if (!report.steps.unit) return 'the recorded time';
    if (group) {
      if (group.name.endsWith(' steps')) {
        const name = group.name.slice(0, -1);
        return group.count === 1 ? `1 ${name}` : `mean of ${counted(group.count, name)}`;
      }
      return `mean of ${counted(group.count, 'step')} of ${group.name}`;
    }
    const { count, rare } = report.steps;
    const step = rare ? 'usual step' : 'step';
    const of = count === 1 ? `one ${step}` : `mean of ${counted(count, step)}`;
    return gpus > 1 ? `${of} × ${counted(gpus, 'GPU')}` : of;
  }

  private beside(found: readonly Bar[], full: number) {
    return html`
      ${found.slice(0, this.count).map(
        ({ name, step_ns, blocks }) =>
          html`<div class="row bar">
            <div class="label"><small class="name">${name}</small></div>
            ${track(blocks, {
              label: trackLabel(`${name}, ${duration(step_ns)}`, blocks, step_ns),
              full,
              step: step_ns,
              kind: 'small bare',
            })}
            <div class="number"><small>${duration(step_ns)}</small></div>
          </div>`,
      )}
      ${this.grow(found.length, this.count, { steps: 'step', gpus: 'GPU' }[this.choice] ?? 'host', () => {
        this.count += MORE;
      })}
    `;
  }

  private grow(all: number, shown: number, what: string, more: () => void) {
    if (all <= shown) return nothing;
    const next = all - shown > MORE ? `Show ${MORE} more of` : 'Show all';
    return html`<button class="button more" @click=${more}>${next} ${counted(all, what)}</button>`;
  }

  private claim(claim: Claim, full: number, grouped: boolean) {
    const { finding, rank, ns, begin, blocks } = claim;
    const ticked = this.ticked.includes(claim);
    const alone = aloneWords(claim);
    const why = alone || finding.cause;
    const edge = (at: number) => html`<i class="edge" style=${styleMap({ left: share(at, full) })}></i>`;
    const label = grouped
      ? `${finding.title}: ${duration(ns)} of a step, averaged over all steps`
      : trackLabel(`${finding.title}, claims ${duration(ns)}`, blocks, full);
    const box = html`<input
      type="checkbox"
      aria-label="Include in the projection: ${finding.title}"
      .checked=${ticked}
      @click=${(event: Event) => event.stopPropagation()}
      @change=${() => this.tick(finding.id)}
    />`;
    const beside = html`
      ${track(grouped ? [] : blocks, {
        label,
        full,
        step: this.budget?.step_ns ?? 0,
        kind: ticked ? '' : 'pale',
        more: grouped
          ? nothing
          : html`${edge(begin)}${edge(begin + ns)}
              <div class="why" style=${styleMap({ right: share(full - begin, full) })}>
                <span>${why}</span>
              </div>`,
      })}
      <div class="number">
        <b>−${duration(ns)}</b
        ><small>${grouped ? 'on average' : percent(ns / Math.max(1, this.budget?.step_ns ?? 1))}</small>
        ${finding.saving?.once_ns ? html`<small>${savingTime(finding.saving)}</small>` : nothing}
      </div>
    `;
    return this.line(finding, rank, grouped ? nothing : box, beside);
  }

  /** A finding's rank, severity, title and what to do, which select it; the hand on it shows its time. */
  private line({ id, severity, title, action }: Finding, rank: number, box: unknown, beside: unknown) {
    const over = (hovered: string | null) => () => fire(this, 'finding-hover', { id: hovered });
    const mark = this.marks[id];
    // In place of the icon, so that no row grows under the hand.
    const icon = mark ? { done: '✓', irrelevant: '–' }[mark] : ICONS[severity];
    return html`<div
      class="row finding ${mark ? 'marked' : ''}"
      data-finding=${id}
      ?data-selected=${id === this.selected}
      ?data-owner=${id === this.owner}
      @click=${() => fire(this, 'finding-select', { id })}
      @pointerenter=${over(id)}
      @pointerleave=${over(null)}
      @focusin=${over(id)}
      @focusout=${over(null)}
    >
      <div class="label">
        ${box}<span class="pill rank ${severity}" title=${severity} aria-hidden="true">${rank}&nbsp;${icon}</span>
        <button class="bare pick" aria-pressed=${id === this.selected}>
          <span class="unseen">${rank}, ${severity}${mark ? `, marked as ${MARK_WORDS[mark]}` : ''}: </span
          ><b class="name">${title}</b>${action ? html`<small class="name">${action}</small>` : nothing}
        </button>
      </div>
      ${beside}
    </div>`;
  }

  private projection(found: Budget, full: number) {
    const ticked = new Set(this.ticked.map(({ rank }) => rank));
    const blocks = projected(found, ticked);
    const left = total(blocks);
    const least = this.thin && left < found.step_ns ? '≥\u00a0' : '';
    return html`<div class="row" id="projected">
      <div class="label">
        <div>
          <b><tfperf-term word="Projected"></tfperf-term></b
          ><small>${fixedWords(ticked.size, found.claims.length)}</small>
        </div>
      </div>
      ${track(blocks, {
        label: trackLabel(`Projected, ${least}${duration(left)}`, blocks, left),
        full,
        step: left,
        more:
          left < found.step_ns
            ? html`<i class="gone" style=${styleMap(place({ begin: left, ns: found.step_ns - left }, full))}></i>`
            : nothing,
      })}
      <div class="number">
        <b class=${left < found.step_ns ? 'gain' : ''}>${least}${duration(left)}</b
        ><small>${factor(found.step_ns, left)}</small>
      </div>
    </div>`;
  }

  private legend(ledger: Ledger, accounts: readonly Time[]) {
    const { shown, rest, active_ratio } = legend(accounts);
    const { hidden_communication_ns: communication, hidden_copy_ns: copies } = ledger;
    const hidden = [
      communication > 0 ? `${duration(communication)} communication` : '',
      copies > 0 ? `${duration(copies)} copies` : '',
    ].filter(Boolean);
    const overlap = hidden.length > 0 && !this.group ? ` · ${hidden.join(' and ')} hidden` : '';
    const sum = Math.max(1, total(accounts));
    return html`<ul class="legend" aria-label="Accounts of the step">
      ${shown.map(
        ({ id, ns }) =>
          html`<li>
            ${sample(id)}<span
              ><tfperf-text .text=${accountLook(id).words}></tfperf-text>
              <b>${duration(ns)}</b> ${percent(ns / sum)}</span
            >
          </li>`,
      )}
      ${
        this.claims.length > 0 && !this.group
          ? html`<li>${sample('idle.unknown', true)}<span>striped: a finding claims it</span></li>`
          : nothing
      }
      ${rest ? html`<li>${rest}</li>` : nothing}
      <li class="end">
        <span><tfperf-term word="GPU active"></tfperf-term> <b>${percent(active_ratio)}</b>${overlap}</span>
      </li>
    </ul>`;
  }

  /** What stays, and the projection that was chosen, in words. */
  private stays(found: Budget) {
    const ticked = new Set(this.ticked.map(({ rank }) => rank));
    const absent = absentWords(this.report);
    // Where no step was recorded, the verdict says why GPUs are idle.
    const stays = this.report.steps.unit ? staysWords(found, ticked, this.thin) : '';
    const limits = this.told ? (this.replay?.limits ?? []) : [];
    const said = this.told && found.claims.length > 0 ? this.said(found, ticked) : '';
    return html`
      <div class="below" ?hidden=${!absent}><p class="name">${absent}</p></div>
      <div class="below" ?hidden=${!stays}>
        <p><b>What stays:</b> ${stays}</p>
      </div>
      <div class=${said ? 'below' : 'unseen'}>
        <p id="said" role="status">${said}</p>
        <ul class="limits" aria-label="What limits the replay" ?hidden=${limits.length === 0}>
          ${limits.map((limit) => html`<li>${limit}</li>`)}
        </ul>
      </div>
    `;
  }

  private said(found: Budget, ticked: ReadonlySet<number>): string {
    const left = total(projected(found, ticked));
    const least = this.thin && left < found.step_ns ? '≥\u00a0' : '';
    const sum = `Projected ${least}${duration(left)} ${fixedWords(ticked.size, found.claims.length)}.`;
    if (this.problem) return `${sum} ${this.problem}`;
    if (!this.replay || ticked.size === 0) return sum;
    const { predicted_ns: predicted, step_ns, error } = this.replay;
    const words = duration(predicted);
    const replayed = words === duration(left) ? '' : ` The recorded step, replayed without their causes: ${words}.`;
    if (!error) return `${sum}${replayed}`;
    const low = Math.max(0, predicted - error.high_ratio * step_ns);
    const high = Math.min(step_ns, predicted - error.low_ratio * step_ns);
    return `${sum}${replayed} Likely ${between(low, high)}, as in nine of ten of ${error.runs} simulated runs.`;
  }

  /** The same numbers for those who read them, and why GPUs are idle. */
  private table() {
    const { report, group, budget: found } = this;
    if (group || !found) return nothing;
    const ids = [...new Set(found.now.map(({ account }) => account))];
    const lines = ids.map((id): Line => {
      const of = found.now.filter(({ account }) => account === id);
      const why = report.idle.find(({ account }) => account === id)?.sentence ?? '';
      const claimed = total(of.filter(({ owner }) => owner > 0));
      return { words: accountLook(id).words, now: total(of), step: found.step_ns, claimed, why };
    });
    const step = { words: 'Step', now: found.step_ns, step: found.step_ns, claimed: total(found.claims), why: '' };
    return html`<tfperf-table
      class="fold"
      heading="The numbers as a table"
      .columns=${COLUMNS}
      .items=${[...lines, step]}
    ></tfperf-table>`;
  }

  /** Findings that claim no time, and what others explain, folded under them. */
  private others() {
    const { findings } = this.report;
    const claimed = new Set(this.claims.map(({ finding }) => finding.id));
    const listed = findings
      .map((finding, i) => ({ finding, rank: i + 1 }))
      .filter(({ finding }) => !claimed.has(finding.id) || finding.explains.length > 0);
    if (listed.length === 0) return nothing;
    return html`<ul class="others" aria-label="Findings without a block, and what others explain">
        ${listed
          .slice(0, this.rows)
          .map(
            ({ finding, rank }) =>
              html`<li>
                ${claimed.has(finding.id) ? nothing : this.line(finding, rank, nothing, nothing)}
                ${finding.explains.map(
                  ({ title, severity }) =>
                    html`<span class="folded name">${ICONS[severity]} ${title}: explained by ${rank}</span>`,
                )}
              </li>`,
          )}
      </ul>
      ${this.grow(listed.length, this.rows, 'finding', () => (this.rows += MORE))}`;
  }

  /** What there is in place of a budget: shares of the recording, or what only the host recorded. */
  private noLedger() {
    const { input, devices, hosts } = this.report;
    if (!runs(this.report))
      return html`<div class="empty">
        ${input?.sentence ? html`<p class="name"><tfperf-text .text=${input.sentence}></tfperf-text></p>` : nothing}
        <p class="note">Without GPU events there is no GPU time to divide.</p>
      </div>`;
    const some = devices.filter(({ participates }) => participates);
    return html`
      <p class="empty note">
        ${
          this.report.steps.count > 0
            ? 'Nothing ran on the GPUs in the steps that the host marks.'
            : 'No step can be told apart, so there are no ms per step.'
        }
        Kernels and copies run so much of the recording, waiting in collectives included.
      </p>
      ${some.slice(0, this.count).map(({ host, device, busy_ratio: busy }) => {
        return html`<div class="row bar">
          <div class="label"><small class="name">${gpuName({ host, device }, hosts.length > 1)}</small></div>
          <div class="track small">
            <div class="ran" style=${styleMap({ width: share(busy, 1) })}></div>
          </div>
          <div class="number"><b>${percent(busy)}</b></div>
        </div>`;
      })}
      ${this.grow(some.length, this.count, 'GPU', () => (this.count += MORE))}
      <p class="empty note name">${absentWords(this.report)}</p>
    `;
  }

  private tick(changed: string): void {
    const ids = this.claims
      .map(({ finding }) => finding.id)
      .filter((id) => this.ticked.some(({ finding }) => finding.id === id) !== (id === changed));
    this.touched = true;
    fire(this, 'without-change', { without: withoutText(ids, this.claims) });
  }

  /** The newest question wins. */
  private async predict(ids: string[], ask: AskPrediction): Promise<void> {
    const { signal } = (this.asking = new AbortController());
    try {
      const found = await ask(ids, signal);
      if (!signal.aborted) this.replay = found;
    } catch (problem) {
      if (!signal.aborted)
        this.problem = problem instanceof BackendError ? problem.message : 'The step could not be replayed.';
    }
  }

  /** j and k select the next and the last finding, x ticks the selected one. */
  protected override onPageKey({ key }: KeyboardEvent): void {
    const ids = this.report.findings.map(({ id }) => id);
    const place = ids.indexOf(this.selected ?? '');
    if (key === 'x' && this.claims.some(({ finding }) => finding.id === this.selected) && !this.group)
      this.tick(this.selected as string);
    const next = { j: place + 1, k: Math.max(0, place - 1) }[key];
    const id = next === undefined ? undefined : ids[Math.min(next, ids.length - 1)];
    if (id !== undefined && id !== this.selected) fire(this, 'finding-select', { id });
  }
}

/** Whether anything ran on a GPU. */
function runs({ devices }: Report): boolean {
  return devices.some(({ participates }) => participates);
}

/** Where the work of the step would end at the GPU’s limits. */
function roof({ compute_floor_ns: floor }: Ledger, full: number) {
  if (floor === null || floor <= 0) return nothing;
  return html`<i
    class="roof"
    style=${styleMap({ left: share(floor, full) })}
    title="At the GPU’s limits, the work of this step needs ${duration(floor)}"
  ></i>`;
}

customElements.define('tfperf-budget', BudgetElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-budget': BudgetElement;
  }
}
