"""One training loop in plain JAX, and what each planted cause changes about it. Importing this imports JAX.

A training is healthy as it is made; ``plant`` puts its cause in. What a cause costs must not hang on how
fast the GPU is: where the host works, it does as much as fits into a share of the healthy step.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from demo.capture_gpu.causes import Size
from demo.capture_gpu.pairs import BATCHES, CALLBACK_SHARE, INPUT_SHARE, OUTPUTS, RATE, drawn, fitting

Batch = npt.NDArray[np.float32]


def device_name() -> str:
    """What JAX trains on, "cpu" without an accelerator."""
    return str(jax.devices()[0].device_kind)


def on_gpu() -> bool:
    return bool(jax.default_backend() == "gpu")


def half_type() -> Any:
    """The 16-bit type that this GPU's Tensor Cores have; older ones than Ampere lack bfloat16."""
    capability = getattr(jax.devices()[0], "compute_capability", "8.0")
    return jnp.bfloat16 if float(capability) >= 8 else jnp.float16


class Examples:
    """Examples in memory, compressed; Python unpacks, flips and scales them one by one."""

    def __init__(self, batch: Batch) -> None:
        self.random = np.random.default_rng(0)
        self.made: Batch = batch.copy()
        self.stored = [zlib.compress(row.astype(np.int8).tobytes(), 1) for row in batch]
        self.fresh = 0

    def fill(self, seconds: float) -> None:
        """From now on makes as many examples of each batch anew as take so long."""
        self.fresh = min(len(self.stored), fitting(lambda: self._make(0), seconds))

    def _make(self, index: int) -> None:
        row = np.frombuffer(zlib.decompress(self.stored[index]), np.int8).astype(np.float32)
        if self.random.random() < 0.5:
            row = row[::-1]
        self.made[index] = (row - row.mean()) / (row.std() + 1e-6)

    def batch(self) -> Batch:
        for index in range(self.fresh):
            self._make(index)
        return np.array(self.made)


class Training(ABC):
    """What can be run and profiled, with its cause and without it."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.planted = False
        self.random = np.random.default_rng(0)

    def host_batch(self) -> Batch:
        batch: Batch = self.random.standard_normal((self.size.batch, self.size.features), np.float32)
        return batch

    def plant(self, step_s: float) -> None:
        """Puts the cause in; ``step_s``: how long a healthy step takes."""
        self.planted = True

    @abstractmethod
    def run(self, steps: int) -> None:
        """Makes ``steps`` steps; returns once the device has done them."""

    def profile(self, folder: Path, steps: int) -> None:
        """Records ``steps`` steps into a log directory, as users do."""
        with jax.profiler.trace(str(folder)):
            self.run(steps)


class Loop(Training):
    """The healthy loop: batches lie on the device, one compiled call is a step, nothing waits for it."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.precision: str | None = None
        self.number = 0
        shapes = [
            (size.features, size.width),
            *[(size.width, size.width)] * size.layers,
            (size.width, OUTPUTS),
        ]
        self.params = [
            jnp.asarray(self.random.standard_normal(shape, np.float32) * (2 / shape[0]) ** 0.5, half_type())
            for shape in shapes
        ]
        self.batches = [jax.device_put(self.host_batch()) for _ in range(BATCHES)]
        self.update = jax.jit(self._update)
        self.losses: Any = None

    def losses_of(self, params: Any, batch: Any) -> Any:
        """The mean loss and that of each example: the net tells the first features from all of them."""
        values = batch.astype(params[0].dtype)
        for weights in params[:-1]:
            values = jax.nn.relu(jnp.matmul(values, weights, precision=self.precision))
        error = jnp.matmul(values, params[-1], precision=self.precision) - batch[:, :OUTPUTS]
        losses = jnp.mean(jnp.square(error.astype(jnp.float32)), axis=1)
        return losses.mean(), losses

    def _update(self, params: Any, batch: Any) -> Any:
        (_, losses), gradients = jax.value_and_grad(self.losses_of, has_aux=True)(params, batch)
        return [p - RATE * g for p, g in zip(params, gradients, strict=True)], losses

    def batch(self) -> Any:
        return self.batches[self.number % BATCHES]

    def step(self) -> None:
        self.params, self.losses = self.update(self.params, self.batch())

    def between(self) -> None:
        """What runs after each step, outside its marker."""

    def run(self, steps: int) -> None:
        """Makes ``steps`` steps; returns once the device has done them."""
        for _ in range(steps):
            with jax.profiler.StepTraceAnnotation("train", step_num=self.number):
                self.step()
            self.between()
            self.number += 1
        jax.block_until_ready((self.params, self.losses))


class SlowInput(Loop):
    """Planted: Python makes examples one by one. Instead: batches were made before."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.examples = Examples(self.host_batch())
        self.examples.fill(INPUT_SHARE * step_s)

    def batch(self) -> Any:
        return jax.device_put(self.examples.batch()) if self.planted else super().batch()


class CopiedBatches(Loop):
    """Planted: each step is fed NumPy's memory. Instead: batches lie on the device."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.host_batches = [np.asarray(batch) for batch in self.batches]

    def batch(self) -> Any:
        return self.host_batches[self.number % BATCHES] if self.planted else super().batch()


class TwoCalls(Loop):
    """Gradients and their use are two compiled calls."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.gradient = jax.jit(jax.grad(self.losses_of, has_aux=True))


class TinyKernels(TwoCalls):
    """Planted: Adam op by op. Instead: Adam in one compiled call."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.moments = [(jnp.zeros_like(p), jnp.zeros_like(p)) for p in self.params]
        self.compiled = jax.jit(self._adam)

    def _adam(self, params: Any, moments: Any, gradients: Any) -> Any:
        after = [
            (0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g)
            for (m, v), g in zip(moments, gradients, strict=True)
        ]
        stepped = [p - RATE * m / (jnp.sqrt(v) + 1e-3) for p, (m, v) in zip(params, after, strict=True)]
        return stepped, after

    def step(self) -> None:
        gradients, self.losses = self.gradient(self.params, self.batch())
        adam = self._adam if self.planted else self.compiled
        self.params, self.moments = adam(self.params, self.moments, gradients)


class Float32(Loop):
    """Planted: parameters and products in float32. Instead: in 16 bit."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        self.precision = "highest"  # else XLA takes TF32
        self.params = [p.astype(jnp.float32) for p in self.params]
        self.update = jax.jit(self._update)


class HostSync(TwoCalls):
    """Planted: Python reads the gradients' norm to clip by it. Instead: the norm stays on the device."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.norm = jax.jit(lambda gradients: jnp.sqrt(sum(jnp.sum(jnp.square(g)) for g in gradients)))
        self.apply = jax.jit(self._clipped)

    @staticmethod
    def _clipped(params: Any, gradients: Any, norm: Any) -> Any:
        factor = (RATE / jnp.maximum(1, norm)).astype(params[0].dtype)
        return [p - factor * g for p, g in zip(params, gradients, strict=True)]

    def step(self) -> None:
        gradients, self.losses = self.gradient(self.params, self.batch())
        norm = self.norm(gradients)
        self.params = self.apply(self.params, gradients, np.float32(norm) if self.planted else norm)


class Recompilation(Loop):
    """Planted: each batch has a length of its own. Instead: all are filled up to one length."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.longest = self.host_batch()

    def batch(self) -> Any:
        return (
            self.longest[: self.size.batch - self.number % self.size.batch] if self.planted else self.longest
        )


class Callbacks(Loop):
    """Planted: the loss with its bootstrapped spread after each step. Instead: once, after training."""

    def plant(self, step_s: float) -> None:
        super().plant(step_s)
        losses = np.asarray(self.losses)
        self.draws = fitting(lambda: drawn(self.random, losses), CALLBACK_SHARE * step_s)

    def between(self) -> None:
        if self.planted:
            losses = np.asarray(self.losses)
            self.spread = np.std([drawn(self.random, losses) for _ in range(self.draws)])
