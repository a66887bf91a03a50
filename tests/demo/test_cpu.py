"""Threads take turns on a host's cores."""

from __future__ import annotations

from demo.simulator.clock import Clock, Process, Signal
from demo.simulator.cpu import Cpu


def test_who_waits_for_a_signal_needs_no_core() -> None:
    clock = Clock()
    cpu, signal = Cpu(clock, 1), Signal(clock)
    ended: list[tuple[str, int]] = []

    def waiting() -> Process[None]:
        yield signal
        yield 1_000
        ended.append(("waiting", clock.now_ns))

    def working() -> Process[None]:
        yield 5_000
        signal.fire()
        ended.append(("working", clock.now_ns))

    clock.spawn(cpu.run(waiting()))
    clock.spawn(cpu.run(working()))
    clock.run()

    assert ended == [("working", 5_000), ("waiting", 6_000)]
