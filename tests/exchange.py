"""Drawn trainings whose GPUs exchange gradients: who arrives when, in how many calls, on which hosts."""

from __future__ import annotations

from collections.abc import Sequence

from tests.builders import ALL_REDUCE, Host, Stats, each

STEPS = 5
LENGTH = 100.0
A100 = "NVIDIA A100-SXM4-40GB"


def training(
    arrivals: Sequence[float],
    end: float = 60,
    size: int | None = 100_000_000,
    name: str = ALL_REDUCE,
    host: str = "worker",
    calls: int = 1,
    model: str = "",
    hidden: float = 0,
    steps: int = STEPS,
    begin: float = 0,
) -> Host:
    """Steps of 100 ms; each GPU computes until it arrives at AllReduce, which ends at ``end`` for all.

    ``calls`` of equal length divide the time from the last arrival to ``end`` and the ``size`` among them;
    the first ``hidden`` ms of that time are under compute of another stream. All times shift by ``begin``.
    """
    drawn = Host(host, gpus=len(arrivals), model=model)
    for number in range(steps):
        drawn.step(number, begin + number * LENGTH, begin + (number + 1) * LENGTH)
    stats: Stats = {} if size is None else {"buffer_size": size // calls}

    def step(at: float) -> None:
        ready = max(arrivals)
        length = (end - ready) / calls
        for gpu, arrival in enumerate(arrivals):
            drawn.kernel(begin + at, begin + at + arrival, gpu)
            if hidden:
                drawn.kernel(begin + at + ready, begin + at + ready + hidden, gpu, stream=8)
            starts = [arrival, *(ready + k * length for k in range(1, calls))]
            for k, start in enumerate(starts):
                stop = begin + at + ready + (k + 1) * length
                drawn.kernel(begin + at + start, stop, gpu, name, stream=9, stats=stats)

    each(steps, LENGTH, step)
    return drawn
