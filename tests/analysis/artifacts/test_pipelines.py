"""The input pipeline rebuilt from iterator events: its tree, who works when, and what is waited for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import INPUT_WAIT, MS, Recording
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow, Pipelines
from tfperf_plugin.analysis.artifacts.input.stages import stage_of

_MAIN, _WORKER, _RUNNER, _POOL = (
    "tf_data_iterator_get_next/1",
    "tf_data_iterator_resource/2",
    "tf_data_iterator_resource/3",
    "tf_data_private_threadpool/4",
)


def _pipelines(recording: Recording) -> Pipelines:
    return recording.analyse().inputs().of(Pipelines)


def _row(pipelines: Pipelines, kind: str) -> IteratorRow:
    (found,) = (r for r in pipelines.rows if r.kind == kind)
    return found


def _blamed(pipelines: Pipelines) -> IteratorRow:
    assert pipelines.bottleneck is not None
    return pipelines.bottleneck


def _path(pipelines: Pipelines) -> list[str]:
    return [pipelines.rows[i].kind for i in pipelines.path]


def _reading_map(calls: int = 3) -> Recording:
    """Prefetch takes 5 from its buffer; its producer maps for 60, of which it reads for 20."""
    recording = Recording()
    for k in range(calls):
        begin = k * 100
        stats = {"autotune": 1, "buffered_elements": k % 2, "buffer_limit": 4}
        recording.host("Iterator::Prefetch", begin, begin + 5, _MAIN, id=1, **stats)
        recording.host("PrefetchProduce", begin, begin + 61, _WORKER, element_id=k)
        recording.host("Iterator::Prefetch::Map", begin, begin + 60, _WORKER, id=2, parent_id=1)
        recording.host("InstantiatedCapturedFunction::Run", begin + 32, begin + 58, _WORKER, id=50 + k)
        recording.host(
            "Iterator::Prefetch::Map::TFRecord", begin + 10, begin + 30, _WORKER, id=3, parent_id=2
        )
    return recording


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(
    ("length", "fills", "mean"),
    [
        (50_001, (None, None, 3), 1),  # the mean of 0, 0 and 3
        (50_000, (None, None, 3), 3),
        (50_000, (None, None, None), None),
    ],
)
def test_a_buffer_of_which_nothing_is_said_is_empty_if_the_call_waited(
    length: int, fills: tuple[int | None, ...], mean: int | None
) -> None:
    """TensorFlow records no fill of an empty buffer, and in some versions none at all."""
    recording = Recording()
    for k, fill in enumerate(fills):
        stats = {} if fill is None else {"buffered_elements": fill}
        begin = k * 100_000
        recording.host("Iterator::Prefetch", begin, begin + length, _MAIN, id=1, buffer_limit=4, **stats)

    assert _row(_pipelines(recording), "Prefetch").buffered_elements == mean


def _steps(recording: Recording, count: int, length: int, wait: int) -> None:
    """Steps of ``length`` ms on the host which ask for a batch for ``wait`` ms; one more is cut off."""
    for k in range(count + 1):
        at = k * length * MS
        recording.step(k, at, at + length * MS)
        recording.host(INPUT_WAIT, at, at + wait * MS, _MAIN, element_size=640)


def _parallel(degree: int = 2, calls: int = 6, function: int = 10, produces: bool = True) -> Recording:
    """A map of two calls at a time that takes 10 ms for each; steps of 5 ms wait for it.

    ``produces``: whether the map's thread records its own events.
    """
    recording = Recording(0)
    _steps(recording, calls, 5, 4)
    for k in range(calls + 1):
        at = 5 * k * MS
        recording.host("Iterator::Root", at + 1, at + 4 * MS - 1, _MAIN, id=1)
        recording.host(
            "Iterator::Root::ParallelMapV2", at + 2, at + 4 * MS - 2, _MAIN, id=2, parent_id=1,
            parallelism=degree, name="ParallelMapDatasetV2:7",
        )  # fmt: skip
        recording.host("ParallelMapConsume", at + 4 * MS - 9, at + 4 * MS - 8, _MAIN, element_id=700 + k)
        if produces:
            recording.host("ParallelMapProduce", at, at + 20, _RUNNER, element_id=702 + k)
        recording.host("Iterator::Root::ParallelMapV2::TFRecord", at + 1, at + 10, _RUNNER, id=3, parent_id=2)
        recording.host("InstantiatedCapturedFunction::RunAsync", at + 11, at + 15, _RUNNER, id=900 + k)
        pool = f"{_POOL}{k % 2}"
        recording.host("ExecutorState::Process", at + 15, at + function * MS, pool, id=900 + k)
    return recording


def test_a_batch_needs_what_its_slowest_stage_takes_in_all_its_parallel_calls() -> None:
    assert _pipelines(_parallel()).needed_ns == pytest.approx(5 * MS, rel=0.01)  # 10 ms, two at a time
    # Four calls are allowed, though no more than two were seen at a time.
    assert _pipelines(_parallel(degree=4)).needed_ns == pytest.approx(2.5 * MS, rel=0.01)
    assert _pipelines(_reading_map()).needed_ns is None  # no step asks for a batch


def _synchronous(read: int = 2_500_000, count: int = 4) -> Recording:
    """Batches made inside the request: of 8 ms two records are read for ``read`` ns each, mapped in what is
    left of 3.5 ms each, and 1 ms batches."""
    recording = Recording(0)
    _steps(recording, count, 20, 8)
    for k in range(count + 1):
        at = 20 * k * MS
        recording.host("Iterator::Root", at, at + 8 * MS, _MAIN, id=1)
        recording.host("Iterator::Root::BatchV2", at, at + 8 * MS, _MAIN, id=2, parent_id=1)
        for part in (0, 3_500_000):
            path = "Iterator::Root::BatchV2::Map"
            recording.host(path, at + part, at + part + 3_500_000, _MAIN, id=3, parent_id=2)
            recording.host(f"{path}::TFRecord", at + part, at + part + read, _MAIN, id=4, parent_id=3)
    return recording


def test_a_stage_that_works_during_less_than_80_percent_of_the_wait_is_not_blamed() -> None:
    pipelines = _pipelines(_synchronous(read=3_100_000))

    assert _row(pipelines, "TFRecord").wait_ratio == pytest.approx(6.2 / 8)
    assert pipelines.bottleneck is None
    assert _path(pipelines) == ["Root", "BatchV2", "Map", "TFRecord"]


def test_a_map_that_hardly_runs_its_function_is_not_blamed() -> None:
    """Its thread does not get on: what for is not recorded, least of all that its function took the time."""

    def mapped(function: int) -> Pipelines:
        recording = Recording(0)
        _steps(recording, 4, 20, 8)
        for k in range(5):
            at = 20 * k * MS
            recording.host("Iterator::Model", at, at + 8 * MS, _MAIN, id=1)
            recording.host("Iterator::Model::Map", at, at + 8 * MS, _MAIN, id=2, parent_id=1)
            end = at + 8 * MS
            recording.host("InstantiatedCapturedFunction::Run", end - function, end, _MAIN, id=70 + k)
        return _pipelines(recording)

    blamed, silent = mapped(4 * MS), mapped(4 * MS - 1)
    assert _blamed(blamed).kind == "Map"
    assert silent.bottleneck is None
    assert silent.late is not None
    assert silent.late.in_request_ns == 0


def test_the_inputs_of_a_zip_are_iterators_of_their_own() -> None:
    recording = Recording()
    recording.host("Iterator::Zip", 0, 100, _MAIN, id=1)
    recording.host("Iterator::Zip[0]::Map", 0, 60, _MAIN, id=2, parent_id=1)
    recording.host("Iterator::Zip[1]::Map", 60, 90, _MAIN, id=3, parent_id=1)

    assert [(r.kind, r.depth, r.self_ns, r.parent) for r in _pipelines(recording).rows] == [
        ("Zip", 0, 10, None),
        ("Map", 1, 60, 0),
        ("Map", 1, 30, 0),
    ]


def test_ids_in_a_ring_come_to_an_end() -> None:
    recording = Recording()
    for k in range(3):
        recording.host(
            "Iterator::A::B" + "::C" * k, k * 10, k * 10 + 5, _MAIN, id=k + 1, parent_id=(k + 1) % 3 + 1
        )

    assert sorted(r.kind for r in _pipelines(recording).rows) == ["B", "C", "C"]


def _to_device(fetch: int = 4) -> Recording:
    """A pipeline fetched on another thread for ``fetch`` of the 12 ms of each batch, which is then copied."""
    recording = Recording(0)
    _steps(recording, 4, 20, 12)
    for k in range(5):
        at = 20 * k * MS
        recording.host("Iterator::Prefetch", at, at + 12 * MS, _MAIN, id=1, buffer_limit=2)
        recording.host("PrefetchProduce", at, at + 12 * MS, _WORKER, element_id=k)
        recording.host("Iterator::Prefetch::Generator", at, at + 12 * MS, _WORKER, id=2, parent_id=1)
        recording.host("Iterator::Root", at, at + fetch * MS, _RUNNER, id=10)
        recording.host("Iterator::Root::Map", at, at + fetch * MS, _RUNNER, id=11, parent_id=10)
    return recording


def test_prefetching_to_the_device_is_the_transfer() -> None:
    worst = _blamed(_pipelines(_to_device(fetch=2)))

    assert (worst.stage, worst.written) == ("transfer", "prefetching to the GPU")
    assert worst.batch_ns == 10 * MS  # without what it waits for the pipeline on the host


def test_what_the_device_waits_for_is_followed_to_the_host() -> None:
    recording = _to_device()
    for k in range(5):  # now the host's own pipeline takes all the time
        at = 20 * k * MS
        recording.host("Iterator::Root", at + 4 * MS, at + 12 * MS, _RUNNER, id=10)
        recording.host("Iterator::Root::Map", at + 4 * MS, at + 12 * MS, _RUNNER, id=11, parent_id=10)
    pipelines = _pipelines(recording)

    assert _blamed(pipelines).kind == "Map"
    assert _path(pipelines) == ["Prefetch", "Generator", "Root", "Map"]


@st.composite
def _trees(draw: st.DrawFn) -> Recording:
    """Calls of a synchronous pipeline: each encloses any number of calls of the stages upstream."""
    recording = Recording()

    def calls(path: str, depth: int, begin: int, end: int) -> None:
        recording.host(path, begin, end, _MAIN, id=depth + 1, parent_id=depth)
        cuts = (
            draw(st.lists(st.integers(begin + 1, end - 1), max_size=6, unique=True))
            if end - begin > 2
            else []
        )
        ends: Iterator[int] = iter(sorted(cuts))
        for a, b in zip(ends, ends, strict=False):
            if depth < 4:
                calls(f"{path}::Stage{depth}", depth + 1, a, b)

    at = 0
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 500))
        calls("Iterator::Root", 0, at, at + length)
        at += length + draw(st.integers(0, 50))
    return recording


@given(_trees())
def test_own_times_of_a_synchronous_pipeline_add_up_to_its_roots(recording: Recording) -> None:
    rows = _pipelines(recording).rows

    assert sum(r.self_ns for r in rows) == rows[0].total_ns
    assert all(0 <= r.self_ns <= r.total_ns for r in rows)
    assert all(r.parent is None or rows[r.parent].depth == r.depth - 1 for r in rows)


@pytest.mark.parametrize(
    ("kind", "downstream", "stage"),
    [
        ("TFRecord", (), "reading on demand"),
        ("TFRecordV2", ("FlatMap", "Repeat", "ParallelMapV2"), "reading on demand"),
        ("TFRecord", ("Interleave", "Map"), "reading on demand"),
        ("TFRecord", ("FlatMap", "ParallelInterleaveV4"), "reading ahead"),
        ("TFRecord", ("Prefetch", "Map"), "reading ahead"),
        ("TFRecord", ("Map", "BatchV2", "Prefetch"), "reading on demand"),
        ("Generator", (), "Python"),
        ("ParallelInterleaveV4", (), "reading ahead"),
        ("ParallelMapV2", (), "preprocessing"),
        ("MapAndBatch", (), "preprocessing"),
        ("BatchV2", (), "batching"),
        ("Prefetch", (), "passing on"),
        ("Root", (), "passing on"),
        ("MyDataset", (), "preprocessing"),
    ],
)
def test_what_an_iterator_does(kind: str, downstream: tuple[str, ...], stage: str) -> None:
    assert stage_of(kind, downstream) == stage
