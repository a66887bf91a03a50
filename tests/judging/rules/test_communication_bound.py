"""Transfers between GPUs take more of the step than anything hides, whatever their link."""

from __future__ import annotations

import pytest

from tests.builders import (
    ALL_REDUCE,
    GATHER,
    SEND_RECV,
    Host,
    Stats,
    finding,
    fires,
    inputs,
    judge,
    says,
    value,
)
from tests.exchange import A100, training
from tests.judging.rules.test_all_to_all_exposed import experts
from tests.judging.rules.test_one_host_of_many import two_hosts
from tests.judging.rules.test_tensor_parallel_exposed import layers
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.judging.engine.rule import Missing, Passed, Rule
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.several_gpus import (
    all_to_all_exposed,
    allreduce_exposed,
    allreduce_fragmented,
    allreduce_slow,
    tensor_parallel_exposed,
)
from tfperf_plugin.judging.rules.several_gpus import communication_bound as rule
from tfperf_plugin.judging.rules.several_gpus.communication_bound import RULE


def test_half_of_what_no_compute_hides_is_claimed() -> None:
    found = fires(RULE, training([20, 20], end=90, size=1_000_000_000))

    assert found.claims == {"communication.transfer": 35_000_000}
    assert value(found, "of it in AllReduce") == 70_000_000
    assert value(found, "rate reached") == pytest.approx(1_000 / 70)  # 1 GB in 70 ms
    assert "Collectives (AllReduce) transfer for 70.0 ms per step" in found.cause
    assert says(found, rule.HALF_GRADIENTS)


@pytest.mark.parametrize(
    ("host", "link", "said"),
    [
        (training([20, 20], end=90, size=840_000_000), None, "at 12 GB/s, no more than PCIe 3 x16 carries."),
        (training([20, 20], end=90, size=21 * 10**9), None, "at 300 GB/s, no more than NVLink 3 carries."),
        (training([20] * 4, end=90, size=10**9, model=A100), None, "The link allows 230 GB/s (NVLink 3). "),
        (training([20, 20], end=90), 12.0, "The link allows 12 GB/s (as given). "),
    ],
)
def test_a_known_link_is_compared_and_else_one_named_that_carries_the_rate(
    host: Host, link: float | None, said: str
) -> None:
    found = fires(RULE, host, stated=Stated(bandwidth_gbps=link))

    assert said in found.cause + found.summary
    assert ("between these GPUs is not known" in found.summary) == ("no more than" in said)


def test_across_hosts_the_network_is_what_is_not_known() -> None:
    hosts = [training([20], end=90, size=800_000_000, host=h, begin=b) for h, b in (("a", 0), ("b", 7))]
    found = fires(RULE, *hosts)

    assert "PCIe" not in found.summary
    assert "between these hosts is not known" in found.summary


def test_only_more_than_compute_binds_the_step() -> None:
    """What compute could hide in principle is exposed; what is longer than all compute limits the step."""
    more, less = (finding(RULE, training([at, at], end=at + 40)) for at in (30, 60))

    assert (more.title, less.title) == ("Communication-bound step", "Exposed transfer")
    assert says(more, rule.BOUND)
    assert not says(less, rule.BOUND)


def test_collectives_of_all_kinds_count() -> None:
    """Nothing says what two GPUs send and receive: all-to-all-exposed does not judge that."""
    found = fires(RULE, training([20, 20], end=90, name=GATHER))

    assert value(found, "of it in AllGather") == 70_000_000
    assert says(found, rule.HALF_BYTES)
    assert "(SendRecv) transfer for 26.0 ms per step" in fires(RULE, experts(13, gpus=2)).cause
    assert "(AllToAll) transfer for 26.0 ms" in fires(RULE, experts(13)).cause


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


def test_what_other_rules_explain_is_folded_under_them() -> None:
    """An exchange that compute could hide is to be hidden first; what is longer than compute is not."""
    stats: Stats = {"buffer_size": 50_000_000}
    hidden = run_rules(RULES, inputs(experts(13, name=SEND_RECV, stats=stats)))
    longer = run_rules(RULES, inputs(training([20, 20], end=90)))

    assert "communication-bound" in [f.id for top in hidden.findings for f in top.explains]
    assert [f.id for f in longer.findings][:1] == ["communication-bound"]


def test_short_calls_need_not_get_shorter() -> None:
    found = fires(RULE, training([20, 20], end=90, size=None))

    assert found.confidence == "high"
    assert "GB/s" not in found.summary  # without bytes
    assert fires(RULE, training([20, 20], end=40, calls=100)).confidence == "medium"


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
