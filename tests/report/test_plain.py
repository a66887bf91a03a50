"""Our JSON with indents is that of the standard library."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfperf_plugin.report.plain import indented

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(values)
def test_it_is_the_same_text(value: Any) -> None:
    assert indented(value) == json.dumps(value, indent=2)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("around", [lambda x: x, lambda x: [x], lambda x: {"a": {"b": x}}])
def test_numbers_that_json_has_not_are_refused(number: float, around: Any) -> None:
    with pytest.raises(ValueError):
        indented(around(number))
