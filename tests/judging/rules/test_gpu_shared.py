"""Another process is on a GPU of the training."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import Host, fires, judge, passes
from tests.judging.rules.test_gpu_throttled import gpus
from tests.watched import training, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.gpu_shared import RULE
from tfperf_plugin.recording.resources import Recorded


def others(*counts: Sequence[float]) -> Recorded:
    """GPUs that are busy, with so many other processes in each second."""
    return watched(
        {f"gpu.busy {gpu}": [0.9] * len(its) for gpu, its in enumerate(counts)}
        | {f"gpu.others {gpu}": its for gpu, its in enumerate(counts)}
    )


def test_each_gpu_is_named() -> None:
    few, many, none = [0.0] * 80 + [1.0] * 20, [0.0] * 50 + [1.0] * 50, [0.0] * 100

    found = fires(RULE, gpus(3), recorded=others(few, none, many))

    assert "was on GPU 2 for 50 %" in found.summary and "There was one on GPU 0, too." in found.summary


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "recorded",
    [
        others([0.0] * 100),
        others([0.0] * 95 + [1.0] * 5),
        others([1.0] * 100),  # in a container the training is such a process
        others([8.0] * 100),
        watched({"gpu.busy 0": [0.0] * 50 + [0.9] * 50, "gpu.others 0": [1.0] * 50 + [0.0] * 50}),
    ],
    ids=["none", "5 %", "one", "eight", "while no step runs"],
)
def test_few_moments_and_processes_that_are_always_there_are_none(recorded: Recorded) -> None:
    passes(RULE, training(), recorded=recorded)


def test_processes_on_gpus_of_others_are_none() -> None:
    """The training uses one of two GPUs, and never one alone."""
    busy = {"gpu.busy 0": [0.9] * 100, "gpu.busy 1": [0.9] * 100}
    coming = {"gpu.others 0": [1.0] * 100, "gpu.others 1": [1.0] * 50 + [2.0] * 50}

    verdict = judge(RULE, training(), recorded=watched(busy | coming))

    assert isinstance(verdict, NotApplicable) and "not known which" in verdict.reason


def test_nothing_is_said_where_processes_were_not_watched() -> None:
    assert isinstance(judge(RULE, training(), recorded=watched({"gpu.busy 0": [0.9]})), NotApplicable)


def test_a_host_without_kernels_has_no_gpu_of_the_training() -> None:
    host = Host(gpus=1).trained(10, 100, lambda host, at: host.event("python", at, at + 90))

    assert isinstance(judge(RULE, host, recorded=others([1.0] * 50 + [2.0] * 50)), NotApplicable)
