import { html, nothing } from 'lit-html';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import { ICONS } from '../../elements/severity.js';
import { kept } from '../../format.js';
import type { Marks } from '../../list.js';
import type { Budget, Claim, Division, Finding, Prediction, Report } from '../../model.js';
import { Newest } from '../../newest.js';
import { wordsOf } from '../verdict/logic.js';
import { instead, legend, table } from './below.js';
import {
  absentWords,
  bars,
  choices,
  divisionOf,
  firstChoice,
  headingOf,
  neededNs,
  projected,
  tickedIds,
  total,
  withoutText,
  working,
} from './logic.js';
import { FEW, MORE, axis, bar, claimed, findingRow, grow, leftWords, now, projection } from './rows.js';
import { STYLE } from './style.js';

type AskPrediction = (without: readonly string[], signal: AbortSignal) => Promise<Prediction>;

/** The step budget: the step now, each finding under the time it claims, and the step without the ticked ones. */
export class BudgetElement extends TfperfElement {
  static override readonly styles = STYLE;
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
    found: Object,
    asking: Boolean,
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
  found: Prediction | null = null;
  /** Whether another answer is on its way: words about the ticks before keep their room until it comes. */
  private asking = false;
  problem = '';
  /** Whether a tick was changed: from then on the projection is said aloud. */
  touched = false;
  private readonly newest = new Newest();

  protected override changed(former: Former): void {
    if (!('report' in former)) return;
    this.hidden = headingOf(this.report) === null;
    this.count = FEW;
    this.rows = MORE;
    this.touched = false;
    if (!choices(this.report).some(({ id }) => id === this.choice)) this.choice = firstChoice(this.report);
  }

  protected override template() {
    const { report } = this;
    const { budget } = report;
    const few = working(report);
    const division = budget && divisionOf(budget, this.choice);
    const untick = this.average && this.claims.length > 0 ? ' Untick a finding to project without it.' : '';
    return html`
      <header>
        <h2 id="title" tabindex="-1">${headingOf(report)}</h2>
        <span class="note">${division ? `${division.about}${untick}` : (report.host_time?.about ?? '')}</span>
        ${budget ? this.switch() : nothing}
      </header>
      ${
        budget && division
          ? this.chart(budget, division)
          : instead(
              report,
              this.count,
              grow(few.length, this.count, 'GPU', () => (this.count += MORE)),
            )
      }
      ${this.others()}
    `;
  }

  protected override drawn(former: Former): void {
    if (!['report', 'ask', 'without'].some((name) => name in former)) return;
    const { ask, ticked } = this;
    this.newest.stop();
    this.problem = '';
    this.asking = ask !== null && this.told && this.claims.length > 0;
    if ('report' in former || !this.asking) this.found = null;
    if (!ask || !this.asking) return;
    void this.newest.ask(
      (signal) =>
        ask(
          ticked.map(({ id }) => id),
          signal,
        ),
      (answer, problem) => {
        this.asking = false;
        this.found = answer;
        this.problem = problem;
      },
    );
  }

  private get claims(): Claim[] {
    return this.report.budget?.claims ?? [];
  }

  private get ticked(): Claim[] {
    const ids = tickedIds(this.without, this.claims);
    return this.claims.filter(({ id }) => ids.includes(id));
  }

  /** Whether the projection is one that the user chose. */
  private get told(): boolean {
    return this.touched || this.without !== null;
  }

  /** Whether the step on screen is the average one, whose time findings claim. */
  private get average(): boolean {
    return this.choice !== 'rare' && this.report.steps.groups.length === 0;
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

  private chart(budget: Budget, division: Division) {
    const { average, choice, report } = this;
    const { step_ns: step, blocks } = division;
    const beside = bars(report, choice);
    const shown = beside.slice(0, this.count);
    const full = Math.max(1, step, ...shown.map(({ step_ns }) => step_ns));
    const claims = choice === 'rare' ? [] : budget.claims;
    const floor = report.ledger?.compute_floor_ns ?? null;
    const what = { steps: 'step', gpus: 'GPU' }[choice] ?? 'host';
    const { ticked } = this;
    const ids = ticked.map(({ id }) => id);
    const left = projected(blocks, new Set(ticked.map(({ rank }) => rank)), neededNs(report, ids, step));
    const fixed = this.told ? (!this.asking && this.found?.fixed) || '' : budget.fixed;
    return html`
      ${axis(full)}
      ${
        // Where a finding claims of it, the work at the limits is not in one piece.
        now(division, full, average && blocks[0]?.ns === floor ? floor : null)
      }
      ${shown.map((one) => bar(one, full))}
      ${grow(beside.length, this.count, what, () => {
        this.count += MORE;
      })}
      ${claims.slice(0, this.rows).map((claim) => this.claim(claim, division, full))}
      ${grow(claims.length, this.rows, 'finding', () => (this.rows += MORE))}
      ${average && claims.length > 0 ? projection(left, budget, fixed, full, step) : nothing}
      ${legend(division, average && claims.length > 0)}
      ${average ? this.stays(budget, leftWords(total(left), step, budget.bound)) : nothing}
      ${average ? table(division, report) : nothing}
    `;
  }

  private claim(claim: Claim, { blocks, step_ns: step }: Division, full: number) {
    const { id, rank } = claim;
    const finding = this.report.findings[rank - 1];
    if (!finding) return nothing;
    const ticked = this.ticked.includes(claim);
    const mine = this.average ? blocks.filter(({ owner }) => owner === rank) : [];
    const box = html`<input
      type="checkbox"
      aria-label="Include in the projection: ${finding.title}"
      .checked=${ticked}
      @click=${(event: Event) => event.stopPropagation()}
      @change=${() => this.tick(id)}
    />`;
    const beside = claimed(claim, finding, wordsOf(this.report, id), mine, { ticked, full, step });
    return this.line(finding, rank, this.average ? box : nothing, beside);
  }

  private line(finding: Finding, rank: number, box: unknown, beside: unknown) {
    const { id } = finding;
    const is = { finding, rank, selected: id === this.selected, owner: id === this.owner, mark: this.marks[id] };
    return findingRow(this, is, box, beside);
  }

  /** What stays, and the projection that was chosen, in words. */
  private stays({ stays, claims, held }: Budget, left: string) {
    const absent = absentWords(this.report);
    const told = this.told && claims.length > 0;
    const limits = told ? (this.found?.limits ?? []) : held ? [held] : [];
    const said = told ? (this.problem ? `Projected ${left}. ${this.problem}` : kept(this.found?.said ?? '')) : '';
    return html`
      <div class="below" ?hidden=${!absent}><p class="name">${absent}</p></div>
      <div class="below" ?hidden=${!stays}>
        <p><b>What stays:</b> ${kept(stays)}</p>
      </div>
      <div class=${said || limits.length > 0 ? `below ${this.asking ? 'former' : ''}` : 'unseen'}>
        <p id="said" role="status">${said}</p>
        <ul class="limits" aria-label="What limits the projection" ?hidden=${limits.length === 0}>
          ${limits.map((limit) => html`<li>${kept(limit)}</li>`)}
        </ul>
      </div>
    `;
  }

  /** Findings that claim no time, and what others explain, folded under them. */
  private others() {
    const claimed = new Set(this.claims.map(({ id }) => id));
    const listed = this.report.findings
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
      ${grow(listed.length, this.rows, 'finding', () => (this.rows += MORE))}`;
  }

  private tick(changed: string): void {
    const ids = this.claims
      .map(({ id }) => id)
      .filter((id) => this.ticked.some((one) => one.id === id) !== (id === changed));
    this.touched = true;
    fire(this, 'without-change', { without: withoutText(ids, this.claims) });
  }

  /** j and k select the next and the last finding, x ticks the selected one. */
  protected override onPageKey({ key }: KeyboardEvent): void {
    const ids = this.report.findings.map(({ id }) => id);
    const place = ids.indexOf(this.selected ?? '');
    if (key === 'x' && this.claims.some(({ id }) => id === this.selected) && this.average)
      this.tick(this.selected as string);
    const next = { j: place + 1, k: Math.max(0, place - 1) }[key];
    const id = next === undefined ? undefined : ids[Math.min(next, ids.length - 1)];
    if (id !== undefined && id !== this.selected) fire(this, 'finding-select', { id });
  }
}

customElements.define('tfperf-budget', BudgetElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-budget': BudgetElement;
  }
}
