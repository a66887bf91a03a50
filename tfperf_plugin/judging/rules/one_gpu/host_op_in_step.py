"""An op of the step runs on the CPU while the GPU waits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.artifacts.host.placement import Placement
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import gpus, listing, ms, say
from tfperf_plugin.trace.roles import fills_tensor

RECURRING = Threshold("steps with such a pause", 0.5, "ratio", "once in a while is no part of the step")
COPIES: Final = ("copy.d2h", "copy.h2d")
# Condition of the page → whether the name of an op, in PyTorch with what is marked around it, meets it.
CONDITIONS: Final[Mapping[str, Callable[[str], object]]] = {
    "calls Python": re.compile(r"PyFunc").search,
    "makes tensors": fills_tensor,
    "zeroes gradients": re.compile(r" in Optimizer\.zero_grad#").search,
    "updates parameters": re.compile(r" in Optimizer\.step#").search,
}

FEW = "GPUs wait for ops on the CPU during {share:percent} of the step."
WAITS = "In a step the {gpus} idle for {idle:ms}{of_it} while the CPU runs {op}; the next kernels are launched only after it."
WAITS_SEVERAL = (
    "In a step the {gpus} idle for {idle:ms}{of_it} while the CPU runs several ops, most of all {ops}; the next kernels are "
    "launched only after them."
)
BASIS = "by how much a step is shorter if these ops and their copies delay no launch: waiting for launches that follow them goes, too"


def judge(ledger: Ledger, stalls: Stalls, placement: Placement) -> Verdict:
    """Compares the time that a step would gain without its ops on the CPU with the step.

    Copies to and from such an op count with it if the op itself takes longer than they do; otherwise
    excessive-memcpy claims them.
    """
    pauses = stalls.by_cause["host_op"]
    copying = pauses.copies_ns >= pauses.idle_ns
    claims = {a: 0 if copying and a in COPIES else ns for a, ns in pauses.claims.items()}
    share = sum(claims.values()) / max(1, ledger.step_ns)
    if pauses.steps_ratio < RECURRING.value:
        return Passed(say(FEW, share=share))
    names = [name for name, _ in pauses.named]
    # After an op, the pause lasts until its results are copied and the next kernel is launched.
    running = ms(pauses.named[0][1] if pauses.cause else sum(pauses.ns_by_name.values()))
    told = {
        "gpus": gpus(ledger.gpus_count),
        "idle": pauses.idle_ns,
        "of_it": "" if running == ms(pauses.idle_ns) else f", {running} of it",
        "op": pauses.cause,
        "ops": listing(names),
    }
    on_gpus = placement.by_time_ratio
    return Found(
        summary=say(WAITS if pauses.cause else WAITS_SEVERAL, **told),
        evidence=(
            Evidence("GPU idle in pauses for ops on the CPU", pauses.idle_ns, "ns", int(LEAST.value * ledger.step_ns), "step budget, and events of ops that launch nothing"),
            Evidence("saving, as a share of the step", share, "ratio", LEAST.value, "step budget"),
            Evidence("pauses for such ops", round(pauses.per_step_count, 1), "per_step", None, "late launches"),
            Evidence("longest pause", pauses.longest_ns, "ns", None, "late launches"),
            *(Evidence(f"of it during {name}", ns, "ns", None, "host events") for name, ns in pauses.named),
            *([Evidence("copies to and from these ops", pauses.copies_ns, "ns", None, "copies that carry the op's name")] if pauses.copies_ns else []),
            *([Evidence("op time spent on GPUs", on_gpus, "ratio", None, "key number 2 of the guide")] if on_gpus is not None else []),
        ),
        where=pauses.places.all(),
        claims=claims,
        covers=pauses.covers,
        basis=BASIS,
        values={condition: all(map(holds, names)) for condition, holds in CONDITIONS.items()},
        confidence="high" if stalls.gpus_count == 1 else "medium",
    )  # fmt: skip


RULE = declared(judge, thresholds=(RECURRING,), needs=("host ops", "clocks", "launches"))
