"""The GPUs are idle and no recorded event says why."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.host.idle import BEFORE, BEFORE_CALL, NAMED_RATIO, WAITS, Idle
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import gpus, listing, ms, say, stretch, together, with_name

UNEXPLAINED = Threshold(
    "idle for a reason that was not recorded", 0.10, "ratio", "real captures: 3 % in the median, at most 10 %"
)

# What takes half as long as usual in more than half of the steps happens in each.
EACH_RATIO: Final = 0.5
# How PyTorch calls what torch.compile has compiled.
COMPILED: Final = "OptimizedModule"

DROPPED = "Events of the only step are missing from the recording: the GPUs may have worked."
FEW = "GPUs are idle for a reason that was not recorded during {share:percent} of the step."
IDLE = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}, and no event says "
    "why: the host recorded nothing meanwhile that lasts about as long."
)
IDLE_INSIDE = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}. Meanwhile the host "
    "is in {marks}, which the program marks, and recorded nothing there that lasts about as long."
)
NO_OPS = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}, and what the host does "
    "meanwhile was not recorded: the profile holds no op of PyTorch."
)
IDLE_BEFORE = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}, and no event says "
    "why. The longest parts lie before kernels of {ops}: look in your code at what runs before them."
)
IDLE_BESIDE = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}. Meanwhile the host "
    "runs {seen}; whether that is the cause, the events do not say."
)
EFFECT = (
    "The {gpus} idle for {unknown:ms} per step while Python waits in {call}, although no kernel runs: that call is an "
    "effect, and no event says what it waits for."
)
LAUNCHED = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}, although for most of "
    "it the next kernel is launched: it waits on the GPU's side, for another stream or GPU, or for work that the "
    "profile does not hold."
)
APART = (
    "The {gpus} idle for {unknown:ms} per step in {stretches:stretch|stretches}, the longest {longest}. Why cannot be told: the "
    "clocks of host and GPU differ."
)
WORKS = "The {gpus} idle for {unknown:ms} per step, {spent:ms} of it while Python runs {call}."
GUARDS = "What torch.compile has compiled checks its guards before it runs: that may be what takes this time."
FIRST_TIME = (
    "{first:ms} of it come before kernels that run for the first time: later steps may not have that, and no saving "
    "counts it."
)
BASIS = "all idle time that no recorded event explains; how much of it can go depends on the cause"


def judge(
    ledger: Ledger, idle: Idle, stalls: Stalls, steps: Steps, capture: Capture, timeline: Timeline
) -> Verdict:
    """Compares idle time that no event explains with the step, and reports what is known about it."""
    if (capture.dropped or capture.holed_count) and any(host.partial for host in steps.hosts):
        return NotApplicable(DROPPED)
    account = next((a for a in idle.accounts if a.account == "idle.unknown"), None)
    apart = "clocks" in capture.lacks
    unknown = max(0, account.ns - (0 if apart else _in_known_pauses(stalls))) if account else 0
    share = unknown / max(1, ledger.step_ns)
    if account is None or share < UNEXPLAINED.value:
        return Passed(say(FEW, share=share))
    before = [(name.removeprefix(BEFORE), ns) for name, ns in account.seen if name.startswith(BEFORE)]
    during = [(name, min(ns, unknown)) for name, ns in account.seen if not name.startswith(BEFORE)]
    traced, no_ops = capture.python_events_per_step > 0, "framework ops" in capture.lacks and not during
    waits = next((name for name, _ in during if WAITS.search(name)), "") if traced else ""
    first = min(account.first_ns, unknown)
    least = UNEXPLAINED.value * ledger.step_ns
    counted = unknown - first if unknown - first >= least else 0
    python = () if waits else account.python_covering(NAMED_RATIO * unknown)
    launched = account.launched_ns >= NAMED_RATIO * unknown
    cases = {
        "clocks differ": apart,
        "the next kernel is launched": launched,
        "Python waits": bool(waits),
        "Python works": bool(python),
        "Python calls were recorded": traced,
        "no op was recorded": no_ops,
    }
    case = next((case for case, holds in cases.items() if holds), "")
    number = account.per_step_count
    of_step = ledger.by_step("idle.unknown")
    # Hosts may have no step in common.
    recurs = len(of_step) > 0 and float((of_step >= EACH_RATIO * of_step.mean()).mean()) > EACH_RATIO
    callee = python[0][0].partition(BEFORE_CALL)[2].rpartition(" on thread ")[0] if python else ""
    told = {
        "gpus": gpus(ledger.gpus_count), "unknown": unknown, "longest": stretch(account.longest),
        "stretches": max(1, round(number)),
        "seen": listing([f"{name} ({ms(ns)})" for name, ns in during]),
        "ops": listing([f"{name} ({ms(ns)})" for name, ns in before]),
        "call": waits or listing([f"{name} ({ms(ns)})" for name, ns in python] if len(python) > 1 else [name for name, _ in python]),
        "marks": listing([f"{name} ({ms(min(ns, unknown))})" for name, ns in account.marked]),
        "spent": min(unknown, sum(ns for _, ns in python)),
    }  # fmt: skip
    return Found(
        summary=together(
            say(APART if apart else LAUNCHED if launched else NO_OPS if no_ops else IDLE_BESIDE if during else IDLE_BEFORE if before else IDLE_INSIDE if account.marked else IDLE, **told),
            GUARDS if COMPILED in callee else "",
            say(FIRST_TIME, first=first) if first >= least else "",
        ),
        cause=say("" if launched else EFFECT if waits else WORKS if python else "", **told),
        evidence=(
            *cost(UNEXPLAINED.name, unknown, ledger.step_ns, "account Unattributed idle less pauses of known cause", by=UNEXPLAINED.source, least=UNEXPLAINED),
            Evidence("stretches", round(number, 1), "per_step", None, "step budget, per GPU"),
            Evidence("longest stretch", account.longest_ns, "ns", None, "step budget"),
            *([Evidence("of it with the next kernel launched", min(account.launched_ns, unknown), "ns", None, "launches of kernels")] if launched else []),
            *(Evidence(f"of it during {name}", ns, "ns", None, "host events") for name, ns in during),
        ),
        where=timeline.worst(["idle.unknown"], "Unattributed idle"),
        claims={"idle.unknown": counted} if counted else {},
        severity=None if counted else "info",
        basis=BASIS,
        action=with_name("Find what Python does before {}", callee.lstrip("$")) if callee and case == "Python works" else "",
        values={"in each step": recurs, "compiled": COMPILED in callee},
        confidence="medium" if python and not launched else "low",
        advice=case,
    )  # fmt: skip


def _in_known_pauses(stalls: Stalls) -> int:
    """Time of the account in pauses between launches whose cause is known; other rules judge it."""
    return sum(
        max(0, p.idle_ns - sum(ns for account, ns in p.claims.items() if account != "idle.unknown"))
        for p in stalls.by_cause.values()
        if p.gained_ns
    )


_CAUSES = (
    "allocator-stalls",
    "eager-execution",
    "gpus-run-serially",
    "pipeline-bubble",
    "replica-imbalance",
    "d2d-copies",
    "unused-parameters",
)

RULE = declared(judge, thresholds=(UNEXPLAINED,), explained_by=_CAUSES, yields_to=_CAUSES)
