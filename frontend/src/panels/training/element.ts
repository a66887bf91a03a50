import { html } from 'lit-html';
import { tableOf } from '../../blocks.js';
import { TfperfElement } from '../../elements/base.js';
import '../../elements/code.js';
import '../../elements/rows.js';
import type { Report } from '../../model.js';
import { css } from '../../theme.js';

const SNIPPET = `from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`;

/** Everything that the training wrote down about itself, or how to make it do so. */
export class TrainingElement extends TfperfElement {
  static override readonly styles = css`
    tfperf-code,
    p {
      margin-top: 6px;
      max-width: 760px;
    }
  `;
  static readonly properties = { report: Object };

  report!: Report;

  protected override template() {
    const table = tableOf(this.report, 'training');
    if (table)
      return html`
        <ul class="note">
          ${this.report.training.map(
            ({ host, file, recorded }) =>
              html`<li class="name">${[host, file, recorded].filter(Boolean).join(' · ')}</li>`,
          )}
        </ul>
        <tfperf-rows .table=${table}></tfperf-rows>
      `;
    return html`
      <p class="note">
        Nothing was recorded beside this profile. With this callback the number of parameters, the batch size, threads
        and links between GPUs are known and need not be estimated:
      </p>
      <tfperf-code framework="Keras" .code=${SNIPPET}></tfperf-code>
    `;
  }
}

customElements.define('tfperf-training', TrainingElement);
