import { html, nothing } from 'lit-html';
import { TfperfElement, type Former } from '../../elements/base.js';
import '../../elements/copy.js';
import '../../elements/evidence.js';
import '../../elements/field.js';
import '../../elements/fix.js';
import '../../elements/limits.js';
import { ICONS } from '../../elements/severity.js';
import '../../elements/term.js';
import '../../elements/text.js';
import { pageHref } from '../../links.js';
import { count, counted, kept } from '../../format.js';
import type { Marks } from '../../list.js';
import type { AfterWords, Finding, Prediction, Report } from '../../model.js';
import { Newest } from '../../newest.js';
import { css } from '../../theme.js';
import { NONE_REFUSED, type Refusals, type Typed, UNTYPED } from '../../typed.js';
import { type Band, bandOf, leadOf } from './logic.js';

type AskPrediction = (without: readonly string[], signal: AbortSignal) => Promise<Prediction>;

/** The step now and after the first fix, what to change first, and how far to trust it. */
export class VerdictElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      padding-top: 12px;
    }
    section {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: grid;
      grid-template-columns: minmax(0, 350px) minmax(0, 1fr) minmax(0, 268px);
    }
    section > div {
      min-width: 0;
      padding: 10px 18px;
    }
    section > div + div {
      border-left: 1px solid var(--line);
    }
    .head {
      align-items: center;
      color: var(--ink-2);
      display: flex;
      flex-wrap: wrap;
      font-size: 12.5px;
      font-weight: 400;
      gap: 4px 8px;
      margin: 0 0 4px;
    }
    /* One line where there is room, so that a mark on a finding does not make it higher. */
    @media (min-width: 1000px) {
      .first {
        flex-wrap: nowrap;
        white-space: nowrap;
      }
      .follows {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
      }
    }
    .times {
      align-items: start;
      display: grid;
      gap: 4px 12px;
      grid-template-columns: auto auto auto;
      justify-content: start;
    }
    .times.groups {
      grid-template-columns: minmax(0, 1fr);
    }
    .groups .arrow {
      display: none;
    }
    .arrow {
      color: var(--ink-2);
      font-size: 20px;
      padding-top: 24px;
    }
    .big {
      font-size: 28px;
      line-height: 38px;
      white-space: nowrap;
    }
    .groups .big {
      font-size: 20px;
      line-height: 28px;
    }
    .big span {
      color: var(--ink-2);
      font-size: 13px;
      white-space: normal;
    }
    .gain {
      color: var(--good);
    }
    .note {
      font-size: 12.5px;
      line-height: 1.4;
    }
    .compute,
    .training {
      line-height: 1.25;
    }
    h1 {
      font-size: 20px;
      font-weight: 500;
      line-height: 26px;
    }
    .cause {
      color: var(--ink-2);
      margin: 3px 0 8px;
      min-height: 42px;
    }
    .do {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px 16px;
    }
    .command {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 6px;
      overflow-wrap: anywhere;
      padding: 3px 10px;
    }
    .level {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 10px;
      color: var(--ink);
      padding: 0 8px;
      text-transform: capitalize;
    }
    .reasons {
      font-size: 12.5px;
      line-height: 1.6;
    }
    .reasons li {
      color: var(--ink-2);
      padding-left: 18px;
      position: relative;
    }
    .reasons i {
      font-style: normal;
      left: 0;
      position: absolute;
    }
    .reasons .ok {
      color: var(--good);
    }
    .reasons .doubt {
      color: var(--warning);
      font-weight: 700;
    }
    .reasons button {
      display: inline-block;
      min-height: 24px;
      text-decoration: underline;
    }
    .band {
      align-items: center;
      background: var(--warning-ground);
      border-radius: 8px;
      color: var(--warning);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 12px;
      margin-bottom: 10px;
      padding: 6px 14px;
    }
    .band button {
      color: inherit;
      min-height: 24px;
      text-decoration: underline;
    }
    .note-body {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .note-body > * + * {
      margin-top: 10px;
    }
    tfperf-field {
      margin-top: 8px;
    }
    h3 {
      font-size: 15px;
      font-weight: 600;
    }
    .note-body a {
      display: inline-block;
      line-height: 24px;
    }
    @media (max-width: 1180px) {
      section {
        grid-template-columns: minmax(0, 320px) minmax(0, 1fr);
      }
      .times {
        column-gap: 8px;
      }
      .big {
        font-size: 25px;
      }
      section > .evidence {
        border-left: 0;
        border-top: 1px solid var(--line);
        grid-column: 1 / -1;
      }
    }
    @media (max-width: 640px) {
      .first {
        flex-wrap: wrap;
      }
      section {
        grid-template-columns: minmax(0, 1fr);
      }
      section > div + div {
        border-left: 0;
        border-top: 1px solid var(--line);
      }
    }
  `;
  static readonly properties = {
    report: Object,
    ask: Object,
    marks: Object,
    typed: Object,
    refused: Object,
    open: Object,
    together: Object,
  };

  report!: Report;
  ask: AskPrediction | null = null;
  /** What the user marked: the verdict is of the first finding without a mark. */
  marks: Marks = {};
  typed: Typed = UNTYPED;
  refused: Refusals = NONE_REFUSED;
  /** The note on the capture that is shown in full. */
  open: Finding | null = null;
  /** The step without what the user marked as done and the finding that is next. */
  together: AfterWords | null = null;
  /** What lies below does not move when a finding is marked: its height before. */
  private least = 0;
  private readonly newest = new Newest();

  protected override changed(former: Former): void {
    if ('report' in former) this.open = null;
    if ('report' in former) this.least = 0;
    else if ('marks' in former) this.least = this.shadowRoot.querySelector('section')?.offsetHeight ?? 0;
  }

  protected override template() {
    const { report, marks, open } = this;
    const lead = leadOf(report, marks);
    const { first, words } = lead;
    const band = bandOf(report);
    const training = report.whole?.sentence ?? '';
    const differs = report.pace?.verdict === 'differs';
    const level = report.capture_quality?.level ?? '';
    return html`
      ${
        differs
          ? this.band({ title: 'The training is slower than this recording', words: training, note: null, line: '' })
          : nothing
      }
      ${band ? this.band(band) : nothing}
      <section aria-label="Verdict" style="min-height: ${this.least}px">
        <div>
          ${times(report, lead.after ?? this.together)} ${compute(report)}
          <p class="note training name" ?hidden=${differs || !training}>${kept(training)}</p>
          ${this.epochs(report)}
        </div>
        <div>
          <p class="head first">
            <span class="asks">${lead.asks}</span>
            ${
              first
                ? html`<tfperf-severity .severity=${first.severity}></tfperf-severity>
                    <span class="follows" title=${lead.follows} ?hidden=${!lead.follows}>${lead.follows}</span
                    ><span class="saving">${kept(lead.saving)}</span>`
                : lead.follows
            }
          </p>
          <h1 class="name">${lead.action}</h1>
          <p class="cause name">
            ${words?.most ? html`<span class="most">${words.most}</span>` : nothing}
            <tfperf-text .text=${lead.cause}></tfperf-text>
          </p>
          <div class="do">
            ${
              lead.command
                ? html`<code class="command name">${lead.command}</code>
                    <tfperf-copy words="Copy" .text=${lead.command}></tfperf-copy>`
                : nothing
            }
            ${first ? html`<tfperf-copy words="Copy for agent" .text=${words?.agent}></tfperf-copy>` : nothing}
          </div>
        </div>
        <div class="evidence">
          <h2 class="head">
            <tfperf-term word="Evidence"></tfperf-term> <span class="level" ?hidden=${!level}>${level}</span>
          </h2>
          <ul class="reasons">
            ${this.reasons(first)}
          </ul>
        </div>
      </section>
      <div id="body">${open ? body(open) : nothing}</div>
    `;
  }

  protected override drawn(former: Former): void {
    if (!['report', 'ask', 'marks'].some((name) => name in former)) return;
    this.newest.stop();
    this.together = null;
    const { ask, report, marks } = this;
    const { together } = leadOf(report, marks);
    if (ask && together.length > 0)
      void this.newest.ask(
        (signal) => ask(together, signal),
        (found) => (this.together = found?.after ?? null),
      );
  }

  /** Whoever knows how many steps an epoch has learns how long each takes. */
  private epochs(report: Report) {
    const { pace } = report;
    if (!pace || (pace.counts !== 'epochs' && pace.steps_per_epoch === null)) return nothing;
    return html`<tfperf-field
      .name=${'steps_per_epoch'}
      .label=${'Training steps of an epoch'}
      .hint=${pace.steps_per_epoch === null ? 'e.g. 300' : count(pace.steps_per_epoch)}
      .typed=${this.typed.steps_per_epoch}
      .refusal=${this.refused.steps_per_epoch}
      .report=${report}
    ></tfperf-field>`;
  }

  private band({ title, words, note, line }: Band) {
    return html`<div class="band name" role="note">
      <span><b>${title}.</b> ${words}</span>
      ${
        line
          ? html`<code class="command">${line}</code><tfperf-copy words="Copy" .text=${line}></tfperf-copy>`
          : nothing
      }
      ${note ? html`<button class="bare" @click=${() => this.show(note)}>How</button>` : nothing}
    </div>`;
  }

  private show(note: Finding): void {
    this.open = note === this.open ? null : note;
  }

  /** Opens the checks: they say which data they lacked. */
  private checks(): void {
    const sections = (this.getRootNode() as ShadowRoot).querySelector('tfperf-sections');
    sections?.show('checks');
    sections?.shadowRoot.getElementById('checks')?.scrollIntoView({ block: 'start' });
  }

  /** What speaks for and against the first finding and the capture; a note of a check opens in full. */
  private reasons(first: Finding | null) {
    const { report } = this;
    const reason = (ok: boolean, words: unknown) =>
      html`<li>
        <i class=${ok ? 'ok' : 'doubt'} aria-hidden="true">${ok ? '✓' : '!'}</i
        ><span class="unseen">${ok ? '' : 'Doubt: '}</span>${words}
      </li>`;
    const missing = `${counted(report.missing_data.length, 'check')} lacked data`;
    const titles = new Set(report.trust.map(({ title }) => title));
    const plain = (report.capture_quality?.reasons ?? []).filter(({ text }) => !titles.has(text));
    return [
      first ? reason(first.confidence !== 'low', `Finding of ${first.confidence} confidence`) : nothing,
      ...plain.map(({ ok, text }) =>
        reason(
          ok,
          text === missing
            ? html`<button class="bare lacks" @click=${() => this.checks()}>${text}</button>`
            : html`<tfperf-text .text=${text}></tfperf-text>`,
        ),
      ),
      ...report.trust.map(
        (note) =>
          html`<li>
            <i class=${note.severity === 'info' ? '' : 'doubt'} aria-hidden="true">${ICONS[note.severity]}</i
            ><button
              class="bare chip name"
              aria-expanded=${note === this.open}
              aria-controls="body"
              @click=${() => this.show(note)}
            >
              <span class="unseen">${note.severity}: </span>${note.title}
            </button>
          </li>`,
      ),
    ];
  }
}

function times({ verdict: { unit, now, note } }: Report, after: AfterWords | null) {
  return html`
    <div class="times ${now.length > 1 ? 'groups' : ''}">
      <div class="now">
        <p class="head">${unit}</p>
        ${now.map(({ time, of }) => html`<div class="big name">${kept(time)} <span>${of}</span></div>`)}
        <p class="note name" ?hidden=${!note}>${kept(note)}</p>
      </div>
      ${
        after
          ? html`<div class="arrow" aria-hidden="true">→</div>
              <div class="after">
                <p class="head">${after.of}</p>
                <div class="big gain">${kept(after.time)}</div>
                <p class="note"><b class="gain">${kept(after.change)}</b></p>
                <p class="note" ?hidden=${!after.likely}>${kept(after.likely)}</p>
              </div>`
          : nothing
      }
    </div>
  `;
}

function compute({ verdict: { compute: words }, key_numbers: { mfu_ratio: ratio, mfu_basis: basis } }: Report) {
  if (!words) return nothing;
  const unknown = html`; <tfperf-term word="MFU not known" .meaning=${basis}></tfperf-term>`;
  return html`<p class="note compute name">
    <tfperf-text .text=${kept(words)}></tfperf-text>${ratio === null && basis ? unknown : nothing}
  </p>`;
}

function body({ id, title, severity, summary, evidence, explains, fix, guide }: Finding) {
  const numbers = (items: Finding['evidence']) =>
    html`<tfperf-evidence .items=${items} ?hidden=${items.length === 0}></tfperf-evidence>`;
  return html`
    <div class="note-body">
      <tfperf-severity .severity=${severity}></tfperf-severity>
      <h3 class="name">${title}</h3>
      <p class="name"><tfperf-text .text=${summary}></tfperf-text></p>
      ${numbers(evidence)}
      ${explains.map(
        (inner) =>
          html` <p class="name">
              It also explains: ${inner.title}. ${inner.summary}
              <a class="note" href=${pageHref(document.baseURI, inner.id)} target="_blank" rel="noopener"
                >How this is measured</a
              >
            </p>
            ${numbers(inner.evidence)}`,
      )}
      <tfperf-fix .fix=${fix} .guide=${guide} .rule=${id}></tfperf-fix>
      <tfperf-limits .rule=${id} .of=${title}></tfperf-limits>
    </div>
  `;
}

customElements.define('tfperf-verdict', VerdictElement);
