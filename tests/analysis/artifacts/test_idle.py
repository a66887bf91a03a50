"""Why GPUs were idle: named only where events say so."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, inputs
from tfperf_plugin.analysis.artifacts.host.idle import Idle, IdleAccount


def account(host: Host, name: str) -> IdleAccount:
    (row,) = [a for a in inputs(host).of(Idle).accounts if a.account == name]
    return row


def gaps(length: float = 30) -> Host:
    """Steps of 100 ms with a silent gap in the middle; the kernels are launched by a thread of their own."""

    def step(host: Host, at: float) -> None:
        for begin, end in ((0, 40), (40 + length, 100)):
            launch = (at + begin - 0.01, at + begin - 0.005) if begin else (at, at + 0.005)
            host.kernel(at + begin + 0.01, at + end, launch=launch, thread="tf_gpu_private_0/1")

    return Host().trained(5, 100, step)


def with_event(name: str, begin: float, end: float, thread: str) -> IdleAccount:
    host = gaps()
    each(5, 100, lambda at: host.event(name, at + begin, at + end, thread))
    return account(host, "idle.unknown")


def test_an_event_on_the_launching_thread_is_named_if_it_covers_the_gap() -> None:
    long, short = (with_event("cuMemAlloc_v2", 41, end, "tf_gpu_private_0/1") for end in (69, 61))

    assert (long.cause, long.covered_ns) == ("cuMemAlloc_v2", 28_000_000)
    assert (short.cause, short.covered_ns) == (None, 0)


@pytest.mark.parametrize(
    ("name", "begin", "end", "thread"),
    [
        ("Session", 0, 99, "tf_gpu_private_0/1"),  # goes on while the GPU works
        ("Decode", 40, 70, "tf_data_private_threadpool/1"),
        ("Decode", 40, 70, "another/1"),
    ],
)
def test_what_encloses_everything_or_runs_elsewhere_explains_nothing(
    name: str, begin: float, end: float, thread: str
) -> None:
    assert with_event(name, begin, end, thread).cause is None
