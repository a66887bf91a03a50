"""Batches are fetched before the step's marker begins."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import say

OUTSIDE = Threshold(
    "share of input requests outside step markers", 0.5, "ratio", "most of them: no chance overlap"
)

NO_MARKERS = "The profile holds no step markers."
FEW = "Requests for a batch outside step markers take {share:percent} of a step."
OUTSIDE_MARKER = (
    "{outside:ms} of the {all:ms} in which a step requests its batch lie outside its marker. Here they count toward the "
    "previous step; other tools do not count them as input."
)


def judge(capture: Capture, steps: Steps) -> Verdict:
    """Compares the input requests outside step markers with all input requests and with the step."""
    if not any(h.source == "markers" for h in steps.hosts):
        return NotApplicable(NO_MARKERS)
    outside, step = capture.input_outside_ns, max(1, capture.step_ns)
    ratio = outside / max(1, capture.input_wait_ns)
    if not outside or ratio < OUTSIDE.value or too_little(outside, step):
        return Passed(say(FEW, share=outside / step))
    return Found(
        summary=say(OUTSIDE_MARKER, outside=outside, all=capture.input_wait_ns),
        evidence=(
            Evidence("input requests outside markers", outside, "ns", int(LEAST.value * step), "step's thread, per step"),
            Evidence("share of all input requests", ratio, "ratio", OUTSIDE.value, "step's thread"),
        ),
        where=capture.outside.all(),
        severity="info",
    )  # fmt: skip


RULE = declared(judge, thresholds=(OUTSIDE,), needs=("input",))
