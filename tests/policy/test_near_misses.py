"""Every rule has near-misses: just below its threshold, hidden under compute, once in a warm-up step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from tests.accuracy.test_near_misses import ONCE
from tests.conftest import REPOSITORY
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES

CAPTURE: Final = "it judges the capture, whatever runs meanwhile"
OF_MACHINE: Final = {r.id: "it judges the whole training" for r in RULES if r.group == "machine"}
NOT_HIDDEN: Final = {
    **OF_MACHINE,
    "data-parallel": "it is to be replaced even where copies are hidden",
    "events-dropped": CAPTURE,
    "idle-gpus": "a GPU that computes is not idle",
    "gpus-run-serially": "GPUs that compute at the same time do not take turns",
    "iterator-outside-step": CAPTURE,
    "kernels-serialised": CAPTURE,
    "memory-headroom": "memory is not hidden by compute",
    "memory-pressure": "memory is not hidden by compute",
    "no-device-events": CAPTURE,
    "no-step-markers": CAPTURE,
    "one-host-of-many": CAPTURE,
    "too-few-steps": CAPTURE,
    "tracer-overhead": CAPTURE,
}
NOT_IN_WARM_UP: Final = {
    **OF_MACHINE,
    "data-parallel": "it is called in every step or in none",
    "events-dropped": CAPTURE,
    "gpu-not-used": "a GPU that is not used is used in no step",
    "idle-gpus": "GPUs that ran in any recorded step are in use",
    "iterator-outside-step": CAPTURE,
    "kernels-serialised": CAPTURE,
    "no-device-events": CAPTURE,
    "no-step-markers": CAPTURE,
    "one-host-of-many": CAPTURE,
    "page-migrations": "no simulated run of TensorFlow holds it; its own test has it in a warm-up step",
    "too-few-steps": CAPTURE,
    "tracer-overhead": CAPTURE,
    "unused-parameters": "the search takes as long in each step",
    "warm-up-captured": "this is what it is about",
}


def kinds(rule: Rule) -> Iterator[str]:
    """The kinds of near-misses that the rule's own test is marked with."""
    path = REPOSITORY / "tests" / "judging" / "rules" / f"test_{rule.id.replace('-', '_')}.py"
    for function in ast.parse(path.read_text(encoding="utf-8")).body:
        for mark in getattr(function, "decorator_list", ()):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.near_miss":
                yield ast.literal_eval(mark.args[0])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_has_near_misses_or_a_reason_why_not(rule: Rule) -> None:
    found = set(kinds(rule))

    assert "below" in found, f"Mark a test of {rule.id} with @pytest.mark.near_miss('below')."
    assert ("hidden" in found) != (rule.id in NOT_HIDDEN), (
        f"Mark a test of {rule.id} with @pytest.mark.near_miss('hidden') or say in NOT_HIDDEN why not."
    )
    assert any(cause.rule == rule.id for cause in ONCE.values()) != (rule.id in NOT_IN_WARM_UP), (
        f"Give {rule.id} a cause in ONCE of tests/accuracy or say in NOT_IN_WARM_UP why not."
    )
