"""Calls that join hosts, found without trusting any clock, and what their common end tells about clocks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import ALL_REDUCE, MS, Host, find_communication, find_steps
from tfperf_plugin.analysis.communication import Communication

STEPS = 5
START_NS = 1_767_225_600_000_000_000


def job(
    arrivals: Sequence[Sequence[Sequence[float]]],
    offsets: Sequence[float],
    transfer: float = 10,
    marked: bool = True,
    jitter: float = 0.0,
) -> list[Host]:
    """Hosts whose GPUs arrive (step, host, GPU) at one AllReduce of steps of 100 ms; clocks are off."""
    hosts = []
    for number, offset in enumerate(offsets):
        host = Host(f"worker{number}", gpus=len(arrivals[0][number]))
        for step, every in enumerate(arrivals):
            at = 100 * step + 1_000 + offset
            end = max(max(row) for row in every) + transfer
            if marked:
                host.step(step + 7, at, at + 100)
            else:
                host.event("FunctionRun", at, at + 99, id=1000 + step, _r=1)
            for gpu, arrival in enumerate(every[number]):
                skew = jitter * ((step * 7 + number * 3 + gpu) % 5 - 2)
                host.kernel(at, at + arrival, gpu, launch=(at, at + 0.01))
                host.kernel(
                    at + arrival, at + end + skew, gpu, ALL_REDUCE, stream=9, launch=(at + 0.02, at + 0.03)
                )
        hosts.append(host)
    return hosts  # fmt: skip


def communication(hosts: Sequence[Host]) -> Communication:
    traces = [host.trace() for host in hosts]
    return find_communication(traces, find_steps(traces).hosts)


ARRIVAL = st.integers(1, 60)


@settings(deadline=None)
@given(st.data(), st.integers(2, 4), st.integers(1, 3))
def test_waiting_is_exact_whatever_the_clocks_say(data: st.DataObject, hosts: int, gpus: int) -> None:
    arrivals = data.draw(
        st.lists(
            st.lists(st.lists(ARRIVAL, min_size=gpus, max_size=gpus), min_size=hosts, max_size=hosts),
            min_size=STEPS, max_size=STEPS,
        )
    )  # fmt: skip
    offsets = data.draw(st.lists(st.integers(-900, 900), min_size=hosts, max_size=hosts))
    found = communication(job(arrivals, offsets))

    for number, calls in enumerate(found.hosts):
        assert calls.matched.all()
        assert set(calls.participants.tolist()) == {hosts * gpus}
        assert set(calls.hosts_count.tolist()) == {hosts}
        clock = found.clocks[number]
        assert clock.offset_ns == (offsets[0] - offsets[number]) * MS
        assert clock.uncertainty_ns == 0
        for gpu in range(gpus):
            mine = calls.device == gpu
            expected = [max(max(row) for row in every) - every[number][gpu] for every in arrivals]
            assert calls.wait_ns[mine].tolist() == [w * MS for w in expected]
            assert calls.of_device(gpu)[0].total_ns == STEPS * 10 * MS


def test_the_same_call_has_one_number_on_all_hosts() -> None:
    found = communication(job([[[10], [20]]] * STEPS, [0, 250]))

    assert found.hosts[0].call.tolist() == found.hosts[1].call.tolist()


def test_scatter_of_the_ends_is_the_uncertainty() -> None:
    found = communication(job([[[10], [20], [30]]] * STEPS, [0, 5, -3], jitter=0.004))

    assert [c.source for c in found.clocks] == ["same host", "collectives", "collectives"]
    for clock, offset in zip(found.clocks[1:], (5, -3), strict=True):
        assert clock.offset_ns is not None
        assert clock.uncertainty_ns is not None
        assert abs(clock.offset_ns + offset * MS) <= 0.016 * MS
        assert 0 < clock.uncertainty_ns <= 0.032 * MS
    assert all(calls.matched.all() for calls in found.hosts)


def test_reductions_within_each_host_join_nobody() -> None:
    """Ends of the hosts' own calls differ from step to step by far more than clocks do."""
    uneven = [[[10, 11], [10 + 4 * (step % 3), 11]] for step in range(STEPS)]
    alone = [job([[rows[0]] for rows in uneven], [0])[0], job([[rows[1]] for rows in uneven], [0])[0]]
    found = communication(alone)

    assert [set(c.hosts_count.tolist()) for c in found.hosts] == [{1}, {1}]
    assert [set(c.participants.tolist()) for c in found.hosts] == [{2}, {2}]
    assert [c.source for c in found.clocks] == ["same host", "unknown"]


def test_a_first_host_without_collectives_keeps_the_others_joined() -> None:
    alone = Host("alone")
    for number in range(STEPS):
        alone.step(number, number * 100, (number + 1) * 100)
        alone.kernel(number * 100 + 5, number * 100 + 50)
    others = job([[[10, 12], [20, 22]]] * STEPS, [0, 5])
    together = communication(others)

    found = communication([alone, *others])

    assert [len(calls) for calls in found.hosts] == [0, 2 * STEPS, 2 * STEPS]
    for calls, expected in zip(found.hosts[1:], together.hosts, strict=True):
        assert set(calls.hosts_count.tolist()) == {2}
        assert calls.call.tolist() == expected.call.tolist()
        assert calls.wait_ns.tolist() == expected.wait_ns.tolist()
    assert [c.source for c in found.clocks] == ["same host", "unknown", "unknown"]


def test_without_calls_that_join_hosts_only_wall_clocks_tell() -> None:
    first, other = job([[[10], [20]]] * 1, [0, 5])
    first.started(START_NS)
    other.started(START_NS + 4 * MS)
    found = communication([first, other])

    assert found.clocks[1].source == "wall clock"
    assert found.clocks[1].offset_ns == 4 * MS
    assert found.clocks[1].uncertainty_ns is None
    assert not any(c.matched.any() for c in found.hosts)


@pytest.mark.parametrize("missing", [1, 2])
def test_steps_that_carry_no_number_are_aligned(missing: int) -> None:
    """One host's recording begins some steps later: its first step is not the other's first."""
    arrivals = [[[10 + step % 3 * 7], [20 + step % 2 * 5]] for step in range(8)]
    first = job(arrivals, [0, 50], marked=False)[0]
    other = job([rows[::1] for rows in arrivals], [0, 50], marked=False)[1]
    late = job(arrivals[missing:], [0, 50], marked=False)[1]
    whole, shifted = communication([first, other]), communication([first, late])

    assert whole.clocks[1].offset_ns == -50 * MS
    assert shifted.clocks[1].offset_ns == (100 * missing - 50) * MS
    assert set(shifted.hosts[1].hosts_count.tolist()) == {2}


@pytest.mark.parametrize("ppm", [5, 50, 100])
def test_clocks_that_drift_are_followed(ppm: float) -> None:
    """Steps of 1 s, recorded for half a minute, with short transfers: 100 ppm are 3 ms in that time."""
    hosts = []
    for number in range(2):
        host = Host(f"worker{number}")
        rate = 1 + number * ppm * 1e-6
        for step in range(30):
            at, arrival = 1000.0 * step, 400 + 7 * ((step * (number + 2)) % 5)
            end = 400 + 7 * max((step * 2) % 5, (step * 3) % 5) + 0.4
            host.step(step, at * rate, (at + 999) * rate)
            host.kernel(at * rate, (at + arrival) * rate)
            host.kernel((at + arrival) * rate, (at + end) * rate, name=ALL_REDUCE, stream=9)
        hosts.append(host)
    found = communication(hosts)

    assert set(found.hosts[1].hosts_count.tolist()) == {2}
    assert found.clocks[1].uncertainty_ns is not None
    assert found.clocks[1].uncertainty_ns < 100_000


def test_steps_that_are_counted_from_different_numbers_are_aligned() -> None:
    """Markers of the other host are one ahead; every shift fits a steady training to some ms, one exactly."""
    arrivals = [[[40 + (step * 7 % 5) / 10], [41 + (step * 3 % 4) / 10]] for step in range(8)]
    first, other = job(arrivals, [0, 0])
    shifted = Host("worker1", gpus=1)
    for step, (_, (arrival,)) in enumerate(arrivals):
        at = 100 * step + 1_000
        end = max(max(row) for row in arrivals[step]) + 10
        shifted.step(step + 8, at, at + 100)  # 7 on the other host
        shifted.kernel(at, at + arrival)
        shifted.kernel(at + arrival, at + end, name=ALL_REDUCE, stream=9)
    found = communication([first, shifted])

    assert found.clocks[1].step_shift == -1
    assert found.clocks[1].offset_ns == 0
    assert communication([first, other]).clocks[1].step_shift == 0


def real(count: int, name: str = ALL_REDUCE, apart: float = 0.3, steps: int = 3) -> list[Host]:
    """Two processes with a GPU each, which share ``count`` calls of 0.9 ms in each step.

    The second one is 5 ms late to each, and every fourth call ends ``apart`` ms later there. Before its first
    step the other still runs two calls that it launched before the recording.
    """
    hosts = []
    for number in range(2):
        host = Host(f"worker{number}")
        begin = 1_000 + 250 * number
        for old in range(2 if number == 0 else 0):
            host.kernel(begin + 2 + 5 * old, begin + 4 + 5 * old, name=name, stream=9)
        for step in range(steps):
            at = begin + 200 * step
            host.step(step, at, at + 200)
            for call in range(count):
                start = at + 20 + 10 * call
                more = apart if number and call % 4 == 3 else 0
                host.kernel(start, start + 1, launch=(at + call, at + call + 0.01))
                host.kernel(
                    start + 1 + 5 * number, start + 6.9 + more, name=name, stream=9,
                    launch=(at + call + 0.02, at + call + 0.03),
                )  # fmt: skip
        hosts.append(host)
    return hosts


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_ends_that_scatter_and_calls_launched_before_the_recording(steps: int) -> None:
    found = communication(real(8, steps=steps))
    launched = [calls.step >= 0 for calls in found.hosts]

    assert [int(rows.sum()) for rows in launched] == [8 * steps] * 2
    for calls, rows in zip(found.hosts, launched, strict=True):
        assert set(calls.hosts_count[rows].tolist()) == {2}
        assert set(calls.hosts_count[~rows].tolist()) <= {1}
    assert found.clocks[1].offset_ns == -250 * MS
    assert found.clocks[1].uncertainty_ns == 0
    assert found.hosts[0].wait_ns[launched[0]].tolist() == [5 * MS] * 8 * steps
    assert not found.hosts[1].wait_ns.any()


def test_an_all_to_all_is_joined_by_order_once_the_clocks_are_known() -> None:
    found = communication(real(8, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", apart=3))

    assert set(found.hosts[1].hosts_count.tolist()) == {2}
    assert not found.hosts[1].wait_ns.any()
    alone = communication(real(8, apart=3))  # an AllReduce ends for all together
    assert 0 < int((alone.hosts[1].hosts_count == 1).sum()) == 6
