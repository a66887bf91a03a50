"""``python tensorflow_loop.py CAUSE [--fixed]``: a training loop in TensorFlow, slow for one cause.

``numbers``: a step that takes a Python number is traced anew for each; ``eager``: no ``tf.function``.
"""

from __future__ import annotations

import sys
from typing import Any

import tensorflow as tf

CAUSE, FIXED = sys.argv[1], "--fixed" in sys.argv
STEPS = 45

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(32, "relu") for _ in range(3)] + [tf.keras.layers.Dense(1)]
)


def train_step(x: Any, y: Any, rate: Any) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    variables = model.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(rate * gradient)


def main() -> None:
    step = train_step if CAUSE == "eager" and not FIXED else tf.function(train_step)
    x = tf.random.normal([1024, 16])
    data = (
        tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, 1, keepdims=True)))
        .repeat()
        .batch(32)
        .prefetch(2)
    )
    for number, (batch, target) in enumerate(data.take(STEPS)):
        rate = 0.01 / (1 + number)
        step(batch, target, tf.constant(rate) if FIXED or CAUSE == "eager" else rate)


if __name__ == "__main__":
    main()
