"""Many kernels that do next to nothing."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.attention import Attentions
from tfperf_plugin.analysis.artifacts.compute.kernels import GAP_NS, KernelRow, Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.sequences import SHORT_NS
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.analysis.artifacts.compute.updates import Updates
from tfperf_plugin.analysis.artifacts.host.idle import Idle
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import severity_of, too_little
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.trace.roles import MATRIX, KernelClass, is_layout_transpose

SMALL = Threshold(
    "mean kernel", SHORT_NS, "ns", "as TraceLens and nsys-ai have it; guide: a launch takes 20 to 40 µs", side="≤"
)  # fmt: skip
MANY = Threshold("small kernels per step", 100, "count", "fewer cost less than a millisecond in any case")
FIXED = Threshold(
    "fixed part of a kernel, at most", 2_000, "ns", "ours: a cap, for profiles in which no kernel is nearly empty", side="≤"
)  # fmt: skip
SHOWN_COUNT: Final = 4
# What torch.compile could not fuse any further, however it names these kernels.
OF_INDUCTOR: Final = "triton_"
# Old traces have whole microseconds, of which a kernel may show none.
SHORTEST_NS: Final = 1_000

FEW = "{number} kernels per step last {least:ms} or less on average."
MANY_KERNELS = (
    "{number} kernels per step last {mean:ms} on average. A kernel lasts about {fixed:ms} even if it does nothing, so "
    "{saving:ms} of their {total:ms} are the cost of their number."
)
GAPS = "Pauses between kernels of which nothing recorded tells the cause take {gaps:ms} more."
EACH = "per step; {mean:ms} each, {total:ms} in all"
BASIS = "number of small kernels × the time of the shortest kind of kernel (at most 2 µs), and 1 µs between each and the next"


def judge(
    ledger: Ledger,
    kernels: Kernels,
    attentions: Attentions,
    updates: Updates,
    slow: Slow | None,
    idle: Idle,
    program: Program,
    facts: TrainingFacts | None,
) -> Verdict:
    """Counts kernels near the shortest possible length by type of op, and bounds the cost of starting them."""
    others = {name for _, name in attentions.ops}
    if slow and severity_of(slow.recoverable_ns("slow-gathers"), ledger.step_ns):
        others |= {op.name for op in slow.ops("slow-gathers")}
    if updates.many and severity_of(updates.saving_ns, ledger.step_ns):
        others |= updates.ops
    small = [r for r in kernels.rows if _is_small(r) and plain_op(r.op) not in others]
    if program.compiled:
        small = [r for r in small if not r.name.startswith(OF_INDUCTOR)]
    table: dict[str, Times] = {}
    for row in small:
        kind = row.op_type or row.name[:60]
        table[kind] = table[kind] + row.times if kind in table else row.times
    number = kernels.per_step(sum(r.times.count for r in small))
    if number < MANY.value:
        return Passed(say(FEW, number=number, least=SMALL.value))
    fixed = min(int(FIXED.value), max(SHORTEST_NS, min(r.times.mean_ns for r in small)))
    # At best all kernels of one type of op become one.
    kinds = [kind for kind in KernelClass if kind not in MATRIX]
    saving = kernels.exposed(ledger, (number - len(table)) * fixed, *kinds)
    total = kernels.spent_ns(small)
    # Between kernels that were launched ahead, no event explains the gaps.
    unknown = idle.by_account.get("idle.unknown")
    stretches = min(number - len(table), round(unknown.per_step_count)) if unknown else 0
    gaps = min(ledger.average()["idle.unknown"], stretches * GAP_NS)
    served = bool(program.server)
    if served and (little := too_little(saving + gaps, ledger.step_ns)):
        return little
    first = sorted(table.items(), key=lambda item: (-item[1].count, item[0]))[:SHOWN_COUNT]
    return Found(
        summary=say(
            MANY_KERNELS, GAPS if severity_of(gaps, ledger.step_ns) else "", number=number, mean=total // number, fixed=fixed,
            saving=saving, total=total, gaps=gaps,
        ),
        evidence=(
            Evidence("small kernels per step", number, "count", int(MANY.value), "kernels of judged steps"),
            Evidence("their time", total, "ns", None, "per step and GPU"),
            Evidence("fixed part of a kernel", fixed, "ns", None, "shortest kind of kernel recorded, at most 2 µs"),
            *(Evidence(kind, kernels.per_step(t.count), "count", None, say(EACH, mean=t.mean_ns, total=kernels.per_step(t.total_ns))) for kind, t in first),
        ),
        where=kernels.places(sorted(small, key=lambda r: -r.times.count)[:SHOWN_COUNT], "small kernel"),
        # More requests share the cost of a server's kernels, and no step gets shorter.
        claims={} if served else {"compute": saving, "idle.unknown": gaps},
        severity="info" if served else None,
        impact_ratio=(saving + gaps) / max(1, ledger.step_ns),
        kernels=kernels.names(small),
        basis=BASIS,
        confidence="medium",
        advice="XLA compiles already" if facts and facts.jit_compile else "a server" if served else "",
    )  # fmt: skip


def _is_small(row: KernelRow) -> bool:
    """Products and layout transposes are counted by other rules."""
    other = row.kernel_class in MATRIX or is_layout_transpose(row.name, row.op)
    return row.times.mean_ns <= SMALL.value and not other


RULE = declared(judge, thresholds=(SMALL, MANY, FIXED), explained_by=("kernel-launch-bound",))
