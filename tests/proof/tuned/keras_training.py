"""``python keras_training.py CAUSE [--fixed]``: training with ``fit``, slow for one cause, or for none.

``map``: one core resizes photo after photo; ``cache``: photos are resized again in each epoch, by all cores;
``generator``: a Python generator makes each batch; ``callback``: each batch writes a file; ``python``: steps
are so small that Python's work between them takes longer; ``metrics``: NumPy computes a metric of each step;
``ops``: a layer consists of hundreds of small ops; ``none``: convolutions take all of a step.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

CAUSE, FIXED = sys.argv[1], "--fixed" in sys.argv
BATCH, STEPS = 16, 160
SLOW = not FIXED


def photos(count: int = 64) -> tuple[Any, Any]:
    draw = np.random.default_rng(7)
    return draw.integers(0, 255, (count, 128, 128, 3), dtype=np.uint8), draw.integers(0, 10, count)


def parse(photo: Any, label: Any) -> Any:
    bright = tf.image.random_hue(tf.cast(photo, tf.float32) / 255, 0.1)
    return tf.image.resize(bright, (32, 32), antialias=True), label


def resized() -> tuple[Any, Any]:
    draw = np.random.default_rng(7)
    return draw.random((64, 32, 32, 3), "float32"), draw.integers(0, 10, 64)


def generated() -> Any:
    images, labels = resized()

    def batches() -> Any:
        while True:
            rows = np.arange(BATCH) % 64
            if SLOW:
                np.sort(np.random.default_rng(7).random(300_000))
            yield images[rows], labels[rows]

    shapes = tf.TensorSpec((BATCH, 32, 32, 3), tf.float32), tf.TensorSpec((BATCH,), tf.int64)
    return tf.data.Dataset.from_generator(batches, output_signature=shapes)


def data() -> Any:
    if CAUSE == "generator":
        return generated()
    if CAUSE not in ("map", "cache"):
        return tf.data.Dataset.from_tensor_slices(resized()).cache().repeat().batch(BATCH).prefetch(4)
    records = tf.data.Dataset.from_tensor_slices(photos())
    if CAUSE == "map":
        calls = tf.data.AUTOTUNE if FIXED else None
        return records.repeat().map(parse, calls).batch(BATCH).prefetch(4)
    records = records.map(parse, tf.data.AUTOTUNE)
    return (records.cache() if FIXED else records).batch(BATCH).prefetch(4)


class Writes(keras.callbacks.Callback):  # type: ignore[misc]
    """Saves the weights after each batch."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        values = [np.asarray(weight) for weight in self.model.weights]
        for _ in range(20):
            np.savez_compressed("weights.npz", *values)


def median(labels: Any, outputs: Any) -> Any:
    """A metric that NumPy computes in each step."""

    def computed(values: Any) -> Any:
        return np.median(np.tile(values, 5000)).astype("float32")

    return tf.ensure_shape(tf.numpy_function(computed, [outputs], tf.float32), ())


class Ops(keras.layers.Layer):  # type: ignore[misc]
    """Elementwise ops, one after the other: XLA makes few loops of them."""

    def call(self, values: Any) -> Any:
        for _ in range(100):
            values = keras.ops.maximum(0.99 * values + 0.01, 0.01 * values)
        return values


def options() -> dict[str, Any]:
    """Arguments of ``compile`` that make a cause or mend it."""
    if CAUSE == "python" and FIXED:
        return {"steps_per_execution": 16}
    if CAUSE == "metrics" and SLOW:
        return {"metrics": [median]}
    return {"jit_compile": FIXED} if CAUSE == "ops" else {}


def model() -> Any:
    layers = keras.layers
    if CAUSE == "python":
        hidden = [layers.Flatten(), layers.Dense(8)]
    elif CAUSE == "ops":
        hidden = [layers.GlobalAveragePooling2D(), layers.Dense(2048), Ops()]
    elif CAUSE == "none":
        wide = [layers.Conv2D(160, 3, activation="relu") for _ in range(2)]
        hidden = [*wide, layers.GlobalAveragePooling2D()]
    else:
        hidden = [layers.Conv2D(16, 3, activation="relu"), layers.GlobalAveragePooling2D()]
    built = keras.Sequential([keras.Input((32, 32, 3)), *hidden, layers.Dense(10)])
    built.compile(
        "adam",
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **options(),
    )
    return built


def main() -> None:
    keras.utils.set_random_seed(7)
    callbacks = [Writes()] if CAUSE == "callback" and SLOW else []
    epochs = {"epochs": STEPS * BATCH // 64} if CAUSE == "cache" else {"steps_per_epoch": STEPS}
    model().fit(data(), verbose=0, callbacks=callbacks, **epochs)
    Path("weights.npz").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
