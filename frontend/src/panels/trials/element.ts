import { html, nothing } from 'lit-html';
import { DOTS_STYLE, drawLaunches } from '../../charts/launches.js';
import { NO_TRIALS } from '../../controller.js';
import { type Former, TfperfElement, fire } from '../../elements/base.js';
import '../../elements/copy.js';
import { counted, kept } from '../../format.js';
import type { TrialFolder, Trials } from '../../model.js';
import { css } from '../../theme.js';
import { drawSwitches } from './chart.js';
import { LOOKS, switchBars, trialDots } from './logic.js';

/** What `tfperf try` and `tfperf tune` have left in the log directory; one of them is open. */
export class TrialsElement extends TfperfElement {
  static override readonly styles = css`
    ${DOTS_STYLE}
    :host {
      margin-top: 24px;
      scroll-margin-top: 12px;
    }
    li {
      border-top: 1px solid var(--line);
    }
    li:last-child {
      border-bottom: 1px solid var(--line);
    }
    .head {
      align-items: baseline;
      display: grid;
      gap: 0 12px;
      grid-template-columns: 120px minmax(0, 1fr) minmax(0, 2.4fr) auto;
      padding: 8px 0;
      width: 100%;
    }
    .head:hover .title {
      text-decoration: underline;
    }
    .title {
      color: var(--accent);
      font-weight: 500;
    }
    .state {
      font-size: 13px;
    }
    .good {
      color: var(--good);
      font-weight: 600;
    }
    .critical {
      color: var(--critical);
      font-weight: 600;
    }
    .warning {
      color: var(--warning);
      font-weight: 600;
    }
    .detail {
      padding: 0 0 14px;
    }
    h3 {
      margin-top: 12px;
    }
    .launches,
    pre {
      max-width: 900px;
    }
    #switches {
      grid-template-columns: minmax(80px, 220px) minmax(0, 1fr) 104px;
    }
    .launches .alone {
      grid-column: 2 / -1;
    }
    .change {
      fill: var(--account-unknown);
    }
    .change.good {
      fill: var(--account-recoverable);
    }
    .change.critical {
      fill: var(--account-between);
    }
    .span {
      stroke: var(--ink);
      stroke-width: 1.5;
    }
    pre {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 6px;
      margin-top: 8px;
      overflow-x: auto;
      padding: 8px 12px;
    }
    ul {
      margin-top: 8px;
    }
    @media (max-width: 640px) {
      .head {
        grid-template-columns: 120px minmax(0, 1fr);
      }
      .sentence,
      .written {
        grid-column: 1 / -1;
      }
      #launches {
        grid-template-columns: 80px minmax(0, 1fr) 24px;
      }
      #switches {
        grid-template-columns: 104px minmax(0, 1fr) 64px;
      }
    }
  `;
  static readonly properties = { found: Object, chosen: String };

  found: Trials = NO_TRIALS;
  /** The name of the trial that is open. */
  chosen: string | null = null;

  protected override template() {
    const { trials, more_count: more } = this.found;
    return html`
      <h2 tabindex="-1">Trials</h2>
      <p class="note">
        What tfperf try and tfperf tune keep in this log directory, the newest first.
        ${more > 0 ? `${counted(more, 'older one is', 'older ones are')} not shown.` : ''}
      </p>
      <ul>
        ${trials.map((one) => html`<li>${this.head(one)}${this.isOpen(one) ? this.detail(one) : nothing}</li>`)}
      </ul>
    `;
  }

  private isOpen({ name }: TrialFolder): boolean {
    return name === this.chosen;
  }

  private head(trial: TrialFolder) {
    const { name, kind, state, sentence, written } = trial;
    const open = this.isOpen(trial);
    return html`<button
      class="bare head"
      aria-expanded=${open}
      @click=${() => fire(this, 'board-change', { trial: open ? null : name })}
    >
      <span class="state ${LOOKS[state] ?? ''}">${state}</span>
      <span class="title name">${name}</span>
      <span class="sentence name">${kept(sentence)}</span>
      <span class="written note">${kind === 'tuning' ? 'Tuning' : 'Trial'} ${written && `of ${written}`}</span>
    </button>`;
  }

  private detail(trial: TrialFolder) {
    const { kind, reasons, before, after, launches, switches, keep, command } = trial;
    const bars = switchBars(switches).bars;
    return html`<div class="detail">
      ${reasons.map((words) => html`<p class="note name">${kept(words)}</p>`)}
      ${
        switches.length > 0
          ? html`<h3>Each switch alone, at first look <small>what it changes of a step, and the interval</small></h3>
              <div id="switches" class="launches"></div>
              <details>
                <summary>Each switch in words</summary>
                ${bars.map(({ words }) => html`<p class="note name">${kept(words)}</p>`)}
              </details>`
          : nothing
      }
      ${
        launches.length > 0
          ? html`<h3>
                ${kind === 'tuning' ? 'The proof of what may help together' : 'The launches'}
                <small>each dot is a launch: how long a step takes</small>
              </h3>
              <p class="note name">Before: <code>${before}</code></p>
              <p class="note name">With the change: <code>${after}</code></p>
              <div id="launches" class="launches"></div>`
          : nothing
      }
      ${keep ? this.copied('Lines to write into the code', 'Copy the lines', keep) : nothing}
      ${command ? this.copied('To repeat it', 'Copy the command', command) : nothing}
    </div>`;
  }

  private copied(heading: string, words: string, text: string) {
    return html`<h3>${heading} <tfperf-copy .words=${words} .text=${text}></tfperf-copy></h3>
      <pre tabindex="0" aria-label=${heading}>${text}</pre>`;
  }

  protected override drawn(former: Former): void {
    const trial = this.found.trials.find((one) => this.isOpen(one));
    const dots = trial && trialDots(trial);
    if (dots) drawLaunches(this.child('launches'), dots);
    if (trial?.switches.length) drawSwitches(this.child('switches'), switchBars(trial.switches));
    // An address that names one leads to it.
    if (former['found'] === undefined && trial) this.scrollIntoView();
  }

  /** Brings the trials into view, however many runs lie above them. */
  show(): void {
    this.scrollIntoView();
    this.shadowRoot.querySelector('h2')?.focus();
  }
}

customElements.define('tfperf-trials', TrialsElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-trials': TrialsElement;
  }
}
