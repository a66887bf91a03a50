"""Transfers between GPUs take more of the step than anything hides, whatever their link."""

from __future__ import annotations

import pytest

from tests.builders import (
    ALL_REDUCE,
    Host,
    finding,
    fires,
    judge,
)
from tests.exchange import training
from tests.judging.rules.test_all_to_all_exposed import experts
from tests.judging.rules.test_one_host_of_many import two_hosts
from tests.judging.rules.test_tensor_parallel_exposed import layers
from tfperf_plugin.judging.engine.rule import Missing, Passed, Rule
from tfperf_plugin.judging.rules.several_gpus import (
    all_to_all_exposed,
    allreduce_exposed,
    allreduce_fragmented,
    allreduce_slow,
    tensor_parallel_exposed,
)
from tfperf_plugin.judging.rules.several_gpus.communication_bound import RULE


def test_calls_that_were_found_on_one_gpu_may_be_waiting() -> None:
    host = Host(gpus=2).steps(6, 100)
    for at in range(0, 500, 100):
        host.kernel(at, at + 50, 0)
        host.kernel(at, at + 50, 1)
        host.kernel(at + 50, at + 90, 0, ALL_REDUCE, stream=9)
    found = fires(RULE, host)

    assert (
        "Collectives (AllReduce) run for 40.0 ms per step while nothing is computed, 40 % of the step."
        in found.summary
    )
    assert "is not recorded: these calls were found on one GPU only." in found.summary
    assert found.claims == {"communication.transfer": 20_000_000}
    assert found.confidence == "low"


def test_ranks_whose_calls_do_not_match_are_recorded_longer() -> None:
    found = finding(RULE, *two_hosts(-7))

    assert (found.title, found.confidence) == ("Exposed communication", "low")
    assert found.fix.summary.startswith("Record at least three steps")


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("waiting")
@pytest.mark.parametrize(
    ("host", "fires_"),
    [
        (training([50, 50], end=60.5), True),
        (training([50, 50], end=59.5), False),
        (training([20, 20], end=90, hidden=65), False),
        (training([20, 85], end=90), False),
    ],
    ids=["a tenth of the step", "less", "under compute", "waiting for a late GPU"],
)
def test_a_tenth_of_the_step_is_worth_a_word(host: Host, fires_: bool) -> None:
    assert isinstance(judge(RULE, host), Passed) != fires_


def one_rank(end: float, computes: float = 20) -> Host:
    host = training([computes] * 2, end=end)
    host.event("ncclAllReduce", 1, 2, thread="nccl", group_size=8)
    return host


@pytest.mark.near_miss("below")
def test_exposed_communication_is_found_with_one_rank_of_several() -> None:
    found = finding(RULE, one_rank(90))

    assert (found.title, found.confidence) == ("Exposed communication", "low")
    assert found.fix.summary.startswith("Record every rank")
    assert isinstance(judge(RULE, one_rank(55, computes=50)), Passed)  # compute hides it


@pytest.mark.parametrize(
    ("of", "host"),
    [
        (allreduce_exposed.RULE, training([50, 50])),
        (allreduce_fragmented.RULE, training([50, 50], calls=100)),
        (allreduce_slow.RULE, training([50, 50])),
        (all_to_all_exposed.RULE, experts(10)),
        (tensor_parallel_exposed.RULE, layers(5)),
    ],
)
def test_partners_that_were_not_recorded_forbid_a_judgement(of: Rule, host: Host) -> None:
    host.event("ncclAllReduce", 1, 2, thread="nccl", group_size=8)
    verdict = judge(of, host)

    assert isinstance(verdict, Missing)
    assert "of 8 GPUs were recorded" in verdict.reason
