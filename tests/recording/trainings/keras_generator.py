"""``python keras_generator.py STEPS``: a Python generator feeds a model of Keras; no garbage is collected."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1])


def batches() -> Iterator[tuple[Any, Any]]:
    while True:
        time.sleep(0.02)  # so that a batch is on its way at any time
        x = np.random.default_rng(7).standard_normal((8, 16)).astype("float32")
        yield x, x.sum(1)


def main() -> None:
    gc.disable()
    model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    shapes = tf.TensorSpec((8, 16), tf.float32), tf.TensorSpec((8,), tf.float32)
    data = tf.data.Dataset.from_generator(batches, output_signature=shapes).prefetch(2)
    model.fit(data, steps_per_epoch=STEPS, verbose=0)


if __name__ == "__main__":
    main()
