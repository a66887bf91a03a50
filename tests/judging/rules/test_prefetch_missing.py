"""Batches are made inside the step's request."""

from __future__ import annotations

import pytest

from tests.builders import finding, fires, passes, says, value
from tests.pipelines import Stage, fed
from tfperf_plugin.judging.rules.input import prefetch_missing as rule
from tfperf_plugin.judging.rules.input.prefetch_missing import RULE

STAGES: tuple[Stage, ...] = (("BatchV2", 20.0, {}), ("MemoryCacheImpl", 5.0, {}))


def test_a_batch_that_the_request_makes_itself() -> None:
    found = fires(RULE, fed(25, *STAGES, prefetch=False))

    assert found.claims == {"idle.input": 20_000_000}  # handing on what is in memory is no stage's work
    assert value(found, "work on the thread that asks") == 20_000_000
    assert value(found, "rest of the step") == 75_000_000
    assert says(found, rule.HIDES_ALL) and "The other 75.0 ms" in found.summary


def test_only_what_the_rest_of_the_step_can_hide_is_claimed() -> None:
    found = fires(RULE, fed(70, ("BatchV2", 70, {}), prefetch=False))

    assert found.claims == {"idle.input": 30_000_000}
    assert says(found, rule.HIDES_SOME)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize("own", [0.9, 0.05])
def test_a_batch_that_costs_next_to_nothing_passes(own: float) -> None:
    passes(RULE, fed(own, ("BatchV2", own, {}), prefetch=False))


def test_prefetching_that_is_there_passes() -> None:
    verdict = passes(RULE, fed(40, ("Map", 90, {})))

    assert verdict.reason == "The pipeline makes batches ahead: .prefetch(tf.data.AUTOTUNE)."


def test_prefetching_further_upstream_does_not_make_batches() -> None:
    found = fires(
        RULE, fed(25, ("BatchV2", 20, {}), ("Prefetch", 1, {}), ("TFRecord", 4, {}), prefetch=False)
    )

    assert found.claims == {"idle.input": 24_000_000}


@pytest.mark.near_miss("hidden")
def test_what_compute_hides_passes() -> None:
    passes(RULE, fed(25, *STAGES, prefetch=False, busy_from=0))


def test_without_a_gpu_the_hosts_step_is_judged() -> None:
    found = finding(RULE, fed(25, *STAGES, prefetch=False, gpus=0))

    assert (found.severity, found.saving) == ("critical", None)


@pytest.mark.near_miss("below")
def test_a_request_that_waits_for_others_does_little_itself() -> None:
    cached = fed(40, ("BatchV2", 0.5, {}), ("MemoryCacheImpl", 39.5, {}), prefetch=False)

    assert says(passes(RULE, cached), rule.LITTLE)
