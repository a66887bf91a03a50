"""Our median is NumPy's."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from tfperf_plugin.arrays.columns import median

SHAPES = arrays.array_shapes(max_dims=3, max_side=6)


@given(
    arrays.arrays(np.int64, SHAPES, elements=st.integers(-(2**50), 2**50))
    | arrays.arrays(np.float64, SHAPES, elements=st.floats(-1e15, 1e15)),
    st.data(),
)
def test_it_is_that_of_numpy(values: NDArray[Any], data: st.DataObject) -> None:
    axis = data.draw(st.none() | st.integers(0, values.ndim - 1))
    assert np.array_equal(median(values, axis), np.median(values, axis))


def test_lists_have_one_too() -> None:
    assert median([3, 1, 2.5]) == 2.5
    assert median([4, 1]) == 2.5


def test_of_nothing_there_is_none() -> None:
    with pytest.raises(IndexError):
        median([])


def test_it_does_without_masked_arrays() -> None:
    code = (
        "import sys; from tfperf_plugin.arrays.columns import median; median([0.5, 1.0]);"
        "assert 'numpy.ma' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
