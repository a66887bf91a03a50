"""A GPU computes at a lower clock than it can."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host, fires, judge, passes, value
from tests.watched import training, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.gpu_throttled import RULE
from tfperf_plugin.recording.resources import Recorded

MOST = 1_410e6


def clocks(
    *hz: float, why: str = "heat", share: float = 1.0, limit: float | None = MOST, others: float | None = None
) -> Recorded:
    """A GPU with each of these clocks for this share of ten minutes, and the highest else."""
    slow = round(600 * share)
    series, limits = {}, {}
    for gpu, clock in enumerate(hz):
        slowed = float(clock < MOST)
        series[f"gpu.busy {gpu}"] = [0.9] * 600
        series[f"gpu.clock {gpu}"] = [clock] * slow + [MOST] * (600 - slow)
        series[f"gpu.slowed_by_{why} {gpu}"] = [slowed] * slow + [0.0] * (600 - slow)
        if others is not None:
            series[f"gpu.others {gpu}"] = [others] * 600
        if limit:
            limits[f"gpu.clock {gpu}"] = limit
    return watched(series, limits=limits)


def gpus(count: int) -> Host:
    """A profile of ten steps, in which each GPU computes for half of the time."""
    host = Host(gpus=count)
    host.steps(10, 100)
    for number in range(10):
        for gpu in range(count):
            host.kernel(number * 100, number * 100 + 50, gpu)
    return host


def test_advice_depends_on_the_reason() -> None:
    said = {
        why: fires(RULE, training(), recorded=clocks(0.3 * MOST, why=why)).fix
        for why in ("heat", "power", "brake")
    }

    texts = {why: " ".join(fix.actions) for why, fix in said.items() if fix}
    assert ["fans" in texts[why] for why in said] == [True, False, False]
    assert ["nvidia-smi -pl" in texts[why] for why in said] == [False, True, False]
    assert ["power supplies" in texts[why] for why in said] == [False, False, True]


def test_the_highest_clock_is_what_it_reached_where_no_limit_is_known() -> None:
    found = fires(RULE, training(), recorded=clocks(0.8 * MOST, share=0.5, limit=None))

    assert value(found, "clock below what it can be") == pytest.approx(0.2)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(clocks(0.96 * MOST), id="within 5 %"),
        pytest.param(clocks(0.7 * MOST, share=0.02), id="for a moment"),
        pytest.param(clocks(0.37 * MOST, why="power"), id="full load at the power limit of a T4"),
        pytest.param(clocks(0.85 * MOST, 0.86 * MOST, why="power"), id="two alike at the power limit"),
    ],
)
def test_a_clock_near_the_highest_is_fine(recorded: Recorded) -> None:
    passes(RULE, gpus(len(recorded.hosts[0].of("gpu.busy"))), recorded=recorded)


def test_clocks_of_idle_moments_do_not_count() -> None:
    idle = [0.0] * 300
    series = {
        "gpu.busy 0": [0.9] * 300 + idle,
        "gpu.clock 0": [MOST] * 300 + [210e6] * 300,
        "gpu.slowed_by_heat 0": [1.0] * 600,
    }

    passes(RULE, training(), recorded=watched(series))


def test_a_gpu_that_may_not_be_the_trainings_is_not_judged() -> None:
    """Two were watched and one was profiled; another process is on both."""
    assert isinstance(judge(RULE, training(), recorded=clocks(1e9, 1e9, others=1.0)), NotApplicable)
    assert fires(RULE, training(), recorded=clocks(1e9, 1e9, others=0.0))


def test_without_reasons_or_without_a_gpu_nothing_is_said() -> None:
    assert isinstance(
        judge(RULE, training(), recorded=watched({"gpu.busy 0": [0.9], "gpu.clock 0": [1e9]})), NotApplicable
    )
    assert isinstance(
        judge(RULE, training(), recorded=watched({"processors.training": [3.0]})), NotApplicable
    )


def test_hosts_are_named_where_there_are_several() -> None:
    one = clocks(1e9)
    other = replace(clocks(MOST).hosts[0], host="other")

    found = fires(RULE, Host("host").trained(10, 100, lambda host, at: host.kernel(at, at + 99)),
                  Host("other").trained(10, 100, lambda host, at: host.kernel(at, at + 99)),
                  recorded=replace(one, hosts=(*one.hosts, other)))  # fmt: skip

    assert "host GPU 0" in found.summary
