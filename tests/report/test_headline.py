"""The two sentences that open the report."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, inputs
from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.engine.run import Outcome
from tfperf_plugin.report.headline import headline


def _headline(compute: float, steps_per_call: int | None = None, marked: bool = True) -> tuple[str, str]:
    host = Host()
    if marked:
        host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + compute))
    found = inputs(host)
    return headline(
        found.get(Devices), found.steps, found.ledger, Outcome((), (), (), (), (), ()), None, steps_per_call
    )


def _advice(compute: float) -> str:
    return _headline(compute)[1]


def test_without_findings_there_is_nothing_to_fix() -> None:
    assert _advice(96) == "Nothing to fix above 5 % of a step."


def test_time_that_no_check_explains_is_not_called_fine() -> None:
    assert "No check explains the 40 % that goes to idling for a reason" in _advice(60)


@pytest.mark.parametrize("unknown_or_one", [None, 1])
def test_a_step_marker_is_a_step(unknown_or_one: int | None) -> None:
    where, advice = _headline(96, unknown_or_one)

    assert where.startswith("A step takes 100.0 ms. Your GPU computes for 96 % of it")
    assert advice == "Nothing to fix above 5 % of a step."


def test_a_step_marker_around_several_steps_is_a_call_of_them() -> None:
    where, advice = _headline(96, 16)

    assert where.startswith("A call of 16 training steps takes 100.0 ms (6.2 ms a step). Your GPU computes")
    assert advice == "Nothing to fix above 5 % of a call."


def test_a_period_of_kernels_may_be_one_of_the_steps() -> None:
    assert _headline(96, 16, marked=False)[0].startswith("A step takes")
