"""What the training as a whole loses beside its recorded steps, which are a few of many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.machine.activity import Activity
from tfperf_plugin.judging.engine.words import count, duration, listing, percent
from tfperf_plugin.report.model import Pace, Report, Whole

# Of the time watched: less of it without steps is not worth a word.
_WORTH_RATIO: Final = 0.01


def whole(report: Report, activity: Activity | None, program: Program) -> Whole:
    """By the machine that was watched, and by the scalars that the training wrote."""
    pace = report.pace
    if program.inference or program.server:
        return Whole("", None, None)
    said = [*_pace(pace), *_activity(activity)]
    if not said and report.steps.unit == "step" and report.steps.count:
        recorded = "this step" if report.steps.count == 1 else f"these {report.steps.count} steps"
        said = [f"Nothing is known beyond {recorded}: `tfperf record` watches the whole training."]
    running = activity.running_ratio if activity else None
    as_recorded = pace.recorded_ns / pace.ns if pace and pace.verdict == "differs" else 1.0
    known = activity is not None or (pace is not None and pace.verdict != "")
    lost = 1 - (1.0 if running is None else running) * as_recorded if known else None
    return Whole(" ".join(said), running, lost)


def _pace(pace: Pace | None) -> Iterator[str]:
    if pace:
        yield pace.sentence
        yield from (pace.more,) if pace.more else ()


def _activity(activity: Activity | None) -> Iterator[str]:
    """When steps ran, and what passed without them."""
    if not activity:
        return
    watched_ns = activity.watched_ns
    pauses = count(len(activity.pauses), "pause")
    without = (
        (activity.idle_ns, f"in {pauses} between steps"),
        (activity.first_ns, "before the first one"),
        (watched_ns - activity.last_ns, "after the last one"),
    )
    parts = [f"{percent(ns / watched_ns)} {when}" for ns, when in without if ns > _WORTH_RATIO * watched_ns]
    ran = f"Steps ran for {percent(activity.running_ratio)} of the {duration(watched_ns)} that were watched"
    yield f"{ran}{f'; no step ran for {listing(parts)}' if parts else ''}."
