"""Functions that a loop makes anew in each iteration, such as by ``jax.jit`` of a lambda."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from tfperf_plugin.recording.hook.recorder import Steps


class Anew:
    """Gives each function steps of its own. Functions of the same code share them, as long as each was called
    once before the next came."""

    def __init__(self, make: Callable[[], Steps]) -> None:
        self._make = make
        # The steps, and how many functions share them. Nothing here keeps a function alive.
        self._known: WeakKeyDictionary[types.CodeType, tuple[Steps, int]] = WeakKeyDictionary()

    def steps_of(self, function: Any) -> Steps:
        """The steps of ``function``, which is asked for once, before its first call."""
        while isinstance(function, functools.partial):
            function = function.func
        code = getattr(function, "__code__", None)
        if not isinstance(code, types.CodeType):
            return self._make()
        steps, shared = self._known.get(code, (None, 0))
        if steps is None or steps.count != shared:
            steps, shared = self._make(), 0
        self._known[code] = steps, shared + 1
        return steps
