"""All-to-all while nothing is computed."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, SEND_RECV, Host, Stats, each, evidence, fires, judge
from tests.exchange import training
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.judging.rules.several_gpus import allreduce_exposed, tensor_parallel_exposed
from tfperf_plugin.judging.rules.several_gpus.all_to_all_exposed import RULE

ALL_TO_ALL: Stats = {"collective_type": "all_to_all", "buffer_size": 50_000_000}


def experts(
    transfer: float,
    hidden: float = 0,
    gpus: int = 4,
    late: float = 0,
    name: str = SEND_RECV,
    op: str = "",
    stats: Stats | None = None,
    host: str = "worker",
    begin: float = 0,
) -> Host:
    """Five steps of 100 ms, in each one exchange after 20 ms and one after 60 ms of ``transfer`` ms.

    The last GPU arrives ``late`` ms after the others; the first ``hidden`` ms are under compute.
    """
    drawn = Host(host, gpus=gpus)
    for number in range(5):
        drawn.step(number, begin + 100 * number, begin + 100 * (number + 1))

    def step(at: float) -> None:
        for gpu in range(gpus):
            arrives = 20 + (late if gpu == gpus - 1 else 0)
            ready = 20 + late
            drawn.kernel(at, at + arrives, gpu)
            drawn.kernel(at + arrives, at + ready + transfer, gpu, name, stream=9, op=op, stats=stats)
            drawn.kernel(at + ready + transfer, at + 60, gpu)
            drawn.kernel(at + 60, at + 60 + transfer, gpu, name, stream=9, op=op, stats=stats)
            if hidden:
                drawn.kernel(at + ready, at + ready + hidden, gpu, stream=8)
                drawn.kernel(at + 60, at + 60 + hidden, gpu, stream=8)
            drawn.kernel(at + 60 + transfer, at + 100, gpu)

    each(5, 100, lambda at: step(begin + at))
    return drawn


def test_waiting_is_not_transfer_and_who_comes_last_is_said() -> None:
    found = fires(RULE, experts(5, late=15))

    assert found.claims == {"communication.transfer": 10_000_000}
    assert "GPU 3 comes last in" in found.summary
    assert "wait 15.0 ms" in evidence(found.evidence, "calls in which GPU 3 comes last").source


@pytest.mark.parametrize(
    ("gpus", "op", "stats", "fires_"),
    [
        (2, "", None, False),
        (2, "", ALL_TO_ALL, True),
        (2, "all-to-all-start.3", None, True),
        (2, "jit(step)/shard_map/all_to_all", None, True),
        (2, "collective-permute-start.1", None, False),
        (2, "nccl:send 0->1", None, False),
        (4, "collective-permute-start.1", None, False),  # a ring
        (1, "", None, False),
    ],
)
def test_two_gpus_exchange_all_to_all_only_if_it_is_said(
    gpus: int, op: str, stats: Stats | None, fires_: bool
) -> None:
    verdict = judge(RULE, experts(10, gpus=gpus, op=op, stats=stats))

    assert isinstance(verdict, NotApplicable | Missing) != fires_


def test_what_is_claimed_is_at_most_compute_and_on_all_hosts() -> None:
    hosts = [experts(10, gpus=2, host=h, begin=b, stats=ALL_TO_ALL) for h, b in (("a", 0), ("b", 7))]
    short = training([10] * 3, end=90, name=SEND_RECV)

    assert fires(RULE, *hosts).claims == {"communication.transfer": 20_000_000}
    assert fires(RULE, short).claims == {"communication.transfer": 10_000_000}


def test_it_is_no_exchange_of_gradients() -> None:
    host = experts(10)
    assert isinstance(judge(allreduce_exposed.RULE, host), NotApplicable)
    assert isinstance(judge(tensor_parallel_exposed.RULE, host), NotApplicable)
    assert isinstance(judge(RULE, experts(10, name=ALL_REDUCE)), NotApplicable)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("transfer", "hidden", "fires_"), [(2.6, 0, True), (2.4, 0, False), (15, 10, True), (15, 14, False)]
)
def test_a_twentieth_of_the_step_is_worth_a_word(transfer: float, hidden: float, fires_: bool) -> None:
    assert isinstance(judge(RULE, experts(transfer, hidden)), Passed) != fires_
