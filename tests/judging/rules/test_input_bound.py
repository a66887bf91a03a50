"""The GPUs wait for data."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import (
    ALL_REDUCE,
    GET_NEXT,
    MS,
    Host,
    finding,
    fires,
    inputs,
    judge,
    passes,
    says,
    value,
)
from tests.pipelines import Stage, fed, stocked
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines
from tfperf_plugin.judging.engine.rule import Found, Missing
from tfperf_plugin.judging.rules.input import input_bound as rule
from tfperf_plugin.judging.rules.input.input_bound import RULE
from tfperf_plugin.report.panels.input import input_report


def training(wait: float, busy_from: float | None = None) -> Host:
    """Steps of 100 ms that ask ``wait`` ms for a batch; the GPU works from then, or ``busy_from``, on."""

    def step(host: Host, at: float) -> None:
        host.event(GET_NEXT, at, at + wait, thread="tf_Compute/1")
        host.kernel(at + (wait if busy_from is None else busy_from), at + 100)

    return Host().trained(5, 100, step)


def test_the_only_stage_that_works_is_named_from_half_of_the_wait_on() -> None:
    """On a busy machine its threads wait for cores in between."""
    read: Stage = ("TFRecord", 1.0, {"name": "TFRecordDataset:1"})

    def one(length: float) -> Found:
        return fires(RULE, fed(40, ("Map", length, {"name": "MapDataset:2"}), read))

    named = one(24)
    assert value(named, "share of the wait in which it works") == 24 / 40
    assert "working during 60 % of the wait" in named.summary
    assert says(one(18), rule.NONE_BLAMED)


def once(wait: float) -> Host:
    """One of four steps waits."""
    host = Host().trained(5, 100, lambda host, at: host.kernel(at + (wait if at == 200 else 0), at + 100))
    host.event(GET_NEXT, 200, 200 + wait, thread="tf_Compute/1")
    return host


def several(waits: tuple[float, ...], name: str = "worker") -> Host:
    """Steps of 100 ms: each GPU waits that long for its own batch, then computes; all exchange gradients.

    A GPU waits in that exchange until the last one has arrived.
    """

    def step(host: Host, at: float) -> None:
        for gpu, wait in enumerate(waits):
            thread = f"tf_gpu_private_{gpu}/{gpu}"
            if wait:
                host.event(GET_NEXT, at, at + wait, thread=thread)
            host.kernel(at + wait, at + wait + 40, gpu, launch=(at + wait, at + wait + 0.01), thread=thread)
            host.kernel(at + wait + 40, at + 100, gpu, ALL_REDUCE)

    return Host(name, gpus=len(waits)).trained(5, 100, step)


def test_a_gpu_whose_batch_is_late_holds_up_the_others_as_well() -> None:
    found = fires(RULE, several((0, 40)))

    assert found.summary.startswith(
        "In a step GPU 1 is idle for 40.0 ms because its next batch is not ready; the other GPU gets"
    )
    # GPU 1 is idle for 40 ms, GPU 0 waits 40 ms for it in AllReduce: 20 + 20 on average.
    assert found.claims == {"idle.input": 20_000_000, "communication.wait": 20_000_000}
    assert value(found, "waiting in AllReduce for GPUs whose batch is late") == 20_000_000
    assert value(found, "batches per second needed") == 33.3  # two every 60 ms


def before_another() -> Host:
    """GPU 0 gets its batch 40 ms late and still arrives at AllReduce before GPU 1, which has more work."""

    def step(host: Host, at: float) -> None:
        host.event(GET_NEXT, at, at + 40, thread="tf_gpu_private_0/0")
        for gpu, (begin, end) in enumerate(((40, 80), (0, 85))):
            host.kernel(at + begin, at + end, gpu, launch=(at + begin, at + begin + 0.01))
            host.kernel(at + end, at + 100, gpu, ALL_REDUCE)

    return Host(gpus=2).trained(5, 100, step)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "lost_ms"),
    [
        (training(wait=1), 1),
        (training(wait=0.9), 0),
        (training(wait=40, busy_from=30), 30),
        (training(wait=40, busy_from=0), 0),
        (once(wait=40), 10),
        (once(wait=3), 0),
        # An eighth of 4 ms is less than 1 % of the step; but all the others wait as well.
        (several((4, *(0,) * 7)), 4),
        (several((0.9, *(0,) * 7)), 0),
        (before_another(), 0),
    ],
)
def test_what_late_batches_cost(host: Host, lost_ms: float) -> None:
    verdict = judge(RULE, host)

    assert isinstance(verdict, Found) == bool(lost_ms)
    assert not isinstance(verdict, Found) or sum(verdict.claims.values()) == lost_ms * MS
    assert says(verdict, rule.BY_OTHERS) == (len(host.trace().devices) == 2)


def test_gpus_that_wait_are_named() -> None:
    hosts = several((0, 0), name="quick"), several((40, 40), name="slow")

    assert "each GPU of slow is idle for 40.0 ms" in fires(RULE, *hosts).summary
    assert value(fires(RULE, *hosts), "GPUs fed by one input pipeline") == 2
    assert "GPU 0 and GPU 1 are each idle for" in fires(RULE, several((40, 40, 0, 0))).summary
    assert not any("GPUs fed" in row.label for row in fires(RULE, training(wait=40)).evidence)


def advice(found: Found) -> str:
    assert found.fix is not None
    return " ".join((found.fix.summary, *found.fix.actions))


SERIAL_MAP, PARALLEL_MAP = "Run map in parallel: .map(...) becomes", "runs in parallel already"
PREFETCH, CACHE, FIXED = "End the pipeline with prefetch", "Cache what does not change", "Its degree is fixed"


def parallel(kind: str, autotune: int) -> Host:
    return fed(40, (kind, 90, {"parallelism": 8, "batch_size": 16, "autotune": autotune}))


@pytest.mark.parametrize(
    ("host", "told", "untold"),
    [
        (fed(40, ("Map", 90, {})), (SERIAL_MAP, CACHE), (PREFETCH,)),  # it prefetches already
        (fed(40, ("Map", 90, {}), ("MemoryCacheImpl", 1, {})), (SERIAL_MAP,), (CACHE,)),
        # Prefetching alone would hide it.
        (fed(30, ("Map", 29, {}), ("TFRecord", 1, {}), prefetch=False), (PREFETCH,), ("Run map",)),
        *(
            (
                parallel(kind, autotune),
                (f".map(..., num_parallel_calls={degree}){batch} {PARALLEL_MAP}", *said),
                ("Run map", "interleave(", *unsaid),
            )
            for kind, batch in (("ParallelMapV2", ""), ("ParallelMap", ""), ("MapAndBatch", ".batch(16)"))
            for autotune, degree, said, unsaid in (
                (1, "tf.data.AUTOTUNE", (), (FIXED,)),
                (0, "8", (FIXED,), ()),
            )
        ),
        (
            fed(40, ("BatchV2", 1, {}), ("TFRecord", 90, {})),
            ("Read several files at the same time: interleave(",),
            (),
        ),
        (
            fed(40, ("ParallelInterleaveV4", 0.1, {"parallelism": 4}), ("TFRecord", 90, {})),
            ("num_parallel_calls=4) reads several files at the same time already",),
            ("Read several files",),
        ),
        (
            fed(40, ("BatchV2", 1, {}), ("Generator", 90, {})),
            ("Replace tf.data.Dataset.from_generator(...) by TensorFlow ops",),
            (),
        ),
        (
            fed(40, ("BatchV2", 90, {"batch_size": 64})),
            (".batch(64) becomes .batch(64, num_parallel_calls=tf.data.AUTOTUNE)",),
            (),
        ),
        (fed(40, ("Filter", 90, {})), (".filter(...) runs one record at a time",), ()),
    ],
)
def test_what_to_do_fits_the_stage(host: Host, told: Sequence[str], untold: Sequence[str]) -> None:
    text = advice(fires(RULE, host))

    assert [one for one in told if one not in text] == []
    assert [one for one in untold if one in text] == []


PARALLEL = {"parallelism": 8, "autotune": 1}
PREPARES: Stage = ("ParallelMapV2", 4, PARALLEL)
SERIAL: Stage = ("Map", 90, {"name": "MapDataset:2"})
READS: Stage = ("TFRecord", 90, {})
FILES = "files read at the same time"
FUSED = "fused(MapDataset:2,BatchDatasetV2:3)"


@pytest.mark.parametrize(
    ("stages", "does", "counted"),
    [
        ([SERIAL], "handles one element after the other", "calls of it at the same time"),
        (
            [("MapAndBatch", 90, {"name": FUSED, "parallelism": 1, "batch_size": 16})],
            "handles one element after the other",
            "calls of it at the same time, of 1",
        ),
        ([("ParallelMapV2", 90, PARALLEL)], "prepares the examples", "calls of it at the same time, of 8"),
        ([("MapAndBatch", 90, PARALLEL)], "prepares the examples", "calls of it at the same time, of 8"),
        ([("Filter", 90, {"name": "FilterDataset:2"})], "prepares the examples", ""),
        ([PREPARES, READS], "reads one file at a time", FILES),
        ([PREPARES, ("TextLine", 90, {})], "reads one file at a time", FILES),
        (
            [PREPARES, ("Interleave", 0.1, {}), READS],
            "reads one file at a time",
            FILES,
        ),
        ([PREPARES, ("ParallelInterleaveV4", 0.1, {}), READS], "reads ahead", ""),
        ([PREPARES, ("Prefetch", 0.1, {}), READS], "reads ahead", ""),
        ([("BatchV2", 1, {}), ("Generator", 90, {"name": "GeneratorDataset:1"})], "runs Python", ""),
    ],
)
def test_what_the_stage_does_meanwhile_is_said(stages: list[Stage], does: str, counted: str) -> None:
    found = fires(RULE, fed(40, *stages))

    assert f"it {does}" in found.summary
    assert [e.label for e in found.evidence if "at the same time" in e.label] == [counted][: bool(counted)]


@pytest.mark.parametrize(
    ("wait", "stages", "work", "said"),
    [
        # Handing on what is in memory is no stage's work.
        (25, [("BatchV2", 20.0, {}), ("MemoryCacheImpl", 5.0, {})], 20, rule.HIDES_ALL),
        (25, [("BatchV2", 20.0, {}), ("Prefetch", 1.0, {}), ("TFRecord", 4.0, {})], 24, rule.HIDES_ALL),
        (70, [("BatchV2", 70.0, {})], 70, rule.HIDES_SOME),
    ],
)
@pytest.mark.parametrize("gpus", [1, 0])
def test_batches_that_the_step_makes_itself(
    wait: float, stages: list[Stage], work: int, said: str, gpus: int
) -> None:
    found = fires(RULE, fed(wait, *stages, prefetch=False, gpus=gpus))

    assert says(found, said)
    assert value(found, "work on the thread that asks") == work * 1_000_000
    assert value(found, "rest of the step") == (100 - wait) * 1_000_000


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        fed(40, ("BatchV2", 0.5, {}), ("MemoryCacheImpl", 39.5, {}), prefetch=False),
        fed(40, ("Map", 90, {})),
    ],
    ids=["the request waits for others", "prefetched"],
)
def test_batches_that_are_made_ahead_are_not_said_to_be_missing(host: Host) -> None:
    assert not says(fires(RULE, host), rule.HIDES_ALL)


def test_what_was_not_recorded_behind_a_prefetch_is_said_to_be_there() -> None:
    """The request maps in 1 ms and waits 89 ms for a buffer that nothing recorded fills."""
    host = fed(90, ("Map", 1, {}), ("Prefetch", 0, {"buffer_limit": 1}), prefetch=False)
    found = fires(RULE, host)

    assert says(found, rule.UNSEEN) and "behind .prefetch(1)" in found.summary
    assert "Speed up what fills .prefetch(1)" in advice(found)
    assert "End the pipeline with prefetch" not in advice(found)
    assert "longest" not in advice(found)
    assert not says(found, rule.HIDES_ALL)


def of_arrays(steps: int, gpus: int) -> Host:
    """Steps of 100 ms that wait 40 ms for a batch of arrays that were passed to fit()."""

    def step(host: Host, at: float) -> None:
        asks = "tf_data_iterator_get_next/2"
        host.event(GET_NEXT, at, at + 40, thread=asks)
        zipped = "Iterator::Model::Map::Zip"
        rows = (
            ("Iterator::Model", 40, 1, 0),
            ("Iterator::Model::Map", 40, 2, 1),
            (zipped, 20, 3, 2),
            (f"{zipped}[0]::FlatMap", 10, 4, 3),
        )
        for name, length, id_, parent in rows:
            host.event(name, at, at + length, thread=asks, id=id_, parent_id=parent)
        repeated = f"{zipped}[1]::ForeverRepeat"
        host.event(repeated, at + 10, at + 12, thread=asks, id=5, parent_id=3)
        host.event(f"{repeated}::FromTensor", at + 10, at + 11, thread=asks, id=6, parent_id=5)
        if gpus:
            host.kernel(at + 40, at + 100)

    return Host(gpus=gpus).trained(steps, 100, step)


def test_the_pipeline_that_keras_makes_of_arrays_is_not_the_users() -> None:
    found = fires(RULE, of_arrays(6, 1))

    assert says(found, rule.OF_ARRAYS)
    assert found.advice == "arrays were passed to fit()"
    assert "instead of arrays" in advice(found)


@pytest.mark.parametrize("steps", [1, 5])
def test_one_wait_for_arrays_on_the_cpu_is_not_known_to_come_again(steps: int) -> None:
    found = fires(RULE, of_arrays(steps, 0))

    assert says(found, rule.ONE_BATCH) == (steps == 1)
    assert (found.severity, found.confidence) == (("info", "low") if steps == 1 else ("critical", "high"))


def behind_prefetch(
    *below: str, buffer: int = 1, above: str = "Iterator::Model::MaxIntraOpParallelism"
) -> Host:
    """One step of 100 ms waits for 90 ms; ``below`` its prefetch, these stages were recorded for 1 ms."""
    host = Host()
    host.step(0, 0, 100)
    thread, name, stats = "tf_data_iterator_get_next/1", f"{above}::Prefetch", {"buffer_limit": buffer}
    host.event(GET_NEXT, 1, 91, thread=thread)
    host.event("Iterator::Model", 1, 91, thread=thread, id=1)
    host.event(above, 1, 91, thread=thread, id=2, parent_id=1)
    host.event(name, 1, 91, thread=thread, id=3, parent_id=2, **stats)
    for number, kind in enumerate(below):
        name += f"::{kind}"
        host.event(
            name, 10 + number, 80 - number, thread="tf_data_prefetch/1", id=4 + number, parent_id=3 + number
        )
    host.kernel(92, 100)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        behind_prefetch("Shard", "Rebatch", "BatchV2", "TensorSlice"),
        behind_prefetch(buffer=8),
        behind_prefetch(above="Iterator::Model::ParallelMapV2"),
    ],
    ids=["stages below", "a buffer of 8", "a parallel map"],
)
def test_other_pipelines_that_end_with_a_prefetch_are_the_users(host: Host) -> None:
    assert not says(fires(RULE, host), rule.OF_GENERATOR)


@pytest.mark.parametrize("gpu", [True, False])
@pytest.mark.parametrize(("iterator", "alone"), [("_SingleProcess", True), ("_MultiProcessing", False)])
def test_the_iterator_tells_whether_the_loader_has_workers(iterator: str, alone: bool, gpu: bool) -> None:
    def step(host: Host, at: float) -> None:
        host.event(f"enumerate(DataLoader)#{iterator}DataLoaderIter.__next__", at, at + 40)
        if gpu:
            host.kernel(at + 41, at + 99, launch=(at + 40.5, at + 40.6))
        else:
            host.event("aten::addmm", at + 41, at + 99)

    found = fires(RULE, Host().trained(5, 100, step))

    assert says(found, rule.ALONE if gpu else rule.ALONE_ON_HOST) == alone
    assert not gpu or says(found, rule.TOO_SLOW) != alone
    assert found.advice == ("the DataLoader has no workers" if alone else "")
    assert gpu or ("prefetch_factor" in advice(found)) == (not alone)


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("iterator", "told"), [("_SingleProcess", True), ("_MultiProcessing", False)])
@pytest.mark.parametrize("on_cpu", [True, False])
def test_one_batch_on_the_cpu_tells_of_a_loader_without_workers(
    iterator: str, told: bool, on_cpu: bool
) -> None:
    """Without steps; workers may be starting, and a GPU that was not recorded may be what is waited for."""
    host = Host()
    host.event(f"enumerate(DataLoader)#{iterator}DataLoaderIter.__next__", 0, 40)
    host.event("aten::addmm" if on_cpu else "aten::cudnn_convolution", 50, 100)
    verdict = judge(RULE, host)

    assert says(verdict, rule.ALONE_ON_HOST) == (told and on_cpu)
    assert isinstance(verdict, Missing) != (told and on_cpu)
    assert "the 100 ms that were recorded the host waits 40.0 ms" in str(verdict) or not (told and on_cpu)


def test_half_of_a_recording_without_steps_waits_for_workers() -> None:
    host = Host()
    host.event("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 0, 60)
    host.event("aten::addmm", 90, 100)
    found = fires(RULE, host)

    assert says(found, rule.MAY_START)
    assert found.severity == "warning"
    assert "num_workers=0" in advice(found)


def test_batches_that_lay_ready_do_not_hide_a_slow_pipeline() -> None:
    """In the 20 ms of the step, 40 of the 100 examples of the next batch are made, each in 1 ms."""
    host = stocked(40, 1)
    found, said = fires(RULE, host), input_report(inputs(host).get(Pipelines))

    assert said and said.sentence.endswith("the table counts only what stages do while steps run.")
    assert says(found, rule.THERE) and says(found, rule.GPU_UNKNOWN)
    assert (
        "makes 1 batch of 100 in 100 ms, and .map(..., num_parallel_calls=1).batch(100) alone"
        in found.summary
    )
    assert "makes 1 batch of 100 in 100 ms, with .map(..., num_parallel_calls=1).batch(100)" in found.cause
    assert value(found, "making the batches of a step") == pytest.approx(100_000_000, rel=0.01)
    assert value(found, ".map(..., num_parallel_calls=1)") == pytest.approx(100_000_000, rel=0.03)
    assert value(found, "the recorded step") == 20_000_000
    assert (found.claims, found.confidence) == ({}, "medium")
    assert "Run map in parallel" in advice(found)
    assert "time an epoch on one batch" in advice(found)
    assert "time shown here" not in advice(found)


def test_severity_grows_with_the_time_of_a_batch_against_the_step() -> None:
    slow, slower = (
        finding(RULE, stocked(90, 0.25)),
        finding(RULE, stocked(190, 1, steps=10, buffer=10, gpus=1)),
    )

    assert (slow.severity, slower.severity) == ("warning", "critical")
    assert slow.saving is None and slower.saving is None  # the recorded step loses nothing
    assert "Whether a GPU" not in slower.summary


def test_what_asking_takes_does_not_hide_it_either() -> None:
    """Asking takes 0.9 of 20 ms, which alone is no warning."""
    found = fires(RULE, stocked(40, 1, asks=0.9))

    assert says(found, rule.THERE) and says(found, rule.MAKES)


@pytest.mark.near_miss("below")
def test_a_step_that_waits_long_is_judged_by_its_wait() -> None:
    found = fires(RULE, stocked(40, 1, asks=8))

    assert not says(found, rule.THERE)
    assert value(found, "the step waits for a batch") == 8_000_000


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [stocked(100, 0.12), stocked(100, 0.2, gpus=1), stocked(40, 1, steps=2), stocked(40, 1, buffer=0)],
    ids=["keeps up", "as long as a step", "more steps than lay ready", "nothing lay ready"],
)
def test_pipelines_that_keep_up_pass_whatever_lay_ready(host: Host) -> None:
    passes(RULE, host)


@pytest.mark.parametrize(
    "host",
    [
        stocked(40, 1, parallelism=8, autotune=1),
        stocked(40, 1, "MemoryCacheImpl"),
        stocked(0, 1),
    ],
    ids=["may get more calls", "fills a cache", "made nothing"],
)
def test_whether_a_pipeline_keeps_up_is_not_known_where_no_fixed_stage_is_too_slow(host: Host) -> None:
    missing = judge(RULE, host)

    assert isinstance(missing, Missing) and says(missing, rule.NOT_KNOWN)
    assert missing.how == rule.MORE_STEPS


@pytest.mark.parametrize("gpus", [1, 0])
def test_waiting_while_a_cache_is_filled_is_no_saving(gpus: int) -> None:
    found = fires(RULE, fed(40, ("MemoryCacheImpl", 1, {}), ("Map", 90, {}), gpus=gpus))

    assert says(found, rule.FILLS)
    assert (found.severity, found.claims) == ("info", {})
    assert "Record the second epoch" in advice(found)
    assert "Run map in parallel" not in advice(found)


@pytest.mark.near_miss("below")
def test_waiting_for_what_a_cache_feeds_comes_again_in_each_epoch() -> None:
    found = fires(RULE, fed(40, ("Map", 90, {}), ("MemoryCacheImpl", 1, {})))

    assert not says(found, rule.FILLS)
    assert found.claims == {"idle.input": 40_000_000}


def handed_over(taking: float, steps: int = 1) -> Host:
    """Steps of 100 ms wait 12 ms for a batch, ``taking`` ms of that for the buffer; then the next is made."""

    def step(host: Host, at: float) -> None:
        asks, makes, path = "tf_data_iterator_get_next/1", "tf_data_prefetch/1", "Iterator::Model::Prefetch"
        host.event(GET_NEXT, at, at + 12, thread=asks)
        host.event("Iterator::Model", at, at + 12, thread=asks, id=1)
        host.event(path, at + 12 - taking, at + 12, thread=asks, id=2, parent_id=1, buffer_limit=1)
        host.event(f"{path}::BatchV2", at + 20, at + 28, thread=makes, id=3, parent_id=2, batch_size=16)

    host = Host(gpus=0)
    for number in range(steps):
        host.step(number, 100 * number, 100 * number + 100)
        step(host, 100 * number)
    return host


def test_waiting_in_which_nothing_works_is_no_saving_if_it_was_seen_once() -> None:
    found = fires(RULE, handed_over(1))

    assert says(found, rule.LAY_READY) and "in .prefetch(1), and taking it took 1.0 ms" in found.summary
    assert found.severity == "info"
    assert "Record 20 steps" in advice(found)
    assert "Begin with the stage" not in advice(found)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host", [handed_over(11), handed_over(1, steps=3)], ids=["an empty buffer", "each step"]
)
def test_other_waiting_in_which_nothing_works_is_a_finding(host: Host) -> None:
    found = fires(RULE, host)

    assert not says(found, rule.LAY_READY)
    assert found.severity == "warning"
