"""Chooses the advice of a finding from its rule's page, for the framework of the program."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.framework import Framework
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.engine.say import filled

_MARKS: Final = "Record at least ten steps with step markers: "
_HOW_TO_MARK_STEPS: Final = {
    "Keras": f"{_MARKS}the TensorBoard callback with profile_batch=(10, 20).",
    "JAX": f"{_MARKS}jax.profiler.StepTraceAnnotation('train', step_num=step) around each step.",
    "PyTorch": f"{_MARKS}torch.profiler.profile(schedule=...), with step() after each step.",
}


def advised(rule: Rule, verdict: Found, framework: Framework) -> Found:
    """The verdict with title, action and fix from the rule's page, as far as it does not state its own."""
    advice = rule.page.advice_of(verdict.advice)
    return replace(
        verdict,
        title=verdict.title or filled(advice.title or rule.title, verdict.values),
        action=verdict.action or filled(advice.action or rule.page.action, verdict.values),
        fix=verdict.fix or advice.fix(framework, verdict.values),
    )


def how_to(text: str, framework: Framework) -> str:
    """How to record missing data in a program of this framework."""
    return _HOW_TO_MARK_STEPS.get(framework.name, text) if text == HOW_TO_MARK_STEPS else text
