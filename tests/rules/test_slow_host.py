"""One host that all others wait for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import ALL_REDUCE, Host, each, fires, inputs, judge, value
from tfperf_plugin.artifacts.hosts import Hosts
from tfperf_plugin.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.rules.slow_host import RULE

STEPS = 6


def job(arrivals: Sequence[Sequence[float]], joined: bool = True, hidden: bool = False) -> list[Host]:
    """Hosts of one GPU with clocks of their own; ``arrivals`` per host: that of each step in turn.

    ``hidden``: they compute on another stream until AllReduce is done.
    """
    hosts = []
    for number, own in enumerate(arrivals):
        host = Host(f"worker{number}")
        shift = 17.25 * number
        for step in range(STEPS + 1):
            host.step(step, shift + step * 100, shift + step * 100 + 100)

        def step_of(at: float, own: Sequence[float] = own, host: Host = host, shift: float = shift) -> None:
            turn = int(at // 100)
            last = max(row[turn % len(row)] for row in arrivals)
            begin = own[turn % len(own)]
            end = last + 5 if joined else begin + 5
            host.kernel(shift + at, shift + at + begin)
            host.kernel(shift + at + begin, shift + at + end, name=ALL_REDUCE, stream=9)
            if hidden:
                host.kernel(shift + at, shift + at + end, stream=8)

        each(STEPS, 100, step_of)
        hosts.append(host)
    return hosts


def test_the_host_that_others_wait_for_is_named() -> None:
    found = fires(RULE, *job([[40], [41], [60], [40.5]]))

    assert found.title == "worker2 is slower than the other hosts"
    # The median of 80, 81, 100 and 80.5 ms is 80.75 ms; three of four GPUs wait.
    assert value(found, "above the median") == 19_250_000
    # Without it worker1 would set the pace: 19 ms less, which three GPUs wait and one computes longer.
    assert found.claims == {"communication.wait": 19_000_000 * 3 // 4, "compute": 19_000_000 // 4}
    assert value(found, "what it does longer") == "computing"
    assert value(found, "arrives at AllReduce") == 20_000_000
    assert value(found, "steps in which") == 1


def test_clocks_of_the_hosts_are_told_by_the_common_end() -> None:
    hosts: Hosts = inputs(*job([[40], [41], [60]])).get(Hosts)

    assert [h.clock.offset_ns for h in hosts.rows] == [0, -17_250_000, -34_500_000]
    assert [h.late_ns for h in hosts.rows] == [0, 1_000_000, 20_000_000]
    assert [h.slow for h in hosts.rows] == [False, False, True]


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "arrivals",
    [
        [[40], [41], [42], [40.5]],  # 2 % of the step is jitter
        [[40, 60, 40, 40], [40, 40, 60, 40], [60, 40, 40, 40]],  # each is late once
        [[40], [41], [60, 41, 41, 41, 41, 41], [40.5]],  # late in one step only
        [[40], [50], [60], [70]],  # all differ: nobody stands out
        [[40], [40], [40], [40]],
    ],
)
def test_healthy_jobs_have_no_straggler(arrivals: list[list[float]]) -> None:
    assert isinstance(judge(RULE, *job(arrivals)), Passed)


@pytest.mark.near_miss("hidden")
def test_waiting_for_it_under_compute_costs_nothing() -> None:
    assert isinstance(judge(RULE, *job([[40], [41], [60], [40.5]], hidden=True)), Passed)


def test_two_hosts_are_not_compared() -> None:
    assert isinstance(judge(RULE, *job([[40], [60]])), NotApplicable)


def test_hosts_that_nothing_joins_cannot_be_judged() -> None:
    verdict = judge(RULE, *job([[40, 43], [41, 45, 47], [60, 50, 55, 58]], joined=False))

    assert isinstance(verdict, Missing)
    assert "same time" in verdict.how
