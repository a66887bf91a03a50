"""What programs do with what ``jax.jit`` returns, beside calling it. Fails where it is not as JAX made it."""

from __future__ import annotations

import copy
import functools
import inspect
import weakref
from typing import Any

import jax
import jax.export
import jax.numpy as jnp


@jax.jit  # type: ignore[untyped-decorator]
def double(x: Any) -> Any:
    """Twice."""
    return 2 * x


@functools.partial(jax.jit, static_argnames="times")
def power(x: Any, *, times: int) -> Any:
    return x**times


def main() -> None:
    x = jnp.arange(3.0)
    double.clear_cache()
    assert double.__name__ == "double" and double.__doc__ == "Twice."
    assert double.__wrapped__(21) == 42 and list(inspect.signature(double).parameters) == ["x"]
    assert isinstance(double, jax.stages.Wrapped)
    assert double.lower(x).compile()(x)[1] == 2 and double.eval_shape(x).shape == (3,)
    assert jax.vmap(double)(x)[2] == 4 and jax.grad(lambda v: double(v).sum())(x)[0] == 2
    assert jax.jit(double)(x)[1] == 2 and jax.make_jaxpr(double)(x)
    assert jax.export.export(double)(x).call(x)[1] == 2
    assert jax.lax.map(double, x)[1] == 2
    assert copy.deepcopy(double)(x)[1] == 2
    assert weakref.ref(double)() is double and {double: 1}[double] == 1
    assert power(x, times=2)[2] == 4 and jax.jit(static_argnums=1)(lambda a, b: a * b)(x, 3)[1] == 3
    print("all as it was")


if __name__ == "__main__":
    main()
