"""What allocator events tell: peak, what is alive then, fragmentation, a timeline that keeps its peaks."""

from __future__ import annotations

import numpy as np

from demo.xspace_writer import StatValue
from tests.builders import Host
from tfperf_plugin.analysis.artifacts.memory.memory import (
    POINTS_COUNT,
    Allocation,
    DeviceMemory,
    of_host,
)

CAPACITY = 1000


class Allocator:
    """Allocates and frees on a GPU; every event follows the one before after a millisecond."""

    def __init__(self, addresses: bool = True, before: int = 100) -> None:
        self.host = Host()
        self._in_use = self._peak = before
        self._at, self._addresses = 0, addresses

    def __call__(self, size: int, address: int, op: str = "", fragmentation: float | None = 0.0) -> None:
        """A negative size frees."""
        self._in_use += size
        self._peak = max(self._peak, self._in_use)
        self._at += 1
        stats: dict[str, StatValue] = {"addr": address} if self._addresses else {}
        stats |= {"tf_op": op} if op else {}
        stats |= {} if fragmentation is None else {"fragmentation": fragmentation}
        stats |= {
            "allocator_name": "GPU_0_bfc",
            "allocation_bytes": abs(size),
            "peak_bytes_in_use": self._peak,
        }
        stats |= {"bytes_allocated": self._in_use, "bytes_available": CAPACITY - self._in_use}
        name = "MemoryAllocation" if size > 0 else "MemoryDeallocation"
        self.host.event(name, self._at, self._at, "python3", **stats)

    def memory(self) -> DeviceMemory:
        """What the product makes of it."""
        (device,) = of_host(self.host.trace()).devices
        return device


def test_alive_at_the_peak_is_what_was_allocated_at_an_address_last() -> None:
    use = Allocator()
    use(50, 1, "dense/MatMul")
    use(70, 2, "dense/Relu")
    use(-70, 2)
    use(20, 2, "dense/MatMul")
    use(300, 3, "loss")
    use(-300, 3)
    use(10, 4, "adam")
    found = use.memory()

    assert found.recorded_peak_bytes == 100 + 50 + 20 + 300
    assert found.peak_ms == 5
    assert found.alive == (Allocation("loss", 300, 1), Allocation("dense/MatMul", 70, 2))
    assert (found.before_bytes, found.matched) == (100, "address")
    assert (found.largest_bytes, found.largest_op) == (300, "loss")


def test_the_thinned_timeline_keeps_peak_and_valley() -> None:
    use = Allocator(before=400)
    for turn in range(1000):
        size = {500: 590, 700: 1}.get(turn, 10 + turn % 7)
        use(size, turn)
        use(-size, turn)
    found = use.memory()

    for most in (POINTS_COUNT, 50):
        time, used = found.timeline(most)
        assert len(time) <= most
        assert int(used.max()) == found.recorded_peak_bytes == 990
        assert int(used.min()) == found.lasting_bytes == 400
        assert (np.diff(time) > 0).all()
        assert float(time[np.argmax(used)]) / 1e6 == found.peak_ms
