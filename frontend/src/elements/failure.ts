import { html } from 'lit-html';
import type { BackendError, ErrorKind } from '../backend.js';
import { css } from '../theme.js';
import { TfperfElement, fire } from './base.js';

const TITLES: Record<ErrorKind, string> = {
  not_found: 'This run is not there',
  bad_request: 'This cannot be asked',
  unreadable: 'This profile cannot be read',
  not_judgeable: 'This profile cannot be judged',
  cancelled: 'The analysis was stopped',
  busy: 'Too many analyses at once',
  internal: 'The analysis failed',
  unreachable: 'No answer',
};

const ADVICE: Record<ErrorKind, string> = {
  not_found: 'Go back to Runs and choose another one, or look again if it has just been written.',
  bad_request: 'Try again without what was typed in or held by the address.',
  unreadable: 'If it is still being written, try again when that is done. Other runs stay usable.',
  not_judgeable: 'Record it again with GPU and host tracing on, or go back to Runs and choose another one.',
  cancelled: 'Nothing was kept of it.',
  busy: 'Wait until some of them are done or canceled, then try again. Reports that are done can be opened meanwhile.',
  internal: 'Other runs stay usable. The log of TensorBoard holds the details; please report them.',
  unreachable: 'Start TensorBoard again, then try once more.',
};

/** One sentence on what went wrong, and what to do. */
export class FailureElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      max-width: 820px;
      padding: 32px 0;
    }
    section {
      background: var(--critical-ground);
      border-radius: 10px;
      padding: 16px 20px;
    }
    h1 {
      color: var(--critical);
      font-size: 18px;
      font-weight: 600;
    }
    p {
      margin-top: 6px;
    }
    .button {
      margin-top: 16px;
    }
  `;
  static readonly properties = { error: Object };

  error!: BackendError;

  protected override template() {
    const { kind, message } = this.error;
    return html`
      <section role="alert">
        <h1>${TITLES[kind]}</h1>
        <p class="name">${message}</p>
        <p>${ADVICE[kind]}</p>
      </section>
      <button class="button" @click=${() => fire(this, 'retry')}>
        ${kind === 'cancelled' ? 'Analyze' : 'Try again'}
      </button>
    `;
  }
}

customElements.define('tfperf-failure', FailureElement);
