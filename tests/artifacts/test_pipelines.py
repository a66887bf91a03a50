"""The input pipeline rebuilt from iterator events: self times, kinds, bottleneck."""

from __future__ import annotations

import pytest

from tests.strategies import Recording
from tfperf_plugin.artifacts.pipelines import SLOW_CALL_NS, IteratorRow, Pipelines, find_pipelines, stage_of
from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.model import Trace

_MAIN, _WORKER = "tf_data_iterator_get_next/1", "tf_data_iterator_resource/2"


def _pipelines(recording: Recording) -> Pipelines:
    analysis = recording.analyse()
    return find_pipelines(Trace("run", (analysis.host,)), Steps((analysis.steps,)))


def _row(pipelines: Pipelines, kind: str) -> IteratorRow:
    (found,) = (r for r in pipelines.rows if r.kind == kind)
    return found


def _reading_map(calls: int = 3) -> Recording:
    """Prefetch takes 5 from its buffer; its producer maps for 60, of which it reads for 20."""
    recording = Recording()
    for k in range(calls):
        begin = k * 100
        stats = {"autotune": 1, "buffered_elements": k % 2, "buffer_limit": 4}
        recording.host("Iterator::Prefetch", begin, begin + 5, _MAIN, **stats)
        recording.host("Iterator::Prefetch::ParallelMapV2", begin, begin + 60, _WORKER, parallelism=2)
        recording.host("InstantiatedCapturedFunction::Run", begin + 5, begin + 58, _WORKER)
        recording.host("Iterator::Prefetch::ParallelMapV2::TFRecord", begin + 10, begin + 30, _WORKER)
    return recording


def test_self_time_leaves_out_the_iterators_upstream() -> None:
    pipelines = _pipelines(_reading_map())

    assert [(r.kind, r.calls_count, r.total_ns, r.self_ns) for r in pipelines.rows] == [
        ("Prefetch", 3, 15, 15),
        ("ParallelMapV2", 3, 180, 120),
        ("TFRecord", 3, 60, 60),
    ]


def test_what_was_recorded_about_each_iterator() -> None:
    pipelines = _pipelines(_reading_map())
    prefetch, mapped = _row(pipelines, "Prefetch"), _row(pipelines, "ParallelMapV2")

    assert (prefetch.autotune, prefetch.buffered_elements, prefetch.buffer_limit) == (True, 0, 4)
    assert (mapped.parallelism, mapped.autotune, mapped.buffer_limit) == (2, None, None)


def test_parallel_work_counts_by_its_degree() -> None:
    """120 in a map of degree 2 and 60 of reading tie; with a third of reading more, reading is slower."""
    recording = _reading_map()
    recording.host("Iterator::Prefetch::ParallelMapV2::TFRecord", 400, 420, _WORKER)
    pipelines = _pipelines(recording)

    assert pipelines.bottleneck is not None
    assert pipelines.bottleneck.kind == "TFRecord"
    assert pipelines.path == tuple(r.name for r in pipelines.rows)


def test_the_runs_of_a_repeated_pipeline_are_one_iterator() -> None:
    recording = Recording()
    for k in range(3):
        recording.host(f"Iterator::Repeat[{k}]::Map", k * 100, k * 100 + 50, _WORKER)
    recording.host("Iterator::Repeat", 500, 600, _MAIN)
    pipelines = _pipelines(recording)

    assert [(r.name, r.calls_count) for r in pipelines.rows] == [
        ("Iterator::Repeat", 1),
        ("Iterator::Repeat::Map", 3),
    ]
    assert pipelines.path == ("Iterator::Repeat", "Iterator::Repeat::Map")


def test_slow_calls_are_counted() -> None:
    recording = Recording()
    for k, length in enumerate((SLOW_CALL_NS, SLOW_CALL_NS + 1, 3 * SLOW_CALL_NS)):
        recording.host("Iterator::Map", k * 10**6, k * 10**6 + length, _MAIN)

    assert _row(_pipelines(recording), "Map").slow_calls_count == 2


def test_prefetching_to_the_device_is_no_stage() -> None:
    recording = Recording()
    recording.host("Iterator::Prefetch::Generator", 0, 10**6, _WORKER)

    assert _pipelines(recording) == Pipelines((), None, ())


@pytest.mark.parametrize(
    ("kind", "stage"),
    [
        ("TFRecord", "reading"),
        ("TFRecordV2", "reading"),
        ("Generator", "Python"),
        ("ParallelInterleaveV4", "reading ahead"),
        ("ParallelMapV2", "preprocessing"),
        ("MapAndBatch", "preprocessing"),
        ("BatchV2", "batching"),
        ("Prefetch", "passing on"),
        ("Root", "passing on"),
        ("MyDataset", "preprocessing"),
    ],
)
def test_what_an_iterator_does(kind: str, stage: str) -> None:
    assert stage_of(kind) == stage
