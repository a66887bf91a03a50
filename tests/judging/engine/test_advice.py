"""What to change is said in the words of the program's framework."""

from __future__ import annotations

import re

import pytest

from demo.build import run_names
from demo.reports import demo_report
from tfperf_plugin.analysis.artifacts.capture.program import Name, Program
from tfperf_plugin.judging.engine.page import Page
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES

TENSORFLOW = (
    r"\btf\.(?!data\b)|\bTF_(?!GPU_CUPTI|FORCE_UNIFIED_MEMORY)|TensorFlow|[Kk]eras|model\.(fit|compile)|jit_compile|"
    r"steps_per_execution|[Ss]trategy\b|\.numpy\(\)|profile_batch|ProfilerOptions|custom loop|GradientTape"
)
"""Words of programs of TensorFlow alone; tf.data also feeds JAX, and XLA reads TF_FORCE_UNIFIED_MEMORY."""
FOREIGN = {
    # A tape belongs to a loop of one's own, or to the step of a model.
    "Keras": r"\bjax\b|\btorch\b|\A(?!(?s:.*)def train_step\(self)(?s:.*)GradientTape",
    "custom loop": r"\bjax\b|\btorch\b|model\.(fit|compile)",
    "JAX": rf"{TENSORFLOW}|\btorch\.(?!utils)",
    "PyTorch": rf"{TENSORFLOW}|\bjax\b|\bXLA\b",
    "": rf"{TENSORFLOW}|\bjax\b|\btorch\b|XLA|JAX|PyTorch|DataLoader|DistributedData|optax|train\.py|NumPy",
}

each_framework = pytest.mark.parametrize("framework", FOREIGN)
each_rule = pytest.mark.parametrize("of", RULES, ids=lambda of: of.id)


def program(name: Name, compiled: bool = False, tf_data: bool = False) -> Program:
    return Program(name, compiled, tf_data)


@each_rule
@each_framework
def test_advice_names_no_other_framework(of: Rule, framework: Name) -> None:
    for name in of.page.advice:
        for holds in (False, True):
            values = dict.fromkeys(conditions(of.page) - {"Keras"}, holds)  # Keras also runs on JAX
            fix = of.page.advice_of(name).fix(program(framework), values)
            if not fix.actions:  # a case that programs of this framework cannot be in
                continue
            texts = (fix.summary, *fix.actions, *(snippet.code for snippet in fix.snippets))

            assert [text for text in texts if re.search(FOREIGN[framework], text)] == []


FRAMEWORKS: dict[str, Name] = {
    "TensorFlow with Keras": "Keras",
    "TensorFlow with a loop of its own": "custom loop",
    "JAX": "JAX",
    "PyTorch": "PyTorch",
}


@pytest.mark.parametrize("name", run_names())
def test_no_demo_run_is_told_of_another_framework(name: str) -> None:
    report = demo_report(name)
    framework = FRAMEWORKS.get(report.program.partition(", ")[0], "")
    every = [f for top in (*report.findings, *report.trust) for f in (top, *top.explains)]
    texts = [
        t for f in every for t in (f.action, f.fix.summary, *f.fix.actions, *(s.code for s in f.fix.snippets))
    ]

    assert [text for text in texts if re.search(FOREIGN[framework], text)] == []


def conditions(page: Page) -> set[str]:
    """The names of all conditions on a page."""
    parts = [part for advice in page.advice.values() for part in advice.parts]
    texts = [text for part in parts for text in (*part.actions, *(s.code for s in part.snippets))]
    return set(re.findall(r"\[(?:unless )?([^\[\]]+)\] ", "\n".join(texts)))


def test_who_has_xla_is_not_told_to_use_it() -> None:
    (of,) = [of for of in RULES if of.id == "kernel-launch-bound"]
    without, compiled = (
        " ".join(of.page.advice_of("").fix(program("Keras", having), {}).actions) for having in (False, True)
    )

    assert "jit_compile" in without
    assert "jit_compile" not in compiled
