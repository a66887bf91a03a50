"""Chooses the advice of a finding from its rule's page, for the framework of the program."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.engine.say import filled

_MARKS: Final = "Record at least ten steps with step markers: "
_HOW_TO_MARK_STEPS: Final = {
    "Keras": f"{_MARKS}the TensorBoard callback with profile_batch=(10, 20).",
    "JAX": f"{_MARKS}jax.profiler.StepTraceAnnotation('train', step_num=step) around each step.",
    "PyTorch": f"{_MARKS}torch.profiler.profile(schedule=...), with step() after each step.",
    "": f"{_MARKS}an annotation of the profiler, such as an NVTX range, around each step.",
}


def advised(rule: Rule, verdict: Found, program: Program) -> Found:
    """The verdict with what the rule's page says, as far as it does not state title, action or fix itself."""
    advice = rule.page.advice_of(verdict.advice)
    return replace(
        verdict,
        title=verdict.title or filled(advice.title or rule.title, verdict.values),
        action=verdict.action or filled(advice.action or rule.page.action, verdict.values),
        fix=verdict.fix or advice.fix(program, verdict.values),
        guide=rule.page.guide_for(program),
    )


_OF_TENSORFLOW: Final = re.compile(r"tracer_level|Callback|TensorFlow")


def how_to(text: str, program: Program) -> str:
    """How to record missing data in such a program; "" if only another one can."""
    if program.framework in ("PyTorch", "") and _OF_TENSORFLOW.search(text) and text != HOW_TO_MARK_STEPS:
        return ""
    return _HOW_TO_MARK_STEPS.get(program.framework, text) if text == HOW_TO_MARK_STEPS else text
