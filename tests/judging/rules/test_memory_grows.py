"""The memory of the training grows as long as it runs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import fires, judge, passes, value
from tests.watched import training, watched
from tfperf_plugin.arrays.intervals import Floats
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.memory_grows import RULE
from tfperf_plugin.recording.resources import Recorded

MB, GB = 1e6, 1e9
HOUR = np.arange(3600.0)


def used(
    memory: Floats, left: float | Floats = 200 * GB, limit: float | None = None, shared: Floats | None = None
) -> Recorded:
    """A GPU that is busy all the time, and this memory in rows of a second."""
    series = {"gpu.busy 0": np.full(len(memory), 0.9), "memory.training": memory}
    if shared is not None:
        series["memory.shared"] = shared
    if np.any(left):
        series["memory.available"] = np.broadcast_to(left, len(memory))
    return watched(
        {name: numbers.tolist() for name, numbers in series.items()},
        limits={"memory.training": limit} if limit else {},
    )


def test_what_the_container_allows_comes_before_what_the_machine_has() -> None:
    found = fires(RULE, training(), recorded=used(12 * GB + 5 * MB * HOUR, limit=48 * GB))

    assert value(found, "time until memory is full") == pytest.approx(3600e9, rel=2e-2)
    assert found.severity == "critical"
    scarce = used(12 * GB + 5 * MB * HOUR, left=GB, limit=48 * GB)
    assert value(fires(RULE, training(), recorded=scarce), "time until memory is full") == pytest.approx(
        200e9, rel=1e-3
    )


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "memory",
    [
        pytest.param(np.full(3600, 12 * GB), id="a plateau"),
        pytest.param(12 * GB + 5 * GB * (HOUR / 900 % 1), id="epochs that fill a cache anew"),
        pytest.param(12 * GB + 5 * GB * (HOUR / 1500 % 1), id="two epochs and a half"),
        pytest.param(12 * GB + 5 * MB * np.minimum(HOUR, 1200), id="a cache that stays"),
        pytest.param(12 * GB + 5 * MB * np.minimum(HOUR, 2300), id="growth that ends before the last third"),
        pytest.param(12 * GB + 0.6 * GB * np.log1p(HOUR), id="growth that gets slower"),
        pytest.param(12 * GB + 2 * GB * np.sin(HOUR / 60), id="swings"),
        pytest.param(30 * GB - 5 * MB * HOUR, id="memory that is given back"),
        pytest.param(12 * GB + 0.05 * MB * HOUR, id="less than allocators keep"),
    ],
)
def test_what_fills_and_stays_or_is_given_back_does_not_grow(memory: Floats) -> None:
    passed = passes(RULE, training(), recorded=used(memory, limit=64 * GB))

    assert "which grew by less than 2.0 % in 48 min of steps." in passed.reason


def test_memory_that_is_full_long_after_the_training_is_no_finding() -> None:
    passed = passes(RULE, training(), recorded=used(12 * GB + 0.5 * MB * HOUR, left=2000 * GB))

    assert passed.reason.startswith("Memory grows by 30.0 MB a minute; at this rate, it is full in")


def test_files_that_are_mapped_or_cached_are_no_growth() -> None:
    mapped = 5 * MB * HOUR

    passes(RULE, training(), recorded=used(np.full(3600, 12 * GB), left=200 * GB - 10 * mapped))
    passes(RULE, training(), recorded=used(12 * GB + mapped, shared=mapped))
    leak = used(12 * GB + mapped, shared=np.full(3600, GB))
    assert fires(RULE, training(), recorded=leak).confidence == "high"


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        (used(12 * GB + 5 * MB * HOUR[:290]), "less than 5 min of steps"),
        (used(12 * GB + 5 * MB * HOUR, left=0), "not known how much memory is left"),
        (watched({"gpu.busy 0": [0.9] * 600}), "was not watched"),
    ],
    ids=["a short one", "no limit", "no memory"],
)
def test_without_what_it_needs_nothing_is_said(recorded: Recorded, why: str) -> None:
    verdict = judge(RULE, training(), recorded=recorded)

    assert isinstance(verdict, NotApplicable) and why in verdict.reason
