"""What the rules about tracing and compiling in steady steps share."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation, Share
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, overlap
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rule import RARE, Found, Missing, Passed, Verdict
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.severity import severity_of
from tfperf_plugin.judging.engine.words import NO_GPU, gpus
from tfperf_plugin.records import Record

NO_STEPS = "The profile does not tell where a step begins and ends."


class Words(Record, frozen=True):
    """The sentences and labels of a rule; each sentence names the values that it needs.

    ``few``: steps, of; ``little``, ``host_little``: share; ``found``: steps, of, names, gpus, lost;
    ``host_found``: steps, of, names, lost; ``rare_little``: n; ``rare_found``: n, names, gpus, lost.
    """

    few: str
    little: str
    host_little: str
    found: str
    host_found: str
    rare_little: str
    rare_found: str
    idle: str
    host: str
    steps: str
    rare_steps: str
    account: str
    basis: str
    rare_basis: str


def judge_recompiling(
    compilation: Compilation, ledger: Ledger | None, work: Share, rare: Share, during: Overlap | None,
    wait_ratio: float, steps_count: float,
    words: Words, names: str, also: str = "", more: tuple[Evidence, ...] = (),
) -> Verdict:  # fmt: skip
    """Compares the time in which the step waits for tracing or compiling (``work``) with the step.

    Where only rare long steps do it (``rare``), the finding claims what these cost. Where no GPU was recorded,
    the host's own time for it is compared with the host's step. ``names``: what is made anew; ``also``: a
    sentence on what happens beside it.
    """
    if not compilation.judged_count:
        return Missing(NO_STEPS, HOW_TO_MARK_STEPS)
    if ledger and work.steps_count < steps_count <= rare.steps_count:
        return _in_rare_steps(ledger, rare, wait_ratio, words, names)
    seen = {"steps": work.steps_count, "of": compilation.judged_count}
    if work.steps_count < steps_count:
        return Passed(say(words.few, **seen))
    if ledger is None:
        lost, where, step_ns = work.host_ns, work.where.all(), compilation.step_ns
        label, source, of = words.host, "host events, per step", "the host's step"
        told = together(say(words.host_found, names=names, lost=lost, **seen), NO_GPU)
    else:
        idle = overlap(during, ledger)
        lost, where, step_ns = idle.total_ns, idle.where.all(words.idle), ledger.step_ns
        label, source, of = words.idle, words.account, "the step"
        told = say(words.found, names=names, gpus=gpus(ledger.gpus_count), lost=lost, **seen)
    share = lost / max(1, step_ns)
    if share < wait_ratio:
        return Passed(say(words.little if ledger else words.host_little, share=share))
    return Found(
        summary=together(told, also),
        evidence=(
            Evidence(label, lost, "ns", int(wait_ratio * step_ns), source),
            Evidence(f"share of {of}", share, "ratio", wait_ratio, source),
            Evidence(words.steps, work.steps_count, "count", int(steps_count), "host events"),
            *more,
        ),
        where=where,
        claims={"idle.compile": lost} if ledger else {},
        basis=words.basis if ledger else "",
        severity=None if ledger else severity_of(lost, step_ns),
        impact_ratio=0.0 if ledger else share,
    )


def _in_rare_steps(ledger: Ledger, rare: Share, wait_ratio: float, words: Words, names: str) -> Verdict:
    """The finding if only rare long steps trace or compile: what this costs is spread over all steps."""
    lost, share = rare.host_ns, rare.host_ns / max(1, ledger.step_ns)
    if share < wait_ratio:
        return Passed(say(words.rare_little, n=rare.steps_count))
    return Found(
        summary=say(words.rare_found, n=rare.steps_count, names=names, gpus=gpus(ledger.gpus_count), lost=lost),
        evidence=(
            Evidence(words.idle, lost, "ns", int(wait_ratio * ledger.step_ns), words.rare_basis),
            Evidence("share of the usual step", share, "ratio", wait_ratio, words.rare_basis),
            Evidence(words.rare_steps, rare.steps_count, "count", None, "host events"),
        ),
        where=rare.where.all(),
        claims={RARE: lost},
        basis=words.rare_basis,
    )  # fmt: skip
