"""What of PyTorch's ops, marks and threads idle time of a GPU is put down to."""

from __future__ import annotations

import pytest

from tests.builders import inputs_of_run
from tests.readers.kineto.traces import Trace, read
from tests.strategies import ADD, MS, Recording
from tfperf_plugin.analysis.ledger import Ledger

STEP = "ProfilerStep"


def _steps() -> Recording:
    """Steps of 100 ms that follow each other at once; the GPU computes during the first 10 ms of each."""
    recording = Recording()
    for number in range(4):
        begin = 100 * MS * number
        recording.step(number, begin, begin + 100 * MS, STEP, root=False)
        recording.host("aten::add", begin, begin + 2 * MS)
        recording.launch(0, ADD, (begin, begin + MS), begin, begin + 10 * MS, call="cudaLaunchKernel")
    return recording


def test_an_optimizer_of_another_thread_or_of_no_step_ends_none() -> None:
    recording = _steps()
    recording.host("Optimizer.step#SGD.step", 120 * MS, 140 * MS, "trainer/2")
    recording.host("Optimizer.step#SGD.step", 190 * MS, 210 * MS)

    assert "idle.between_steps" not in recording.analyse().accounts(1)


@pytest.mark.parametrize(
    ("every_us", "pause_us", "runs"),
    [(90, 900, True), (150, 900, False), (90, 1_800, False)],
    ids=["Python runs", "Python is silent", "Python works for long"],
)
def test_between_launches_python_runs_where_its_calls_follow_closely(
    every_us: int, pause_us: int, runs: bool
) -> None:
    """Two launches of a step; a function around all of it says nothing."""
    recording, us = _steps(), MS // 1_000
    recording.host("$train.py:1 main", 0, 400 * MS)
    begin, end = 120 * MS, 120 * MS + pause_us * us
    for at in (begin, end):
        call = (at - 5 * us, at)
        recording.launch(0, ADD, call, at, at + 5 * us, call="cudaLaunchKernel")
    for at in range(begin, end, every_us * us):
        recording.host("$model.py:7 forward", at, at + 20 * us)
    found = recording.analyse().accounts(1)

    assert (found.get("idle.dispatch", 0) > 0.9 * (end - begin)) == runs


@pytest.mark.parametrize(("first", "unknown_us"), [(1, 190), (2, 0)], ids=["one launch", "two"])
def test_between_kernels_of_one_launch_the_host_has_no_part(first: int, unknown_us: int) -> None:
    """A graph's call lasts until its second kernel begins; two calls leave the GPU without work meanwhile."""
    trace = Trace()
    for number in range(6):
        at, graph = 1_000.0 * number, 10 * number
        trace.mark(f"ProfilerStep#{number}", at, at + 1_000)
        trace.op("aten::mm", at, at + 400)
        trace.launch(graph + 1, at + 10, at + (400 if first == 1 else 20), "cudaGraphLaunch")
        trace.launch(graph + 2, at + 210, at + 400, "cudaGraphLaunch")
        trace.kernel("gemm", graph + 1, at + 20, at + 220)
        trace.kernel("gemm", graph + first, at + 410, at + 1_010)

    assert inputs_of_run((read(trace),)).of(Ledger).average()["idle.unknown"] == 1_000 * unknown_us
