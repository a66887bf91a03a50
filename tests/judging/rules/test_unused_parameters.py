"""DistributedDataParallel, which looks for unused parameters while GPUs wait."""

from __future__ import annotations

import pytest

from tests.builders import Host, fires, judge, passes, value
from tfperf_plugin.analysis.artifacts.communication.wrappers import SEARCH
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.several_gpus.unused_parameters import RULE


def steps(search_ms: float = 9, busy_ms: float = 30, name: str = SEARCH) -> Host:
    """Steps of 100 ms; the search begins at 30 ms, and the GPU idles from ``busy_ms`` to 50 ms."""
    host = Host()
    host.steps(5, 100)
    for begin in range(0, 500, 100):
        host.event(name, begin + 30, begin + 30 + search_ms)
        host.kernel(begin, begin + busy_ms)
        host.kernel(begin + 50, begin + 95)
    return host


def test_the_saving_is_the_idle_time_during_the_search() -> None:
    found = fires(RULE, steps())

    assert value(found, "idle while it searches") == pytest.approx(0.09)
    assert value(found, "searches") == 1
    assert sum(found.claims.values()) == 9_000_000
    assert (found.where[0].begin_ms % 100, found.where[0].end_ms % 100) == (30, 39)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("host", [steps(search_ms=0.9), steps(busy_ms=39)], ids=["short", "under a kernel"])
def test_a_search_that_is_short_or_hidden_is_cheap(host: Host) -> None:
    passes(RULE, host)


def test_without_a_search_the_question_does_not_arise() -> None:
    assert isinstance(judge(RULE, steps(name="torch.distributed.ddp.reducer::mul_out")), NotApplicable)
