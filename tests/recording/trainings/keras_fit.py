"""``python keras_fit.py STEPS``: a model of Keras, with whatever backend KERAS_BACKEND names."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

if os.environ.get("TF_USE_LEGACY_KERAS"):
    import tf_keras as keras
else:
    import keras

STEPS = int(sys.argv[1])


def main() -> None:
    keras.utils.set_random_seed(7)
    layers: list[Any] = [keras.layers.Input((16,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("adam", "mse")
    x = np.random.default_rng(7).standard_normal((STEPS // 2 * 8, 16)).astype("float32")
    model.fit(x, x.sum(1), batch_size=8, epochs=2, verbose=0)
    print("trained")


if __name__ == "__main__":
    main()
