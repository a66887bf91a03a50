"""Running rules: what they miss, what they break, and that each is reported exactly once."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.builders import Host, inputs
from tests.judging.engine.rules import found, rule
from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.memory.copies import Copies
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed, Verdict
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.trace.model import Aspect


def trained() -> Host:
    return Host().trained(5, 100, lambda host, at: host.kernel(at + 40, at + 100))


def needs_ledger(ledger: Ledger) -> Verdict:
    return Passed(f"{ledger.step_ns} ns")


def needs_copies(copies: Copies, devices: Devices) -> Verdict:
    return NotApplicable(f"{copies.batch.per_step_count} copies on {len(devices.all)} GPU")


def breaks(steps: Steps) -> Verdict:
    raise ZeroDivisionError(f"{steps.complete_count} steps")


def wants_inputs(everything: Inputs) -> Verdict:
    return Passed(str(everything))


def claims_all(ledger: Ledger) -> Verdict:
    return found(ledger.average())


def lacking(*aspects: Aspect) -> Inputs:
    recorded = inputs(trained())
    capture = replace(recorded.get(Capture), lacks=aspects)
    recorded._made[Capture] = capture
    return recorded


@pytest.mark.parametrize("judge", [needs_ledger, needs_copies])
def test_what_was_not_recorded_is_never_a_reason_to_pass(judge: Callable[..., Verdict]) -> None:
    asked = replace(rule("asked", judge), needs=("memory",))

    missing = run_rules([asked], lacking("input", "memory")).missing_data

    assert [(row.id, row.reason) for row in missing] == [("asked", "No event of an allocator was recorded.")]
    assert run_rules([asked], lacking("input")).missing_data == ()


def test_what_is_found_although_other_data_lack_stays_a_finding() -> None:
    asked = replace(rule("asked", claims_all), needs=("input",))

    assert [f.id for f in run_rules([asked], lacking("input")).findings] == ["asked"]


@pytest.mark.parametrize(
    ("judge", "error"),
    [
        (breaks, "ZeroDivisionError: 4 steps"),
        (wants_inputs, "TypeError: no artifact of type Inputs"),  # which nobody makes
    ],
)
def test_a_rule_that_breaks_costs_its_own_row_only(
    judge: Callable[..., Verdict], error: str, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = run_rules([rule("broken", judge), rule("whole", needs_ledger)], inputs(trained()))

    assert [(r.id, r.reason) for r in outcome.errors] == [("broken", f"This check failed: {error}")]
    assert [r.id for r in outcome.passed] == ["whole"]
    assert "rule broken failed" in caplog.text


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        SystemError(),
        ctypes.ArgumentError("argument 6: SystemError: NULL object passed to Py_BuildValue"),
    ],
)
def test_a_rule_that_lacks_memory_leaves_no_report_without_the_rule(error: Exception) -> None:
    """Which would be cached, and shown where there is memory."""

    def lacks(steps: Steps) -> Verdict:
        raise error

    with pytest.raises(type(error)):
        run_rules([rule("lacks", lacks)], inputs(trained()))


@pytest.mark.parametrize("host", [Host(), Host(gpus=0), trained()], ids=["empty", "no GPU", "trained"])
def test_all_real_rules_are_reported_exactly_once_and_none_breaks(host: Host) -> None:
    outcome = run_rules(RULES, inputs(host))
    tops = (*outcome.trust, *outcome.findings)
    reported = [f.id for f in tops] + [e.id for f in tops for e in f.explains]
    for rows in (outcome.passed, outcome.not_applicable, outcome.missing_data):
        reported += [r.id for r in rows]

    assert sorted(reported) == sorted(r.id for r in RULES)
    assert outcome.errors == ()


def of_idle(ledger: Ledger) -> Verdict:
    return found({"idle.unknown": ledger.average()["idle.unknown"]})


def of_waiting(ledger: Ledger) -> Verdict:
    return found({"communication.wait": ledger.step_ns // 2})


@pytest.mark.parametrize("held_ms", [10, 0])
def test_which_gpu_is_late_is_not_told_from_the_only_step_if_it_starts_up(held_ms: float) -> None:
    host, ends = Host(), 0.0
    for number in range(15):
        begin, held = ends + 0.1 * number, held_ms if number == 5 else 0
        host.event("aten::mul", begin, begin + 0.1 + held)
        launch = (begin + 0.01, begin + 0.09 + held)
        host.kernel(launch[1], launch[1] + 5, name=f"kernel {number}", launch=launch)
        ends = launch[1] + 5
    outcome = run_rules([rule("late", of_waiting)], inputs(host))

    reasons = [row.reason for row in outcome.not_applicable]
    assert reasons == (
        ["GPUs start up in the only recorded step: a later step tells whether one is late."]
        if held_ms
        else []
    )


def of_launches(ledger: Ledger) -> Verdict:
    return found({"idle.launch": ledger.average()["idle.launch"]})


def launched_late(stalls: list[float]) -> Host:
    """Steps of 100 ms whose GPU waits 10 ms for a launch, and with stalls of so many ms besides."""
    host, at = Host(), 0.0
    for number, stall in enumerate([*stalls, 0.0]):  # the last step is cut off
        host.event("train", at, at + 100 + stall, step_num=number)
        host.kernel(at, at + 10, launch=(at, at + 0.01))
        host.kernel(at + 20 + stall, at + 100 + stall, launch=(at + 10 + stall, at + 20 + stall))
        at += 100 + stall
    return host


RULES_OF_IDLE = (rule("stall", of_idle), rule("launches", of_launches))


def test_what_fills_one_of_a_few_steps_was_seen_once_and_comes_after_what_recurs() -> None:
    outcome = run_rules(RULES_OF_IDLE, inputs(launched_late([0, 60, 0])))

    assert [f.id for f in outcome.findings] == ["launches", "stall"]
    saving = outcome.findings[1].saving
    assert saving
    assert saving.once_ns == pytest.approx(60_000_000, rel=0.05)
    assert "lies in one of 3 steps, where it takes 60" in outcome.findings[1].summary


@pytest.mark.parametrize("stalls", [[60, 60, 60], [60, 60, 0], [0, 60, 0, 0, 0, 0]])
def test_what_recurs_or_can_be_told_from_many_steps_was_not_seen_once(stalls: list[float]) -> None:
    outcome = run_rules(RULES_OF_IDLE, inputs(launched_late(stalls)))

    assert all(f.saving and not f.saving.once_ns for f in outcome.findings)
