"""``python jax_loop.py STEPS [--hang | --children]``: a loop of JAX.

``--hang``: it does not end after its last step; ``--children``: as loaders do, it works in other processes.
"""

from __future__ import annotations

import atexit
import functools
import multiprocessing
import subprocess
import sys
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

STEPS = int(sys.argv[1])


@jax.jit  # type: ignore[untyped-decorator]
def normalized(x: Any) -> Any:
    return (x - x.mean()) / (x.std() + 1e-6)


def load(seed: int) -> Any:
    """What a process that loads batches does: it calls a jitted function again and again."""
    for _ in range(30):
        batch = normalized(np.random.default_rng(seed).standard_normal((4, 8)).astype("float32"))
    return np.asarray(batch)


class Trainer:
    """A step as a method, with static arguments: what ``jax.jit`` returns must still be a method."""

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, weights: Any, x: Any) -> Any:
        def loss(w: Any) -> Any:
            return jnp.mean((normalized(x) @ w["a"] + w["b"] - x) ** 2)

        value, gradient = jax.value_and_grad(loss)(weights)
        return jax.tree_util.tree_map(lambda w, g: w - 1e-2 * g, weights, gradient), value


def main() -> None:
    if "--hang" in sys.argv:
        atexit.register(time.sleep, 600)
    if "--children" in sys.argv:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.map(load, [1])
        subprocess.run([sys.executable, "-c", "import jax; print('child')"], check=True)
    weights = {"a": jnp.zeros((8, 8)), "b": jnp.zeros(8)}
    trainer, draw = Trainer(), np.random.default_rng(7)
    for _ in range(STEPS):
        weights, loss = trainer.step(weights, draw.standard_normal((4, 8)).astype("float32"))
    print(f"trained to {float(loss):.6f}")


if __name__ == "__main__":
    main()
