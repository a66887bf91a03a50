"""What the rules about tracing and compiling in steady steps share."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation, Share
from tfperf_plugin.analysis.artifacts.host.overlap import OverlapPart
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import RARE, Found, Missing, Passed, Verdict
from tfperf_plugin.judging.engine.words import NO_GPU, count, gpus, ms, percent


def judge_recompiling(
    compilation: Compilation, ledger: Ledger | None, work: Share, rare: Share, during: OverlapPart | None,
    wait_ratio: float, steps_count: float,
    *, clause: str, verb: str, place: str, anew: str, also: str = "", more: tuple[Evidence, ...] = (),
) -> Verdict:  # fmt: skip
    """Compares the time in which the step waits for tracing or compiling (``work``) with the step.

    Where only rare long steps do it (``rare``), the finding claims what these cost.
    Where no GPU was recorded, the host's own time for it is compared with the host's step. Words: ``clause``
    ("XLA compiles"), ``verb`` of the host, label of a ``place``, what is made ``anew`` and happens ``also``.
    """
    if not compilation.judged_count:
        return Missing("The profile does not tell where a step begins and ends.", HOW_TO_MARK_STEPS)
    subject = clause[0].upper() + clause[1:]
    if ledger and work.steps_count < steps_count <= rare.steps_count:
        return _in_rare_steps(ledger, rare, wait_ratio, clause=clause, verb=verb, anew=anew)
    if work.steps_count < steps_count:
        return Passed(f"{subject} in {work.steps_count} of {count(compilation.judged_count, 'steady step')}.")
    if ledger is None:
        lost, where, of, step_ns = work.host_ns, work.where, "the host's step", compilation.step_ns
        label, source = f"the host {verb}s", "host events, per step"
        effect = f"the host {verb}s for {ms(lost)} per step. {NO_GPU}"
    else:
        idle = compilation.idle(ledger, during, place)
        lost, where, of, step_ns = idle.total_ns, idle.where, "the step", ledger.step_ns
        label, source = f"GPU idle while {clause}", f"account Compile wait while {clause}"
        effect = f"the {gpus(ledger.gpus_count)} idle for {ms(lost)} per step meanwhile."
    share = lost / max(1, step_ns)
    if share < wait_ratio:
        return Passed(f"{subject} during {percent(share)} of {of}.")
    steps_text = f"{work.steps_count} of {compilation.judged_count} steady steps"
    return Found(
        summary=f"In {steps_text} {anew} anew, and {effect}{also}",
        evidence=(
            Evidence(label, lost, "ns", int(wait_ratio * step_ns), source),
            Evidence(f"share of {of}", share, "ratio", wait_ratio, source),
            Evidence(f"steady steps that {verb}", work.steps_count, "count", int(steps_count), "host events"),
            *more,
        ),
        where=where,
        claims={"idle.compile": lost} if ledger else {},
        basis=f"all time in which a GPU is idle while {clause}" if ledger else "",
        severity=None if ledger else severity_of(lost, step_ns),
        impact_ratio=0.0 if ledger else share,
    )


def _in_rare_steps(
    ledger: Ledger, rare: Share, wait_ratio: float, *, clause: str, verb: str, anew: str
) -> Verdict:
    """The finding if only rare long steps trace or compile: what this costs is spread over all steps."""
    lost, share = rare.host_ns, rare.host_ns / max(1, ledger.step_ns)
    if share < wait_ratio:
        return Passed(f"{clause[0].upper()}{clause[1:]} in {count(rare.steps_count, 'rare long step')} only.")
    source = f"account Compile wait while {clause}, in rare long steps, spread over all"
    return Found(
        summary=f"In {count(rare.steps_count, 'rare long step')} {anew} anew, and the "
        f"{gpus(ledger.gpus_count)} idle meanwhile: {ms(lost)} per step, spread over all. "
        "The usual steps are free of it.",
        evidence=(
            Evidence(f"GPU idle while {clause}", lost, "ns", int(wait_ratio * ledger.step_ns), source),
            Evidence("share of the usual step", share, "ratio", wait_ratio, source),
            Evidence(f"rare long steps that {verb}", rare.steps_count, "count", None, "host events"),
        ),
        where=rare.where,
        claims={RARE: lost},
        basis=f"all time in which a GPU is idle while {clause}, in rare long steps, spread over all",
    )
