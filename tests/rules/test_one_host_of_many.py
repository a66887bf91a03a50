"""GPUs communicate with others that the run does not show."""

from __future__ import annotations

from tests.builders import ALL_REDUCE, Host, finding, fires, judge, value
from tfperf_plugin.engine.rule import NotApplicable, Passed
from tfperf_plugin.rules.one_host_of_many import RULE


def training(name: str = "worker", gpus: int = 2, ranks: int = 0, task: int | None = None) -> Host:
    """GPUs that communicate; collectives may state participants, ops the task that they run on."""
    host = Host(name, gpus=gpus)
    for gpu in range(gpus):
        host.kernel(0, 60, gpu)
        host.kernel(60, 100, gpu, ALL_REDUCE, stats={"group_size": ranks} if ranks else None)
    if task is not None:
        host.event("loss/Sum:Sum", 0, 1, device=f"/job:worker/replica:0/task:{task}/device:GPU:0")
    return host


def test_a_single_gpu_does_not_communicate_with_itself() -> None:
    found = finding(RULE, training(gpus=1))

    assert found.severity == "warning"
    assert "a single GPU has nobody to communicate with" in found.summary
    assert value(found, "GPUs recorded that communicate") == 1


def test_more_participants_than_recorded_gpus() -> None:
    found = fires(RULE, training(gpus=2, ranks=8))

    assert "collectives state 8 participants" in found.summary
    assert value(found, "participants that collectives state") == 8


def test_more_tasks_than_recorded_hosts() -> None:
    found = fires(RULE, training(task=3))

    assert "ops name 4 tasks" in found.summary
    assert value(found, "tasks of the job") == 4


def test_all_recorded_is_no_finding() -> None:
    assert isinstance(judge(RULE, training(ranks=2, task=0)), Passed)
    assert isinstance(judge(RULE, training("one", ranks=4, task=1), training("two", ranks=4, task=1)), Passed)


def test_one_gpu_on_each_of_two_hosts_is_complete() -> None:
    assert isinstance(judge(RULE, training("one", gpus=1), training("two", gpus=1)), Passed)


def test_without_collectives_the_question_does_not_arise() -> None:
    host = Host()
    host.kernel(0, 100)

    assert isinstance(judge(RULE, host), NotApplicable)
