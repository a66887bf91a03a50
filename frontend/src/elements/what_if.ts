import { html } from 'lit-html';
import { accountLook, drawn } from '../accounts.js';
import { BackendError } from '../backend.js';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendItem } from '../charts/svg.js';
import { duration, percent, savingTime } from '../format.js';
import type { Finding, Report } from '../model.js';
import { css } from '../theme.js';
import type { Prediction } from '../model.js';
import { choosable, chosenIds, errorSentence, predictionSentence } from '../what_if.js';
import { type Former, TfperfElement, fire } from './base.js';
import { Tip } from './tip.js';

export type AskPrediction = (without: readonly string[], signal: AbortSignal) => Promise<Prediction>;

/** The least share of the step that is worth a line of the legend. */
const LEGEND_RATIO = 0.005;

/** Findings to choose, and the step that is predicted without them. */
export class WhatIfElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    fieldset {
      border: 0;
      display: grid;
      gap: 2px;
      margin: 10px 0 0;
      min-width: 0;
      padding: 0;
    }
    label {
      align-items: baseline;
      border-radius: 6px;
      cursor: pointer;
      display: grid;
      gap: 10px;
      grid-template-columns: auto minmax(0, 1fr) auto;
      padding: 5px 8px;
    }
    label:hover {
      background: var(--ground);
    }
    input {
      accent-color: var(--accent);
      cursor: inherit;
      margin: 0;
      transform: translateY(1px);
    }
    .saving {
      color: var(--ink-2);
      font-size: 13px;
      white-space: nowrap;
    }
    #result {
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 12px;
      padding: 14px 16px;
    }
    .answer {
      font-size: 16px;
    }
    #chart {
      margin-top: 10px;
      position: relative;
    }
    .row {
      align-items: center;
      display: grid;
      font-size: 13px;
      gap: 12px;
      grid-template-columns: 66px 1fr 66px;
      margin-top: 7px;
    }
    .total {
      font-variant-numeric: tabular-nums;
      text-align: right;
    }
    .limits {
      margin-top: 10px;
      padding-left: 18px;
    }
    .error {
      margin-top: 10px;
    }
    .button {
      margin-top: 10px;
    }
  `;
  static readonly properties = {
    report: Object,
    ask: Object,
    without: String,
    sentence: String,
    limits: Array,
    error: String,
    shown: Boolean,
    busy: String,
  };

  report: Report | null = null;
  ask: AskPrediction | null = null;
  /** Ids of the findings that are chosen. */
  without: string | null = null;
  sentence = '';
  limits: string[] = [];
  error = '';
  shown = false;
  busy = 'false';
  private asking = new AbortController();
  private tip: Tip | undefined;

  protected override template() {
    const { limits, error, chosen } = this;
    const choices = choosable(this.findings);
    return html`
      <section aria-labelledby="title" ?hidden=${choices.length === 0}>
        <h2 id="title">What if <small>the step, replayed without the causes of what you choose</small></h2>
        <fieldset>
          <legend class="unseen">Findings to remove</legend>
          ${choices.map(
            ({ id, title, saving }) =>
              html` <label>
                <input
                  type="checkbox"
                  .checked=${chosen.includes(id)}
                  @change=${(event: Event) => this.onChoose(id, event)}
                />
                <span class="name">${title}</span>
                <span class="saving">${saving ? `${savingTime(saving)} (${percent(saving.ratio)})` : ''}</span>
              </label>`,
          )}
        </fieldset>
        <div id="result" ?hidden=${!this.shown} aria-busy=${this.busy}>
          <p class="answer" role="status">${this.sentence}</p>
          <div id="chart"><div id="rows"></div></div>
          <ul id="legend" class="legend" aria-label="Accounts before and after"></ul>
          <ul class="note limits" aria-label="What limits the prediction" ?hidden=${limits.length === 0}>
            ${limits.map((limit) => html`<li>${limit}</li>`)}
          </ul>
          <p class="note error" ?hidden=${!error}>
            ${error} <a href="page?rule=accuracy" target="_blank" rel="noopener">How that was measured</a>
          </p>
          <button class="button" @click=${this.onNone}>Choose none</button>
        </div>
      </section>
    `;
  }

  protected override drawn(former: Former): void {
    const { report, ask, chosen } = this;
    if (!report || !['report', 'ask', 'without'].some((name) => name in former)) return;
    this.asking.abort();
    if (chosen.length > 0 && ask) void this.predict(chosen, ask);
    else {
      this.shown = false;
      this.sentence = '';
    }
  }

  private get findings(): Finding[] {
    return this.report?.findings ?? [];
  }

  private get chosen(): string[] {
    return chosenIds(this.without, this.findings);
  }

  private onChoose(changed: string, { target }: Event): void {
    const { checked } = target as HTMLInputElement;
    const { chosen } = this;
    const ids = choosable(this.findings)
      .map(({ id }) => id)
      .filter((id) => (id === changed ? checked : chosen.includes(id)));
    fire(this, 'without-change', { without: ids.join(',') || null });
  }

  private onNone(): void {
    fire(this, 'without-change', { without: null });
    // What had the focus is gone.
    this.shadowRoot.querySelector('input')?.focus();
  }

  /** The newest question wins; the last answer stays until the next one is there. */
  private async predict(ids: string[], ask: AskPrediction): Promise<void> {
    const { signal } = (this.asking = new AbortController());
    this.busy = 'true';
    if (!this.shown) this.sentence = 'Replaying the step …';
    this.shown = true;
    try {
      const found = await ask(ids, signal);
      if (!signal.aborted) this.present(found);
    } catch (problem) {
      if (signal.aborted) return;
      this.present(null);
      this.sentence = problem instanceof BackendError ? problem.message : 'The step could not be replayed.';
    } finally {
      if (!signal.aborted) this.busy = 'false';
    }
  }

  private present(found: Prediction | null): void {
    this.sentence = found ? predictionSentence(found) : '';
    this.limits = found?.limits ?? [];
    this.error = errorSentence(found?.error ?? null);
    this.tip ??= new Tip(this.child('chart'));
    this.tip.hide();
    const accounts = found?.accounts ?? [];
    const step = found?.step_ns ?? 1;
    const bars = found
      ? [this.row('now', accounts, 'before_ns', step), this.row('predicted', accounts, 'after_ns', step)]
      : [];
    this.child('rows').replaceChildren(...bars);
    this.child('legend').replaceChildren(
      ...drawn(accounts.map((a) => ({ ...a, ns: Math.max(a.before_ns, a.after_ns) })))
        .filter(({ ns }) => ns >= LEGEND_RATIO * step)
        .map(({ id, before_ns, after_ns }) =>
          legendItem(accountLook(id), `${accountLook(id).words} ${change(before_ns, after_ns)}`),
        ),
    );
  }

  private row(
    name: string,
    accounts: Prediction['accounts'],
    key: 'before_ns' | 'after_ns',
    full: number,
  ): HTMLElement {
    const parts = drawn(accounts.map((a) => ({ id: a.id, ns: a[key] })));
    const total = parts.reduce((sum, { ns }) => sum + ns, 0);
    const words = parts.map(
      ({ id, ns }) => `${accountLook(id).words}, ${duration(ns)}, ${percent(ns / Math.max(total, 1))} of the step`,
    );
    const looks = parts.map(({ id, ns }) => ({ look: accountLook(id), ns }));
    const { drawing, segments } = stackedBar(
      looks,
      Math.max(full, 1),
      `${name}, ${duration(total)}: ${words.join('; ')}`,
    );
    this.tip?.explain(
      drawing,
      segments,
      words.map((text) => `${name}: ${text}`),
    );
    const row = document.createElement('div');
    row.className = 'row';
    const label = document.createElement('span');
    label.textContent = name;
    const sum = document.createElement('span');
    sum.className = 'total';
    sum.textContent = duration(total);
    row.append(label, drawing, sum);
    return row;
  }
}

/** "7.7 ms → 0 ms", or one number where nothing changes. */
function change(before: number, after: number): string {
  const [now, then] = [duration(before), duration(after)];
  return now === then ? now : `${now} → ${then}`;
}

customElements.define('tfperf-what-if', WhatIfElement);

declare global {
  interface HTMLElementTagNameMap {
    'tfperf-what-if': WhatIfElement;
  }
}
