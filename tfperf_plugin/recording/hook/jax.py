"""What ``jax.jit`` returns: of such functions, one that is called again and again is the training's step."""

from __future__ import annotations

import contextlib
import functools
import math
import types
from collections.abc import Callable
from typing import Any
from weakref import ReferenceType, ref

from tfperf_plugin.recording import frameworks
from tfperf_plugin.recording.hook.anew import Anew
from tfperf_plugin.recording.hook.framework import JaxProfiler
from tfperf_plugin.recording.hook.recorder import CALLS, HIDDEN, Recorder, Steps, is_helper
from tfperf_plugin.recording.launch import Means


def watch(jax: Any, recorder: Recorder) -> None:
    """Wraps what ``jax.jit`` makes from functions that are not JAX' own."""
    real = jax.jit
    anew = Anew(lambda: Steps(recorder, _Loop(jax), CALLS))

    @functools.wraps(real)
    def jit(*args: Any, **kwargs: Any) -> Any:
        with HIDDEN:
            made = real(*args, **kwargs)
        if not hasattr(made, "lower"):  # a decorator with arguments
            return lambda function: _counted(made(function), jax, recorder, anew)
        return _counted(made, jax, recorder, anew)

    jax.jit = jit


def _counted(jitted: Any, jax: Any, recorder: Recorder, anew: Anew) -> Any:
    if recorder.done or str(getattr(jitted, "__module__", "")).partition(".")[0] in ("jax", "jaxlib"):
        return jitted
    clean = jax._src.core.trace_state_clean
    steps = anew.steps_of(getattr(jitted, "__wrapped__", None))
    return _Counted(jitted, steps, lambda: clean() and not is_helper())


class _Counted:
    """A jitted function; its calls are counted where they may be steps. In all else, it is that function."""

    def __init__(self, jitted: Any, steps: Steps, counts: Callable[[], bool]) -> None:
        functools.update_wrapper(self, jitted)
        self.__wrapped__ = getattr(jitted, "__wrapped__", jitted)
        self._of_tfperf = jitted, steps, counts

    @property
    def __call__(self) -> Any:
        """What a call calls. A method would stand in the traceback of each error of the function."""
        jitted, steps, counts = self._of_tfperf
        return jitted if steps.over or not counts() else functools.partial(steps.around, jitted)

    def __getattr__(self, name: str) -> Any:
        if name == "_of_tfperf":  # while it is being copied
            raise AttributeError(name)
        return getattr(self._of_tfperf[0], name)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any]]:
        return _same, (self._of_tfperf[0],)


def _same(jitted: Any) -> Any:
    return jitted


class _Loop(JaxProfiler):
    means: Means = "jax"

    def __init__(self, jax: Any) -> None:
        self._tree = jax.tree_util
        self._told: dict[str, Any] = {}
        self._returned: list[ReferenceType[Any]] = []

    def keep(self, result: Any) -> None:
        """The arrays in ``result``."""
        self._returned.clear()
        for leaf in self._leaves(result):
            with contextlib.suppress(TypeError):  # some keys of random numbers allow no weak reference
                self._returned.append(ref(leaf))

    def carried(self, given: tuple[Any, ...]) -> bool:
        """As parameters are, which each step returns for the next one."""
        alive = {id(leaf) for leaf in (kept() for kept in self._returned) if leaf is not None}
        return any(id(leaf) in alive for leaf in self._leaves(given))

    def early(self, given: tuple[Any, ...], result: Any) -> Any:
        """The loss: the first number that the step returns beside its state."""
        if not self._told:
            self._told = self._tell(given, result)
        parts = result if isinstance(result, tuple | list) else (result,)
        named = [part["loss"] for part in parts if isinstance(part, dict) and "loss" in part]
        return next((part for part in (*parts, *named) if _is_number(part)), None)

    def _tell(self, given: tuple[Any, ...], result: Any) -> dict[str, Any]:
        """What is given and returned in one form is state, and begins with the parameters; the rest is a
        batch."""
        parts = result if isinstance(result, tuple | list) else ()
        returned = {self._form(part) for part in (result, *parts)}
        state = [part for part in given if self._form(part) in returned and self._leaves(part)]
        sizes = {
            leaf.shape[0]
            for part in given
            if self._form(part) not in returned
            for leaf in self._leaves(part)
            if len(leaf.shape) and not _is_key(leaf)
        }
        self.batch_size = sizes.pop() if len(sizes) == 1 else None
        parameters = next(filter(None, map(self._parameters, state)), None)
        if parameters is None:
            return {"batch_size": self.batch_size}
        leaves = self._leaves(parameters)
        return {
            "batch_size": self.batch_size,
            "parameters": sum(math.prod(leaf.shape) for leaf in leaves),
            "trainable": frameworks.by_type(leaves),
        }

    def _parameters(self, state: Any) -> Any | None:
        """``state.params`` or the like, else ``state`` if all in it could have a gradient, else None."""
        named = state.get("params") if isinstance(state, dict) else getattr(state, "params", None)
        return named or (state if frameworks.by_type(self._leaves(state)) else None)

    def _leaves(self, tree: Any) -> list[Any]:
        return [
            leaf for leaf in self._tree.tree_leaves(tree) if hasattr(leaf, "shape") and hasattr(leaf, "dtype")
        ]

    def _form(self, tree: Any) -> tuple[Any, ...]:
        """The structure of ``tree``, and shapes and types of its arrays."""
        return (
            self._tree.tree_structure(tree),
            *((tuple(leaf.shape), str(leaf.dtype)) for leaf in self._leaves(tree)),
        )

    def facts(self) -> dict[str, Any]:
        """What the shapes of an early step told."""
        return self._told


def _is_number(part: Any) -> bool:
    return getattr(part, "shape", None) == () and "float" in str(part.dtype)


def _is_key(leaf: Any) -> bool:
    """Whether these are keys of random numbers."""
    return str(leaf.dtype).startswith("key<") or (str(leaf.dtype) == "uint32" and leaf.shape[-1] == 2)
