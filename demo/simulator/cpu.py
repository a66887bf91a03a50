"""The processor of a host: cores that threads take turns on, first come, first served."""

from __future__ import annotations

from collections import deque

from demo.simulator.clock import Clock, Process, Signal

# How long a thread keeps its core while others wait for one: Linux' scheduler lets it run about 3 ms.
SLICE_NS = 3_000_000
# A server's processor computes about a thirtieth of what a GPU does, and its executor needs a few
# microseconds for each op.
SLOWER = 30
OP_NS = 4_000


class Cpu:
    """``cores`` run that many threads at a time; the others wait in the order in which they came."""

    def __init__(self, clock: Clock, cores: int) -> None:
        self._clock = clock
        self._free = cores
        self._waiting: deque[Signal] = deque()

    def run(self, process: Process[None]) -> Process[None]:
        """``process`` as a thread that needs a core: it has none while it waits for a signal."""
        yield from self._take()
        used_ns = 0
        for wait in process:
            if isinstance(wait, Signal):
                if wait.fired:
                    continue
                self._leave()
                yield wait
                yield from self._take()
                used_ns = 0
                continue
            left_ns = wait
            while left_ns:
                if used_ns >= SLICE_NS and self._waiting:
                    self._leave()
                    yield from self._take()
                if used_ns >= SLICE_NS:
                    used_ns = 0
                piece_ns = min(left_ns, SLICE_NS - used_ns)
                yield piece_ns
                left_ns -= piece_ns
                used_ns += piece_ns
        self._leave()

    def _take(self) -> Process[None]:
        if self._free:
            self._free -= 1
            return
        mine = Signal(self._clock)
        self._waiting.append(mine)
        yield mine

    def _leave(self) -> None:
        """Hand the core to whoever has waited longest."""
        if self._waiting:
            self._waiting.popleft().fire()
        else:
            self._free += 1
