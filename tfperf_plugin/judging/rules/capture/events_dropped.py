"""The collector dropped events, or says something else about the recording."""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.words import count

MESSAGES = Threshold("errors and warnings of the collector", 1, "count", "each may say what is missing")
SHOWN_COUNT: Final = 5
QUOTED_COUNT: Final = 2
_COMMAND: Final = re.compile(r": record with (nsys profile( --[a-z-]+=[a-z,]+)+)\.$")
"""What our reader of Nsight Systems says of a recording that cannot show what is needed."""

NONE = "The collector reported no errors and no warnings."
ABOUT_GPUS = "The collector reported only that it could not record GPUs. The model ran on the CPU, so nothing is missing."
REPORTED = "The collector reported {kinds}."
DROPPED = "Dropped events look like idle time."
SAYS = "The collector reported {kinds}: {texts}"
MORE = "The other messages stand below."


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
    reported = " and ".join(kinds)
    evidence = (
        Evidence("errors and warnings", len(messages), "count", int(MESSAGES.value), "the file"),
        *(Evidence(kind, text, "text", None, "the file, word for word") for kind, text in messages[:SHOWN_COUNT]),
    )  # fmt: skip
    if capture.dropped:
        summary = together(say(REPORTED, kinds=reported), DROPPED)
        return Found(advice="events were dropped", summary=summary, evidence=evidence, severity="warning")
    commands = [(command[1], text) for _, text in messages if (command := _COMMAND.search(text))]
    if commands:
        return Found(
            advice="not all was asked for",
            values={"command": commands[0][0]},
            summary=together(*(text for _, text in commands[:QUOTED_COUNT])),
            evidence=evidence,
            severity="warning",
        )
    texts = " ".join(f"“{text}”" for _, text in messages[:QUOTED_COUNT])
    more = MORE if len(messages) > QUOTED_COUNT else ""
    return Found(
        advice="other messages",
        summary=together(say(SAYS, kinds=reported, texts=texts), more),
        evidence=evidence,
        severity="info",
    )


RULE = declared(judge, thresholds=(MESSAGES,), explained_by=("no-device-events",), needs=("dropped events",))
