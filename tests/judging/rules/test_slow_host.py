"""One host that all others wait for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.builders import ALL_REDUCE, SEND_RECV, Host, each, fires, judge, passes, says, value
from tests.watched import watched
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable
from tfperf_plugin.judging.rules.several_gpus import slow_host as rule
from tfperf_plugin.judging.rules.several_gpus.slow_host import RULE
from tfperf_plugin.recording.resources import Recorded

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


def loaded(*busy: float | None) -> Recorded:
    """The machines of the job: the training keeps half of the processors busy, and all is ``busy``."""
    made = [
        watched(
            {"processors.training": [2.0] * 60, **({"processors.busy": [ratio] * 60} if ratio else {})},
            limits={"processors.training": 4.0},
        )
        for ratio in busy
    ]
    hosts = (replace(one.hosts[0], host=f"worker{number}") for number, one in enumerate(made))
    return replace(made[0], hosts=tuple(hosts))


@pytest.mark.near_miss("below")
def test_what_else_runs_on_the_slow_host_is_told() -> None:
    def found(*busy: float | None) -> Found:
        return fires(RULE, *job([[40], [41], [60], [40.5]]), recorded=loaded(*busy))

    told = found(0.5, 0.52, 0.9, 0.5)
    assert (
        "Other programs keep 40 % of the processors of worker2 busy, and at most 2.0 % on each other host."
        in told.summary
    )
    assert value(told, "processors that others keep busy") == pytest.approx(0.38)
    for busy in [(0.5, 0.52, 0.61, 0.5), (0.9, 0.5, 0.9, 0.5), (0.9, 0.5, 0.5, 0.5), (0.5, 0.5, None, 0.5)]:
        assert not says(found(*busy), rule.LOAD)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("arrivals", "hidden"),
    [
        ([[40], [41], [42], [40.5]], False),  # 2 % of the step is jitter
        ([[40, 60, 40, 40], [40, 40, 60, 40], [60, 40, 40, 40]], False),  # each is late once
        ([[40], [41], [60, 41, 41, 41, 41, 41], [40.5]], False),  # late in one step only
        ([[40], [50], [60], [70]], False),  # all differ: nobody stands out
        ([[40], [40], [40], [40]], False),
        ([[40], [41]], False),
        ([[40, 60], [60, 40]], False),  # two that are late in turn
        ([[40, 45], [55, 40]], False),
        ([[40], [41], [60], [40.5]], True),
    ],
)
def test_healthy_jobs_have_no_straggler(arrivals: list[list[float]], hidden: bool) -> None:
    passes(RULE, *job(arrivals, hidden=hidden))


def late_host(count: int, steps: int, name: str = ALL_REDUCE, doing: str = "read_config") -> list[Host]:
    """Hosts whose GPUs compute alike for 20 ms; the last host is busy for 30 ms before it launches that."""
    hosts = []
    for number in range(count):
        host, last = Host(f"worker{number}"), number == count - 1
        for step in range(steps):
            at, late = 17.25 * number + 100 * step, 30 if last else 0
            host.step(step, at, at + 99)
            host.event("train_step", at + 1, at + 95)
            if last:
                host.event("outer", at + 1.1, at + 40)
                if doing:
                    host.event(doing, at + 1.2, at + late)
            launch = at + late + 1
            host.kernel(launch + 0.1, launch + 20, launch=(launch, launch + 0.05))
            host.kernel(launch + 20, at + 60, name=name, stream=9, launch=(launch + 0.06, launch + 0.08))
        hosts.append(host)
    return hosts


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("steps", [3, 6])
@pytest.mark.parametrize("name", [ALL_REDUCE, SEND_RECV])
def test_a_host_that_launches_late_is_found_and_what_it_does(count: int, steps: int, name: str) -> None:
    found = fires(RULE, *late_host(count, steps, name))

    assert found.title == f"Straggler host: worker{count - 1}"
    assert value(found, "what its host does meanwhile") == "read_config"
    assert "launches late; the host is in \u201cread_config\u201d" in found.summary
    assert says(found, rule.DOING)
    # What encloses the whole step is not what it does.
    assert value(fires(RULE, *late_host(2, 6, doing="")), "what its host does meanwhile") == "outer"


def test_one_host_and_hosts_that_nothing_joins_cannot_be_judged() -> None:
    assert isinstance(judge(RULE, *job([[40]])), NotApplicable)
    assert isinstance(judge(RULE, *job([[40, 43], [41, 45, 47], [60, 50, 55, 58]], joined=False)), Missing)
