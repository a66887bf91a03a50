"""Adapts the advice of a finding to the framework of the program."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.framework import Framework
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.pytorch import PYTORCH
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.verdicts import Fix, Snippet

_MARKS: Final = "Record at least ten steps with step markers: "
_HOW_TO_MARK_STEPS: Final = {
    "Keras": f"{_MARKS}the TensorBoard callback with profile_batch=(10, 20).",
    "JAX": f"{_MARKS}jax.profiler.StepTraceAnnotation('train', step_num=step) around each step.",
    "PyTorch": f"{_MARKS}torch.profiler.profile(schedule=...), with step() after each step.",
}
# Words in actions that only concern the other kind of TensorFlow program.
_FOR_OTHERS: Final = {
    "Keras": re.compile(r"custom loop"),
    "custom loop": re.compile(r"[Kk]eras|model\.(fit|compile)|callback"),
}

# Texts that name interfaces of TensorFlow or Keras apply to their programs only; tf.data also feeds JAX.
_TENSORFLOW: Final = re.compile(
    r"\btf\.(?!data\b)|\bTF_|TensorFlow|[Kk]eras|model\.(fit|compile)|jit_compile|steps_per_execution|"
    r"[Ss]trategy|\.numpy\(\)|profile_batch|ProfilerOptions|_function\b|custom loop|GradientTape"
)
_TF_DATA: Final = re.compile(
    r"\btf\.data\b|\btf_data\b|AUTOTUNE|drop_remainder|num_parallel_calls|dataset\.map"
)
_JAX: Final = re.compile(r"\bjax\b|XLA|PjRt")
_COMPILE: Final = re.compile(r"(?i)let XLA (fuse|compile)|jit_compile=True")
_NEUTRAL: Final = ("shell", "tf.data")
_TENSORFLOW_ORG: Final = "https://www.tensorflow.org/"


def advice(rule: Rule, verdict: Found, framework: Framework) -> Fix:
    """The fix of a finding for a program of this framework; the whole fix if the framework is unknown."""
    fix = verdict.fix or rule.fix
    if framework.name in ("JAX", "PyTorch"):
        own_fix = rule.jax if framework.name == "JAX" else PYTORCH.get(rule.id)
        return _without_tensorflow(fix, own_fix, verdict.fix is not None, framework)
    if not framework.name:
        return fix
    if framework.compiled:
        fix = _without_matching(fix, _COMPILE)
    others = _FOR_OTHERS[framework.name]
    return replace(
        fix,
        actions=tuple(sorted(fix.actions, key=lambda a: bool(others.search(a)))),
        snippets=tuple(
            sorted(
                (s for s in fix.snippets if s.framework not in ("JAX", "PyTorch/XLA")),
                key=lambda s: s.framework != framework.name,
            )
        ),
    )


def how_to(text: str, framework: Framework) -> str:
    """How to record missing data in a program of this framework."""
    return _HOW_TO_MARK_STEPS.get(framework.name, text) if text == HOW_TO_MARK_STEPS else text


def _without_matching(fix: Fix, pattern: re.Pattern[str]) -> Fix:
    """The fix without actions that match, and without snippets that match, if other actions remain."""
    actions = tuple(a for a in fix.actions if not pattern.search(a))
    if not actions or actions == fix.actions:
        return fix
    return replace(
        fix, actions=actions, snippets=tuple(s for s in fix.snippets if not pattern.search(s.code))
    )


def _without_tensorflow(fix: Fix, own_fix: Fix | None, special: bool, framework: Framework) -> Fix:
    """The rule's fix for the framework, unless a ``special`` fix of the finding mostly applies to it."""
    actions = tuple(a for a in fix.actions if _applies(a, framework))
    if own_fix and (not special or 2 * len(actions) < len(fix.actions)):
        return own_fix
    code = tuple(s for s in fix.snippets if _snippet_applies(s, framework))
    return Fix(
        summary=fix.summary if own_fix is None or _applies(fix.summary, framework) else own_fix.summary,
        actions=actions,
        snippets=code or (own_fix.snippets if own_fix else ()),
        links=tuple(link for link in fix.links if not link.url.startswith(_TENSORFLOW_ORG)),
    )


def _applies(text: str, framework: Framework) -> bool:
    others = framework.name == "PyTorch" and _JAX.search(text)
    return not others and not _TENSORFLOW.search(text) and (framework.tf_data or not _TF_DATA.search(text))


def _snippet_applies(snippet: Snippet, framework: Framework) -> bool:
    if snippet.framework in ("JAX", "PyTorch"):
        return snippet.framework == framework.name
    fits = snippet.framework in _NEUTRAL or (snippet.framework == "custom loop" and "tf.data" in snippet.code)
    return fits and _applies(snippet.code, framework)
