"""Every test of the reader runs with both decoders, where both are there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tfperf_plugin.xspace import compiled


@pytest.fixture(scope="module", autouse=True, params=["compiled", "numpy"])
def decoder(request: pytest.FixtureRequest) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(compiled.DECODER, raising=False)
        if request.param == "compiled" and compiled.library() is None:
            pytest.skip("the compiled decoder is not there: no C compiler when this was installed")
        patch.setenv(compiled.DECODER, request.param)
        yield request.param
