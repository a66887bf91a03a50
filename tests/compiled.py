"""Runs tests twice: with what was compiled from C, and with NumPy in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tfperf_plugin.arrays import native


def with_and_without(library: Callable[[], native.Library | None]) -> Any:
    """A fixture for all tests of a module or folder, worth "compiled" or "numpy"."""

    @pytest.fixture(scope="module", autouse=True, params=["compiled", "numpy"])
    def way(request: pytest.FixtureRequest) -> Iterator[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv(native.COMPILED, raising=False)
            if request.param == "compiled" and library() is None:
                pytest.skip("nothing was compiled: there was no C compiler when this was installed")
            patch.setenv(native.COMPILED, "yes" if request.param == "compiled" else "no")
            yield request.param

    return way
