import { html, nothing } from 'lit-html';
import { accountLook, drawn } from '../../accounts.js';
import { TfperfElement, fire } from '../../elements/base.js';
import { duration, percent } from '../../format.js';
import { heights } from '../../charts/scale.js';
import type { StepColumn, Steps } from '../../model.js';
import { css } from '../../theme.js';

const HEIGHT = 32;
/** How many accounts the words of a step name, the largest first. */
const NAMED = 4;

/** Every step as a small column; one is chosen. */
export class StepStripElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      overflow-x: auto;
      padding: 3px;
    }
    div {
      align-items: end;
      display: flex;
      gap: 3px;
    }
    button {
      align-items: center;
      border-radius: 4px;
      color: var(--ink-2);
      display: flex;
      flex: 0 0 22px;
      flex-direction: column;
      font-size: 11px;
      height: ${HEIGHT + 18}px;
      justify-content: end;
      padding: 0 2px;
    }
    button[aria-selected='true'] {
      background: var(--info-ground);
      color: var(--ink);
      outline: 1px solid var(--accent);
    }
    button:focus-visible {
      outline: 2px solid var(--accent);
    }
    i {
      display: block;
      width: 100%;
    }
    .out {
      opacity: 0.45;
    }
    /* Longer than there is room for. */
    .cut {
      border-top: 4px double var(--ink);
    }
    .placed {
      text-decoration: underline;
      text-decoration-color: var(--accent);
      text-decoration-thickness: 2px;
    }
  `;
  static readonly properties = { steps: Object, chosen: String, marked: Array };

  steps!: Steps;
  /** Id of the chosen step. */
  chosen: string | null = null;
  /** Ids of steps that hold places of the finding. */
  marked: (string | null)[] = [];

  protected override template() {
    const { columns } = this.steps;
    const height = heights(columns.map(({ step_ns, judged, outlier }) => ({ ns: step_ns, judged, outlier })));
    const at = Math.max(
      columns.findIndex(({ id }) => id === this.chosen),
      0,
    );
    return html`<div role="listbox" aria-label="Steps" aria-orientation="horizontal" @keydown=${this.onKey}>
        ${columns.map((column, i) => {
          const placed = this.marked.includes(column.id);
          const words = stepWords(column, placed);
          return html`<button
            class="bare"
            role="option"
            id="step-${i}"
            aria-selected=${i === at && this.chosen !== null}
            aria-label=${words}
            title=${words}
            tabindex=${i === at ? 0 : -1}
            @click=${() => fire(this, 'step-change', { id: column.id })}
          >
            <i
              class="${column.judged ? '' : 'out'} ${height(column.step_ns) > 1 ? 'cut' : ''}"
              style="height:${(Math.min(height(column.step_ns), 1) * HEIGHT).toFixed(1)}px;background:${bar(column)}"
            ></i>
            <span class=${placed ? 'placed' : ''}>${column.outlier ? '◆' : ''}${column.number}</span>
          </button>`;
        })}
      </div>
      ${
        columns.length > 0 && columns.every(({ accounts }) => total(accounts) === 0)
          ? html`<p class="note">Height: step time. Gray: no GPU was recorded, so a step has no accounts.</p>`
          : nothing
      }`;
  }

  private onKey(event: KeyboardEvent): void {
    const options = [...this.shadowRoot.querySelectorAll<HTMLElement>('[role=option]')];
    const at = options.indexOf(this.shadowRoot.activeElement as HTMLElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: options.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    options[to]?.focus({ preventScroll: true });
  }
}

function total(accounts: StepColumn['accounts']): number {
  return Object.values(accounts).reduce((sum, ns) => sum + ns, 0);
}

/** The accounts of a step from below, in their colours. */
function bar({ accounts, step_ns }: StepColumn): string {
  let below = 0;
  const parts = drawn(Object.entries(accounts).map(([id, ns]) => ({ id, ns }))).map(({ id, ns }) => {
    const from = below;
    below += (100 * ns) / step_ns;
    return `var(${accountLook(id).colour}) ${from.toFixed(2)}% ${below.toFixed(2)}%`;
  });
  return parts.length > 0 ? `linear-gradient(to top, ${parts.join(', ')})` : 'var(--account-unknown)';
}

/** "Step 12: 48.6 ms · outlier … · Compute 26.7 ms (55 %), …". */
export function stepWords({ number, step_ns, accounts, outlier, judged, note }: StepColumn, placed: boolean): string {
  const parts = Object.entries(accounts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED)
    .map(([id, ns]) => `${accountLook(id).words} ${duration(ns)} (${percent(ns / step_ns)})`);
  return [
    `Step ${number}: ${duration(step_ns)}`,
    outlier ? 'outlier: much longer than the others' : '',
    note || (judged ? '' : 'left out of the averages'),
    parts.join(', '),
    placed ? 'a place of this finding lies here' : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

customElements.define('tfperf-step-strip', StepStripElement);
