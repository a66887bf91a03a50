"""How much the recording can prove. What it cannot, no verdict says and no check passes.

``level_of`` decides it once for a report. Each verdict goes through ``borne``, and each finding through
``at_most``, so neither says more than was recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.evidence import Confidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.startup import LATER_CALLS_COUNT
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.inputs import requires
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Rule, Verdict
from tfperf_plugin.judging.verdicts import Group, Level, Row, Severity
from tfperf_plugin.trace.model import Aspect

STRONG_COUNT: Final = 5
"""Whole steps from which on evidence is strong."""
ENOUGH_STEPS_COUNT: Final = 3
"""With fewer whole steps, evidence is thin; with fewer than ``STRONG_COUNT`` if their lengths are uneven."""
_LOWER: Final[Mapping[Confidence, Confidence]] = {"high": "medium", "medium": "low", "low": "low"}
THIN: Final[tuple[Level, ...]] = ("thin", "none")

_NOT_RECORDED: Final[Mapping[Aspect, str]] = {
    "input": "This profile does not show whether a step waits for its input.",
    "host ops": "This profile does not show all that the CPU computes beside the ops that launch kernels.",
    "compilation": "This profile does not show when programs are compiled.",
    "dropped events": "This format does not say whether events were dropped.",
    "kernels of graphs": "The kernels of CUDA graphs were not recorded.",
    "memory": "No event of an allocator was recorded.",
    "shapes": "The sizes of the ops' inputs were not recorded.",
    "clocks": "The clocks of host and GPU differ, so this cannot be told.",
    "clocks of GPUs": "The clocks of the GPUs differ, so this cannot be told.",
    "kernels": "Kernels of the judged steps are missing, so this cannot be told.",
    "launches": "Most calls that launch kernels were not recorded.",
    "other GPUs": "Only one GPU of several was recorded.",
}
RECORD_SHAPES: Final = "Record with torch.profiler.profile(record_shapes=True)."
_HOW_TO_RECORD: Final[Mapping[tuple[str, Aspect], str]] = {
    ("PyTorch", "input"): "Take batches from a DataLoader between two calls of the profiler's step().",
    ("PyTorch", "memory"): "Record with torch.profiler.profile(profile_memory=True).",
    ("PyTorch", "shapes"): RECORD_SHAPES,
    ("PyTorch", "other GPUs"): "Let every rank write its trace into one folder.",
}
_OF_GROUP: Final[Mapping[Group, tuple[Aspect, ...]]] = {"several_gpus": ("clocks of GPUs",)}
_RELATIONS: Final[tuple[Aspect, ...]] = ("clocks", "clocks of GPUs")
"""Without these, what seems to be there may not be."""


def least_count(steps: Steps) -> int:
    """The number of whole steps that an average needs: of a few uneven ones, none is known to be usual."""
    return STRONG_COUNT if steps.uneven else ENOUGH_STEPS_COUNT


def runs_once(steps: Steps, program: Program, kernels: Kernels | None) -> bool:
    """Whether a program without a framework launches so few kernels that none is known to recur."""
    alone = steps.source == "recording" and not program.framework
    return alone and kernels is not None and kernels.per_step_count < LATER_CALLS_COUNT


def level_of(steps: Steps, has_steps: bool, of_gpus: bool, on_cpu: bool, doubted: bool) -> Level:
    """How much the recording can prove.

    Args:
        steps: the steps that were told.
        has_steps: whether their lengths mean something.
        of_gpus: whether any kernel was recorded.
        on_cpu: whether the model ran on the CPU.
        doubted: whether a note on the capture, or what the reader lost, casts doubt on it.
    """
    if not of_gpus and not on_cpu:
        return "none"
    if not has_steps or steps.complete_count < least_count(steps):
        return "thin"
    return "strong" if steps.complete_count >= STRONG_COUNT and not doubted else "fair"


def at_most(confidence: Confidence, level: Level) -> Confidence:
    """The confidence that evidence of this level allows: one lower if it is thin, low if there is none."""
    return "low" if level == "none" else _LOWER[confidence] if level == "thin" else confidence


def severity_at_most(severity: Severity, level: Level) -> Severity:
    """The severity that evidence of this level allows."""
    return "warning" if severity == "critical" and level in THIN else severity


def lowered(verdict: Found) -> Found:
    """The finding with one level less of confidence."""
    return replace(verdict, confidence=_LOWER[verdict.confidence])


def borne(rule: Rule, verdict: Verdict, lacks: Collection[Aspect], program: Program) -> Verdict:
    """The verdict as far as the recording bears it, else that data are missing.

    What was not recorded is no reason to say that all is well. What was found was recorded, and what is not
    there is not there, unless clocks differ: then what host and GPU, or GPUs, do at the same time is neither.
    Where a machine was not watched, a better recording of steps would not help.
    """
    if rule.group == "machine" and isinstance(verdict, NotApplicable):
        return verdict
    needs = (*rule.needs, *_OF_GROUP.get(rule.group, ()))
    aspect = next((aspect for aspect in needs if aspect in lacks), None)
    if aspect and not isinstance(verdict, NotApplicable if aspect in _RELATIONS else Found):
        return _missing(aspect, program)
    if aspect == "launches" and isinstance(verdict, Found):
        verdict = lowered(verdict)
    return _without_kernels(rule, verdict, program) if "kernels" in lacks else verdict


def _without_kernels(rule: Rule, verdict: Verdict, program: Program) -> Verdict:
    """The verdict where judged steps lack kernels: a GPU that seems idle, or only to copy or communicate, may
    have computed."""
    if isinstance(verdict, Passed) and not rule.trust and requires(rule.judge, Ledger):
        return _missing("kernels", program)
    if not isinstance(verdict, Found) or not verdict.claims:
        return verdict
    sure = {account: ns for account, ns in verdict.claims.items() if account.startswith("compute")}
    most = 2 * sum(sure.values()) > sum(verdict.claims.values())
    return replace(verdict, claims=sure) if most else _missing("kernels", program)


def too_small(rows: Sequence[Row], lacks: Collection[Aspect]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Splits rows of findings that save too little into those that pass and those that lack data."""
    if "kernels" not in lacks:
        return tuple(rows), ()
    return (), tuple(replace(row, reason=_NOT_RECORDED["kernels"]) for row in rows)


def _missing(aspect: Aspect, program: Program) -> Missing:
    return Missing(_NOT_RECORDED[aspect], _HOW_TO_RECORD.get((program.framework, aspect), ""))
