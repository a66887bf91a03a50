"""A capture of one batch, as Keras' callback takes it: begun in the step, ended in the callback's work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.simulator import simulate
from demo.simulator.models import ConvNet
from demo.simulator.training import (
    MILLISECOND_NS,
    Collector,
    Dispatch,
    Generation,
    InputPipeline,
    Training,
)
from tests.demo.reading import Event, events

PS = 1_000
SMALL = ConvNet(batch=64)
ONE = Training(
    model=SMALL,
    generation="old",
    steps=1,
    readback_lag=0,
    input=InputPipeline(arrays=True),
    collector=Collector(one_batch=True, op_events=False),
)


def host(training: Training) -> list[Event]:
    return events(simulate(training), "worker0", "/host:CPU")


def gpu(training: Training) -> list[Event]:
    return events(simulate(training), "worker0", "/device:GPU:0")


def of(rows: list[Event], name: str) -> list[Event]:
    return [row for row in rows if row.name == name]


@pytest.mark.parametrize(("generation", "marked"), [("old", False), ("keras3", True)])
def test_the_profiler_starts_inside_the_step(generation: Generation, marked: bool) -> None:
    rows = host(replace(ONE, generation=generation))
    function = "train_function" if generation == "old" else "multi_step_on_iterator"

    assert len(of(rows, function)) == 1
    assert any("step_num" in row.stats for row in rows) is marked


@pytest.mark.parametrize("tail_ms", [1, 3_000])
def test_the_callback_runs_ops_after_the_results_are_read(tail_ms: int) -> None:
    collector = replace(ONE.collector, tail_ns=tail_ms * MILLISECOND_NS)
    rows, work = host(replace(ONE, collector=collector)), gpu(replace(ONE, collector=collector))
    (call,) = of(rows, "train_function")
    flag = next(row for row in work if row.name.startswith("LogicalAnd"))
    loss, answer = sorted(row.start_ps for row in of(work, "MemcpyD2H"))
    names = [row.name for row in sorted(rows, key=lambda row: row.start_ps) if "Summary" in row.name]

    assert call.end_ps < loss < flag.start_ps < answer
    assert flag.start_ps - loss > tail_ms * MILLISECOND_NS * PS
    assert "EagerLocalExecute: WriteSummary" in names
    assert "FlushSummaryWriter" in names[-1]


def test_choosing_an_algorithm_leaves_only_scratch_memory() -> None:
    def executor(training: Training) -> int:
        rows = of(host(training), "ExecutorState::Process")
        return sum(row.end_ps - row.start_ps for row in rows if row.line.startswith("tf_gpu_private"))

    slow = replace(ONE, dispatches=(Dispatch(1, 5 * MILLISECOND_NS),))
    scratch = [row for row in of(host(slow), "MemoryAllocation") if row.stats["requested_bytes"] == 32 << 20]

    assert executor(slow) - executor(ONE) == pytest.approx(5 * MILLISECOND_NS * PS, rel=0.1)
    assert [str(row.stats["tf_op"]).rpartition("/")[2] for row in scratch] == ["Conv2D"]
    assert not any(row.name.endswith(":Conv2D") for row in host(slow))


def test_a_slow_first_step_is_slow_once() -> None:
    training = replace(
        ONE, steps=5, collector=Collector(), dispatches=(Dispatch(1, 50 * MILLISECOND_NS, once=True),)
    )
    rows = [row for row in host(training) if row.name == "train_function"]
    lengths = [row.end_ps - row.start_ps for row in sorted(rows, key=lambda row: row.start_ps)]

    assert lengths[0] > 50 * MILLISECOND_NS * PS
    assert max(lengths[1:]) < 25 * MILLISECOND_NS * PS


def test_kerass_pipeline_over_arrays_works_on_threads_of_steps_under_ids_of_its_own() -> None:
    rows = host(replace(ONE, steps=4, collector=Collector()))
    gathers = of(rows, "GatherV2:GatherV2")
    steps = {row.stats["id"] for row in of(rows, "FunctionRun")}
    others = {row.stats["id"] for row in of(rows, "ExecutorState::Process")} - steps

    assert gathers
    assert all(row.line.startswith("tf_Compute") for row in gathers)
    assert others
