"""A GPU is close to running out of memory."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, fires, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.rules.one_gpu import memory_pressure as rule
from tfperf_plugin.judging.rules.one_gpu.memory_pressure import RULE

GB = 10**9


def training_host(
    peak: float,
    fragmentation: float = 0.0,
    largest: float = 1.0,
    lifetime: float = 0,
    at_peak: bool = True,
    card: float = 0,
) -> Host:
    """Allocator events (GB) on a GPU of 20 GB: a block of ``largest`` comes and goes on top of what lasts.

    ``fragmentation``: at the peak, or at all other times. ``card``: memory of the GPU, 0 if not recorded.
    """
    host = Host(device={"memory_size": int(card * GB)} if card else None).steps(3, 100)
    for at, in_use in ((10, peak - largest), (50, peak), (90, peak - largest)):
        name = "MemoryDeallocation" if at == 90 else "MemoryAllocation"
        host.event(
            name, at, at, allocator_name="GPU_0_bfc", bytes_allocated=int(in_use * GB),
            bytes_available=20 * GB - int(in_use * GB), peak_bytes_in_use=int(max(peak, lifetime) * GB),
            allocation_bytes=256 if at == 10 else int(largest * GB), addr=1 if at == 10 else 2,
            tf_op="encoder/scores/BatchMatMulV2",
            fragmentation=fragmentation if (at == 50) == at_peak else 0.0,
        )  # fmt: skip
    return host


@pytest.mark.parametrize(("card", "held"), [(40, True), (28.6, True), (28.5, False), (0, False)])
def test_what_others_hold_of_the_card_is_said(card: float, held: bool) -> None:
    found = finding(RULE, training_host(peak=19.2, card=card))

    assert says(found, rule.HELD_BY_OTHERS) == held
    assert any(row.label == "memory of the card" for row in found.evidence) == held
    assert any("nvidia-smi" in action for action in found.fix.actions) == held


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        training_host(peak=18.98),
        training_host(peak=17, fragmentation=0.5, largest=1.4),  # 1.5 of 3 GB are in one piece
        training_host(peak=17, fragmentation=0.9, largest=2, at_peak=False),
        training_host(peak=8, fragmentation=0.95, largest=2),  # what grows on demand is claimed in part only
    ],
    ids=["just below", "pieces that are large enough", "pieces beside the peak", "much room"],
)
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)


def test_a_peak_before_the_recording_counts_and_is_told() -> None:
    found = fires(RULE, training_host(peak=12, lifetime=19.5))

    assert says(found, rule.FULL_BEFORE) and "12.0 GB" in found.summary


def test_free_memory_in_pieces_at_the_peak() -> None:
    """3 GB are free, 1.5 GB in one piece; the largest allocation needs 2 GB."""
    found = fires(RULE, training_host(peak=17, fragmentation=0.5, largest=2))

    assert (found.severity, found.advice) == ("info", "memory is broken up")
    assert says(found, rule.BROKEN) and "1.5 GB in one piece" in found.summary
    assert value(found, "largest free block") == 1.5 * GB


def test_memory_of_the_host_is_no_memory_of_a_gpu() -> None:
    host = Host()
    host.memory(10, 99, 100, 99, "gpu_host_bfc")

    assert isinstance(judge(RULE, host), Missing)
