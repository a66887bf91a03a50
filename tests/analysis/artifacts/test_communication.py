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


def test_reductions_within_each_host_join_nobody() -> None:
    """Ends of the hosts' own calls differ from step to step by far more than clocks do."""
    uneven = [[[10, 11], [10 + 4 * (step % 3), 11]] for step in range(STEPS)]
    alone = [job([[rows[0]] for rows in uneven], [0])[0], job([[rows[1]] for rows in uneven], [0])[0]]
    found = communication(alone)

    assert [set(c.hosts_count.tolist()) for c in found.hosts] == [{1}, {1}]
    assert [set(c.participants.tolist()) for c in found.hosts] == [{2}, {2}]
    assert [c.source for c in found.clocks] == ["same host", "unknown"]


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
