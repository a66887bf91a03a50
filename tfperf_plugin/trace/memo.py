"""Caches results in the object they were computed from, because many callers need the same ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from tfperf_plugin.records import Record

S = TypeVar("S", bound="HasMemo")
T = TypeVar("T")
P = ParamSpec("P")


class HasMemo(Record, frozen=True, dict=True):
    """Holds the results of ``memoized`` functions for this object. Copies start without them."""

    @cached_property
    def _memo(self) -> dict[Hashable, Any]:
        return {}


def memoized(function: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Caches the results of a function in its first argument. All other arguments must be hashable."""

    @wraps(function)
    def ask(owner: S, /, *args: P.args, **named: P.kwargs) -> T:
        key = (function, args, *sorted(named.items()))
        memo = owner._memo
        if key not in memo:
            memo[key] = function(owner, *args, **named)
            if isinstance(memo[key], np.ndarray):
                memo[key].flags.writeable = False  # callers share it, so nobody may change it
        found: T = memo[key]
        return found

    return ask
