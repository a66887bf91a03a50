"""One GPU has more work than the others."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, each, finding, fires, judge, value
from tfperf_plugin.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.rules.replica_imbalance import RULE


def training(*compute: float, together: float = 100) -> Host:
    """Steps of ``together`` ms: each GPU computes that long, then exchanges gradients until the end."""
    host = Host(gpus=len(compute))
    host.steps(5, together)

    def step(at: float) -> None:
        for gpu, length in enumerate(compute):
            host.kernel(at, at + length, gpu)
            host.kernel(at + length, at + together, gpu, ALL_REDUCE)

    each(5, together, step)
    return host


def test_work_above_the_mean_is_what_even_shares_would_save() -> None:
    found = finding(RULE, training(80, 50, 50, 50))

    # Evenly shared each GPU would compute for 57.5 ms instead of up to 80 ms; three of four wait for 30 ms.
    assert found.saving is not None
    assert found.saving.ns == 22_500_000
    assert found.title == "GPU 0 has more work than the other GPUs"
    assert found.severity == "critical"
    assert value(found, "compute of GPU 0") == 80_000_000
    assert value(found, "median of the others") == 50_000_000
    assert value(found, "above the median") == pytest.approx(0.6)
    place = found.where[0]
    assert (place.begin_ms, place.end_ms) == (50, 80)
    assert place.device != "GPU:0"


def test_the_claim_never_exceeds_what_the_others_wait() -> None:
    claims = fires(RULE, training(80, 50, 50, 50)).claims

    assert sum(claims.values()) == 22_500_000
    assert claims["communication.wait"] == 22_500_000  # (0 + 30 + 30 + 30) / 4


def test_small_differences_are_normal() -> None:
    assert isinstance(judge(RULE, training(54.9, 50, 50, 50)), Passed)
    assert value(fires(RULE, training(55, 50, 50, 50)), "above the median") == pytest.approx(0.1)


def test_a_gpu_with_little_work_makes_the_comparison_less_certain() -> None:
    assert fires(RULE, training(80, 50, 50, 25)).confidence == "high"
    assert fires(RULE, training(80, 50, 50, 24)).confidence == "medium"


def test_one_idle_looking_gpu_does_not_make_the_others_heavy() -> None:
    assert isinstance(judge(RULE, training(50, 50, 50, 20)), Passed)


def test_equal_work_that_starts_late_is_no_imbalance() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + 50, 0))
    each(5, 100, lambda at: host.kernel(at + 40, at + 90, 1))

    assert isinstance(judge(RULE, host), Passed)


def test_one_gpu_cannot_be_compared() -> None:
    assert isinstance(judge(RULE, training(80)), NotApplicable)


def test_without_kernels_it_cannot_be_judged() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)

    assert isinstance(judge(RULE, host), Missing)
