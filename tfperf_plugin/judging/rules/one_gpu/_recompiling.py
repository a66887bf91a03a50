"""What the rules about tracing and compiling in steady steps share."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation, Share, Work
from tfperf_plugin.analysis.artifacts.host.overlap import overlap
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS, NO_STEPS
from tfperf_plugin.judging.engine.rule import RARE, Found, Missing, Passed, Verdict
from tfperf_plugin.judging.engine.severity import severity_of
from tfperf_plugin.judging.engine.words import NO_GPU, gpus, say, together
from tfperf_plugin.records import Record

ACCOUNT: Final = "account Compile wait"


FEW: Final = "{they} in {steps} of {of} steady steps."
LITTLE: Final = "{they} during {share:percent} of {of}."
RARE_LITTLE: Final = "{they} in {n:rare long steps} only."


class Words(Record, frozen=True):
    """The sentences and phrases of a rule; each sentence names the values that it needs."""

    #: Begin of a sentence: "XLA compiles".
    they: str
    #: Behind "while": "XLA compiles".
    doing: str
    #: Behind "steps that": "compile".
    do: str
    #: Needs steps, of, names, gpus, lost.
    found: str
    #: Needs steps, of, names, lost.
    host_found: str
    #: Needs n, names, gpus, lost.
    rare_found: str


def judge_recompiling(
    compilation: Compilation, ledger: Ledger | None, work: Work, wait_ratio: float, steps_count: float,
    words: Words, names: str, also: str = "", more: tuple[Evidence, ...] = (),
) -> Verdict:  # fmt: skip
    """Compares the time in which the step waits for tracing or compiling (``work``) with the step.

    Where only rare long steps do it, the finding claims what these cost. Where no GPU was recorded,
    the host's own time for it is compared with the host's step. ``names``: what is made anew; ``also``: a
    sentence on what happens beside it.
    """
    if not compilation.judged_count:
        return Missing(NO_STEPS, HOW_TO_MARK_STEPS)
    usual = work.usual
    if ledger and usual.steps_count < steps_count <= work.rare.steps_count:
        return _in_rare_steps(ledger, work.rare, wait_ratio, words, names)
    seen = {"steps": usual.steps_count, "of": compilation.judged_count}
    if usual.steps_count < steps_count:
        return Passed(say(FEW, they=words.they, **seen))
    if ledger is None:
        lost, where, step_ns = usual.host_ns, usual.where.all(), compilation.step_ns
        label, source, of = f"the host {words.do}s", "host events, per step", "the host's step"
        told = together(say(words.host_found, names=names, lost=lost, **seen), NO_GPU)
    else:
        idle = overlap(work.idle, ledger)
        label, source, of = f"GPU idle while {words.doing}", f"{ACCOUNT} while {words.doing}", "the step"
        lost, where, step_ns = idle.total_ns, idle.where.all(label), ledger.step_ns
        told = say(words.found, names=names, gpus=gpus(ledger.gpus_count), lost=lost, **seen)
    share = lost / max(1, step_ns)
    if share < wait_ratio:
        return Passed(say(LITTLE, they=words.they, share=share, of=of))
    return Found(
        summary=together(told, also),
        evidence=(
            Evidence(label, lost, "ns", int(wait_ratio * step_ns), source),
            Evidence(f"share of {of}", share, "ratio", wait_ratio, source),
            Evidence(
                f"steady steps that {words.do}", usual.steps_count, "count", int(steps_count), "host events"
            ),
            *more,
        ),
        where=where,
        claims={"idle.compile": lost} if ledger else {},
        basis=f"all time in which a GPU is idle while {words.doing}" if ledger else "",
        severity=None if ledger else severity_of(lost, step_ns),
        impact_ratio=0.0 if ledger else share,
    )


def _in_rare_steps(ledger: Ledger, rare: Share, wait_ratio: float, words: Words, names: str) -> Verdict:
    """The finding if only rare long steps trace or compile: what this costs is spread over all steps."""
    lost, share = rare.host_ns, rare.host_ns / max(1, ledger.step_ns)
    if share < wait_ratio:
        return Passed(say(RARE_LITTLE, they=words.they, n=rare.steps_count))
    basis = f"{ACCOUNT} while {words.doing}, in rare long steps, spread over all"
    return Found(
        summary=say(words.rare_found, n=rare.steps_count, names=names, gpus=gpus(ledger.gpus_count), lost=lost),
        evidence=(
            Evidence(f"GPU idle while {words.doing}", lost, "ns", int(wait_ratio * ledger.step_ns), basis),
            Evidence("share of the usual step", share, "ratio", wait_ratio, basis),
            Evidence(f"rare long steps that {words.do}", rare.steps_count, "count", None, "host events"),
        ),
        where=rare.where.all(),
        claims={RARE: lost},
        basis=basis,
    )  # fmt: skip
