"""The two sentences that open the report."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host, each, inputs
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord
from tfperf_plugin.report.panels.headline import headline, is_settled


def _headline(compute: float, steps_per_call: int | None = None, marked: bool = True) -> tuple[str, str]:
    host = Host()
    if marked:
        host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + compute))
    found = inputs(host)
    found.facts = TrainingFacts((TrainingRecord(steps_per_execution=steps_per_call),))
    where, advice, _ = found.call(headline, Outcome((), (), (), (), (), ()), None)
    return where, advice


def _advice(compute: float) -> str:
    return _headline(compute)[1]


def test_without_findings_there_is_nothing_to_fix() -> None:
    assert _advice(96) == "Nothing to fix above 5 % of a step."


def test_time_that_no_check_explains_is_not_called_fine() -> None:
    assert "No check explains the 40 % that goes to Unattributed idle" in _advice(60)


@pytest.mark.parametrize("unknown_or_one", [None, 1])
def test_a_step_marker_is_a_step(unknown_or_one: int | None) -> None:
    where, advice = _headline(96, unknown_or_one)

    assert where.startswith("A step takes 100 ms. Your GPU computes for 96 % of it")
    assert advice == "Nothing to fix above 5 % of a step."


def test_a_step_marker_around_several_steps_is_a_call_of_them() -> None:
    where, advice = _headline(96, 16)

    assert where.startswith("A call of 16 training steps takes 100 ms (6.3 ms a step). Your GPU computes")
    assert advice == "Nothing to fix above 5 % of a call."


def test_a_period_of_kernels_may_be_one_of_the_steps() -> None:
    assert _headline(96, 16, marked=False)[0].startswith("A step takes")


def _said(host: Host) -> tuple[tuple[str, str], Outcome]:
    found = inputs(host)
    outcome = run_rules(RULES, found)
    return found.call(headline, outcome, None)[:2], outcome


def _one_batch(function: str = "train_function") -> Host:
    """A call of 10 ms, as a profiler that starts inside the step records it, and a callback after it."""
    host = Host()
    host.event(function, 0, 9, tf_function_call="notTraced-nonXla")
    host.event("FunctionRun", 1, 9, id=7)
    host.kernel(5, 10, launch=(4.9, 5))
    host.event("EagerLocalExecute: LogicalAnd", 40, 41)
    host.kernel(40.6, 40.61, launch=(40.5, 40.6))
    return host


def test_a_capture_of_one_step_says_so_and_why() -> None:
    (where, _), outcome = _said(_one_batch())

    assert where.startswith("One step of 10.0 ms was captured (profile_batch=2, the old default")
    assert "profile_batch=(10, 20)" in where
    assert not any(row.id == "step-gaps" for row in outcome.findings)


def test_a_function_that_is_not_keras_own_has_no_profile_batch() -> None:
    assert _said(_one_batch("train_step"))[0][0].startswith("One step of 10.0 ms was captured. Your GPU")


def test_steps_that_take_longer_do_not_bend_the_length_of_a_step() -> None:
    host, begin = Host(), 0.0
    for number in range(21):
        length = 200 if number % 5 == 4 else 100
        host.step(number, begin, begin + 100)
        host.kernel(begin, begin + 100)
        if length > 100:
            host.event("SaveV2", begin + 100, begin + 199)
        begin += length
    (where, advice), outcome = _said(host)

    assert where.startswith("A usual step takes 100 ms; every 5th step takes 200 ms: SaveV2.")
    assert outcome.findings[0].action in advice


def test_a_slow_first_step_is_left_out() -> None:
    host, begin = Host(), 0.0
    for number in range(8):
        length = 500 if number == 0 else 100
        host.step(number, begin, begin + length)
        host.kernel(begin, begin + length)
        begin += length
    (where, _), outcome = _said(host)

    assert where.startswith("A step takes 100 ms. Your GPU computes for 100 % of it")
    assert [t.title for t in outcome.trust] == ["Warm-up left out: the first step"]


def test_what_costs_no_time_is_not_what_to_change_first() -> None:
    host = Host(gpus=2).trained(5, 100, lambda host, at: host.kernel(at, at + 80))
    (_, advice), outcome = _said(host)

    assert outcome.findings[0].saving is not None
    assert "idle-gpus" in [f.id for f in outcome.findings]
    # Its action only finds the cause.
    assert advice.startswith("Look first at this: Unattributed idle. The GPU is idle for 20.0 ms")


def test_doubts_about_the_capture_forbid_that_nothing_is_to_fix() -> None:
    host = Host().trained(3, 100, lambda host, at: host.kernel(at, at + 100))
    (_, advice), outcome = _said(host)

    assert [t.severity for t in outcome.trust] == ["warning"]
    assert advice.startswith(
        "Nothing above 5 % of a step was found, as far as this capture tells: Only 2 complete steps"
    )


def test_one_part_of_a_job_is_told_to_record_the_others_if_it_mostly_communicates() -> None:
    host = Host().trained(5, 100, lambda host, at: host.kernel(at, at + 30))
    each(5, 100, lambda at: host.kernel(at + 30, at + 100, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL"))
    (_, advice), outcome = _said(host)

    assert [t.id for t in outcome.trust] == ["one-host-of-many"]
    assert advice.startswith("Change first: Record all ranks, and let compute hide the exchange.")


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
        "Nothing above 5 % of a step is certain; up to 9.0 % may go with this: Launches awaited"
    )


@pytest.mark.parametrize(("busy", "steps", "settled"), [(99, 6, True), (60, 6, False), (99, 3, False)])
def test_settled_is_what_has_no_doubt_and_no_large_time_unexplained(
    busy: float, steps: int, settled: bool
) -> None:
    host = Host().trained(steps, 100, lambda host, at: host.kernel(at, at + busy))
    (_, advice), outcome = _said(host)
    ledger, without = inputs(host).ledger, replace(outcome, findings=())

    assert is_settled(without, ledger) is settled
    assert not is_settled(without, None)
    if settled:
        assert advice == "Nothing to fix above 5 % of a step."


def test_time_that_a_note_explains_is_settled() -> None:
    host = Host().trained(6, 100, lambda host, at: host.kernel(at, at + 60))
    _, outcome = _said(host)
    idle = next(f for f in outcome.findings if f.id == "unexplained-idle")
    note = replace(outcome, findings=(replace(idle, severity="info"),))

    assert idle.saving is not None
    assert is_settled(note, inputs(host).ledger)


def test_of_two_unequal_steps_none_is_called_usual() -> None:
    host = Host()
    for number, (begin, end) in enumerate([(0, 300), (300, 400), (400, 500)]):
        host.step(number, begin, end)
        host.kernel(begin, end)

    assert _said(host)[0][0].startswith("2 steps of 100–300 ms were recorded whole; on average 200 ms.")


@pytest.mark.parametrize("stalls", [[0, 200, 0], [100, 200, 150]], ids=["once", "each step"])
def test_what_was_seen_once_is_not_said_of_each_step(stalls: list[float]) -> None:
    host, begin = Host(), 0.0
    for number, stall in enumerate([*stalls, 0.0]):  # the last step is cut off
        host.step(number, begin, begin + 100 + stall)
        host.kernel(begin, begin + 95)
        host.kernel(begin + 95 + stall, begin + 100 + stall)
        begin += 100 + stall
    (where, _), outcome = _said(host)
    advice = inputs(host).call(headline, replace(outcome, findings=()), None)[1]

    if 0 in stalls:
        assert where.endswith("; 200 ms went once, in one of 3 steps, to Unattributed idle.")
        assert "explains the 200 ms that went once, in one of 3 steps, to Unattributed idle" in advice
        assert "look at that step" in advice
    else:
        assert where.endswith("; 60 % goes to Unattributed idle.")
        assert "explains the 60 % that goes to Unattributed idle" in advice
        assert "look at one step" in advice


def _starts(held: float, copied: float) -> Host:
    """One step of 100 ms: the driver holds the first launches for ``held``, and the GPU waits for a copy."""
    host = Host()
    host.step(0, 0, 100)
    host.kernel(held + 1.1, held + 1.2, launch=(1, 1.02 + held), thread="tf_Compute/1")
    host.kernel(held + 1.3, held + 1.4, launch=(1.01, 1.05 + held), thread="tf_Compute/2")
    for number in range(20):
        at = held + 2 + number
        host.kernel(at + 0.03, at + 0.9, launch=(at, at + 0.02), thread="tf_Compute/1")
    host.kernel(held + 22, 60, launch=(held + 21.9, held + 21.95), thread="tf_Compute/1")
    host.copy("H2D", 60, 60 + copied, size=100_000_000, memory="pageable", op="IteratorGetNext/_1:_Send")
    host.kernel(60 + copied, 99, launch=(59, 59.1), thread="tf_Compute/1")
    return host


def test_start_up_that_outweighs_every_finding_comes_first() -> None:
    def first(copied: float) -> tuple[str, str, str]:
        found = inputs(_starts(held=17, copied=copied))
        outcome = run_rules(RULES, found)
        assert outcome.findings[0].id == "h2d-copy-bound"
        opening: tuple[str, str, str] = found.call(headline, outcome, None)
        return opening

    where, advice, unit = first(copied=9)
    assert where.startswith("17.1 ms of the 100 ms that were recorded are start-up")
    assert (advice, unit) == ("Record later: steps 10 to 20 of the training.", "")
    where, advice, unit = first(copied=25)
    assert "17.1 ms of it is start-up" in where
    assert advice.startswith("Change first: Copy the next batch")
    assert unit == "step"
