import { html } from 'lit-html';
import { css } from '../theme.js';
import { TfperfElement, fire } from './base.js';
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

const PYTORCH = `from torch.profiler import profile, schedule, tensorboard_trace_handler

with profile(
    schedule=schedule(wait=5, warmup=2, active=10),
    on_trace_ready=tensorboard_trace_handler("LOGDIR"),
    record_shapes=True,
) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()`;

/** What to do when the log directory holds no profile. */
export class NoProfilesElement extends TfperfElement {
  static override readonly styles = css`
    :host {
      max-width: 760px;
      padding: 40px 0;
    }
    h1 {
      font-size: 26px;
      font-weight: 400;
      line-height: 1.3;
    }
    p {
      margin-top: 8px;
    }
    tfperf-code {
      margin-top: 12px;
    }
    .button {
      margin-top: 18px;
    }
  `;

  protected override template() {
    return html`
      <h1>No profiles in this log directory yet</h1>
      <p>
        Record ten or so steps after the first ones, which trace and compile. Write them to the directory that
        TensorBoard reads (LOGDIR below).
      </p>
      <tfperf-code framework="Keras" .code=${KERAS}></tfperf-code>
      <tfperf-code framework="Custom training loop" .code=${LOOP}></tfperf-code>
      <tfperf-code framework="PyTorch" .code=${PYTORCH}></tfperf-code>
      <p class="note">
        The batch is fetched inside the Trace block, so that waiting for input counts as part of the step.
      </p>
      <button class="button accent" @click=${() => fire(this, 'retry')}>Look again</button>
    `;
  }
}

customElements.define('tfperf-no-profiles', NoProfilesElement);
