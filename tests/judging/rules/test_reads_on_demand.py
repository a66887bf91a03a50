"""Steps wait for files that are read one at a time."""

from __future__ import annotations

import pytest

from tests.builders import finding, fires, passes, value
from tests.pipelines import Stage, fed
from tfperf_plugin.judging.rules.input.reads_on_demand import RULE

MAP: Stage = ("ParallelMapV2", 4, {"parallelism": 8})


@pytest.mark.parametrize(
    ("kind", "written"),
    [("TFRecord", "tf.data.TFRecordDataset(...)"), ("TextLine", "tf.data.TextLineDataset(...)")],
)
def test_the_reader_that_steps_wait_for(kind: str, written: str) -> None:
    found = fires(RULE, fed(40, MAP, (kind, 90, {})))

    assert found.summary.startswith(f"{written} reads one file at a time")
    assert found.claims == {"idle.input": 40_000_000}
    assert value(found, f"{written} works per batch") == 90_000_000
    assert value(found, "share of the wait in which it reads") == 1.0
    assert value(found, "files read at the same time") == 1


def test_a_sequential_interleave_still_reads_one_file_at_a_time() -> None:
    assert fires(RULE, fed(40, MAP, ("Interleave", 0.1, {}), ("TFRecord", 90, {})))


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ([MAP, ("ParallelInterleaveV4", 0.1, {}), ("TFRecord", 90, {})], "(reading ahead)"),
        ([MAP, ("Prefetch", 0.1, {}), ("TFRecord", 90, {})], "(reading ahead)"),
        ([("Map", 85, {}), ("TFRecord", 5, {})], ""),  # slower than its files
        ([MAP, ("MemoryCacheImpl", 90, {})], ""),
    ],
)
def test_what_passes(stages: list[Stage], said: str) -> None:
    assert said in passes(RULE, fed(40, *stages)).reason


@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("below")
def test_reading_that_steps_do_not_wait_for_passes() -> None:
    passes(RULE, fed(0.9, MAP, ("TFRecord", 90, {})))
    passes(RULE, fed(40, MAP, ("TFRecord", 90, {}), busy_from=0))


def test_reading_that_prefetching_alone_would_hide_passes() -> None:
    passes(RULE, fed(30, ("BatchV2", 1, {}), ("TFRecord", 29, {}), prefetch=False))
    assert fires(RULE, fed(60, ("BatchV2", 1, {}), ("TFRecord", 59, {}), prefetch=False))


def test_without_a_gpu_the_hosts_step_is_judged() -> None:
    found = finding(RULE, fed(10, MAP, ("TFRecord", 90, {}), gpus=0))

    assert (found.severity, found.saving) == ("warning", None)
