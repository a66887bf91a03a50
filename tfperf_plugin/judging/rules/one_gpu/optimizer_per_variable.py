"""The optimizer updates each variable with kernels of its own."""

from __future__ import annotations

from collections import Counter
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.kernels import GAP_NS, Kernels
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.updates import MANY_COUNT, Updates
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import say

MANY = Threshold(
    "update kernels per step", MANY_COUNT, "count", "fewer cost less than a millisecond in any case", fixed=True
)  # fmt: skip
SHOWN_COUNT: Final = 4

NONE = "No kernel is known to belong to an optimizer."
FEW = "The optimizer runs {number} kernels per step."
UNKNOWN = "Neither the number of parameters nor the bytes of the optimizer's ops are known, or the GPU's bandwidth was not recorded."
RECORD = "Record the training with tfperf's DiagnosticsCallback, or state the number of parameters."
RUNS = (
    "The optimizer runs {number} kernels per step, some for each variable, and they take {spent:ms}. One pass over "
    "gradients, weights and what the optimizer keeps needs {needed:ms}."
)
OF_PARAMETERS = (
    "{size:bytes}: {each} bytes for each of {parameters} parameters ({basis}), at 85 % of the bandwidth"
)
OF_OPS = "{size:bytes} that its ops move, at 85 % of the bandwidth"
BASIS = (
    "measured time of the optimizer's kernels − reading and writing each variable once at 85 % of the memory's bandwidth, "
    "and 1 µs between each and the next"
)


def judge(ledger: Ledger, updates: Updates, kernels: Kernels) -> Verdict:
    """Compares the optimizer's kernels with one pass over all variables at the memory's bandwidth."""
    if not updates.ops:
        return NotApplicable(NONE)
    number, spent = updates.kernels_count, updates.spent_ns
    if not updates.many:
        return Passed(say(FEW, number=number))
    if little := too_little(spent, ledger.step_ns):
        return little
    if updates.needed_ns is None:
        return Missing(UNKNOWN, RECORD)
    saving = updates.saving_ns
    rows = [r for r in kernels.rows if plain_op(r.op) in updates.ops]
    by_type: Counter[str] = Counter()
    for row in rows:
        by_type[row.op_type or row.name[:60]] += row.times.total_ns
    need = say(
        OF_PARAMETERS if updates.by == "parameters" else OF_OPS, size=updates.needed_bytes,
        each=updates.parameter_bytes, parameters=f"{updates.parameters:,}", basis=updates.basis,
    )  # fmt: skip
    return Found(
        summary=say(RUNS, number=number, spent=spent, needed=updates.needed_ns),
        evidence=(
            Evidence("update kernels per step", number, "count", int(MANY.value), "kernels of judged steps"),
            Evidence("their time", spent, "ns", None, "per step and GPU"),
            Evidence("what one pass needs", updates.needed_ns, "ns", None, need),
            Evidence("saving, as a share of the step", saving / max(1, ledger.step_ns), "ratio", LEAST.value, "account Compute"),
            *(
                Evidence(kind, kernels.per_step(ns), "ns", None, "all kernels of ops of this type")
                for kind, ns in sorted(by_type.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_COUNT]
            ),
        ),
        where=kernels.places(rows, "update of one variable"),
        # Between kernels that were launched ahead, no event explains the gaps.
        claims={"compute": saving, "idle.unknown": min(ledger.average()["idle.unknown"], (number - 1) * GAP_NS)},
        kernels=kernels.names(rows),
        basis=BASIS,
        confidence="medium",
    )  # fmt: skip


RULE = declared(judge, thresholds=(MANY,))
