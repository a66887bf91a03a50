"""Steps wait for a map that handles one element after the other."""

from __future__ import annotations

import pytest

from tests.builders import finding, fires, judge, passes, says, value
from tests.pipelines import Stage, fed
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.input import map_not_parallel as rule
from tfperf_plugin.judging.rules.input.map_not_parallel import RULE

PARALLEL = {"parallelism": 8, "autotune": 1}
READ: Stage = ("TFRecord", 5, {"name": "TFRecordDataset:1"})


def sequential(own: float) -> Stage:
    return ("Map", own, {"name": "MapDataset:2"})


def test_the_map_that_steps_wait_for() -> None:
    found = fires(RULE, fed(40, sequential(90), READ))

    assert found.summary.startswith(
        ".map(...) handles one element after the other and takes 90.0 ms for a batch"
    )
    assert found.claims == {"idle.input": 40_000_000}  # never more than GPUs wait
    assert value(found, ".map(...) works per batch") == 90_000_000
    assert value(found, "share of the wait in which it works") == pytest.approx(35 / 40)
    assert value(found, "calls of it at the same time") == 1
    assert found.fix is not None
    assert "Add num_parallel_calls=tf.data.AUTOTUNE to .map(...)." in found.fix.actions[0]


def test_a_map_of_one_call_that_tensorflow_fused_with_the_batch() -> None:
    name = "fused(MapDataset:2,BatchDatasetV2:3)"
    fused: Stage = ("MapAndBatch", 90, {"name": name, "parallelism": 1, "batch_size": 16})
    found = fires(RULE, fed(40, fused, READ))

    assert found.summary.startswith(".map(...).batch(16) handles one element after the other")


@pytest.mark.parametrize(
    ("stages", "prefetch", "reason"),
    [
        ([("ParallelMapV2", 90, PARALLEL), READ], True, rule.PARALLEL),
        ([("MapAndBatch", 90, PARALLEL), READ], True, rule.PARALLEL),
        ([sequential(5), ("TFRecord", 90, {})], True, "tf.data.TFRecordDataset(...) (reading on demand)."),
        ([("Filter", 90, {"name": "FilterDataset:2"}), READ], True, ""),
        ([sequential(33), ("BatchV2", 28, {}), ("TFRecord", 33, {})], False, ""),  # they take turns
        ([sequential(35), READ], False, "if the pipeline made batches ahead"),
    ],
    ids=["parallel", "fused", "slow reading", "a filter", "in turns", "prefetching alone would hide it"],
)
def test_what_passes(stages: list[Stage], prefetch: bool, reason: str) -> None:
    assert says(passes(RULE, fed(40, *stages, prefetch=prefetch)), reason)


def test_a_map_that_is_too_slow_even_for_prefetching() -> None:
    assert fires(RULE, fed(70, sequential(65), READ, prefetch=False)).claims == {"idle.input": 65_000_000}


@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("below")
def test_hidden_waits_and_short_ones_pass() -> None:
    passes(RULE, fed(40, sequential(90), READ, busy_from=0))
    passes(RULE, fed(0.9, sequential(90), READ))


def test_without_a_gpu_the_hosts_step_is_judged() -> None:
    found = finding(RULE, fed(40, sequential(90), READ, gpus=0))

    assert (found.severity, found.saving) == ("critical", None)
    assert says(found, rule.ONE_BY_ONE_HOST)


def test_without_tf_data_there_is_no_map() -> None:
    from tests.judging.rules.test_input_bound import training

    assert isinstance(judge(RULE, training(wait=40)), NotApplicable)
