"""The host waits for the GPU in the middle of the step and then launches late."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, fires, inputs_of_run, judge
from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu.host_sync_in_step import RULE

SYNC = "cuStreamSynchronize"


def training(
    late: float, syncs: int = 10, steps_with_sync: int = 6, hidden: bool = False, call: str = SYNC,
    op: str = "", other: str = "",
) -> Host:  # fmt: skip
    """Steps of 10 ms with kernels of about 1 ms; after each the host waits and launches the next one late."""

    def step(host: Host, at: float) -> None:
        waits = syncs if at < 10 * steps_with_sync else 0
        launched = at
        for number in range(10):
            begin = at + number
            started = max(begin, launched + 0.006)
            host.kernel(started, begin + 1, launch=(launched, launched + 0.004))
            sync = launched + 0.005
            launched += 0.01
            if number < waits and number < 9:
                host.event(other if other and number % 2 else call, sync, begin + 1 + late - 0.01)
                if op:
                    host.event(op, sync - 0.0005, begin + 1 + late - 0.006)
                launched = begin + 1 + late - 0.006

    host = Host().trained(6, 10, step)
    if hidden:
        each(6, 10, lambda at: host.kernel(at, at + 10, stream=8))
    return host


@pytest.mark.parametrize(
    ("names", "only_waits"),
    [
        ({"call": "cudaDeviceSynchronize"}, True),
        ({"call": "hipDeviceSynchronize"}, True),
        ({"call": "cudaDeviceSynchronize", "other": SYNC}, False),
        ({"call": "cudaDeviceSynchronize", "op": "boxes/Where:Where"}, False),
        ({}, False),
    ],
)  # fmt: skip
def test_a_call_that_only_waits_reads_no_values(names: dict[str, str], only_waits: bool) -> None:
    found = fires(RULE, training(late=0.06, **names))  # type: ignore[arg-type]

    assert (found.advice == "the whole GPU is waited for") == only_waits


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("copy", "advice"), [("MemcpyH2D", "values are sent"), ("MemcpyD2H", "")], ids=["to the GPU", ".cpu()"]
)
def test_a_copy_to_the_gpu_that_is_waited_for_brings_no_values(copy: str, advice: str) -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 4, launch=(at, at + 0.004))
        host.event("aten::to", at + 0.005, at + 4.2)
        host.kernel(at + 4, at + 4.1, name=copy, launch=(at + 0.006, at + 0.009))
        host.event(SYNC, at + 0.01, at + 4.15)
        host.kernel(at + 4.5, at + 10, launch=(at + 4.3, at + 4.31))

    assert fires(RULE, Host().trained(6, 10, step)).advice == advice


@pytest.mark.near_miss("different")
def test_a_copy_that_the_call_waits_for_brings_values() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 4, launch=(at, at + 0.004))
        host.kernel(at + 4, at + 4.1, name="MemcpyD2H", launch=(at + 0.005, at + 0.009))
        host.event("cudaDeviceSynchronize", at + 0.01, at + 4.2)
        host.kernel(at + 4.5, at + 10, launch=(at + 4.3, at + 4.31))

    assert not fires(RULE, Host().trained(6, 10, step)).advice


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("sent", "read", "advice"), [(0.5, 0.05, "values are sent"), (0.05, 0.5, "")], ids=["sent", "read"]
)
def test_the_waits_that_take_most_of_the_time_choose_the_advice(
    sent: float, read: float, advice: str
) -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 2, launch=(at, at + 0.004))
        host.event("aten::to", at + 0.005, at + 2.15)
        host.kernel(at + 2, at + 2.1, name="MemcpyH2D", launch=(at + 0.006, at + 0.009))
        host.event(SYNC, at + 0.01, at + 2.12)
        middle = at + 2.1 + sent
        host.kernel(middle, middle + 2, launch=(middle - 0.005, middle - 0.001))
        host.event("ops::nms", middle, middle + 2.15)
        host.kernel(middle + 2, middle + 2.1, name="MemcpyD2H", launch=(middle + 0.006, middle + 0.009))
        host.event(SYNC, middle + 0.01, middle + 2.12)
        last = middle + 2.1 + read
        host.kernel(last, at + 10, launch=(last - 0.005, last - 0.001))

    assert fires(RULE, Host().trained(6, 10, step)).advice == advice


def test_of_a_pause_no_more_is_its_reason_than_the_wait_lasted() -> None:
    """The next launch comes 0.5 ms after the kernel's end, but the call waited for only 0.2."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.01, at + 1, launch=(at, at + 0.004))
        host.event(SYNC, at + 0.82, at + 1.02)
        host.kernel(at + 1.5, at + 5, launch=(at + 1.49, at + 1.494))
        host.kernel(at + 5, at + 9, launch=(at + 1.5, at + 1.504))

    covers = fires(RULE, Host().trained(6, 10, step)).covers

    assert sum(covers.values()) == pytest.approx(200_000, abs=1_000)


def at_the_end() -> Host:
    """The host waits for the loss."""
    host = Host().trained(6, 10, lambda host, at: host.kernel(at + 0.006, at + 9, launch=(at, at + 0.004)))
    each(6, 10, lambda at: host.event(SYNC, at + 0.01, at + 9.5))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "claimed_ns"),
    [
        (training(late=0.06, syncs=1), 0),
        (training(late=0.06, syncs=2), 120_000),
        (training(late=0.06, hidden=True), 0),
        (training(late=0.09, steps_with_sync=2), 0),  # in a third of the steps
        (training(late=0.06, call="SomethingElse"), 0),
        (at_the_end(), 0),
    ],
)
def test_what_waits_cost(host: Host, claimed_ns: int) -> None:
    assert sum(getattr(judge(RULE, host), "claims", {}).values()) == claimed_ns


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("name", "gained_ms"), [("Pinned", 6.9), ("Pageable", 1.9)])
def test_what_the_host_does_after_another_wait_stays(name: str, gained_ms: float) -> None:
    """A wait for a copy to the GPU; then a copy to the host, which is waited for in its call if it is to
    pageable memory, and 5 ms of the program's own work. Only without that wait could the host do it ahead."""
    trace = Trace()
    for number in range(6):
        at, first = 100_000.0 * number, 10 * number
        trace.mark(f"ProfilerStep#{number}", at, at + 100_000)
        trace.op("aten::mm", at, at + 20)
        trace.launch(first + 1, at + 5, at + 10)
        trace.kernel("gemm", first + 1, at + 15, at + 10_000)
        trace.op("aten::to", at + 30, at + 10_060)
        trace.launch(first + 2, at + 35, at + 45, "cudaMemcpyAsync")
        trace.copy("Memcpy HtoD (Pageable -> Device)", first + 2, at + 10_010, at + 10_020, 8)
        trace.launch(first + 8, at + 50, at + 10_050, "cudaStreamSynchronize")
        trace.op("aten::mm", at + 11_900, at + 11_920)
        trace.launch(first + 3, at + 11_905, at + 11_910)
        trace.kernel("gemm", first + 3, at + 11_915, at + 20_000)
        returned = at + (20_050 if name == "Pageable" else 11_950)
        trace.launch(first + 4, at + 11_940, returned, "cudaMemcpyAsync")
        trace.copy(f"Memcpy DtoH (Device -> {name})", first + 4, at + 20_010, at + 20_040, 8)
        trace.op("aten::mm", at + 25_000, at + 25_020)
        trace.launch(first + 5, at + 25_005, at + 25_010)
        trace.kernel("gemm", first + 5, at + 25_015, at + 100_000)
    (found,) = run_rules([RULE], inputs_of_run((read(trace),))).findings

    assert found.saving and found.saving.ns == pytest.approx(gained_ms * 1e6, rel=0.05)
