"""The memory of many GPUs: the fullest are listed, and that there are others is said."""

from __future__ import annotations

from tests.builders import Host, inputs
from tfperf_plugin.report.panels.gpus import MEMORY_CAP, POINTS_CAP, memory

EVENTS = 1000


def recorded(gpus: int) -> Host:
    """Each GPU allocates in small pieces, the last GPU the most."""
    host = Host()
    for gpu in range(gpus):
        for number in range(1, EVENTS + 1):
            used = number * (gpu + 1)
            host.event(
                "MemoryAllocation",
                number,
                number,
                "python3",
                allocator_name=f"GPU_{gpu}_bfc",
                addr=number,
                allocation_bytes=gpu + 1,
                bytes_allocated=used,
                bytes_available=EVENTS * 100 - used,
                peak_bytes_in_use=used,
            )
    return host


def test_of_many_gpus_the_fullest_are_listed() -> None:
    found = inputs(recorded(MEMORY_CAP + 4)).call(memory)

    assert found is not None
    assert [gpu.device for gpu in found.devices] == [f"GPU:{n}" for n in range(MEMORY_CAP + 3, 3, -1)]
    assert found.devices_total == MEMORY_CAP + 4
    assert sum(len(gpu.points.at_ms) for gpu in found.devices) <= POINTS_CAP
    assert all(max(gpu.points.used_bytes) == gpu.peak_bytes for gpu in found.devices)


def test_the_timeline_of_one_gpu_may_be_longer() -> None:
    one, many = (inputs(recorded(count)).call(memory) for count in (1, MEMORY_CAP))

    assert one is not None
    assert many is not None
    assert len(one.devices[0].points.at_ms) > len(many.devices[0].points.at_ms) > 100


def test_free_memory_is_not_judged_without_its_blocks() -> None:
    found = inputs(recorded(1)).call(memory)

    assert found is not None
    assert found.devices[0].note.startswith("How broken up the free memory is was not recorded.")
