"""``python -m tests.recording.fit OUT``: trainings of real Keras models that record themselves below OUT.

A program of its own: TensorFlow cannot be given other devices, or another policy, in a test's process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from tfperf_plugin.keras import DiagnosticsCallback
from tfperf_plugin.recording import record_training

BATCH = 10
keras: Any = tf.keras


class OwnStep(keras.Model):  # type: ignore[misc]
    """A model whose train_step counts steps, not examples."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(4)
        self.mean = keras.metrics.Mean(name="loss")

    def call(self, x: Any) -> Any:
        return self.dense(x)

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, self.trainable_weights), self.trainable_weights, strict=True)
        )
        self.mean.update_state(loss, sample_weight=123)
        return {"loss": self.mean.result()}


def model() -> Any:
    """52 parameters: 36 of the dense layer, 8 trainable and 8 other ones of the normalisation."""
    layers = [keras.layers.Input((8,)), keras.layers.Dense(4), keras.layers.BatchNormalization()]
    return keras.Sequential(layers)


def fit(trained: Any, logdir: Path, examples: int, callback: Any, fits: int = 1, **compile_with: Any) -> None:
    """Trains ``fits`` times for two epochs of ``examples``; the second step is profiled."""
    trained.compile("sgd", "mse", **compile_with)
    data = tf.random.normal([examples, 8]), tf.random.normal([examples, 4])
    for _ in range(fits):
        board = keras.callbacks.TensorBoard(str(logdir), profile_batch=2)
        trained.fit(*data, batch_size=BATCH, epochs=2, verbose=0, callbacks=[board, callback])


def main(out: Path) -> None:
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

    several = out / "several_steps_per_execution"
    fit(model(), several, 165, DiagnosticsCallback(several), fits=3, steps_per_execution=4, jit_compile=True)

    one = out / "one_step_an_epoch"
    fit(model(), one, BATCH, DiagnosticsCallback(one))

    own = out / "own_step"
    fit(OwnStep(), own, 40, DiagnosticsCallback(own))

    told = out / "told"
    fit(OwnStep(), told, 40, DiagnosticsCallback(told, batch_size=77))

    changed, callback = out / "changed", DiagnosticsCallback(out / "changed")
    trained = model()
    fit(trained, changed, 40, callback)
    trained.layers[0].trainable = False
    fit(trained, changed, 40, callback)

    (out / "file").write_text("")
    fit(model(), out / "unwritable", 40, DiagnosticsCallback(out / "file" / "logs"), fits=2)

    keras.mixed_precision.set_global_policy("mixed_float16")
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    mirrored = out / "mirrored"
    with strategy.scope():
        fit(model(), mirrored, 155, DiagnosticsCallback(mirrored))

        loop = out / "loop"
        tf.profiler.experimental.start(str(loop))
        variables = [tf.Variable(tf.zeros([3, 5])), tf.Variable(tf.zeros([2], tf.float16))]
        record_training(loop, parameters=17, trainable_variables=variables, batch_size=64)
        tf.profiler.experimental.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
