"""Chooses the advice of a finding from its rule's page, for the framework of the program."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Rule, Verdict
from tfperf_plugin.judging.engine.say import filled
from tfperf_plugin.judging.verdicts import Group
from tfperf_plugin.trace.model import Aspect

_MARKS: Final = "Record at least ten steps with step markers: "
_HOW_TO_MARK_STEPS: Final = {
    "Keras": f"{_MARKS}the TensorBoard callback with profile_batch=(10, 20).",
    "JAX": f"{_MARKS}jax.profiler.StepTraceAnnotation('train', step_num=step) around each step.",
    "PyTorch": f"{_MARKS}torch.profiler.profile(schedule=...), with step() after each step.",
    "": f"{_MARKS}an annotation of the profiler, such as an NVTX range, around each step.",
}


def advised(rule: Rule, verdict: Found, program: Program) -> Found:
    """The verdict with title, action and fix from the rule's page, as far as it does not state its own."""
    advice = rule.page.advice_of(verdict.advice)
    return replace(
        verdict,
        title=verdict.title or filled(advice.title or rule.title, verdict.values),
        action=verdict.action or filled(advice.action or rule.page.action, verdict.values),
        fix=verdict.fix or advice.fix(program, verdict.values),
    )


_OF_TENSORFLOW: Final = re.compile(r"tracer_level|Callback|TensorFlow")
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
}
RECORD_SHAPES: Final = "Record with torch.profiler.profile(record_shapes=True)."
_HOW_TO_RECORD: Final[Mapping[tuple[str, Aspect], str]] = {
    ("PyTorch", "input"): "Take batches from a DataLoader between two calls of the profiler's step().",
    ("PyTorch", "memory"): "Record with torch.profiler.profile(profile_memory=True).",
    ("PyTorch", "shapes"): RECORD_SHAPES,
}


_RELATIONS: Final[tuple[Aspect, ...]] = ("clocks", "clocks of GPUs")
_OF_GROUP: Final[Mapping[Group, tuple[Aspect, ...]]] = {"several_gpus": ("clocks of GPUs",)}


def not_recorded(rule: Rule, verdict: Verdict, lacks: Collection[Aspect], program: Program) -> Verdict:
    """The verdict, or that data are missing: what was not recorded is no reason to say that all is well.

    What was found was recorded, and what is not there is not there, unless clocks differ: then what host and
    GPU, or GPUs, do at the same time is neither.
    """
    needs = (*rule.needs, *_OF_GROUP.get(rule.group, ()))
    aspect = next((aspect for aspect in needs if aspect in lacks), None)
    kept = NotApplicable if aspect in _RELATIONS else Found
    if aspect is None or isinstance(verdict, kept):
        return verdict
    return Missing(_NOT_RECORDED[aspect], _HOW_TO_RECORD.get((program.framework, aspect), ""))


def how_to(text: str, program: Program) -> str:
    """How to record missing data in such a program; "" if only another one can."""
    if program.framework in ("PyTorch", "") and _OF_TENSORFLOW.search(text) and text != HOW_TO_MARK_STEPS:
        return ""
    return _HOW_TO_MARK_STEPS.get(program.framework, text) if text == HOW_TO_MARK_STEPS else text
