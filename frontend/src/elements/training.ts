import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import type { Training } from '../model.js';
import { sharedStyles } from './old.js';
import { type TrainingGroup, grouped } from '../training.js';
import './code.js';

const SNIPPET = `from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`;

/** Everything that the training wrote down about itself, or how to make it do so. */
export class TrainingElement extends PolymerElement {
  static get is() {
    return 'tfperf-training';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        .group { border-left: 3px solid var(--line); margin-top: 10px; max-width: 760px; padding-left: 14px; }
        .group ul { color: var(--ink-2); font-size: 13px; list-style: none; padding: 0; }
        dl div { border-bottom: 1px solid var(--line); display: grid; font-size: 13px; gap: 12px; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); padding: 5px 0; }
        dt { color: var(--ink-2); }
        dd { overflow-wrap: anywhere; }
        tfperf-code { max-width: 760px; }
        p { margin-top: 6px; max-width: 760px; }
      </style>
      <details>
        <summary>What the training recorded about itself</summary>
        <template is="dom-repeat" items="[[groups(records)]]">
          <div class="group">
            <ul>
              <template is="dom-repeat" items="[[item.records]]" as="record">
                <li class="name">[[who(record)]]</li>
              </template>
            </ul>
            <dl>
              <template is="dom-repeat" items="[[item.facts]]" as="fact">
                <div><dt>[[fact.label]]</dt><dd>[[fact.value]]</dd></div>
              </template>
            </dl>
          </div>
        </template>
        <template is="dom-if" if="[[!records.length]]">
          <p class="note">Nothing was recorded beside this profile. With this callback the number of parameters, the batch size, threads and links between GPUs are known and need not be estimated:</p>
          <tfperf-code framework="Keras" code="[[snippet]]"></tfperf-code>
        </template>
      </details>
    `;
  }

  static get properties() {
    return { records: { type: Array, value: () => [] }, snippet: { type: String, value: SNIPPET } };
  }

  declare records: Training[];
  declare snippet: string;

  groups(records: Training[]): TrainingGroup[] {
    return grouped(records);
  }

  who({ host, file, recorded }: Training): string {
    return [host, file, recorded].filter(Boolean).join(' · ');
  }
}

customElements.define(TrainingElement.is, TrainingElement);
