"""The table of links: what is known is known with its source, and what is not is not guessed."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfperf_plugin.hardware.links import (
    LinkRate,
    line_rate,
    link_carrying,
    link_rate,
    slowest_link,
)

V100, A100, H100 = "Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"
H200, MI300X = "NVIDIA H200", "AMD Instinct MI300X"
T4 = "Tesla T4"
GPUS = (V100, A100, H100, H200, "NVIDIA H800", "NVIDIA B200", MI300X, "NVIDIA A100 80GB PCIe", "Tesla T4", "")
MIB = 1 << 20


def known(rate: LinkRate | None) -> LinkRate:
    assert rate is not None
    return rate


@pytest.mark.parametrize(
    ("name", "gpus", "size", "gbps"),
    [
        (V100, 8, 64 * 1024, 2.17),
        (V100, 8, 128 * MIB, 129.14),
        (A100, 8, 1 * MIB, 23.29),
        (A100, 8, 128 * MIB, 186.91),
        (H100, 4, 16 * MIB, 241.03),
        (H100, 8, 16 * MIB, 236.82),
        (H100, 8, 1024 * MIB, 441.81),
        (H200, 8, 1 * MIB, 39.93),
        (MI300X, 8, 16 * MIB, 195.85),
    ],
)
def test_measured_sizes(name: str, gpus: int, size: int, gbps: float) -> None:
    rate = known(link_rate(name, gpus, size))
    assert rate.busbw_gbps == pytest.approx(gbps)
    assert "measured: https://" in rate.source


def test_between_two_sizes_the_time_grows_evenly() -> None:
    small, large = (size / known(link_rate(A100, 8, size)).busbw_gbps for size in (16 * MIB, 32 * MIB))
    assert 24 * MIB / known(link_rate(A100, 8, 24 * MIB)).busbw_gbps == pytest.approx((small + large) / 2)


@pytest.mark.parametrize("name", GPUS)
def test_twice_the_bytes_take_as_long_to_twice_as_long(name: str) -> None:
    """Give or take the scatter of the measurements; a slip of the pen stands out."""
    for gpus in range(2, 9):
        rates = [(size, link_rate(name, gpus, size)) for size in (1 << e for e in range(10, 36))]
        times = [size / rate.busbw_gbps for size, rate in rates if rate]
        assert all(0.88 < later / time < 2.05 for time, later in pairwise(times))


@pytest.mark.parametrize(
    ("name", "gpus", "size", "link"),
    [
        (A100, 8, 64 * 1024, None),  # the smallest measured size is 1 MiB
        (A100, 4, 16 * MIB, None),  # measured with eight only
        (V100, 8, 1000, None),
        (H100, 6, 1 * MIB, None),
        ("Tesla T4", 8, 1 * MIB, None),
        (A100, 2, None, None),  # boards of four GPUs join a pair by a third of their links
        (H100, 3, None, None),
        (V100, 2, None, None),
        (H100, 9, None, None),
        (A100, 1, None, None),
        (A100, 0, None, None),
        (MI300X, 4, None, None),
        ("NVIDIA GH200 480GB", 8, None, None),
        ("NVIDIA H200 NVL", 8, None, None),
        ("NVIDIA H100 PCIe", 4, None, None),
        ("NVIDIA B200", 8, None, None),
        (A100, 2, None, "NV4"),  # a board without a switch
        (V100, 8, None, "NV2"),
        (A100, 8, None, "NV24"),  # no such board is known
        ("NVIDIA A100 80GB PCIe", 4, None, "NV12"),  # bridges join pairs
        ("NVIDIA H100 PCIe", 2, MIB, "NV12"),  # cards are measured at large sizes only
        ("Tesla T4", 2, None, "PIX"),
        (V100, 4, None, "SYS"),
        (A100, 8, None, "X"),
        (A100, 8, None, ""),
    ],
)
def test_what_nobody_measured_is_not_known(name: str, gpus: int, size: int | None, link: str | None) -> None:
    assert link_rate(name, gpus, size, link) is None


def test_large_calls_take_the_rate_of_large_sizes() -> None:
    assert link_rate(A100, 4, 512 * MIB) == link_rate(A100, 4)
    assert known(link_rate(H100, 8, 1 << 40)).busbw_gbps == 480


def test_only_switches_that_add_up_exceed_the_line_rate() -> None:
    for name in GPUS:
        for gpus in range(2, 9):
            for size in (None, MIB, 1024 * MIB):
                rate = link_rate(name, gpus, size)
                if rate and not re.search("H[128]00", name) and (line := line_rate(name)):
                    assert rate.busbw_gbps <= line
                if rate:
                    assert "https://" in rate.source or "derived" in rate.source


@pytest.mark.parametrize(
    ("link", "name", "gpus", "gbps"),
    [
        ("NV12", A100, 2, 230),
        ("NV18", H100, 2, 370),
        ("NV18", H100, 8, 480),
        ("NV12", "NVIDIA A100 80GB PCIe", 2, 208),
        ("NV12", "NVIDIA H100 PCIe", 2, 115),
        ("SYS", "NVIDIA A100-PCIE-40GB", 4, 20),
        ("NODE", "NVIDIA A100 80GB PCIe", 8, 20),
    ],
)
def test_recorded_links(link: str, name: str, gpus: int, gbps: float) -> None:
    assert known(link_rate(name, gpus, link=link)).busbw_gbps == gbps


def test_recorded_links_know_sizes() -> None:
    assert link_rate(H100, 8, 16 * MIB, "NV18") == link_rate(H100, 8, 16 * MIB)


@given(st.text(), st.text(), st.integers(), st.none() | st.integers())
def test_names_are_data(link: str, name: str, gpus: int, size: int | None) -> None:
    link_rate(name, gpus, size)
    link_rate(name, gpus, size, link)
    line_rate(name)


@pytest.mark.parametrize(
    ("name", "link", "gbps", "faster"),
    [
        (V100, "PCIe 3 x16", 12.6, True),
        (T4, "PCIe 3 x16", 12.6, False),
        ("Tesla P100-PCIE-16GB", "PCIe 3 x16", 12.6, False),
        ("NVIDIA L4", "PCIe 3 x16", 12.6, True),  # its own slot is of generation 4, the host's may be older
        ("NVIDIA A100 80GB PCIe", "PCIe 3 x16", 12.6, True),
        (A100, "PCIe 4 x16", 25.2, True),
        ("NVIDIA H100 PCIe", "PCIe 4 x16", 25.2, True),
        (H100, "PCIe 5 x16", 50.4, True),
    ],
)
def test_the_slowest_link_of_boards(name: str, link: str, gbps: float, faster: bool) -> None:
    found = slowest_link(name)

    assert found is not None
    assert (found.name, round(found.busbw_gbps, 3), found.faster) == (link, gbps, faster)


@pytest.mark.parametrize("name", ["", "GPU", MI300X])
def test_a_name_that_says_nothing_has_no_slowest_link(name: str) -> None:
    assert slowest_link(name) is None


@pytest.mark.parametrize("name", GPUS)
@pytest.mark.parametrize("gpus", range(2, 9))
def test_the_slowest_link_is_no_faster_than_what_is_measured(name: str, gpus: int) -> None:
    slowest, rate = slowest_link(name), link_rate(name, gpus)

    if slowest and rate:
        assert slowest.busbw_gbps < rate.busbw_gbps


@pytest.mark.parametrize(
    ("gb_per_s", "name"),
    [(0.5, "PCIe 3 x8"), (12, "PCIe 3 x16"), (26, "PCIe 4 x16"), (286, "NVLink 3"), (483, "NVLink 4")],
)
def test_a_measured_rate_is_a_lower_bound_of_the_link(gb_per_s: float, name: str) -> None:
    found = link_carrying(gb_per_s * 1e9)
    assert found is not None
    assert found.name == name


def test_no_link_carries_a_rate_above_all_of_them() -> None:
    assert link_carrying(2e12) is None


@pytest.mark.parametrize("gpu", [V100, A100, H100, H200])
def test_the_bound_is_never_above_the_link_that_reached_the_rate(gpu: str) -> None:
    own = line_rate(gpu)
    bound = link_carrying(known(link_rate(gpu, 8)).busbw_gbps * 1e9)
    assert bound is not None
    assert own is not None
    assert bound.line_rate_gbps <= own
