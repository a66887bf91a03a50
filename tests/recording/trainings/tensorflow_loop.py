"""``python tensorflow_loop.py STEPS``: a loop in TensorFlow without Keras."""

from __future__ import annotations

import sys
import time
from typing import Any

import tensorflow as tf

weights = tf.Variable(tf.zeros([8, 8]))


@tf.function  # type: ignore[untyped-decorator]
def step(x: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ weights - x) ** 2)
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    return loss


def main() -> None:
    data = tf.data.Dataset.from_tensor_slices(tf.random.stateless_normal([64, 8], (7, 7))).repeat().batch(4)
    for batch in data.take(int(sys.argv[1])):
        step(batch)
        time.sleep(0.01)


if __name__ == "__main__":
    main()
