"""Matching the collective kernels of several GPUs into calls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Host
from tests.strategies import ALL_REDUCE, MS, Recording
from tfperf_plugin.analysis.collectives import Collectives, find_collectives
from tfperf_plugin.analysis.finding_steps.find import host_steps

_GPUS = 4
# Per call the arrivals of all GPUs after the end of the call before, and the transfer time.
_CALLS = st.lists(
    st.tuples(st.lists(st.integers(1, 500), min_size=_GPUS, max_size=_GPUS), st.integers(1, 300)),
    min_size=1,
    max_size=6,
)
_Calls = list[tuple[list[int], int]]


def _recording(calls: _Calls, skip: tuple[int, int] | None = None) -> tuple[Recording, list[tuple[int, int]]]:
    """A step with these calls, without the kernel ``skip`` = (call, GPU), and each call's (ready, end)."""
    recording, now, truth = Recording(_GPUS), 100, []
    for number, (arrivals, transfer) in enumerate(calls):
        ready = now + max(arrivals)
        end = ready + transfer
        for gpu, arrival in enumerate(arrivals):
            if (number, gpu) != skip:
                recording.run(gpu, ALL_REDUCE, now + arrival, end, "20")
        truth.append((ready, end))
        now = end
    recording.step(0, 0, now + 10)
    return recording, truth


def _of_call(calls: Collectives, end: int) -> list[int]:
    return [i for i, e in enumerate(calls.end_ns.tolist()) if e == end]


def calls_of(host: Host) -> Collectives:
    trace = host.trace()
    return find_collectives(trace, host_steps(trace))


@given(_CALLS)
def test_calls_are_matched_and_the_last_arrival_starts_the_transfer(drawn: _Calls) -> None:
    recording, truth = _recording(drawn)
    calls = recording.analyse().calls

    assert calls.matched.all()
    assert set(calls.participants.tolist()) == {_GPUS}
    for (arrivals, _), (ready, end) in zip(drawn, truth, strict=True):
        rows = _of_call(calls, end)
        assert len({int(calls.call[r]) for r in rows}) == 1
        assert {int(calls.ready_ns[r]) for r in rows} == {ready}
        latest = max(rows, key=lambda r: int(calls.start_ns[r]))
        assert arrivals[int(calls.device[latest])] == max(arrivals)
    waited = sum(max(a) - one for a, _ in drawn for one in a)
    assert sum(calls.of_device(gpu)[1].total_ns for gpu in range(_GPUS)) == waited
    for gpu in range(_GPUS):
        assert calls.of_device(gpu)[0].total_ns == sum(transfer for _, transfer in drawn)


@given(_CALLS, st.data())
def test_a_call_that_a_gpu_lacks_is_matched_among_the_others(drawn: _Calls, data: st.DataObject) -> None:
    drawn = [*drawn, ([1] * _GPUS, 1)]  # so that every GPU takes part in some call
    skip = (data.draw(st.integers(0, len(drawn) - 1)), data.draw(st.integers(0, _GPUS - 1)))
    recording, truth = _recording(drawn, skip)
    calls = recording.analyse().calls

    rows = _of_call(calls, truth[skip[0]][1])
    assert set(calls.participants[rows].tolist()) == {_GPUS - 1}
    assert set(calls.ready_ns[rows].tolist()) == {int(calls.start_ns[rows].max())}
    for call in set(calls.call.tolist()):
        assert len(set(calls.end_ns[calls.call == call].tolist())) == 1


def test_clocks_of_gpus_that_differ_steadily_are_brought_together() -> None:
    """The other GPU's clock is 0.14 ms ahead; a call transfers for 0.4 ms, so that ends seem to differ."""
    host = Host(gpus=2)
    host.steps(6, 100)
    for step in range(6):
        for gpu, (arrival, ahead) in enumerate(((10, 0), (20, 0.14))):
            at = 100 * step + ahead
            host.kernel(at, at + arrival, gpu)
            host.kernel(at + arrival, at + 20.4, gpu, ALL_REDUCE, stream=9)
    calls = calls_of(host)

    assert calls.matched.all()
    assert calls.wait_ns[calls.device == 0].tolist() == [10 * MS] * 6
    assert calls.wait_ns[calls.device == 1].tolist() == [0] * 6
