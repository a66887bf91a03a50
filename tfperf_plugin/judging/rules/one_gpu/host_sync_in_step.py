"""The host waits for the GPU in the middle of the step and then launches late."""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import gpus, listing, say

RECURRING = Threshold("steps with such a pause", 0.5, "ratio", "once in a while is no part of the step")

FEW = "Waiting for the GPU in the middle of the step costs {share:percent} of it."
WAITS = (
    "In each step the host waits {often} for the GPU to finish and only then goes on launching, in {who}. The "
    "{gpus} idle for {idle:ms} per step in these pauses alone."
)
SEVERAL = "several calls, most of all {names}"
UNNAMED = "calls that wait"
# It brings no value to the host: the program calls it only to wait.
_WAITS_FOR_ALL: Final = re.compile(r"(cuda|hip)DeviceSynchronize\b")
# Copies from or to memory that is not pinned; ``.cpu()`` is one, too, but that reads a value.
_COPIES: Final = re.compile(r"aten::(to|_to_copy|copy_)\b")
BASIS = "by how much a step is shorter if no launch waits for these calls, including the launches that come late in consequence"


def judge(ledger: Ledger, stalls: Stalls) -> Verdict:
    """Compares the time that a step would gain if the host never waited for the GPU inside it with the step."""
    pauses = stalls.by_cause["sync"]
    share = sum(pauses.claims.values()) / max(1, ledger.step_ns)
    if pauses.steps_ratio < RECURRING.value:
        return Passed(say(FEW, share=share))
    waits = round(pauses.per_step_count, 1)
    names = [name for name, _ in pauses.named]
    kinds = [pauses.cause] if pauses.cause else names
    reads = not names or pauses.reads
    only_waits = not reads and all(map(_WAITS_FOR_ALL.match, kinds))
    sends = not reads and all(map(_COPIES.match, kinds))
    who = pauses.cause or (say(SEVERAL, names=listing(names)) if names else UNNAMED)
    return Found(
        summary=say(WAITS, often="once" if waits == 1 else f"{waits:g} times", who=who, gpus=gpus(ledger.gpus_count), idle=pauses.idle_ns),
        evidence=(
            Evidence("GPU idle until the next launch after a wait", pauses.idle_ns, "ns", None, "step budget, and synchronizing calls"),
            Evidence("share of the step with delayed launches", share, "ratio", LEAST.value, "step budget"),
            Evidence("waits for the GPU", waits, "per_step", None, "calls such as cuStreamSynchronize on the threads that launch"),
            Evidence("longest pause", pauses.longest_ns, "ns", None, "late launches"),
            *(Evidence(f"of it in {name}", ns, "ns", None, "host events") for name, ns in pauses.named),
        ),
        where=pauses.places.all(),
        claims=pauses.claims,
        covers=pauses.covers,
        basis=BASIS,
        advice="the whole GPU is waited for" if only_waits else "values are sent" if sends else "",
        confidence="high" if stalls.gpus_count == 1 else "medium",
    )  # fmt: skip


RULE = declared(judge, thresholds=(RECURRING,), needs=("clocks", "launches"))
