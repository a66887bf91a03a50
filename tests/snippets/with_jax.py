"""JAX, and Keras on it, on two devices of the CPU."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ |= {"JAX_PLATFORMS": "cpu", "KERAS_BACKEND": "jax", "CUDA_VISIBLE_DEVICES": "-1"}
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint

from tests.snippets.process import Names, checked, executed, span

FOLDER = Path(tempfile.mkdtemp())
EXAMPLES, WIDTH = 16, 8
#: What needs a GPU or another host, and what stands for it here.
REPLACED = {
    'implementation="cudnn"': 'implementation="xla"',
    "jax.profiler.start_server(": "start_server(",
}
MODULES: Names = {
    "optax": optax,
    "orbax": orbax,
    "jax": jax,
    "jnp": jnp,
    "np": np,
    "os": os,
    "functools": functools,
}
#: Parameter or method, where a page only names it → what takes or has it.
OWNERS: Names = {
    **dict.fromkeys(("in_shardings", "out_shardings", "static_argnums"), jax.jit),
    **dict.fromkeys(("implementation", "is_causal"), jax.nn.dot_product_attention),
    **dict.fromkeys(("indices_are_sorted", "unique_indices"), jnp.ones(1).at[0].add),
    **dict.fromkeys(("host_tracer_level", "python_tracer_level"), jax.profiler.ProfileOptions),
    "StepTraceAnnotation": jax.profiler,
    "block_until_ready": jax,
    "dtype": jnp.asarray,
    **dict.fromkeys(("use_bias", "param_dtype"), flax.linen.Dense),
    "einsum": jnp,
    "item": jax.Array,
    "jit": jax,
    "policy": jax.checkpoint,
    "preferred_element_type": jnp.matmul,
    "unroll": jax.lax.scan,
}


def run(job: dict[str, Any]) -> None:
    """Runs a snippet and what it defines; or checks a span."""
    code = job["text"]
    if job["span"]:
        span(code, given("") | {"sharding": jax.devices()[0]}, OWNERS, {})
        return
    names = given(code) | OF_RULE.get(job["rule"], {})
    if job["kind"] == "Keras":
        import keras

        names["keras"] = keras
    new = executed(code, names, REPLACED)
    for name in new & CALLS.keys() if job["kind"] == "JAX" else ():
        if f"{name}(" not in code.replace(f"def {name}(", ""):
            jax.block_until_ready(CALLS[name](names[name], names))


def given(code: str) -> Names:
    """What code on pages takes for granted."""
    params = {"w": jnp.ones((WIDTH, 1)), "b": jnp.ones((1,))}
    optimizer = optax.adam(1e-3)
    names = {**MODULES, **numbers(), **arrays(), **functions()}
    names |= {"params": params, "state": params, "optimizer": optimizer, "gradients": params}
    names |= {"state": jax.tree.map(jnp.copy, params)}
    pairs = "loss = train_step" in code or "scan(train_step" in code

    def train_step(state: Any, batch: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of_step)(state, batch)
        state = jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, state, gradients)
        return (state, loss) if pairs else state

    batches = [names["x"]] * 30
    names |= {
        "train_step": jax.jit(train_step),
        "batch": names["x"],
        "batches": iter(batches),
        "loader": batches,
    }
    return names | {"loss": jnp.ones(())}


def loss_of_step(state: Any, batch: Any) -> Any:
    return jnp.mean((batch @ state["w"] + state["b"]) ** 2)


def numbers() -> Names:
    names = {
        "step": 0,
        "steps": 4,
        "stages": 2,
        "vocabulary": 10,
        "hidden": 4,
        "m": 8,
        "k": 8,
        "n": 8,
        "c": 0.8,
    }
    return names | {"logdir": str(FOLDER), "path": FOLDER, "a": 0.04, "heads": 2, "size": 4}


def arrays() -> Names:
    names = {name: jnp.ones((EXAMPLES, WIDTH)) for name in ("x", "y", "labels")}
    names |= {name: jnp.ones((2, 4, 2, 8), jnp.bfloat16) for name in ("query", "value")}
    names |= {
        "key": names["query"],
        "kernel": jnp.ones((WIDTH, WIDTH)),
        "xs": jnp.ones((2, 4, WIDTH)),
        "wqkv": jnp.ones((WIDTH, 3 * WIDTH)),
    }
    names |= {"table": jnp.ones((10, 4)), "ids": jnp.array([1, 2, 3]), "updates": jnp.ones((3, 4))}
    return names | {"arrays": [jnp.ones(4)] * 3, "mesh": jax.sharding.Mesh(jax.devices(), ("batch",))}


def functions() -> Names:
    same = dict.fromkeys(("augment", "block", "layer", "experts", "scale"), lambda x: 2 * x)
    names = same | {"cell": lambda state, x: (state, x), "pipeline": lambda params, part: part.sum()}
    names |= {"model": lambda params, x: x @ params["w"], "loss_of": lambda a, b: jnp.mean(a - b[:, :1])}
    names |= {"loss_fn": loss_of_step}
    return names | {"start_server": checked(jax.profiler.start_server)}


#: What a page means by a name that stands for something else on other pages.
OF_RULE: dict[str, Names] = {
    "layout-transposes": {"x": jnp.ones((2, 8, 8, 3)), "filters": jnp.ones((3, 3, 3, 4))},
    "misaligned-dimensions": {"key": jax.random.key(0)},
    "fp32-beside-16bit": {"loss_fn": lambda labels, logits: jnp.mean(labels - logits)},
    "batch-too-small": {"step": lambda x: 2 * x},
}
#: Function that a snippet only defines → how it is called.
CALLS: dict[str, Callable[[Any, Names], Any]] = {
    "ahead": lambda call, names: list(call(names["batches"])),
    "train_step": lambda call, names: call(names["state"], names["batch"]),
    "train_steps": lambda call, names: call(names["state"], jnp.stack([names["x"]] * 3)),
    "train_all": lambda call, names: call(
        *jax.tree.map(lambda one: jnp.stack([one] * 2), (names["state"], names["x"]))
    ),
    "step": lambda call, names: call(names["x"]),
    "block": lambda call, names: call(names["x"]),
    "layer": lambda call, names: call(names["x"]),
    "activation": lambda call, names: call(names["x"]),
    "loss_fn": lambda call, names: call(names["params"], names["x"], names["y"]),
    "summed_gradients": lambda call, names: call(names["params"], jnp.stack([names["x"]] * 3)),
    "mean_gradients": lambda call, names: call(names["params"], names["x"]),
    "apply": lambda call, names: call(
        names["state"], names["optimizer"].init(names["params"]), names["gradients"]
    ),
    "optimizer": lambda made, names: made.update(
        names["gradients"], made.init(names["params"]), names["params"]
    ),
}


def restore() -> None:
    """Takes back what a snippet changed for the whole process."""
    with contextlib.suppress(Exception):
        jax.profiler.stop_trace()
    jax.config.update("jax_log_compiles", False)
