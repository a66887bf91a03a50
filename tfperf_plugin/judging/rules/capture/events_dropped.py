"""The collector says that something is missing from the profile."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.words import count

MESSAGES = Threshold(
    "errors and warnings of the collector", 1, "count", "each says that something is missing"
)
SHOWN_COUNT: Final = 5

NONE = "The collector reported no errors and no warnings."
ABOUT_GPUS = "The collector reported only that it could not record GPUs. The model ran on the CPU, so nothing is missing."
REPORTED = "The collector reported {kinds}."
DROPPED = "Dropped events look like idle time."
MISSING = "Part of the recording may be missing."


def judge(capture: Capture, compute: HostCompute) -> Verdict:
    """Quotes the collector's messages in the profile."""
    messages = [("error", text) for text in capture.errors] + [("warning", text) for text in capture.warnings]
    if len(messages) < MESSAGES.value:
        return Passed(NONE)
    if compute.on_cpu and all("cupti" in text.lower() for _, text in messages):
        return Passed(ABOUT_GPUS)
    kinds = [
        count(len(texts), kind)
        for texts, kind in ((capture.errors, "error"), (capture.warnings, "warning"))
        if texts
    ]
    return Found(
        advice="events were dropped" if capture.dropped else "",
        summary=together(say(REPORTED, kinds=" and ".join(kinds)), DROPPED if capture.dropped else MISSING),
        evidence=(
            Evidence("errors and warnings", len(messages), "count", int(MESSAGES.value), "the file"),
            *(Evidence(kind, text, "text", None, "the file, word for word") for kind, text in messages[:SHOWN_COUNT]),
        ),
        severity="warning",
    )  # fmt: skip


RULE = declared(judge, thresholds=(MESSAGES,), explained_by=("no-device-events",), needs=("dropped events",))
