"""What rules about transfer share: whether it can be told from waiting, and the part that no compute hides."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.allreduce import MATCHED_RATIO, AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.transfers import Exchange
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Threshold, Verdict
from tfperf_plugin.judging.engine.words import say, together
from tfperf_plugin.judging.rules.several_gpus._late import comes_last, last_rows

UNSEEN = "Waiting for other GPUs counts as transfer here: {why}."
UNMATCHED = "Most calls were not found on a second GPU: waiting counts as transfer."
ALL_RANKS = "Record all GPUs at the same time, and read them as one run."
EARLY = (
    "Many of the calls begin before any gradient exists: they combine parts of the model and cannot be moved."
)
INFERENCE = "No backward pass was recorded: the calls combine parts of the model and cannot be moved."
LITTLE = "{calls} transfer for {share:percent} of the step with no compute beside."
BARE = "{exposed:ms} of it pass while nothing is computed, {share:percent} of the step."
BASIS = "exposed transfer of {calls}, at most as long as compute; waiting for a late GPU is not in it"


def matched() -> Threshold:
    """The limit below which calls do not tell transfer from waiting."""
    return Threshold(
        "calls found on several GPUs",
        MATCHED_RATIO,
        "ratio",
        "of others waiting cannot be told from transfer",
    )


def mixed_with_waiting(unseen: str, matched_ratio: float = 1, least: float = 0) -> Missing | None:
    """Why transfer cannot be told from waiting: GPUs are not recorded, or too small a share of the calls was found
    on a second GPU, ``matched_ratio`` below ``least``."""
    if unseen:
        return Missing(say(UNSEEN, why=unseen), ALL_RANKS)
    return Missing(UNMATCHED, "") if matched_ratio < least else None


def without_gradients(times: AllReduceTimes) -> NotApplicable | None:
    """Why the calls exchange no gradients."""
    if times.of_gradients:
        return None
    return NotApplicable(INFERENCE if times.inference else EARLY)


def judge_exposed(
    found: Exchange, ledger: Ledger, timeline: Timeline, bare: float,
    *, told: str, takes_part: str, only: str, calls: str,
) -> Verdict:  # fmt: skip
    """Compares the exposed transfer of an exchange inside a model, which no compute hides, with the step.

    ``bare``: the share of the step that makes it a finding; ``told``: a sentence on the exchange;
    ``takes_part`` labels the number of GPUs; ``only`` says what runs alone; ``calls`` names the calls.
    """
    exposed, step_ns = found.exposed_ns, max(1, ledger.step_ns)
    share = exposed / step_ns
    if exposed < bare * step_ns:
        return Passed(say(LITTLE, calls=calls, share=share))
    compute, last = ledger.average()["compute"], found.by_lateness
    return Found(
        summary=together(told, say(BARE, exposed=exposed, share=share), comes_last(last)),
        evidence=(
            Evidence("transfer that no compute hides", exposed, "ns", int(bare * step_ns), "account Exposed transfer, within these calls"),
            Evidence("transfer per step", found.transfer_ns, "ns", None, "last arrival to end of each call"),
            Evidence("calls per step", found.calls_per_step, "per_step", None, "collective kernels, per GPU"),
            Evidence(takes_part, found.participants, "count", None, "collective kernels"),
            Evidence("compute that could hide it", compute, "ns", None, "account Compute"),
            *last_rows(last),
        ),
        where=timeline.worst(["communication.transfer"], only),
        claims={"communication.transfer": min(exposed, compute)},
        basis=say(BASIS, calls=calls),
        confidence="medium",
    )  # fmt: skip
