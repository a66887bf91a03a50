import { PolymerElement, html } from '@polymer/polymer/polymer-element.js';
import { sharedStyles } from './old.js';
import { fire } from './base.js';
import './code.js';

const KERAS = `import tensorflow as tf

tensorboard = tf.keras.callbacks.TensorBoard("LOGDIR", profile_batch=(10, 20))
model.fit(data, epochs=1, callbacks=[tensorboard])`;

const LOOP = `import tensorflow as tf

for step in range(30):
    if step == 10:
        tf.profiler.experimental.start("LOGDIR")
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        batch = next(batches)
        train_step(batch)
tf.profiler.experimental.stop()`;

/** What to do when the log directory holds no profile. */
export class NoProfilesElement extends PolymerElement {
  static get is() {
    return 'tfperf-no-profiles';
  }

  static get template() {
    return html`
      ${sharedStyles}
      <style>
        :host { display: block; max-width: 760px; padding: 40px 0; }
        h1 { font-size: 26px; font-weight: 400; line-height: 1.3; }
        p { margin-top: 8px; }
        tfperf-code { margin-top: 12px; }
        .button { margin-top: 18px; }
      </style>
      <h1>No profiles in this log directory yet</h1>
      <p>Record ten or so steps after the first ones, which trace and compile. Write them to the directory that TensorBoard reads (LOGDIR below).</p>
      <tfperf-code framework="Keras" code="[[keras]]"></tfperf-code>
      <tfperf-code framework="Custom training loop" code="[[loop]]"></tfperf-code>
      <p class="note">The batch is fetched inside the Trace block, so that waiting for input counts as part of the step.</p>
      <button class="button accent" on-click="onRetry">Look again</button>
    `;
  }

  static get properties() {
    return {
      keras: { type: String, value: KERAS },
      loop: { type: String, value: LOOP },
    };
  }

  onRetry(): void {
    fire(this, 'retry');
  }
}

customElements.define(NoProfilesElement.is, NoProfilesElement);
