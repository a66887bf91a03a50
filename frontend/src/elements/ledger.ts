import { html, nothing } from 'lit-html';
import { accountLook, drawn } from '../accounts.js';
import { stackedBar } from '../charts/stacked_bar.js';
import { legendSample, Patterns } from '../charts/svg.js';
import { average, divided, undivided, wholeAccount } from '../compute.js';
import { counted, deviceName, duration, percent } from '../format.js';
import { accountsOf, chosenAccounts, toggled } from '../list.js';
import type { Account, DeviceAccounts, GpuName, Ledger, Report } from '../model.js';
import { css } from '../theme.js';
import { type Former, TfperfElement, fire } from './base.js';
import './text.js';
import { Tip } from './tip.js';

/** So many bars are all drawn; of more a few, and all on demand, so that the findings stay near. */
const BARS_ALL = 16;
const BARS_FEW = 8;
/** Thousands at once would hold up the page. */
const BARS_MORE = 512;

/** The least share of a step, on average or in any bar, that is worth a line of the legend; the table holds all. */
const LEGEND_RATIO = 0.005;

/** Where a step goes: one bar per GPU, a legend with averages, and the same numbers as a table. */
export class LedgerElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      display: block;
    }
    #chart {
      margin-top: 8px;
      position: relative;
    }
    .row {
      align-items: center;
      display: grid;
      gap: 12px;
      grid-template-columns: var(--label-width, 56px) 1fr 66px;
      margin-top: 7px;
    }
    .device {
      display: flex;
      font-size: 13px;
      gap: 6px;
      white-space: nowrap;
    }
    .host {
      color: var(--ink-2);
      overflow: hidden;
      text-overflow: ellipsis;
    }
    .total {
      font-size: 13px;
      font-variant-numeric: tabular-nums;
      text-align: right;
    }
    .row .found {
      cursor: pointer;
    }
    .legend button {
      border-radius: 4px;
      color: var(--accent);
      font-variant-numeric: tabular-nums;
      text-decoration: underline;
    }
    .legend button[aria-pressed='true'] {
      background: var(--info-ground);
      outline: 1px solid var(--accent);
      outline-offset: 2px;
    }
    .idle {
      margin-top: 8px;
    }
    .why {
      margin: 8px 0 0;
      padding-left: 18px;
    }
    details {
      margin-top: 10px;
    }
    td.inner {
      padding-left: 18px;
      color: var(--ink-2);
    }
    tr.sum td {
      font-weight: 600;
    }
    .more {
      margin-top: 10px;
    }
    th:first-child,
    td:first-child {
      background: var(--page);
      left: 0;
      position: sticky;
    }
    th.number {
      min-width: 64px;
      white-space: normal;
    }
  `;
  static readonly properties = { report: Object, only: String, bars: Number, open: Boolean };

  report!: Report;
  /** What the list of findings is limited to; see list.ts. */
  only: string | null = null;
  /** How many rows are drawn at most. */
  bars = 0;
  /** Whether the table is shown. */
  open = false;
  private tip: Tip | undefined;
  private readonly samples = new Map<string, SVGSVGElement>();

  protected override changed(former: Former): void {
    if (!('report' in former)) return;
    this.open = false;
    this.bars = (this.report.ledger?.devices_total ?? 0) > BARS_ALL ? BARS_FEW : BARS_ALL;
  }

  protected override template() {
    const { report, bars } = this;
    const { ledger } = report;
    const rows = ledger?.devices_total ?? 0;
    const which = rows === 1 ? '' : rows > BARS_ALL ? 'one row a GPU, slowest first, ' : 'one row a GPU, ';
    const idle = ledger ? idleSentence(report) : '';
    const overlap = ledger ? overlapSentence(ledger) : '';
    const why = whyIdle(report);
    return html`
      <h2>
        Where a <tfperf-term word="step"></tfperf-term> goes
        <small>${ledger ? `${which}average of ${counted(report.steps.count, 'step')}` : nothing}</small>
      </h2>
      <p class="note" ?hidden=${ledger}>${ledger ? '' : whyNoLedger(report)}</p>
      <div ?hidden=${!ledger}>
        <div id="chart"><div id="rows"></div></div>
        <button class="button more" ?hidden=${rows <= bars} @click=${() => (this.bars += BARS_MORE)}>
          ${rows - bars > BARS_MORE ? `Show ${BARS_MORE} more of` : 'Show all'} ${counted(rows, 'GPU')}
        </button>
        <p class="note idle name" ?hidden=${!idle}>${idle}</p>
        <ul id="legend" class="legend" aria-label="Shares of an average step">
          ${ledger ? this.legend(ledger) : nothing}
        </ul>
        <p class="note idle" ?hidden=${!overlap}>${overlap}</p>
        <ul id="why" class="note why" aria-label="Why the GPUs are idle" ?hidden=${why.length === 0}>
          ${why.map((sentence) => html`<li class="name"><tfperf-text .text=${sentence}></tfperf-text></li>`)}
        </ul>
        <details .open=${this.open} @toggle=${this.onTable}>
          <summary>The numbers as a table</summary>
          ${this.open && ledger ? this.table(ledger) : nothing}
        </details>
      </div>
    `;
  }

  protected override drawn(former: Former): void {
    const { ledger } = this.report;
    if (!ledger) return;
    if ('report' in former || 'bars' in former) this.drawRows();
  }

  private get devices(): readonly DeviceAccounts[] {
    return this.report.ledger?.devices ?? [];
  }

  private get shown(): readonly DeviceAccounts[] {
    return this.devices.slice(0, this.bars);
  }

  /** Whether a bar of the average stands above those of the GPUs: only of it is known how compute divides. */
  private get averaged(): boolean {
    const { ledger } = this.report;
    return ledger !== null && ledger.devices_total > 1 && ledger.compute_parts.length > 0;
  }

  /** The bars from above; compute of an average step is divided by what its work needs. */
  private get drawnRows(): readonly DeviceAccounts[] {
    const { ledger } = this.report;
    const { shown } = this;
    if (!ledger) return [];
    if (this.averaged)
      return [average(ledger), ...shown.map((one) => ({ ...one, accounts: undivided(one.accounts, ledger) }))];
    return ledger.devices_total === 1 ? shown.map((one) => ({ ...one, accounts: divided(ledger) })) : shown;
  }

  /** A share that findings take time from is a button, which limits the list to these. */
  private legend(ledger: Ledger) {
    const { findings } = this.report;
    const found = accountsOf(findings);
    const pressed = chosenAccounts(this.only, findings);
    const share = ({ id, ratio }: Account) => {
      const whole = wholeAccount(id);
      if (!found.has(whole)) return percent(ratio);
      const told = `${percent(ratio)} ${accountLook(id).words}: show only the findings that take time from it`;
      return html`<button
        class="bare"
        aria-pressed=${pressed.includes(whole)}
        aria-label=${told}
        @click=${() => this.choose(whole)}
      >
        ${percent(ratio)}
      </button>`;
    };
    const seen = new Set(this.shown.flatMap(({ accounts }) => accounts.filter(worthALine)).map(({ id }) => id));
    // Bars of single GPUs show compute as a whole, the one of their average its parts.
    const whole = this.averaged
      ? undivided(ledger.accounts, ledger).filter(({ id }) => id === 'compute.undivided')
      : [];
    return drawn([...whole, ...divided(ledger)])
      .filter((account) => worthALine(account) || seen.has(account.id))
      .map(
        (account) =>
          html`<li>
            ${this.sample(account.id)}<span
              ><tfperf-text .text=${accountLook(account.id).words}></tfperf-text> ${share(account)}</span
            >
          </li>`,
      );
  }

  /** The same drawing each time: another report mostly has the same accounts. */
  private sample(id: string): SVGSVGElement {
    const made = this.samples.get(id) ?? legendSample(accountLook(id));
    this.samples.set(id, made);
    return made;
  }

  private choose(account: string): void {
    fire(this, 'filter', { only: toggled(this.only, account) });
  }

  private onTable(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  private table(ledger: Ledger) {
    // As many columns as bars: thousands would hold up the page.
    const devices = this.devices.slice(0, Math.max(this.bars, BARS_ALL));
    const several = this.report.hosts.length > 1;
    const line = (kind: string, words: string, cells: string[]) => html`
      <tr class=${kind}>
        <td class=${kind}>${words}</td>
        ${cells.map((cell) => html`<td class="number">${cell}</td>`)}
      </tr>
    `;
    const account = ({ id, ns, ratio }: Account, kind: string) =>
      line(kind, accountLook(id).words, [
        duration(ns),
        percent(ratio),
        ...devices.map(({ accounts }) => (kind ? '' : duration(accounts.find((own) => own.id === id)?.ns ?? 0))),
      ]);
    const sums = [duration(ledger.step_ns), percent(1), ...devices.map(({ step_ns }) => duration(step_ns))];
    const heads = ['average', 'share', ...devices.map((device) => deviceLabel(device, several))];
    return html`
      <div class="scroll" tabindex="0" aria-label="The numbers as a table">
        <table>
          <thead>
            <tr>
              <th>Account</th>
              ${heads.map((head) => html`<th class="number">${head}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${drawn(ledger.accounts).map((one) => [
              account(one, ''),
              one.id === 'compute'
                ? [drawn(divided(ledger).filter(({ id }) => wholeAccount(id) !== id)), drawn(ledger.compute)].map(
                    (split) => split.map((inner) => account(inner, 'inner')),
                  )
                : nothing,
            ])}
            ${line('sum', 'step', sums)}
          </tbody>
        </table>
      </div>
    `;
  }

  private drawRows(): void {
    const shown = this.drawnRows;
    const full = Math.max(...shown.map(({ step_ns }) => step_ns), 1);
    const several = this.report.hosts.length > 1;
    this.tip ??= new Tip(this.child('chart'));
    this.tip.hide();
    const patterns = new Patterns();
    const found = accountsOf(this.report.findings);
    const longest = Math.max(...shown.map((device) => deviceLabel(device, several).length));
    this.style.setProperty('--label-width', several ? `min(220px, ${longest}ch)` : '56px');
    this.child('rows').replaceChildren(...shown.map((device) => this.row(device, full, several, patterns, found)));
  }

  private row(
    device: DeviceAccounts,
    full: number,
    several: boolean,
    patterns: Patterns,
    found: ReadonlySet<string>,
  ): HTMLElement {
    const accounts = drawn(device.accounts);
    const name = deviceLabel(device, several);
    const words = accounts.map((account) => accountWords(account));
    const { drawing, segments } = stackedBar(
      accounts.map(({ id, ns }) => ({ look: accountLook(id), ns })),
      full,
      `${name}, ${duration(device.step_ns)}: ${words.join('; ')}`,
      20,
      patterns,
    );
    const hint = (id: string): string => (found.has(wholeAccount(id)) ? '. Click: only its findings' : '');
    this.tip?.explain(
      drawing,
      segments,
      words.map((text, i) => `${name}: ${text}${hint(accounts[i]?.id ?? '')}`),
    );
    accounts.forEach((account, i) => {
      const id = wholeAccount(account.id);
      if (!found.has(id)) return;
      segments[i]?.classList.add('found');
      segments[i]?.addEventListener('click', () => this.choose(id));
    });
    const row = document.createElement('div');
    row.className = 'row';
    const label = cell('device', '');
    label.title = `${device.host} ${deviceName(device.device)}`.trim();
    if (several && device.host) label.append(cell('host', device.host));
    label.append(cell('', deviceName(device.device)));
    row.append(label, drawing, cell('total', duration(device.step_ns)));
    return row;
  }
}

function worthALine({ ratio }: Account): boolean {
  return ratio >= LEGEND_RATIO;
}

function cell(name: string, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}

function deviceLabel(device: { host: string; device: string }, several: boolean): string {
  return several && device.host ? `${device.host} ${deviceName(device.device)}` : deviceName(device.device);
}

function accountWords({ id, ns, ratio }: Account): string {
  return `${accountLook(id).words}, ${duration(ns)}, ${percent(ratio)} of the step`;
}

function whyNoLedger({ gpus, steps }: Report): string {
  if (gpus.total === 0) {
    return (
      'No GPU was recorded in this profile, so there is no GPU time to divide. What the host shows is ' +
      'judged below.'
    );
  }
  if (steps.count === 0) {
    return 'No complete step can be told in this profile, so GPU time cannot be divided among steps.';
  }
  return 'Nothing was recorded on the GPUs during the steps of this profile.';
}

function idleSentence({ gpus, hosts }: Report): string {
  const named = (some: GpuName[], total: number, what: string): string => {
    const names = some.map((gpu) => deviceLabel(gpu, hosts.length > 1));
    return total ? `${names.join(', ')}${total > names.length ? ' …' : ''}: ${what}.` : '';
  };
  return [
    named(gpus.idle, gpus.idle_total, 'ran no kernel'),
    named(gpus.unrecorded, gpus.unrecorded_total, 'no kernel was recorded'),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Why the GPUs are idle, one line an account that is worth one. */
function whyIdle({ idle }: Report): string[] {
  return idle
    .filter(({ sentence }) => sentence)
    .map(({ account, ns, sentence }) => `${duration(ns)} ${accountLook(account).words}: ${sentence}`);
}

function overlapSentence(ledger: Ledger): string {
  const { hidden_communication_ns: communication, hidden_copy_ns: copies } = ledger;
  const parts = [
    communication > 0 ? `${duration(communication)} of communication` : '',
    copies > 0 ? `${duration(copies)} of copies` : '',
  ].filter(Boolean);
  return parts.length === 0 ? '' : `Hidden under compute, so they cost nothing: ${parts.join(' and ')} per step.`;
}

customElements.define('tfperf-ledger', LedgerElement);
