"""AllReduce beside its estimates: by nccl-tests' definition, GB = 10^9 bytes, waiting split off."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import ALL_REDUCE, Host, Stats, each, inputs
from tfperf_plugin.artifacts.allreduce import AllReduceTimes, find_allreduce
from tfperf_plugin.guide.links import link_rate
from tfperf_plugin.report.allreduce import allreduce_card

SIZE = 100_000_000  # 25 million float32 gradients
STEPS = 5


def training(
    arrivals: Sequence[float],
    end: float = 60,
    size: int | None = SIZE,
    name: str = ALL_REDUCE,
    host: str = "worker",
) -> Host:
    """Steps of 100 ms; each GPU computes until it arrives at one AllReduce, which ends at ``end``."""
    drawn = Host(host, gpus=len(arrivals))
    drawn.steps(STEPS, 100)

    stats: Stats = {} if size is None else {"buffer_size": size}

    def step(at: float) -> None:
        for gpu, arrival in enumerate(arrivals):
            drawn.kernel(at, at + arrival, gpu)
            drawn.kernel(at + arrival, at + end, gpu, name, stream=9, stats=stats)

    each(STEPS, 100, step)
    return drawn


def times(*hosts: Host) -> AllReduceTimes:
    found = inputs(*hosts)
    assert found.ledger is not None
    result = find_allreduce(found.trace, found.ledger)
    assert result is not None
    return result


@pytest.mark.parametrize(("gpus", "factor"), [(2, 1.0), (4, 1.5), (8, 1.75)])
def test_bus_bandwidth_counts_transfer_only(gpus: int, factor: float) -> None:
    found = times(training([40, *[50] * (gpus - 1)]))  # the first GPU waits 10 ms, transfer takes 10 ms

    assert found.participants == gpus
    assert found.calls_per_step == 1
    assert found.transfer_ns == 10_000_000
    assert found.busbw_gbps == pytest.approx(SIZE * factor / 10_000_000)  # bytes per ns are GB/s
    assert [d.wait_ns for d in found.devices] == [10_000_000, *[0] * (gpus - 1)]
    assert found.wait_ns == 10_000_000 // gpus
    assert [s.step for s in found.steps] == [0, 1, 2, 3]


def test_card_compares_guide_and_ring_bound() -> None:
    card = allreduce_card(times(training([50, 50, 50, 50])), None, 100)

    assert (card.parameters, card.parameters_source) == (25_000_000, "estimated")
    assert card.guide_ns == 1_000_000  # 25 M × 4 B / 100 GB/s
    assert card.ring_bound_ns == 1_500_000
    assert card.achievable_ns is None  # the link is not known
    assert card.measured_ns == card.transfer_ns + card.wait_ns == 10_000_000
    assert card.exposed_ns == 10_000_000
    assert card.hidden_ns == 0


def test_what_the_user_states_comes_first() -> None:
    found = times(training([50, 50], size=None))
    unknown = allreduce_card(found, None, None)
    given = allreduce_card(found, 25_600_000, 230)

    assert (unknown.parameters, unknown.guide_ns, unknown.busbw_gbps) == (None, None, None)
    assert (unknown.parameters_source, unknown.bytes_source) == ("unknown", "not recorded")
    assert (given.parameters_source, given.bandwidth_source) == ("given", "as given")
    assert given.guide_ns == 445_217  # 25.6 M × 4 B / 230 GB/s


def test_example_of_eight_a100() -> None:
    """25.6 M float32 parameters on eight A100: 0.445 ms by the guide, 0.779 ms by the ring."""
    card = allreduce_card(times(training([50] * 8, size=25_600_000 * 4)), None, 230)

    assert card.guide_ns == 445_217
    assert card.ring_bound_ns == 779_130


def test_sixteen_bit_gradients_count_two_bytes() -> None:
    name = ALL_REDUCE.replace("_f32_", "_bf16_")
    assert allreduce_card(times(training([50, 50], name=name)), None, None).parameters == 50_000_000


def test_communication_under_compute_is_hidden() -> None:
    host = training([50, 50])
    each(STEPS, 100, lambda at: host.kernel(at + 50, at + 60, gpu=0))
    each(STEPS, 100, lambda at: host.kernel(at + 50, at + 60, gpu=1))
    card = allreduce_card(times(host), None, None)

    assert (card.exposed_ns, card.hidden_ns) == (0, 10_000_000)


def test_no_card_without_partners() -> None:
    found = inputs(training([50]))
    assert found.ledger is not None
    assert find_allreduce(found.trace, found.ledger) is None


@pytest.mark.parametrize(
    ("name", "gpus", "gbps"),
    [
        ("NVIDIA A100-SXM4-40GB", 8, 230),
        ("Tesla V100-SXM2-16GB", 4, 120),
        ("NVIDIA H100 80GB HBM3", 4, 370),
        ("NVIDIA H100 80GB HBM3", 8, 480),
        ("NVIDIA H200", 8, 475),
    ],
)
def test_known_links(name: str, gpus: int, gbps: float) -> None:
    rate = link_rate(name, gpus)
    assert rate is not None
    assert rate.busbw_gbps == gbps


@pytest.mark.parametrize(
    ("name", "gpus"), [("NVIDIA A100-PCIE-40GB", 2), ("Tesla T4", 4), ("", 2), ("NVIDIA H200", 16)]
)
def test_unknown_links_are_not_guessed(name: str, gpus: int) -> None:
    assert link_rate(name, gpus) is None


def test_gpus_of_all_hosts_take_part_in_one_ring() -> None:
    hosts = training([50, 50, 50, 50], host="a"), training([50, 50, 50, 50], host="b")
    found = times(*hosts)

    assert found.participants == 8
    assert found.busbw_gbps == pytest.approx(SIZE * 1.75 / 10_000_000)
    assert found.busbw_achievable_gbps is None
