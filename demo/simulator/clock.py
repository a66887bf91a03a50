"""A discrete-event clock: processes are generators that wait for time or for signals.

A process yields either a number of nanoseconds to let pass or a `Signal` to wait for. Processes that
are due at the same instant run in the order in which they became due, so a run is reproducible.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Generator
from typing import Generic, TypeVar

T = TypeVar("T")


class Clock:
    """Simulated time in integer nanoseconds and the processes that live in it."""

    def __init__(self) -> None:
        self.now_ns = 0
        self._due: list[tuple[int, int, Process[None]]] = []
        self._sequence = 0

    def spawn(self, process: Process[None]) -> None:
        """Start ``process`` at the current instant."""
        self.resume(process, 0)

    def resume(self, process: Process[None], delay_ns: int) -> None:
        if delay_ns < 0:
            raise ValueError(f"a process cannot wait {delay_ns} ns")
        heapq.heappush(self._due, (self.now_ns + delay_ns, self._sequence, process))
        self._sequence += 1

    def run(self) -> None:
        """Run until no process is due; processes that wait for a signal nobody fires stay behind."""
        while self._due:
            self.now_ns, _, process = heapq.heappop(self._due)
            try:
                wait = next(process)
            except StopIteration:
                continue
            if isinstance(wait, Signal):
                wait.add(process)
            else:
                self.resume(process, wait)


class Signal:
    """Something that happens once; whoever waits for it afterwards does not wait."""

    def __init__(self, clock: Clock) -> None:
        self.fired = False
        self._clock = clock
        self._waiting: list[Process[None]] = []

    def add(self, process: Process[None]) -> None:
        if self.fired:
            self._clock.resume(process, 0)
        else:
            self._waiting.append(process)

    def fire(self) -> None:
        self.fired = True
        for process in self._waiting:
            self._clock.resume(process, 0)
        self._waiting.clear()


class Channel(Generic[T]):
    """A first-in, first-out buffer; ``put`` waits while it is full, ``get`` while it is empty."""

    def __init__(self, clock: Clock, capacity: int) -> None:
        self.capacity = capacity
        self.items: deque[T] = deque()
        self._clock = clock
        self._changed = Signal(clock)

    def put(self, item: T) -> Process[None]:
        while len(self.items) >= self.capacity:
            yield self._changed
        self.items.append(item)
        self._notify()

    def get(self) -> Process[T]:
        while not self.items:
            yield self._changed
        item = self.items.popleft()
        self._notify()
        return item

    def _notify(self) -> None:
        changed, self._changed = self._changed, Signal(self._clock)
        changed.fire()


Process = Generator[int | Signal, None, T]
