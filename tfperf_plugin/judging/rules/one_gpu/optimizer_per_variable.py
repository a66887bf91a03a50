"""The optimizer updates each variable with kernels of its own."""

from __future__ import annotations

from collections import Counter

from tfperf_plugin.analysis.artifacts.compute.kernels import GAP_NS, Kernels
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.updates import MANY_COUNT, Updates
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.words import gigabytes, ms, percent
from tfperf_plugin.judging.verdicts import Link

MANY = Threshold(
    "update kernels per step",
    MANY_COUNT,
    "count",
    "fewer cost less than a millisecond in any case",
    fixed=True,
)
SHARE = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
SHOWN_COUNT = 4


def judge(ledger: Ledger, updates: Updates, kernels: Kernels) -> Verdict:
    """Compares the optimizer's kernels with one pass over all variables at the memory's bandwidth."""
    if not updates.ops:
        return NotApplicable("No kernel is known to belong to an optimizer.")
    number, spent = updates.kernels_count, updates.spent_ns
    if not updates.many:
        return Passed(f"The optimizer runs {number} kernels per step.")
    if spent < SHARE.value * ledger.step_ns:
        return Passed(
            f"The {number} kernels of the optimizer take {percent(spent / max(1, ledger.step_ns))}."
        )
    if updates.needed_ns is None:
        return Missing(
            "Neither the number of parameters nor the bytes of the optimizer's ops are known, or the GPU's "
            "bandwidth was not recorded.",
            "Record the training with tfperf's DiagnosticsCallback, or state the number of parameters.",
        )
    saving = updates.saving_ns
    share = saving / max(1, ledger.step_ns)
    if share < SHARE.value:
        return Passed(
            f"The {number} kernels of the optimizer take {ms(spent)} per step; one pass over the variables needs "
            f"{ms(updates.needed_ns)}."
        )
    rows = [r for r in kernels.rows if plain_op(r.op) in updates.ops]
    by_type: Counter[str] = Counter()
    for row in rows:
        by_type[row.op_type or row.name[:60]] += row.total_ns
    need = (
        f"{gigabytes(updates.needed_bytes)}: {updates.parameter_bytes} bytes for each of "
        f"{updates.parameters:,} parameters ({updates.basis}), at 85 % of the bandwidth"
        if updates.by == "parameters"
        else f"{gigabytes(updates.needed_bytes)} that its ops move, at 85 % of the bandwidth"
    )
    return Found(
        summary=(
            f"The optimizer runs {number} kernels per step, some for each variable, and they take {ms(spent)}. One "
            f"pass over gradients, weights and what the optimizer keeps needs {ms(updates.needed_ns)}."
        ),
        evidence=(
            Evidence("update kernels per step", number, "count", int(MANY.value), "kernels of judged steps"),
            Evidence("their time", spent, "ns", None, "per step and GPU"),
            Evidence("what one pass needs", updates.needed_ns, "ns", None, need),
            Evidence("saving, as a share of the step", share, "ratio", SHARE.value, "account Compute"),
            *(
                Evidence(kind, kernels.per_step(ns), "ns", None, "all kernels of ops of this type")
                for kind, ns in sorted(by_type.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_COUNT]
            ),
        ),
        where=kernels.places(rows, "update of one variable"),
        # Between kernels that were launched ahead, no event explains the gaps.
        claims={
            "compute": saving,
            "idle.unknown": min(ledger.average()["idle.unknown"], (number - 1) * GAP_NS),
        },
        kernels=kernels.names(rows),
        basis="measured time of the optimizer's kernels − reading and writing each variable once at 85 % of the memory's "
        "bandwidth, and 1 µs between each and the next",
        confidence="medium",
    )


_LINKS = (Link("XLA", "https://www.tensorflow.org/xla"),)
RULE = declared(judge, thresholds=(MANY, SHARE))
