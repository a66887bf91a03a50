import { html } from 'lit-html';
import { amount } from '../format.js';
import { css } from '../theme.js';
import {
  SEVERITY,
  type Threshold,
  type Thresholds,
  type OtherThresholds,
  difference,
  thresholdText,
  tried,
} from '../thresholds.js';
import { TfperfElement, ask } from './base.js';

interface Limit {
  rule: string;
  threshold: Threshold;
  words: string;
  value: string;
}

/** A rule's thresholds, and what would change with others. The report on screen stays as it is. */
export class ThresholdsElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      background: var(--ground);
      border-radius: 8px;
      padding: 10px 14px;
    }
    td,
    th {
      vertical-align: baseline;
    }
    td:first-child::first-letter {
      text-transform: uppercase;
    }
    input {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 4px;
      color: var(--ink);
      font: inherit;
      padding: 2px 6px;
      width: 90px;
    }
    input::placeholder {
      color: var(--ink-2);
      opacity: 1;
    }
    .try {
      background: none;
      border: 1px solid var(--control-line);
      border-radius: 6px;
      color: var(--accent);
      cursor: pointer;
      font: inherit;
      margin-top: 10px;
      padding: 3px 12px;
    }
    #result {
      margin-top: 8px;
    }
    #result li {
      margin-top: 4px;
    }
    ul {
      list-style: disc;
      padding-left: 20px;
    }
  `;
  static readonly properties = { limits: Array, heading: String, changes: Array, busy: Boolean };

  /** Does not change while this is shown. */
  rule!: string;
  private limits: Limit[] = [];
  private heading = '';
  private changes: string[] = [];
  private busy = false;

  /** Counts questions, so that a late answer to an old one is not shown. */
  private asked = 0;

  /** Only here is there somebody above to ask. */
  override connectedCallback(): void {
    super.connectedCallback();
    void this.load(this.rule);
  }

  protected override template() {
    const { limits, heading, changes } = this;
    return html`
      <form @submit=${this.onTry} novalidate>
        <table>
          <caption class="unseen">
            Thresholds
          </caption>
          <thead>
            <tr>
              <th>Threshold</th>
              <th class="number">Value</th>
              <th>Where it comes from</th>
              <th>Try another</th>
            </tr>
          </thead>
          <tbody>
            ${limits.map(
              ({ rule, threshold, words, value }) =>
                html` <tr>
                  <td>${words}</td>
                  <td class="number">${value}</td>
                  <td class="note">${threshold.source}</td>
                  <td>
                    ${
                      threshold.fixed
                        ? html`<span class="note" title="It is applied before rules judge, or by several parts."
                            >not here</span
                          >`
                        : html`<input
                            data-threshold=${thresholdText(rule, threshold.id, '')}
                            placeholder=${value}
                            aria-label="Try another value for: ${words}"
                            autocomplete="off"
                            spellcheck="false"
                          />`
                    }
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
        <button class="try" ?hidden=${limits.length === 0} ?disabled=${this.busy}>What would change?</button>
      </form>
      <div id="result" role="status">
        <p class="name" ?hidden=${!heading}>${heading}</p>
        <ul ?hidden=${changes.length === 0}>
          ${changes.map((change) => html`<li class="name">${change}</li>`)}
        </ul>
      </div>
    `;
  }

  private async load(rule: string): Promise<void> {
    try {
      const { rules, severities } = (await ask<Promise<Thresholds>>(this, 'thresholds')) ?? {
        rules: {},
        severities: [],
      };
      const limit = (of: string, threshold: Threshold, words: string): Limit => ({
        rule: of,
        threshold,
        words,
        value: amount(threshold.value, threshold.unit),
      });
      this.limits = [
        ...(rules[rule] ?? []).map((t) => limit(rule, t, t.name)),
        ...severities.map((t) => limit(SEVERITY, t, `severity ${t.name} from`)),
      ];
    } catch (problem) {
      this.heading = (problem as Error).message;
    }
  }

  private async onTry(event: Event): Promise<void> {
    event.preventDefault();
    const inputs = [...this.shadowRoot.querySelectorAll('input')].filter(({ value }) => value.trim() !== '');
    if (inputs.length === 0) {
      this.forget();
      this.heading = 'Type another value beside a threshold.';
      this.shadowRoot.querySelector('input')?.focus();
      return;
    }
    const asked = this.forget();
    this.busy = true;
    this.heading = 'Judging with that…';
    try {
      const typed = inputs.map(({ dataset, value }) => `${dataset['threshold']}${value.trim()}`);
      const answer = await ask<Promise<OtherThresholds>>(this, 'try-out', { tried: typed });
      if (asked !== this.asked || !answer) return;
      this.changes = difference(answer.base, answer.other, [this.rule]);
      this.heading = `${tried(answer.other)}${this.changes.length > 0 ? '' : ' nothing would change.'}`;
    } catch (problem) {
      if (asked === this.asked) this.heading = (problem as Error).message;
    } finally {
      if (asked === this.asked) this.busy = false;
    }
  }

  private forget(): number {
    this.heading = '';
    this.changes = [];
    this.busy = false;
    return ++this.asked;
  }
}

customElements.define('tfperf-thresholds', ThresholdsElement);
