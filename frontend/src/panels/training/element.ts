import { html, nothing } from 'lit-html';
import type { Training } from '../../model.js';
import { css } from '../../theme.js';
import { grouped } from './logic.js';
import { TfperfElement } from '../../elements/base.js';
import '../../elements/code.js';

const SNIPPET = `from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`;

/** Everything that the training wrote down about itself, or how to make it do so. */
export class TrainingElement extends TfperfElement {
  static override readonly styles = css`
    .group {
      border-left: 3px solid var(--line);
      margin-top: 10px;
      max-width: 760px;
      padding-left: 14px;
    }
    .group ul {
      color: var(--ink-2);
      font-size: 13px;
    }
    dl div {
      border-bottom: 1px solid var(--line);
      display: grid;
      font-size: 13px;
      gap: 12px;
      grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
      padding: 5px 0;
    }
    dt {
      color: var(--ink-2);
    }
    dd {
      overflow-wrap: anywhere;
    }
    tfperf-code {
      max-width: 760px;
    }
    p {
      margin-top: 6px;
      max-width: 760px;
    }
  `;
  static readonly properties = { records: Array };

  records: Training[] = [];

  protected override template() {
    return html`
      ${grouped(this.records).map(
        ({ records, facts }) => html`
          <div class="group">
            <ul>
              ${records.map(
                ({ host, file, recorded }) =>
                  html`<li class="name">${[host, file, recorded].filter(Boolean).join(' · ')}</li>`,
              )}
            </ul>
            <dl>
              ${facts.map(
                ({ label, value }) =>
                  html`<div>
                    <dt>${label}</dt>
                    <dd>${value}</dd>
                  </div>`,
              )}
            </dl>
          </div>
        `,
      )}
      ${
        this.records.length === 0
          ? html`
              <p class="note">
                Nothing was recorded beside this profile. With this callback the number of parameters, the batch size,
                threads and links between GPUs are known and need not be estimated:
              </p>
              <tfperf-code framework="Keras" .code=${SNIPPET}></tfperf-code>
            `
          : nothing
      }
    `;
  }
}

customElements.define('tfperf-training', TrainingElement);
