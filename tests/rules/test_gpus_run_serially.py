"""GPUs take turns: while one computes the others wait."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, fires, judge, value
from tfperf_plugin.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.rules.gpus_run_serially import RULE


def training(*spans: tuple[float, float]) -> Host:
    """Steps of 100 ms in which each GPU computes during its span."""
    host = Host(gpus=len(spans))
    host.steps(5, 100)
    for gpu, (begin, end) in enumerate(spans):
        for number in range(5):
            host.kernel(100 * number + begin, 100 * number + end, gpu)
    return host


def test_taking_turns_wastes_what_the_others_could_have_done_meanwhile() -> None:
    found = finding(RULE, training((0, 50), (50, 100)))

    # Some GPU computes for 100 ms, the busiest for 50 ms: together they would need 50 ms.
    assert found.saving is not None
    assert (found.saving.ns, found.saving.ratio) == (50_000_000, 0.5)
    assert found.severity == "critical"
    assert found.confidence == "high"
    assert value(found, "computing at the same time") == 0
    assert value(found, "extent in which") == 1
    assert (found.where[0].begin_ms, found.where[0].end_ms) == (0, 100)


def test_four_gpus_in_turn_waste_three_quarters() -> None:
    found = fires(RULE, training((0, 25), (25, 50), (50, 75), (75, 100)))

    assert sum(found.claims.values()) == 75_000_000


def test_a_fifth_at_the_same_time_still_counts_as_turns() -> None:
    # 10 of 50 ms that could overlap do.
    found = fires(RULE, training((0, 50), (40, 90)))

    assert value(found, "computing at the same time") == pytest.approx(0.2)
    assert isinstance(judge(RULE, training((0, 50), (39, 89))), Passed)


def test_working_together_is_no_finding() -> None:
    assert isinstance(judge(RULE, training((0, 90), (5, 95))), Passed)


def test_late_starts_with_gaps_are_no_turns() -> None:
    passed = judge(RULE, training((0, 20), (60, 80)))

    assert isinstance(passed, Passed)
    assert "do not take turns either" in passed.reason
    assert isinstance(judge(RULE, training((0, 39), (61, 100))), Passed)  # 78 of 100 ms are filled
    assert value(fires(RULE, training((0, 40), (60, 100))), "extent in which") == pytest.approx(0.8)


def test_one_gpu_takes_no_turns() -> None:
    assert isinstance(judge(RULE, training((0, 100))), NotApplicable)


def test_without_kernels_it_cannot_be_judged() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)

    assert isinstance(judge(RULE, host), Missing)
