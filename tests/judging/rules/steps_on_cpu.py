"""Trains on this machine's CPU in several ways that are slow and really profiles each: ``python -m … OUT``.

One folder below OUT for each way. Run in a process of its own: it needs TensorFlow.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

WARM_STEPS, STEPS = 3, 10


def main(out: Path) -> None:
    import numpy as np
    import tensorflow as tf

    # Python between ops takes longer than these small ones, on a busy machine, too.
    large, small = (tf.Variable(tf.random.normal([size, size])) for size in (256, 8))
    inputs, small_inputs = tf.random.normal([128, 256]), tf.random.normal([8, 8])

    def train(batch: tf.Tensor, factor: tf.Tensor | float, weights: tf.Variable = large) -> tf.Tensor:
        with tf.GradientTape() as tape:
            layer = batch
            for _ in range(4):
                layer = tf.nn.relu(tf.matmul(layer, weights)) * factor
            loss = tf.reduce_mean(layer)
        weights.assign_sub(1e-9 * tape.gradient(loss, weights))
        return loss

    def profile(name: str, step: Callable[[int], object]) -> None:
        for number in range(WARM_STEPS):
            step(number)
        tf.profiler.experimental.start(str(out / name))
        for number in range(WARM_STEPS, WARM_STEPS + STEPS):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step(number)
        tf.profiler.experimental.stop()

    traced = tf.function(train)
    any_batch = [tf.TensorSpec([None, 256]), tf.TensorSpec([])]
    half = tf.constant(0.5)
    compiled = tf.function(train, jit_compile=True)
    any_shape = tf.function(train, jit_compile=True, input_signature=any_batch)
    profile("python_number", lambda step: traced(inputs, 0.001 * step))
    profile("tensors", lambda step: traced(inputs, half))
    profile("eager", lambda step: train(small_inputs, half, small))
    batches = [inputs[: 64 + number] for number in range(WARM_STEPS + STEPS)]
    profile("shapes_traced", lambda step: compiled(batches[step], half))
    profile("shapes", lambda step: any_shape(batches[step], half))
    profile("one_shape", lambda step: any_shape(inputs, half))

    class Sleeps(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_end(self, batch: int, logs: object = None) -> None:
            time.sleep(0.02)

    class Draws(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_end(self, batch: int, logs: object = None) -> None:
            # Large, so that the ops take longer than Python between them, on a busy machine, too.
            for number in range(8):
                image = tf.cast(tf.random.uniform([256, 256, 3], maxval=255, dtype=tf.int32), tf.uint8)
                tf.io.write_file(str(out / f"{number}.png"), tf.io.encode_png(image))

    def fit(name: str, *callbacks: tf.keras.callbacks.Callback, eagerly: bool = False) -> None:
        layers = tf.keras.layers
        model = tf.keras.Sequential(
            [layers.Input((64,)), layers.Dense(64, activation="relu"), layers.Dense(1)]
        )
        model.compile("sgd", "mse", run_eagerly=eagerly)
        board = tf.keras.callbacks.TensorBoard(str(out / name), profile_batch=(6, 15))
        x, y = np.ones((640, 64), "float32"), np.ones((640, 1), "float32")
        model.fit(x, y, batch_size=32, verbose=0, callbacks=[board, *callbacks])

    fit("keras_sleeps", Sleeps())
    fit("keras_draws", Draws())
    fit("keras_eager", eagerly=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
