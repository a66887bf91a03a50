"""The input pipeline rebuilt from iterator events: its tree, who works when, and what is waited for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import inputs
from tests.pipelines import stocked
from tests.strategies import INPUT_WAIT, MS, Recording
from tfperf_plugin.analysis.artifacts.input.pipelines import SLOW_CALL_NS, IteratorRow, Pipelines
from tfperf_plugin.analysis.artifacts.input.stages import stage_of, written

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


def test_each_iterator_has_its_own_work() -> None:
    """Prefetch only waits; what the map's calls take without reading is the map's."""
    pipelines = _pipelines(_reading_map())

    assert [(r.kind, r.depth, r.calls_count, r.total_ns, r.self_ns) for r in pipelines.rows] == [
        ("Prefetch", 0, 3, 15, 3),  # what its thread does around the map's calls
        ("Map", 1, 3, 180, 120),
        ("TFRecord", 2, 3, 60, 60),
    ]
    assert [r.parent for r in pipelines.rows] == [None, 0, 1]


def test_what_was_recorded_about_each_iterator() -> None:
    pipelines = _pipelines(_reading_map())
    prefetch, mapped = _row(pipelines, "Prefetch"), _row(pipelines, "Map")

    assert (prefetch.autotune, prefetch.buffered_elements, prefetch.buffer_limit) == (True, 0, 4)
    assert (mapped.parallelism, mapped.autotune, mapped.buffer_limit) == (None, None, None)


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


@pytest.mark.parametrize("produces", [True, False])
def test_functions_in_a_pool_are_the_work_of_the_map_that_started_them(produces: bool) -> None:
    pipelines = _pipelines(_parallel(produces=produces))
    worst = _blamed(pipelines)

    assert (worst.kind, worst.stage, worst.at_once) == ("ParallelMapV2", "preprocessing", 2)
    assert worst.self_ns == 7 * (10 * MS - 11)
    assert worst.batch_ns == pytest.approx(5 * MS, rel=0.05)  # 10 ms, two at a time
    assert worst.wait_ratio > 0.95
    assert worst.written == ".map(..., num_parallel_calls=2)"
    assert _path(pipelines) == ["Root", "ParallelMapV2"]
    assert pipelines.late is not None
    assert pipelines.late.wait_ratio == pytest.approx(0.8)
    assert pipelines.late.batch_bytes == 640
    assert pipelines.late.in_request_ns == 0  # the request itself only waits


def test_a_batch_needs_what_its_slowest_stage_takes_in_all_its_parallel_calls() -> None:
    assert _pipelines(_parallel()).needed_ns == pytest.approx(5 * MS, rel=0.01)  # 10 ms, two at a time
    # Four calls are allowed, though no more than two were seen at a time.
    assert _pipelines(_parallel(degree=4)).needed_ns == pytest.approx(2.5 * MS, rel=0.01)
    assert _pipelines(_reading_map()).needed_ns is None  # no step asks for a batch


def test_an_unfinished_batch_counts_by_its_elements() -> None:
    """Of the 100 elements of a batch 40 are made, one by one, each in 1 ms."""
    pipelines = inputs(stocked(40, 1)).of(Pipelines)
    (pipeline,) = pipelines.pipelines

    assert pipelines.needed_ns == pytest.approx(100 * MS, rel=0.03)
    assert pipeline.making_ns == 40 * MS
    assert pipelines.making_needs_ns(pipeline) == 100 * MS


def test_calls_at_the_same_time_are_those_that_were_seen() -> None:
    """Functions of 3 ms, one at a time, are under way for three fifths of each step."""
    row = _row(_pipelines(_parallel(degree=8, function=3)), "ParallelMapV2")

    assert row.at_once == 1
    assert row.batch_ns == pytest.approx(3 * MS, rel=0.05)


def test_python_in_a_pool_makes_the_stage_python() -> None:
    recording = _parallel()
    for k in range(7):
        recording.host("EagerPyFunc:EagerPyFunc", 5 * k * MS + 20, (5 * k + 9) * MS, f"{_POOL}{k % 2}")
    worst = _blamed(_pipelines(recording))

    assert worst.stage == "Python"
    assert worst.written == ".map(py_function, num_parallel_calls=2)"


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


def test_a_pipeline_without_buffers_works_inside_the_request() -> None:
    pipelines = _pipelines(_synchronous(read=3_300_000))
    late, worst = pipelines.late, _blamed(pipelines)

    assert late is not None
    assert late.in_request_ns == 8 * MS
    assert (worst.kind, worst.batch_ns) == ("TFRecord", 6_600_000)
    assert worst.wait_ratio == pytest.approx(6.6 / 8)
    assert _path(pipelines) == ["Root", "BatchV2", "Map", "TFRecord"]
    assert late.slowest_ns == 8 * MS


def test_a_stage_that_works_during_less_than_80_percent_of_the_wait_is_not_blamed() -> None:
    pipelines = _pipelines(_synchronous(read=3_100_000))

    assert _row(pipelines, "TFRecord").wait_ratio == pytest.approx(6.2 / 8)
    assert pipelines.bottleneck is None
    assert _path(pipelines) == ["Root", "BatchV2", "Map", "TFRecord"]


def _one_long_call(reads: int) -> Pipelines:
    """In each wait of 4 ms one of a map's four calls always works, and the file is read for ``reads``."""
    recording = _parallel(degree=5, function=5)
    for k in range(7):
        for n in range(3):
            started = 10_000 + 10 * k + n
            at = 5 * k * MS + 15 + n
            recording.host("InstantiatedCapturedFunction::RunAsync", at, at + 1, _RUNNER, id=started)
            recording.host("ExecutorState::Process", at + 9, at + 100_000, f"{_POOL}{3 + n}", id=started)
        at = 5 * k * MS + 30
        recording.host("Iterator::Root::ParallelMapV2::TFRecord", at, at + reads, _RUNNER, id=3, parent_id=2)
    return _pipelines(recording)


def test_a_stage_whose_long_calls_hold_up_the_others_is_blamed() -> None:
    """Reading rests, so the calls that do not run wait for the one that does, not for the file."""
    worst = _blamed(_one_long_call(reads=1_900_000))

    assert (worst.kind, worst.at_once) == ("ParallelMapV2", 4)
    assert worst.wait_ratio == pytest.approx(1.0, abs=0.01)
    assert worst.batch_ns == pytest.approx(2.1 * MS, rel=0.01)


def test_a_stage_that_makes_few_of_the_calls_it_could_while_its_source_works_is_not_blamed() -> None:
    pipelines = _one_long_call(reads=2_100_000)
    row = _row(pipelines, "ParallelMapV2")

    assert row.wait_ratio == pytest.approx(1.0, abs=0.01)
    assert pipelines.bottleneck is None


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


def test_steps_that_do_not_wait_have_no_bottleneck() -> None:
    recording = Recording(0)
    _steps(recording, 4, 1_000, 1)
    for k in range(5):
        recording.host("Iterator::Root", k * 1_000 * MS, (k * 1_000 + 1) * MS, _MAIN, id=1)
        recording.host("Iterator::Root::Map", k * 1_000 * MS, (k * 1_000 + 1) * MS, _MAIN, id=2, parent_id=1)
    pipelines = _pipelines(recording)

    assert pipelines.late is None
    assert pipelines.bottleneck is None
    assert [p.wait_ns for p in pipelines.pipelines] == [MS]


def test_two_pipelines_of_one_host_are_told_apart_by_their_roots() -> None:
    """Steps wait 4 ms for the second one, and hardly for the first; iterators of both have the same names."""
    recording = Recording(0)
    for k in range(5):
        at = 20 * k * MS
        recording.step(k, at, at + 20 * MS)
        for number, (thread, wait) in enumerate(((_MAIN, 50_000), ("tf_data_iterator_get_next/9", 4 * MS))):
            recording.host(INPUT_WAIT, at, at + wait, thread)
            recording.host("Iterator::Root", at, at + wait, thread, id=10 + number)
            recording.host(
                "Iterator::Root::Map", at, at + wait, thread, id=20 + number, parent_id=10 + number
            )
    pipelines = _pipelines(recording)

    assert [(r.pipeline, r.kind) for r in pipelines.rows] == [
        (0, "Root"),
        (0, "Map"),
        (1, "Root"),
        (1, "Map"),
    ]
    assert pipelines.late is not None
    assert pipelines.late.number == 1
    assert [(p.number, p.wait_ns) for p in pipelines.pipelines] == [(1, 4 * MS), (0, 50_000)]
    assert pipelines.bottleneck is pipelines.rows[3]


def test_a_request_of_another_thread_belongs_to_the_only_pipeline() -> None:
    recording = Recording(0)
    _steps(recording, 4, 20, 8)
    for k in range(5):
        recording.host("Iterator::Prefetch::Map", 20 * k * MS, (20 * k + 8) * MS, _WORKER)
    pipelines = _pipelines(recording)

    assert _blamed(pipelines).kind == "Map"


def test_all_requests_are_of_the_only_pipeline_as_the_step_waits_for_all_of_them() -> None:
    recording = _parallel()
    recording.host(INPUT_WAIT, round(4.2 * MS), round(4.7 * MS), _MAIN, element_size=640)
    without = _pipelines(_parallel()).pipelines[0]
    (found,) = _pipelines(recording).pipelines

    assert found.wait_ns - without.wait_ns == pytest.approx(0.5 * MS / 6, abs=1)
    assert found.requests == without.requests


def test_the_runs_of_a_repeated_pipeline_are_one_iterator() -> None:
    recording = Recording()
    for k in range(3):
        recording.host(f"Iterator::Repeat[{k}]::Map", k * 100, k * 100 + 50, _WORKER)
    recording.host("Iterator::Repeat", 500, 600, _MAIN)

    assert [(r.name, r.calls_count, r.parent) for r in _pipelines(recording).rows] == [
        ("Iterator::Repeat", 1, None),
        ("Iterator::Repeat::Map", 3, 0),
    ]


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


def test_slow_calls_are_counted() -> None:
    recording = Recording()
    for k, length in enumerate((SLOW_CALL_NS, SLOW_CALL_NS + 1, 3 * SLOW_CALL_NS)):
        recording.host("Iterator::Map", k * 10**6, k * 10**6 + length, _MAIN)

    assert _row(_pipelines(recording), "Map").slow_calls_count == 2


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


def test_a_transfer_whose_pipeline_was_not_recorded_is_not_blamed() -> None:
    recording = Recording(0)
    _steps(recording, 4, 20, 12)
    for k in range(5):
        at = 20 * k * MS
        recording.host("Iterator::Prefetch", at, at + 12 * MS, _MAIN, id=1)
        recording.host("PrefetchProduce", at, at + 12 * MS, _WORKER, element_id=k)
        recording.host("Iterator::Prefetch::Generator", at, at + 12 * MS, _WORKER, id=2, parent_id=1)

    assert _pipelines(recording).bottleneck is None


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


@pytest.mark.parametrize(
    ("kind", "dataset", "text"),
    [
        ("MapAndBatch", "fused(MapDataset:3,BatchDatasetV2:4)", ".map(...).batch(16)"),
        ("MapAndBatch", "fused(ParallelMapDatasetV2:3,BatchDatasetV2:4)", ".map(..., num_parallel_calls=8).batch(16)"),  # noqa: E501
        ("MapAndBatch", "", ".map(..., num_parallel_calls=8).batch(16)"),
        ("ParallelMapV2", "MapDataset:88", ".map(...)"),  # TensorFlow made it parallel by itself
        ("ParallelMapV2", "", ".map(..., num_parallel_calls=8)"),
        ("ParallelInterleaveV4", "ParallelInterleaveDatasetV4:1", ".interleave(..., num_parallel_calls=8)"),
        ("TFRecord", "TFRecordDataset:1", "tf.data.TFRecordDataset(...)"),
        ("Generator", "GeneratorDataset:1", "tf.data.Dataset.from_generator(...)"),
        ("ShuffleAndRepeat", "fused(ShuffleDatasetV3:85,RepeatDataset:86)", ".shuffle(...).repeat()"),
        ("Prefetch", "PrefetchDataset:9", ".prefetch(4)"),
        ("Prefetch", "inject/prefetch_BatchDatasetV2/_11", "Prefetch"),  # no line of the program
        ("Root", "PrefetchDataset:9", "Root"),
        ("MyDataset", "", "MyDataset"),
    ],
)  # fmt: skip
def test_a_transformation_is_named_as_the_user_wrote_it(kind: str, dataset: str, text: str) -> None:
    assert written(kind, dataset, parallelism=8, batch_size=16, buffer_limit=4) == text
