"""Visible GPUs that ran nothing."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, fires, inputs, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.rules.several_gpus import idle_gpus as rule
from tfperf_plugin.judging.rules.several_gpus.idle_gpus import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord


def training(visible: int, working: int, name: str = "worker") -> Host:
    host = Host(name, gpus=visible).steps(5, 100)
    for gpu in range(working):
        for number in range(5):
            host.kernel(100 * number, 100 * number + 100, gpu)
    return host


@pytest.mark.parametrize(
    ("working", "replicas", "severity", "said"),
    [
        (2, 2, "critical", rule.AS_MANY),
        (2, 4, "critical", rule.NOT_AS_MANY),
        (1, 4, "critical", rule.NOT_AS_MANY),
        (1, None, "info", rule.FOR_ONE),
    ],
)
def test_the_number_of_replicas_that_the_training_recorded(
    working: int, replicas: int | None, severity: str, said: str
) -> None:
    given = inputs(training(visible=4, working=working))
    given.facts = TrainingFacts((TrainingRecord(replicas=replicas),))
    found = given.call(RULE.judge)

    assert found.severity == severity
    assert says(found, said)
    assert not replicas or value(found, "replicas of the model") == replicas


def test_a_host_without_any_kernel_was_not_recorded_rather_than_idle() -> None:
    two, silent = training(visible=2, working=2), training(visible=2, working=0, name="silent")

    passes(RULE, two, silent)
    assert "silent" not in fires(RULE, training(visible=2, working=1), silent).summary


def test_processes_of_one_machine_that_use_different_gpus_leave_none_idle() -> None:
    """Each of four processes sees all four GPUs of the machine and works on its own."""

    def process(own: int, visible: int = 4) -> Host:
        host = Host(f"process{own}", gpus=visible).steps(5, 100)
        for number in range(5):
            host.kernel(100 * number, 100 * number + 90, own)
        return host

    passed = judge(RULE, *(process(own) for own in range(4)))
    assert isinstance(passed, Passed)
    assert "All 4 visible GPUs" in passed.reason
    assert fires(RULE, *(process(own, visible=8) for own in range(4))).title == "Idle GPUs: 4 of 8"


@pytest.mark.parametrize(
    ("hosts", "title", "said"),
    [
        ([training(4, 2)], "Idle GPUs: 2 of 4", "GPU 2 and GPU 3 ran no kernel"),
        ([training(1, 1), training(2, 1, "other")], "Idle GPUs: 1 of 3", "other GPU 1"),
        (
            [training(4, 2, f"worker{i}") for i in range(3)],
            "Idle GPUs: 6 of 12",
            "2 GPUs of worker0, 2 GPUs of worker1 and 2 GPUs of worker2 ran no kernel",
        ),
    ],
)
def test_gpus_of_all_hosts_count(hosts: list[Host], title: str, said: str) -> None:
    found = fires(RULE, *hosts)

    assert found.title == title
    assert said in found.summary


def one_of_several() -> Host:
    """One process per GPU: each sees all GPUs, works on one, and communicates with the others."""
    host = training(visible=8, working=1)
    host.kernel(10, 20, 0, ALL_REDUCE, stream=20)
    return host


def executing(threads: int) -> Host:
    """JAX runs one module on as many GPUs; kernels of the first one only were recorded."""
    host = training(visible=8, working=1)
    for number in range(threads):
        host.event("ExecuteHelper", 10, 20, f"py_xla_execute/{number}")
    return host


def cycling(times: int) -> Host:
    """Memory of both GPUs is allocated and freed; the second one's ``times`` times."""
    host = training(visible=2, working=1)
    for gpu, count in enumerate((10, times)):
        for at in range(count):
            for name in ("MemoryAllocation", "MemoryDeallocation"):
                host.event(
                    name, 10 * at, 10 * at, allocator_name=f"GPU_{gpu}_bfc", bytes_allocated=100,
                    bytes_available=900, peak_bytes_in_use=100,
                )  # fmt: skip
    return host


def starting(steps: int = 1, at: float = 150) -> Host:
    """GPUs begin their first step one after another; the third one has its data at the end."""
    host = Host(gpus=4).steps(steps, 200)
    host.kernel(10, 20, 0)
    host.kernel(90, 100, 1)
    host.copy("H2D", at, at + 1, gpu=2, size=4)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("host", "said"),
    [
        (training(visible=4, working=4), rule.ALL_WORK),
        (training(visible=1, working=1), rule.ONE_GPU),
        (training(visible=2, working=0), rule.NOTHING),
        (one_of_several(), rule.OTHERS),
        (executing(8), rule.LOST),
        (cycling(5), rule.LOST),  # its memory comes and goes as on the other one
        (starting(), rule.STARTING),
    ],
)
def test_gpus_that_work_or_whose_work_was_not_recorded_are_not_idle(host: Host, said: str) -> None:
    verdict = judge(RULE, host)

    assert isinstance(verdict, Passed | NotApplicable)
    assert says(verdict, said)


@pytest.mark.parametrize(
    ("host", "title"),
    [
        (executing(1), "Idle GPUs: 7 of 8"),
        (cycling(4), "Idle GPUs: 1 of 2"),
        (starting(at=50), "Idle GPUs: 2 of 4"),  # it had its data before
        (starting(steps=3), "Idle GPUs: 2 of 4"),  # complete steps without it
    ],
)
def test_gpus_that_should_have_worked_are_idle(host: Host, title: str) -> None:
    assert fires(RULE, host).title == title
