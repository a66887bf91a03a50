"""``python jax_loop.py CAUSE [--fixed]``: a training loop in JAX, slow for one cause.

``jit``: the step is jitted anew in each iteration; ``numpy``: the step's own thread makes each batch;
``layers``: each iteration calls a small function 15 times and waits for each call.
"""

from __future__ import annotations

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

CAUSE, FIXED = sys.argv[1], "--fixed" in sys.argv
STEPS = 45


def loss(weights: Any, x: Any) -> Any:
    for w in weights:
        x = jnp.tanh(x @ w)
    return jnp.mean(x**2)


def train_step(weights: Any, x: Any) -> Any:
    value, gradients = jax.value_and_grad(loss)(weights, x)
    return [w - 0.01 * g for w, g in zip(weights, gradients, strict=True)], value


def layer(x: Any, w: Any) -> Any:
    return jnp.tanh(x @ w)


def layers(x: Any, w: Any) -> Any:
    for _ in range(15):
        x = layer(x, w)
    return x


def batches() -> Any:
    draw = np.random.default_rng(7)
    stored = [draw.standard_normal((64, 128)).astype("float32") for _ in range(4)]
    for number in range(STEPS):
        if CAUSE == "numpy" and not FIXED:
            large = draw.standard_normal((64, 128, 64)).astype("float32")
            yield np.sort(large, axis=2).mean(axis=2)
        else:
            yield stored[number % 4]


def main() -> None:
    weights = [jax.random.normal(jax.random.key(k), (128, 128)) for k in range(2)]
    once = jax.jit(train_step)
    small, all_at_once = jax.jit(layer), jax.jit(layers)
    for batch in batches():
        if CAUSE == "layers" and FIXED:
            all_at_once(batch, weights[0])
        elif CAUSE == "layers":
            x = batch
            for _ in range(15):
                x = small(x, weights[0])
                x.block_until_ready()
        step = jax.jit(lambda w, x: train_step(w, x)) if CAUSE == "jit" and not FIXED else once
        weights, value = step(weights, batch)
        print(f"{float(value):.4f}")


if __name__ == "__main__":
    main()
