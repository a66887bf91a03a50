"""Distinct numbers by a table are those that NumPy finds."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tfperf_plugin.arrays.columns import (
    map_codes,
    stable_order,
    unique,
    unique_inverse,
)

WHERE = st.sampled_from([0, -7, 1 << 40, -(1 << 40), (1 << 63) - 9, -(1 << 63)])
WIDTH = st.sampled_from([0, 3, 8, 1 << 12, 1 << 30])


@st.composite
def numbers(draw: st.DrawFn) -> NDArray[Any]:
    first, width = draw(WHERE), draw(WIDTH)
    most = min((1 << 63) - 1, first + width)
    found = np.array(draw(st.lists(st.integers(first, most), max_size=30)), np.int64)
    small = [t for t in (np.int8, np.uint8, np.int32) if (found == found.astype(t)).all()]
    return found.astype(draw(st.sampled_from([np.int64, *small])))


@given(numbers())
def test_they_are_those_of_numpy(values: NDArray[Any]) -> None:
    distinct, place = np.unique(values, return_inverse=True)

    assert unique(values).tolist() == distinct.tolist()
    assert [x.tolist() for x in unique_inverse(values)] == [distinct.tolist(), place.tolist()]
    assert stable_order(values).tolist() == np.argsort(values, kind="stable").tolist()


def test_each_text_in_use_is_judged_once() -> None:
    judged: list[str] = []

    def length(text: str) -> int:
        judged.append(text)
        return len(text)

    code = np.array([2, -1, 0, 2, 2], np.int32)

    assert map_codes(code, ("a", "unused", "ccc"), length, np.int8(-5)).tolist() == [3, -5, 1, 3, 3]
    assert judged == ["a", "ccc"]
    assert map_codes(code[:0], (), length, False).dtype == np.bool_
