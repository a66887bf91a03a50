"""Answers are kept by all that they depend on."""

from __future__ import annotations

import numpy as np
import pytest

from tfperf_plugin.trace.memo import HasMemo, memoized

asked: list[object] = []


class Owner(HasMemo, frozen=True):
    """Something with events."""


@memoized
def scaled(owner: Owner, number: int, *, by: int = 1, less: int = 0) -> int:
    asked.append(owner)
    return number * by - less


@memoized
def column(owner: Owner) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(3)


def test_values_given_by_name_count() -> None:
    asked.clear()
    owner = Owner()

    assert [scaled(owner, 7, by=2), scaled(owner, 7, by=3), scaled(owner, 7)] == [14, 21, 7]
    assert scaled(owner, 7, by=2, less=1) == scaled(owner, 7, less=1, by=2) == 13
    assert len(asked) == 4


def test_nobody_can_change_what_others_get() -> None:
    with pytest.raises(ValueError, match="read-only"):
        column(Owner())[0] = 5
