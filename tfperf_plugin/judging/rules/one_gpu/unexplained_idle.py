"""The GPUs are idle and no recorded event says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.host.idle import WAITS, Idle
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gpus, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix

UNEXPLAINED = Threshold(
    "idle for a reason that was not recorded", 0.10, "ratio",
    "real captures: 3 % in the median, at most 10 %",
)  # fmt: skip


def judge(
    ledger: Ledger, idle: Idle, stalls: Stalls, steps: Steps, capture: Capture, timeline: Timeline
) -> Verdict:
    """Compares idle time that no event explains with the step, and reports what is known about it."""
    if capture.dropped and any(host.partial for host in steps.hosts):
        return NotApplicable("The collector dropped events of the only step: the GPUs may have worked.")
    account = next((a for a in idle.accounts if a.account == "idle.unknown"), None)
    unknown = max(0, account.ns - _in_known_pauses(stalls)) if account else 0
    share = unknown / max(1, ledger.step_ns)
    if account is None or share < UNEXPLAINED.value:
        return Passed(
            f"GPUs are idle for a reason that was not recorded during {percent(share)} of the step."
        )
    seen = [f"{name} ({ms(ns)})" for name, ns in account.seen]
    fix = _traced([name for name, _ in account.seen]) if capture.python_events_per_step else None
    waits = next((name for name, _ in account.seen if WAITS.search(name)), "") if fix else ""
    return Found(
        summary=(
            f"The {gpus(ledger.gpus_count)} idle for {ms(unknown)} per step{'' if seen else ', and no event says why'}: in "
            f"{account.per_step_count:.3g} {'stretch' if account.per_step_count == 1 else 'stretches'} per step, the longest {ms(account.longest_ns)}. "
            + (
                f"Meanwhile the host runs {listing(seen)}; whether that is the cause, the events do not say."
                if seen
                else "The host recorded nothing meanwhile that lasts about as long."
            )
        ),
        evidence=(
            Evidence("idle for a reason that was not recorded", unknown, "ns",
                     int(UNEXPLAINED.value * ledger.step_ns), "account Unattributed idle less pauses of known cause"),
            Evidence("share of the step", share, "ratio", UNEXPLAINED.value, UNEXPLAINED.source),
            Evidence("stretches", round(account.per_step_count, 1), "per_step", None, "step budget, per GPU"),
            Evidence("longest stretch", account.longest_ns, "ns", None, "step budget"),
            *(Evidence(f"of it during {name}", ns, "ns", None, "host events") for name, ns in account.seen),
        ),
        where=timeline.worst(["idle.unknown"], "Unattributed idle"),
        claims={"idle.unknown": unknown},
        basis="all idle time that no recorded event explains; how much of it can go depends on the cause",
        confidence="low",
        fix=fix,
        action="Find out what Python waits for while the GPUs are idle" if waits else "",
        cause=_waiting(gpus(ledger.gpus_count), unknown, waits) if waits else "",
    )  # fmt: skip


def _waiting(idle: str, unknown_ns: int, call: str) -> str:
    return (
        f"The {idle} idle for {ms(unknown_ns)} per step while Python waits in {call}, although no kernel runs: "
        "that call is an effect, and no event says what it waits for."
    )


def _traced(seen: Sequence[str]) -> Fix:
    """What to do where Python calls were recorded already."""
    waits = any(WAITS.search(name) for name in seen)
    return replace(
        RULE.fix,
        summary=_WHAT_FOR if waits else RULE.fix.summary,
        actions=(*((_SELDOM,) if waits else ()), *RULE.fix.actions[1:]),
        snippets=tuple(s for s in RULE.fix.snippets if "python_tracer_level" not in s.code),
    )


def _in_known_pauses(stalls: Stalls) -> int:
    """Time of the account in pauses between launches whose cause is known; other rules judge it."""
    return sum(
        max(0, p.idle_ns - sum(ns for account, ns in p.claims.items() if account != "idle.unknown"))
        for p in stalls.by_cause.values()
        if p.gained_ns
    )


_WHAT_FOR = "Find out what Python waits for while the GPUs are idle."
_SELDOM = "If nothing needs the result of each step, wait only every N steps: the host then launches the next step meanwhile."
_CAUSES = (
    "allocator-stalls",
    "eager-execution",
    "gpus-run-serially",
    "pipeline-bubble",
    "replica-imbalance",
    "d2d-copies",
)

RULE = declared(judge, thresholds=(UNEXPLAINED,), explained_by=_CAUSES, yields_to=_CAUSES)
