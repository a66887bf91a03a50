"""GPUs communicate with others that the run does not show."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, finding, inputs, judge, passes, says, value
from tfperf_plugin.analysis.artifacts.by_host import RunFacts
from tfperf_plugin.judging.engine.rule import Found, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.capture import one_host_of_many as rule
from tfperf_plugin.judging.rules.capture.one_host_of_many import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord


def training(name: str = "worker", gpus: int = 2, ranks: int = 0, task: int | None = None) -> Host:
    """GPUs that communicate; collectives may state participants, ops the task that they run on."""
    host = Host(name, gpus=gpus)
    for gpu in range(gpus):
        host.kernel(0, 60, gpu)
        host.kernel(60, 100, gpu, ALL_REDUCE, stats={"group_size": ranks} if ranks else None)
    if task is not None:
        host.event("loss/Sum:Sum", 0, 1, device=f"/job:worker/replica:0/task:{task}/device:GPU:0")
    return host


def test_hosts_in_folders_of_their_own_are_joined_by_a_command() -> None:
    given = inputs(training())
    given.run = RunFacts(100, True, ("2026_01_03_00_00_32/*.xplane.pb",), "2026_01_03_00_00_30")
    (found,) = run_rules([RULE], given).trust

    assert found.title == "Hosts of one job in several folders"
    assert "cp -n 2026_01_03_00_00_32/*.xplane.pb 2026_01_03_00_00_30/" in found.summary
    assert "cp -n 2026_01_03_00_00_32/*.xplane.pb 2026_01_03_00_00_30/" in found.fix.snippets[0].code


@pytest.mark.parametrize(
    ("host", "said", "label", "number"),
    [
        (training(gpus=1), "collectives join several GPUs", "GPUs recorded that communicate", 1),
        (training(gpus=2, ranks=8), "the profile states 8 participants", "participants that", 8),
        (training(task=3), "ops name 4 tasks", "tasks of the job", 4),
    ],
)
def test_what_tells_that_others_take_part(host: Host, said: str, label: str, number: int) -> None:
    found = finding(RULE, host)

    assert found.severity == "warning"
    assert said in found.summary
    assert value(found, label) == number


@pytest.mark.near_miss("below")
def test_all_recorded_is_no_finding() -> None:
    passes(RULE, training(ranks=2, task=0))
    passes(RULE, training("one", ranks=4, task=1), training("two", ranks=4, task=1))
    passes(RULE, training("one", gpus=1), training("two", gpus=1))


def two_hosts(apart_ms: float) -> tuple[Host, Host]:
    """Five steps of two hosts whose clocks differ by ``apart_ms``, which drifts in every step if negative."""
    hosts = Host("one"), Host("two")
    for index, host in enumerate(hosts):
        for number in range(5):
            drift = abs(apart_ms) * index * (1 if apart_ms > 0 else number)
            begin = 100 * number + drift
            host.step(number, begin, begin + 100)
            host.kernel(begin, begin + 60)
            host.kernel(begin + 60 + 10 * index, begin + 95, name=ALL_REDUCE)
    return hosts


def test_whether_collectives_join_hosts_is_said() -> None:
    joined, apart = judge(RULE, *two_hosts(7)), judge(RULE, *two_hosts(-7))

    assert isinstance(joined, Passed)
    assert isinstance(apart, Found)
    assert says(joined, rule.JOINED)
    assert apart.title == "Collectives not matched across hosts"
    assert says(apart, rule.UNMATCHED)
    assert apart.severity == "warning"
    assert value(apart, "time in calls") == 1


def test_a_part_of_a_step_asks_for_more_steps_first() -> None:
    hosts = Host("one"), Host("two")
    for index, host in enumerate(hosts):
        host.step(0, 0, 100)
        host.kernel(0, 60)
        host.kernel(60 + 10 * index, 95 + 20 * index, name=ALL_REDUCE)

    assert finding(RULE, *hosts).severity == "info"


@pytest.mark.near_miss("below")
def test_hosts_whose_gpus_share_calls_among_themselves_need_no_others() -> None:
    hosts = Host("one", gpus=2), Host("two", gpus=2)
    for index, host in enumerate(hosts):
        for number in range(5):
            begin = 100 * number * (1 + 0.07 * index)
            host.step(number, begin, begin + 100)
            for gpu in range(2):
                host.kernel(begin, begin + 60, gpu)
                host.kernel(begin + 60 + 10 * gpu, begin + 95, gpu, name=ALL_REDUCE)
    verdict = passes(RULE, *hosts)

    assert says(verdict, rule.NOT_JOINED)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (TrainingRecord(workers=4, replicas=8), "the training recorded 4 workers"),
        (TrainingRecord(replicas=8), "the training recorded 8 replicas"),
        (TrainingRecord(workers=1, replicas=2), ""),
        (TrainingRecord(), ""),
    ],
)
def test_workers_and_replicas_that_the_training_recorded(record: TrainingRecord, said: str) -> None:
    given = inputs(training())
    given.facts = TrainingFacts((record,))
    verdict = given.call(RULE.judge)

    assert isinstance(verdict, Found) == bool(said)
    assert not isinstance(verdict, Found) or said in verdict.summary
