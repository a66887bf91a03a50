"""What to change first, what was recorded instead of steps, and whether anything is left to fix."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host, each, inputs
from tests.judging.rules.kernels import A100, moving
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord
from tfperf_plugin.report.panels.headline import headline

ADD = "model/add:AddV2"


def _known(compute: float) -> Host:
    """A host whose kernels take ``compute`` ms each and move nearly as many bytes as memory can."""
    host = Host(device=A100)
    host.op_work["", ADD] = moving(round(1.3e9 * compute))
    return host


def _headline(compute: float, steps_per_call: int | None = None, marked: bool = True) -> tuple[str, str]:
    host = _known(compute)
    if marked:
        host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + compute, op=ADD))
    found = inputs(host)
    found.facts = TrainingFacts((TrainingRecord(steps_per_execution=steps_per_call),))
    said = found.call(headline, Outcome((), (), (), (), (), ()))
    return said.advice, said.unit


def _advice(compute: float) -> str:
    return _headline(compute)[0]


def test_time_that_no_check_explains_is_not_called_fine() -> None:
    assert "No check explains the 40 % that goes to Unattributed idle" in _advice(60)


@pytest.mark.parametrize(
    ("per_call", "marked", "unit"),
    [
        (None, True, "step"),
        (1, True, "step"),
        (16, True, "call of 16 training steps"),
        (16, False, "step"),  # a period of kernels may be one of the steps
    ],
)
def test_a_marker_around_several_steps_is_a_call_of_them(
    per_call: int | None, marked: bool, unit: str
) -> None:
    advice, called = _headline(96, per_call, marked)

    assert called == unit
    assert advice == f"Nothing to fix above 5 % of a {unit.partition(' ')[0]}."


def _said(host: Host) -> tuple[tuple[str, str], Outcome]:
    found = inputs(host)
    outcome = run_rules(RULES, found)
    said = found.call(headline, outcome)
    return (said.recorded, said.advice), outcome


def test_what_a_note_may_bring_is_not_denied() -> None:
    """In the only step, the GPU waits 9 ms for launches and the host then has 80 ms to spare."""
    host = Host()
    host.step(0, 0, 100)
    for begin in (0, 5):
        host.kernel(begin + 5, begin + 6, launch=(begin, begin + 5))
    host.kernel(11, 100, launch=(10.9, 10.95))
    (_, advice), outcome = _said(host)

    assert [f.severity for f in outcome.findings] == ["info"]
    assert advice.startswith(
        "Nothing above 5 % of a step is certain; up to 9.0 % may go with this: The one recorded step waits"
    )


@pytest.mark.parametrize(("busy", "steps", "settled"), [(99, 6, True), (60, 6, False), (99, 3, False)])
def test_settled_is_what_has_no_doubt_and_no_large_time_unexplained(
    busy: float, steps: int, settled: bool
) -> None:
    host = _known(busy).trained(steps, 100, lambda host, at: host.kernel(at, at + busy, op=ADD))
    _, outcome = _said(host)
    said = inputs(host).call(headline, replace(outcome, findings=()))

    assert said.settled is settled
    assert (said.advice == "Nothing to fix above 5 % of a step.") is settled
    assert not inputs(Host()).call(headline, replace(outcome, findings=())).settled


def test_time_that_a_note_explains_is_settled() -> None:
    host = _known(60).trained(6, 100, lambda host, at: host.kernel(at, at + 60, op=ADD))
    _, outcome = _said(host)
    idle = next(f for f in outcome.findings if f.id == "unexplained-idle")
    note = replace(outcome, findings=(replace(idle, severity="info"),))

    assert idle.saving is not None
    assert not inputs(host).call(headline, outcome).advice.startswith("No check explains")
    assert inputs(host).call(headline, note).settled


@pytest.mark.parametrize("stalls", [[0, 200, 0], [100, 200, 150]], ids=["once", "each step"])
def test_what_was_seen_once_is_not_said_of_each_step(stalls: list[float]) -> None:
    host, begin = Host(), 0.0
    for number, stall in enumerate([*stalls, 0.0]):  # the last step is cut off
        host.step(number, begin, begin + 100 + stall)
        host.kernel(begin, begin + 95)
        host.kernel(begin + 95 + stall, begin + 100 + stall)
        begin += 100 + stall
    _, outcome = _said(host)
    advice = inputs(host).call(headline, replace(outcome, findings=())).advice

    if 0 in stalls:
        assert "explains the 200 ms that went once, in one of 3 steps, to Unattributed idle" in advice
        assert "look at that step" in advice
    else:
        assert "explains the 60 % that goes to Unattributed idle" in advice
        assert "look at one step" in advice


def _starts(held: float, copied: float, rest: float = 39) -> Host:
    """One step: the driver holds the first launches for ``held``; 43 ms later the GPU waits for a copy, and
    works until ``rest`` after its start."""
    host, at = Host(), held + 43
    host.step(0, 0, at + rest + 1)
    host.kernel(held + 1.1, held + 1.2, launch=(1, 1.02 + held), thread="tf_Compute/1")
    host.kernel(held + 1.3, held + 1.4, launch=(1.01, 1.05 + held), thread="tf_Compute/2")
    for number in range(20):
        begin = held + 2 + number
        host.kernel(begin + 0.03, begin + 0.9, launch=(begin, begin + 0.02), thread="tf_Compute/1")
    host.kernel(held + 22, at, launch=(held + 21.9, held + 21.95), thread="tf_Compute/1")
    host.copy("H2D", at, at + copied, size=100_000_000, memory="pageable", op="IteratorGetNext/_1:_Send")
    host.kernel(at + copied, at + rest, launch=(at - 1, at - 0.9), thread="tf_Compute/1")
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("copied", "told"), [(60, True), (40, False)])
def test_what_takes_most_of_the_time_beside_start_up_is_told(copied: float, told: bool) -> None:
    (where, _), outcome = _said(_starts(held=150, copied=copied, rest=61))

    assert outcome.findings == () and "takes 150 ms of the 255 ms that were recorded." in where
    assert where.endswith(f"H2D copy takes {copied:.1f} ms.") == told


def test_a_file_that_lacks_most_events_is_to_be_recorded_again_first() -> None:
    host = Host().trained(6, 100, lambda host, at: host.kernel(at, at + 10))
    host.kept_count, host.numbered_count = 50, 5000
    found = inputs(host)
    advice = found.call(headline, run_rules(RULES, found)).advice

    assert advice.startswith(
        "Most events are missing from the file, so what takes the time of a step cannot be told. Open"
    )
