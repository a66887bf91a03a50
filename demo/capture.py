"""Trains a small Keras model on this machine and really profiles it; the training records itself.

``python -m demo.capture OUT``. The model is light and its input is decoded in one thread, so on a CPU
the training waits for its input. Needs TensorFlow.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

RUN = "real_cpu_input"
FIRST_BATCH, LAST_BATCH = 6, 15
BATCHES = 20
BATCH = 32
IMAGE = 64
NO_TENSORFLOW = (
    "TensorFlow is not installed, so no real profile was captured; `pip install tensorflow` adds one."
)


def capture(out: Path) -> Path:
    """Train, profile batches 6 to 15 into ``out/real_cpu_input`` and return that folder."""
    import tensorflow as tf

    from tfperf_plugin.keras import DiagnosticsCallback

    def slow(index: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Stands for decoding and augmenting a large image."""
        seed = tf.stack([tf.cast(index, tf.int32), 7])
        image = tf.random.stateless_uniform([256, 256, 3], seed)
        image = tf.image.adjust_hue(image, 0.1)
        image = tf.image.resize(image, [IMAGE, IMAGE], antialias=True)
        return image, index % 10

    data = tf.data.Dataset.range(BATCHES * BATCH).map(slow).batch(BATCH).prefetch(1)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((IMAGE, IMAGE, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    folder = out / RUN
    board = tf.keras.callbacks.TensorBoard(str(folder), profile_batch=(FIRST_BATCH, LAST_BATCH))
    callbacks = [board, DiagnosticsCallback(folder)]
    model.fit(data, epochs=1, callbacks=callbacks, shuffle=False, verbose=0)
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m demo.capture", description="Capture a real profile.")
    parser.add_argument("out", type=Path, help="log directory to write to")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("tensorflow") is None:
        print(NO_TENSORFLOW, file=sys.stderr)
        return 2
    print(capture(options.out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
