"""Threads take turns on a host's cores, first come, first served."""

from __future__ import annotations

from demo.simulator.clock import Clock, Process, Signal
from demo.simulator.cpu import SLICE_NS, Cpu


def run(cores: int, *work_ns: int) -> list[int]:
    """When threads end that all begin at once and need these times."""
    clock = Clock()
    cpu = Cpu(clock, cores)
    ends: dict[int, int] = {}

    def thread(number: int, ns: int) -> Process[None]:
        yield ns
        ends[number] = clock.now_ns

    for number, ns in enumerate(work_ns):
        clock.spawn(cpu.run(thread(number, ns)))
    clock.run()
    return [ends[n] for n in range(len(work_ns))]


def test_with_a_core_each_nobody_waits() -> None:
    assert run(3, 5_000, 7_000, 10 * SLICE_NS) == [5_000, 7_000, 10 * SLICE_NS]


def test_who_comes_later_waits_for_a_core() -> None:
    assert run(1, 5_000, 7_000) == [5_000, 12_000]


def test_long_work_gives_way_after_its_slice() -> None:
    assert run(1, 2 * SLICE_NS, 1_000) == [2 * SLICE_NS + 1_000, SLICE_NS + 1_000]


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
