"""``python tensorflow_loop.py SECONDS``: a loop in TensorFlow without Keras."""

from __future__ import annotations

import sys
import time
from typing import Any

import tensorflow as tf

weights = tf.Variable(tf.zeros([8, 8]))


@tf.function  # type: ignore[untyped-decorator]
def step(x: Any) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ weights - x) ** 2)
    weights.assign_sub(0.01 * tape.gradient(loss, weights))


def main() -> None:
    data = tf.data.Dataset.from_tensor_slices(tf.random.normal([64, 8])).repeat().batch(4)
    end = time.monotonic() + float(sys.argv[1])
    for batch in data:
        step(batch)
        time.sleep(0.01)
        if time.monotonic() > end:
            break


if __name__ == "__main__":
    main()
