"""``python keras_fit.py CAUSE [--fixed]``: image classification with ``fit``, slow for one cause.

``map``: one core resizes image after image (TensorFlow); ``sequence``: one thread makes batches in Python;
``eager``: a switch left on after debugging. Keras on TensorFlow or, with ``KERAS_BACKEND=jax``, on JAX.
"""

from __future__ import annotations

import sys
from typing import Any

import keras
import numpy as np

CAUSE, FIXED = sys.argv[1], "--fixed" in sys.argv
BATCH, STEPS = 16, 45


def model() -> Any:
    layers = keras.layers
    built = keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    built.compile("adam", loss, run_eagerly=CAUSE == "eager" and not FIXED)
    return built


def large_images(count: int) -> tuple[Any, Any]:
    draw = np.random.default_rng(7)
    return draw.integers(0, 255, (count, 256, 256, 3), dtype=np.uint8), draw.integers(0, 10, count)


def mapped() -> Any:
    import tensorflow as tf

    def parse(image: Any, label: Any) -> Any:
        return tf.image.resize(tf.image.random_hue(tf.cast(image, tf.float32) / 255, 0.1), (32, 32)), label

    data = tf.data.Dataset.from_tensor_slices(large_images(64))
    if FIXED:
        return data.map(parse, tf.data.AUTOTUNE).cache().repeat().batch(BATCH).prefetch(tf.data.AUTOTUNE)
    return data.repeat().map(parse).batch(BATCH)


class Batches(keras.utils.PyDataset):  # type: ignore[misc]
    """Makes each batch of large images in Python, or, once fixed, keeps what it made."""

    def __init__(self) -> None:
        super().__init__()
        self.images, self.labels = large_images(64)
        self.small = self.resized(self.images) if FIXED else None

    def __len__(self) -> int:
        return STEPS

    @staticmethod
    def resized(images: Any) -> Any:
        return images.astype("float32").reshape(-1, 32, 8, 32, 8, 3).mean((2, 4)) / 255

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        rows = np.arange(index * BATCH, (index + 1) * BATCH) % 64
        return (self.resized(self.images[rows]) if self.small is None else self.small[rows]), self.labels[
            rows
        ]


def main() -> None:
    if CAUSE == "map":
        model().fit(mapped(), steps_per_epoch=STEPS, verbose=0)
    elif CAUSE == "sequence":
        model().fit(Batches(), verbose=0)
    else:
        images, labels = large_images(64)
        x = np.tile(Batches.resized(images), (BATCH * STEPS // 64, 1, 1, 1))
        model().fit(x, np.tile(labels, BATCH * STEPS // 64), batch_size=BATCH, verbose=0)


if __name__ == "__main__":
    main()
