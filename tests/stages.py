"""Recordings of models that are cut into stages, one a GPU, for tests of what is said about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.builders import SEND_RECV, Host, Stats

SLOT, COPY = 10.0, 1.0

HandOver = Callable[[Host, int, int, float], None]


def copied(host: Host, giver: int, taker: int, at: float) -> None:
    """A copy from GPU to GPU for the last millisecond before ``at``."""
    stats: Stats = {"memcpy_details": f"kind_src:device kind_dst:device size:8000 dest:{taker} async:1"}
    host.kernel(at - COPY, at, giver, "MemcpyP2P", stream=20, stats=stats)


def starts(stage: int, stages: int, batches: int) -> tuple[list[float], list[float]]:
    """When a stage begins its forward passes, and after all of them its backward passes."""
    turn = (batches + stages - 1) * SLOT
    forward = [(number + stage) * SLOT for number in range(batches)]
    return forward, [turn + (number + stages - 1 - stage) * SLOT for number in range(batches)]


def step_ms(stages: int, batches: int) -> float:
    return 2 * (batches + stages - 1) * SLOT


def pipeline(
    stages: int,
    batches: int,
    hand_over: HandOver = copied,
    steps: int = 6,
    work: Sequence[float] = (),
    ahead: float = 0,
    extra: Callable[[Host, float], None] | None = None,
) -> Host:
    """Steps in which each pass of a micro-batch through a stage takes 9 ms and handing it over 1 ms.

    ``work``: the 9 ms for each stage; ``ahead``: how many ms the clock of the last GPU is behind, so that its
    kernels seem to run earlier; ``extra``: draws more, given the start of a step.
    """
    host = Host(gpus=stages)
    length = step_ms(stages, batches)
    host.steps(steps, length)
    for number in range(steps):
        at = number * length
        for stage in range(stages):
            forward, backward = starts(stage, stages, batches)
            shift = at - (ahead if stage == stages - 1 else 0)
            for begin in (*forward, *backward):
                host.kernel(shift + begin, shift + begin + (work[stage] if work else SLOT - COPY), stage)
            for begin in forward if stage < stages - 1 else ():
                hand_over(host, stage, stage + 1, at + begin + SLOT)
            for begin in backward if stage else ():
                hand_over(host, stage, stage - 1, at + begin + SLOT)
        if extra:
            extra(host, at)
    return host


def sent(batches: int, hosts: Sequence[Host], steps: int = 6, stats: Stats | None = None) -> None:
    """Two stages that send and receive by the collective library, on one host or on two.

    Who sends calls for the last millisecond, who receives from the end of its last call or pass on.
    """
    length = step_ms(2, batches)
    homes = [(hosts[0], 0), (hosts[-1], 1 if len(hosts) == 1 else 0)]
    for host in hosts:
        host.steps(steps, length)
    passes = [
        [
            number * length + begin
            for number in range(steps)
            for way in starts(stage, 2, batches)
            for begin in way
        ]
        for stage in (0, 1)
    ]
    for (host, gpu), begins in zip(homes, passes, strict=True):
        for begin in begins:
            host.kernel(begin, begin + SLOT - COPY, gpu)
    before = 0.0
    for at, giver in ((number * length, giver) for number in range(steps) for giver in (0, 1)):
        for begin in starts(giver, 2, batches)[giver]:
            call, end = at + begin + SLOT - COPY, at + begin + SLOT
            done = [begin + SLOT - COPY for begin in passes[1 - giver] if begin + SLOT - COPY <= call]
            for stage, start in ((giver, call), (1 - giver, max(at, before, *done))):
                host, gpu = homes[stage]
                host.kernel(start, end, gpu, SEND_RECV, stream=9, stats=stats)
            before = end
