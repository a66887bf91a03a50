"""AllReduce against what the link allows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import ALL_REDUCE, Host, fires, inputs, judge, says, value
from tests.exchange import A100, training
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate, Stated
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.several_gpus import allreduce_slow as rule
from tfperf_plugin.judging.rules.several_gpus.allreduce_slow import RULE
from tfperf_plugin.recording.record import Link, TrainingFacts, TrainingRecord

SIZE = 100_000_000
V100, T4 = "Tesla V100-SXM2-16GB", "Tesla T4"


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("host", "gbps", "fires_"),
    [
        (training([50] * 4), 22.51, True),  # the transfer reaches 15 GB/s of bus bandwidth
        (training([50] * 4), 22.4, False),
        (training([10, 50, 50, 50], end=52), 75, False),  # 40 ms of waiting are no slowness
        (training([50, 50], size=1_000_000_000), 100, False),  # 1 GB in 10 ms are 100 GB/s: not 93, not 200
    ],
)
def test_one_and_a_half_times_is_the_threshold(host: Host, gbps: float, fires_: bool) -> None:
    assert isinstance(judge(RULE, host, stated=Stated(None, gbps)), Passed) != fires_


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(("hidden", "claimed"), [(8, 1_700_000), (10, 0)])
def test_what_compute_hides_is_not_claimed(hidden: float, claimed: int) -> None:
    every = inputs(training([50] * 4, hidden=hidden), stated=Stated(None, 100))

    assert sum(f.saving.ns for f in run_rules([RULE], every).findings if f.saving) == claimed


@pytest.mark.parametrize(
    ("host", "missing"),
    [
        (training([50, 50]), "link between these GPUs is not known"),
        (training([50] * 4, size=None, model=A100), "how many bytes it moves"),
    ],
)
def test_without_link_or_bytes_it_says_what_to_state(host: Host, missing: str) -> None:
    verdict = judge(RULE, host)

    assert isinstance(verdict, Missing)
    assert missing in verdict.reason


@pytest.mark.parametrize(
    ("hosts", "replicas", "why"),
    [
        ([training([50])], None, ""),  # GPUs that never meet
        ([training([50, 50])], 4, "the calls of 2 of 4 replicas were recorded"),
        ([training([50, 50], host="a"), training([50, 50], host="b", steps=2)], None, "could not be matched"),
    ],
    ids=["never meet", "replicas not recorded", "hosts not joined"],
)
def test_waiting_that_is_not_told_from_transfer(hosts: list[Host], replicas: int | None, why: str) -> None:
    every = inputs(*hosts, stated=Stated(None, 50))
    every.facts = TrainingFacts((TrainingRecord(replicas=replicas),))
    outcome = run_rules([RULE], every)
    (row,) = outcome.missing_data if why else outcome.not_applicable

    assert why in row.reason


@pytest.mark.parametrize(
    ("stated", "recorded"),
    [
        (Stated(25_000_000, 50), TrainingRecord()),
        (Stated(None, 50), TrainingRecord(trainable={"float32": 25_000_000})),
    ],
)
def test_parameters_that_are_known_stand_for_bytes(stated: Stated, recorded: TrainingRecord) -> None:
    """And a setting that forbids NCCL the direct path is named."""
    every = inputs(training([50, 50], size=None), stated=stated)
    every.facts = TrainingFacts((replace(recorded, environment={"NCCL_P2P_DISABLE": "1"}),))
    (found,) = run_rules([RULE], every).findings

    assert found.confidence == "high"
    assert "NCCL_P2P_DISABLE=1" in found.summary
    assert value(found, "parameters") == 25_000_000
    assert value(found, "ring bound") == 2_000_000


def test_a_recorded_link_replaces_the_one_that_the_name_implies() -> None:
    """Two A100 that are joined through the processor only do not reach what NVLink does."""
    links = (Link(0, 1, "NV12"), Link(0, 2, "SYS"), Link(1, 2, "SYS"))
    every = inputs(training([50] * 3, model="NVIDIA A100-PCIE-40GB"))
    every.facts = TrainingFacts((TrainingRecord(links=links),))
    estimate = every.of(AllReduceEstimate)

    assert estimate.bandwidth_gbps == 20
    assert "PCIe" in estimate.bandwidth_basis


def test_several_steps_in_one_call_exchange_several_times() -> None:
    every = inputs(training([50, 50], calls=4), stated=Stated(None, 100))
    every.facts = TrainingFacts((TrainingRecord(steps_per_execution=4),))
    estimate = every.of(AllReduceEstimate)

    assert estimate.parameters == SIZE // 4 // 4  # a quarter of the bytes belongs to each of four steps
    assert estimate.guide_ns == 1_000_000


@pytest.mark.parametrize(("end", "parameters"), [(70, 3_333_333_333), (50.1, None)])
def test_an_estimate_that_no_link_could_carry_is_dropped(end: float, parameters: int | None) -> None:
    """A frozen table fills the memory: 13 GB of gradients in 20 ms are possible, in 0.1 ms they are not."""
    host = training([50, 50], end=end, size=None)
    for step in range(5):
        host.kernel(step * 100 + 98, step * 100 + 99, op="step/ResourceApplyAdam:ResourceApplyAdam")
        host.memory(step * 100 + 3, 40_000_000_000, 42_000_000_000, 41_000_000_000)
    estimate = inputs(host).of(AllReduceEstimate)

    assert estimate.parameters == parameters


def test_what_is_too_slow_for_any_link_of_such_gpus_needs_no_statement() -> None:
    """Two V100 have NVLink, or PCI Express 3 at worst: 100 MB need 8 ms at most."""
    found = fires(RULE, training([50, 50], end=90, model=V100))

    assert "PCIe 3 x16" in found.summary
    needed = round(100_000_000 / 12.6) + 50_000
    assert value(found, "over PCIe 3 x16") == needed
    assert found.claims == {"communication.transfer": 40_000_000 - needed}
    assert found.confidence == "medium"  # GPUs of other hosts may take part
    assert says(found, rule.OTHERS)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("hosts", "verdict"),
    [
        ([training([50, 50], end=62.0, model=V100)], Found),
        ([training([50, 50], end=61.9, model=V100)], Missing),
        ([training([50, 50], model=T4)], Passed),  # such GPUs have no faster link
        # 100 MB in 200 calls need 8 ms over PCI Express and 10 ms to start.
        ([training([20, 20], end=46, calls=200, model=T4)], Passed),
        ([training([20, 20], end=48, calls=200, model=T4)], Found),
        # Between hosts, a name says nothing of the network.
        ([training([50, 50], end=98, host=name, model=V100) for name in ("a", "b")], Missing),
    ],
)
def test_the_slowest_link_has_the_same_margin(hosts: list[Host], verdict: type) -> None:
    assert isinstance(judge(RULE, *hosts), verdict)


def mixed(small_ms: float, large_ms: float = 4) -> Host:
    """Steps of 100 ms: 100 MB in one call, then 25 MB in five, between two GPUs of an unknown make."""
    host = Host(gpus=2).steps(5, 100)
    for number in range(5):
        at = 100.0 * number
        sizes = [(large_ms, 100_000_000), *[(small_ms / 5, 5_000_000)] * 5]
        for gpu in range(2):
            host.kernel(at, at + 50, gpu)
        begin = at + 50
        for length, size in sizes:
            for gpu in range(2):
                host.kernel(begin, begin + length, gpu, ALL_REDUCE, stream=9, stats={"buffer_size": size})
            begin += length
    return host


def test_small_calls_are_held_against_the_profiles_own_large_ones() -> None:
    """100 MB in 4 ms are 25 GB/s: the other 25 MB could be there in 1 ms."""
    found = fires(RULE, mixed(small_ms=6))

    assert value(found, "at the rate of the largest calls") == 5_000_000
    assert found.claims == {"communication.transfer": 5_000_000}
    assert found.advice == "small calls"
    # As fast as the large ones, they leave the link in question.
    assert isinstance(judge(RULE, mixed(small_ms=3)), Missing)


def test_what_such_links_reach_in_practice_is_told_from_the_bound_and_what_is_stated_goes_before() -> None:
    found = fires(RULE, training([50] * 8, model=A100))
    stated = fires(RULE, training([50, 50], end=90, model=V100), stated=Stated(None, 25))

    assert says(found, rule.PRACTICE)
    assert (value(found, "ring bound"), value(found, "achievable")) == (760_870, 951_017)
    assert value(stated, "ring bound") == 4_000_000
    assert "PCIe" not in stated.summary
