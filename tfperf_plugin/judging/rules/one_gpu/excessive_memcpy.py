"""Copies in the middle of the step make kernels wait."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.memory.copies import Copies, CopyGroup
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import listing, say
from tfperf_plugin.trace.roles import Role

RECURRING = Threshold(
    "steps with such copies", 0.5, "ratio", "at the same place in every step, says the guide; half of them at least"
)  # fmt: skip
READ_BACK = Threshold(
    "bytes read back after the last kernel", 1_000_000, "bytes", "a loss and metrics are a few bytes"
)
OF_WEIGHTS = Threshold(
    "mean size of a copy to the GPU that may be weights",
    50_000_000,
    "bytes",
    "ours: a layer of a large model; values that a step makes on the host are far smaller",
    fixed=True,
)
CASES: Final = {Role.D2D: "copies within the GPU", Role.H2D: "copies to the GPU"}
WAYS: Final = {Role.H2D: "to the GPU", Role.D2H: "to the host", Role.D2D: "within the GPU"}
LATER: Final = ", after the last kernel"

NONE = "In most steps the GPU never only copies, but for the batch and the loss."
INSIDE = "In the middle of a step the GPU does nothing but copy, mostly {way}: {exposed:ms} per step."
AFTER = "After its last kernel the GPU does nothing but copy, mostly {way}: {exposed:ms} per step."
ALSO_AFTER = "After its last kernel it only copies for {rest:ms} more."
ALSO_INSIDE = "In the middle of the step it only copies for {rest:ms} more."
FROM = "Most come from {ops}."
UNNAMED = "The profile does not name the ops that cause them."
CAUSE_INSIDE = "In the middle of a step the GPU only copies for {exposed:ms}, mostly {way} for {op}."
CAUSE_AFTER = "After its last kernel the GPU only copies for {exposed:ms}, mostly {way} for {op}."
BASIS = "copies other than the batch and the loss while nothing else runs"


def judge(ledger: Ledger, copies: Copies, timeline: Timeline) -> Verdict:
    """Compares exposed copies, other than those of the batch and the loss, with the step.

    d2d-copies judges copies between GPUs.
    """
    groups = list(copies.middle)
    if copies.after.size_bytes >= READ_BACK.value:
        groups.append(copies.after)
    recurring = [g for g in groups if g.exposed_ns and g.steps_ratio >= RECURRING.value]
    if not recurring:
        return Passed(NONE)
    worst = max(recurring, key=lambda g: g.exposed_ns)
    ops, after = [op for op, _ in worst.ops], worst is copies.after
    # What removes copies after the last kernel leaves those between kernels, and the other way round.
    alike = [g for g in recurring if (g is copies.after) == after]
    exposed = sum(g.exposed_ns for g in alike)
    rest = sum(g.exposed_ns for g in recurring) - exposed
    told = {"way": WAYS[worst.direction], "exposed": exposed, "rest": rest}
    large = worst.direction == Role.H2D and worst.size_bytes >= OF_WEIGHTS.value * worst.per_step_count > 0
    source = "accounts H2D, D2H and D2D copy, other than the batch and the loss"
    return Found(
        summary=say(
            AFTER if after else INSIDE,
            FROM if ops else UNNAMED,
            (ALSO_INSIDE if after else ALSO_AFTER) if rest else "",
            ops=listing(ops),
            **told,
        ),
        cause=say(CAUSE_AFTER if after else CAUSE_INSIDE, op=ops[0], **told) if ops else "",
        evidence=(
            *cost("copies that nothing hides", exposed, ledger.step_ns, source),
            *(row for group in recurring for row in _copied(group, LATER if group is copies.after else "")),
        ),
        where=timeline.worst(sorted({g.account for g in alike}), "only a copy runs"),
        claims={
            account: sum(g.exposed_ns for g in alike if g.account == account)
            for account in dict.fromkeys(g.account for g in alike)
        },
        basis=BASIS,
        advice="results are read back" if after else CASES.get(worst.direction, ""),
        values={"large": large, "as much goes back": copies.returns_as_much},
    )


def _copied(group: CopyGroup, when: str) -> tuple[Evidence, ...]:
    """Number of the copies, and their bytes if recorded."""
    way, often = WAYS[group.direction], round(group.per_step_count, 1)
    return (
        Evidence(f"copies {way}{when}", often, "per_step", None, "copy events"),
        Evidence(f"bytes {way}{when}", group.size_bytes, "bytes", None, "copy events, per step and GPU"),
    )[: 2 if group.size_bytes else 1]


RULE = declared(
    judge,
    thresholds=(RECURRING, READ_BACK, OF_WEIGHTS),
    explained_by=("host-op-in-step", "host-sync-in-step"),
)
