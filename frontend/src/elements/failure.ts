import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { BackendError, ErrorKind } from '../backend.js';
import { sharedStyles } from './old.js';
import { fire } from './base.js';

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
  not_found: 'Choose another run above, or look again if it has just been written.',
  bad_request: 'Try again without what was typed in or held by the address.',
  unreadable: 'If it is still being written, try again when that is done. Other runs stay usable.',
  not_judgeable: 'Record it again with GPU and host tracing on, or choose another run above.',
  cancelled: 'Nothing was kept of it.',
  busy: 'Wait until some of them are done or cancelled, then try again. Reports that are done can be opened meanwhile.',
  internal: 'Other runs stay usable. The log of TensorBoard holds the details; please report them.',
  unreachable: 'Start TensorBoard again, then try once more.',
};

/** One sentence on what went wrong, and what to do. */
export class FailureElement extends PolymerElement {
  static get is() {
    return 'tfperf-failure';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; max-width: 820px; padding: 32px 0; }
        section { background: var(--critical-ground); border-radius: 10px; padding: 16px 20px; }
        h1 { color: var(--critical); font-size: 18px; font-weight: 600; }
        p { margin-top: 6px; }
        .button { margin-top: 16px; }
      </style>
      <section role="alert">
        <h1>[[heading(error)]]</h1>
        <p class="name">[[error.message]]</p>
        <p>[[advice(error)]]</p>
      </section>
      <button class="button" on-click="onRetry">[[again(error)]]</button>
    `;
  }

  static get properties() {
    return { error: Object };
  }

  declare error: BackendError;

  heading(error: BackendError): string {
    return TITLES[error.kind];
  }

  advice(error: BackendError): string {
    return ADVICE[error.kind];
  }

  again(error: BackendError): string {
    return error.kind === 'cancelled' ? 'Analyse' : 'Try again';
  }

  onRetry(): void {
    fire(this, 'retry');
  }
}

customElements.define(FailureElement.is, FailureElement);
