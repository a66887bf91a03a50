"""What the training as a whole loses beside its recorded steps, which are a few of many."""

from __future__ import annotations

from collections.abc import Iterator

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.report.model import Pace, Report, Whole


def whole(report: Report, program: Program) -> Whole:
    """By the machine that was watched, and by the scalars that the training wrote."""
    pace, machine = report.pace, report.machine
    if program.inference or program.server:
        return Whole("", None, None)
    said = [*_pace(pace), *([machine.said] if machine and machine.said else [])]
    trains = (program.training or program.keras) and report.steps.source != "recording"
    if not said and trains and report.steps.unit == "step" and report.steps.count:
        recorded = "this step" if report.steps.count == 1 else f"these {report.steps.count} steps"
        said = [f"Nothing is known beyond {recorded}: tfperf record watches the whole training."]
    running = machine.running_ratio if machine else None
    step_ns = report.ledger.step_ns if report.ledger else report.steps.p50_ns
    as_recorded = step_ns / pace.ns if pace and pace.verdict == "differs" else 1.0
    known = running is not None or (pace is not None and pace.verdict != "")
    lost = 1 - (1.0 if running is None else running) * as_recorded if known else None
    return Whole(" ".join(said), running, lost)


def _pace(pace: Pace | None) -> Iterator[str]:
    if pace:
        yield pace.sentence
        yield from (pace.more,) if pace.more else ()
