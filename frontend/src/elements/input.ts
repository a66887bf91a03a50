import '@polymer/polymer/lib/elements/dom-if.js';
import '@polymer/polymer/lib/elements/dom-repeat.js';
import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { count, duration } from '../format.js';
import type { DataIterator, Input } from '../model.js';
import { sharedStyles } from '../theme.js';

/** The input pipeline, one row an iterator. */
export class InputElement extends PolymerElement {
  static get is() {
    return 'tfperf-input';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; }
        details { margin-top: 4px; }
      </style>
      <h2>Input pipeline <small class="name">[[subtitle(input)]]</small></h2>
      <details>
        <summary>Each iterator</summary>
        <div class="scroll" tabindex="0" aria-label="Each iterator">
          <table>
            <thead><tr><th>Iterator</th><th>Kind</th><th class="number">Calls</th><th class="number">Total</th><th class="number">Own</th><th class="number">Parallel calls</th><th class="number">Buffer</th><th>On the critical path</th></tr></thead>
            <tbody>
              <template is="dom-repeat" items="[[input.iterators]]">
                <tr>
                  <td class="name">[[item.name]]</td>
                  <td>[[item.kind]]</td>
                  <td class="number">[[number(item.calls_count)]]</td>
                  <td class="number">[[time(item.total_ns)]]</td>
                  <td class="number">[[time(item.self_ns)]]</td>
                  <td class="number">[[parallel(item)]]</td>
                  <td class="number">[[buffer(item)]]</td>
                  <td>[[critical(item)]]</td>
                </tr>
              </template>
            </tbody>
          </table>
        </div>
      </details>
    `;
  }

  static get properties() {
    return { input: Object };
  }

  /** Null for a moment, when the next report has none. */
  declare input: Input | null;

  subtitle(input: Input | null): string {
    return !input?.bottleneck ? '' : `slowest on its critical path: ${input.bottleneck}`;
  }

  number(value: number): string {
    return count(value);
  }

  time(ns: number): string {
    return duration(ns);
  }

  parallel({ parallelism, autotune }: DataIterator): string {
    return [parallelism === null ? '' : count(parallelism), autotune ? 'tuned' : ''].filter(Boolean).join(', ');
  }

  buffer({ buffered_elements: filled, buffer_limit: limit }: DataIterator): string {
    if (filled === null) return limit === null ? '' : `of ${count(limit)}`;
    return limit === null ? count(filled) : `${count(filled)} of ${count(limit)}`;
  }

  critical(item: DataIterator): string {
    return item.on_critical_path ? 'yes' : '';
  }
}

customElements.define(InputElement.is, InputElement);
