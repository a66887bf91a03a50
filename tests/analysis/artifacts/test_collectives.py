"""Matching the collective kernels of several GPUs into calls."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    ("first", "second", "matched"),
    [
        # Ends may differ by as much as a ring takes to come round.
        ((10 * MS, 30 * MS), (20 * MS, 30 * MS + 249_999), True),
        ((10 * MS, 30 * MS), (10 * MS, 30 * MS + 250_000), False),
        ((10 * MS, 20 * MS), (20 * MS, 30 * MS), False),  # never at the same time
    ],
)
def test_kernels_of_a_call_overlap_and_end_together(
    first: tuple[int, int], second: tuple[int, int], matched: bool
) -> None:
    recording = Recording(2)
    recording.step(0, 0, 100 * MS)
    recording.run(0, ALL_REDUCE, *first, "20")
    recording.run(1, ALL_REDUCE, *second, "20")
    calls = recording.analyse().calls

    assert calls.matched.tolist() == [matched] * 2
    assert calls.ready_ns.tolist() == ([20 * MS] * 2 if matched else [first[0], second[0]])


def scattered(ends: list[float], name: str = ALL_REDUCE, number: int = 6) -> Collectives:
    """Two GPUs; the first arrives at 10 ms of each step of 100 ms and ends at 30, the other arrives at 20 and
    ends so many ms later, in turn."""
    host = Host(gpus=2)
    host.steps(number, 100)
    for step in range(number):
        for gpu, (begin, end) in enumerate(((10, 30), (20, 30 + ends[step % len(ends)]))):
            host.kernel(100 * step, 100 * step + begin, gpu)
            host.kernel(100 * step + begin, 100 * step + end, gpu, name, stream=9)
    return calls_of(host)


def test_where_most_of_a_kind_ends_together_the_rest_counts_by_order() -> None:
    assert scattered([0.0, 0.4, -0.4]).matched.all()
    assert not scattered([0.0, 0.4, -0.4, 0.45, -0.3, 0.35]).matched.all()  # one in six: chance
    assert not scattered([0.0, 0.0, 0.6]).matched.all()  # further apart than any real ends


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
