"""The same with ``model.fit`` of Keras 3 on JAX. Importing this imports Keras."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras

from demo.capture_gpu.causes import Size
from demo.capture_gpu.pairs import INPUT_SHARE, OUTPUTS
from demo.capture_gpu.trainings import Batch, Examples, Training


class Batches(keras.utils.PyDataset):  # type: ignore[misc]
    """Batches that Python makes from ``Examples``, or one that was made before."""

    def __init__(self, examples: Examples) -> None:
        super().__init__()
        self.examples = examples

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, index: int) -> tuple[Batch, Batch]:
        batch = self.examples.batch()
        return batch, batch[:, :OUTPUTS]


class KerasFit(Training):
    """The healthy training: batches lie in memory, the step is compiled."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        layers = [keras.layers.Dense(size.width, activation="relu") for _ in range(size.layers + 1)]
        self.model = keras.Sequential([keras.Input((size.features,)), *layers, keras.layers.Dense(OUTPUTS)])
        self.examples = Examples(self.host_batch())
        self.compile(eagerly=False)

    def compile(self, *, eagerly: bool) -> None:
        self.model.compile("sgd", "mse", run_eagerly=eagerly, jit_compile=not eagerly)

    def run(self, steps: int) -> None:
        self.model.fit(Batches(self.examples), steps_per_epoch=steps, shuffle=False, verbose=0)


class KerasSlowInput(KerasFit):
    """Planted: Python makes examples one by one. Instead: the batch was made before."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.examples.fill(INPUT_SHARE * step_s)


class KerasEager(KerasFit):
    """Planted: the step runs op by op. Instead: it is compiled."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.compile(eagerly=True)
