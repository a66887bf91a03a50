"""Answers that are kept with the events they were made from: many ask the same of them."""

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
    """Keeps what functions that are ``memoized`` returned for it, and leaves that out when it is copied."""

    @cached_property
    def _memo(self) -> dict[Hashable, Any]:
        return {}


def memoized(function: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A function of an object that keeps its results, and of values that can be hashed."""

    @wraps(function)
    def ask(owner: S, /, *args: P.args, **named: P.kwargs) -> T:
        key = (function, args, *sorted(named.items()))
        memo = owner._memo
        if key not in memo:
            memo[key] = function(owner, *args, **named)
            if isinstance(memo[key], np.ndarray):
                memo[key].flags.writeable = False  # many ask, none may change it
        found: T = memo[key]
        return found

    return ask
