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


def test_a_silent_gap_has_no_cause() -> None:
    row = account(gaps(), "idle.unknown")

    assert (row.cause, row.covered_ns) == (None, 0)
    assert row.longest_ns == 29_990_000  # until the launch begins


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


def test_of_dispatching_the_op_is_told_whose_kernel_comes_next() -> None:
    def step(host: Host, at: float) -> None:
        host.event("ExecutorState::Process", at, at + 99, "tf_Compute/1", id=7)
        host.kernel(at + 1, at + 40, launch=(at, at + 0.1), thread="tf_Compute/1", op="model/a:Relu")
        host.kernel(at + 70, at + 99, launch=(at + 69, at + 70), thread="tf_Compute/1", op="model/b:Conv2D")

    row = account(Host().trained(5, 100, step), "idle.dispatch")

    assert row.ns == pytest.approx(29_700_000, abs=1_000_000)
    assert row.seen[0][0] == "before model/b:Conv2D"
    assert row.seen[0][1] == pytest.approx(29_000_000, abs=200_000)
    assert row.longest[1:] == ("model/a", "model/b")


def test_small_accounts_are_not_named() -> None:
    assert all(a.cause is None for a in inputs(gaps(length=0.5)).of(Idle).accounts)


def test_latency_counts_only_launches_onto_a_free_stream() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.012, at + 40, launch=(at, at + 0.005))
        host.kernel(at + 40, at + 80, launch=(at + 0.005, at + 0.010))  # waits for the first

    (latency,) = inputs(Host().trained(5, 100, step)).of(Idle).latencies

    assert (latency.device, latency.count, latency.median_ns, latency.p95_ns) == ("GPU:0", 4, 12_000, 12_000)
