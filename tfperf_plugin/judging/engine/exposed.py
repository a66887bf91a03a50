"""What the rules about exchanges inside a model share: they judge the exposed transfer of its calls."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.exchanges import Exchange
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.late import comes_last, last_rows
from tfperf_plugin.judging.engine.rule import Found, Passed, Verdict
from tfperf_plugin.judging.engine.words import ms, percent


def judge_exposed(
    found: Exchange, ledger: Ledger, timeline: Timeline, bare: float,
    *, transfers: str, begin: str, end: str, takes_part: str, only: str, calls: str,
) -> Verdict:  # fmt: skip
    """Compares the exposed transfer of an exchange, which no compute hides, with the step.

    ``bare``: the share of the step that makes it a finding. Words: ``transfers`` begins the sentence that
    nothing was found; ``begin`` and ``end`` of the summary; ``takes_part`` labels the number of GPUs;
    ``only`` says what runs alone; ``calls`` names the calls.
    """
    exposed, step_ns = found.exposed_ns, max(1, ledger.step_ns)
    share = f"{percent(exposed / step_ns)} of the step"
    if exposed < bare * step_ns:
        return Passed(f"{transfers} for {share} with no compute beside.")
    compute, last = ledger.average()["compute"], found.by_lateness
    return Found(
        summary=f"{begin}, {ms(exposed)} of it while nothing is computed ({share}).{end}{comes_last(last)}",
        evidence=(
            Evidence("transfer that no compute hides", exposed, "ns", int(bare * step_ns),
                     "account Exposed transfer, within these calls"),
            Evidence("transfer per step", found.transfer_ns, "ns", None, "last arrival to end of each call"),
            Evidence("calls per step", found.calls_per_step, "per_step", None, "collective kernels, per GPU"),
            Evidence(takes_part, found.participants, "count", None, "collective kernels"),
            Evidence("compute that could hide it", compute, "ns", None, "account Compute"),
            *last_rows(last),
        ),
        where=timeline.worst(["communication.transfer"], only),
        claims={"communication.transfer": min(exposed, compute)},
        basis=f"exposed transfer of {calls}, at most as long as compute; waiting for a late GPU is not in it",
        confidence="medium",
    )  # fmt: skip
