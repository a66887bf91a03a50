"""The published case studies on one GPU, simulated: what is said first, whatever recorded them.

Those of the input pipeline have tests of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from demo.build import training
from demo.simulator.training import Generation
from tests.judging.rules.test_simulated_causes import analyse
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES

# Scenario, and the rule that is to come first.
CASES = {
    "case_small_batch": "kernel-launch-bound",
    "case_h2d_interface": "h2d-copy-bound",
    "case_heavy_post_processing": "step-gaps",
    "case_loader_between_calls": "step-gaps",
    "dominant_op": "dominant-op",  # an 11x11 convolution on the output
}


@pytest.mark.parametrize("generation", get_args(Generation))
@pytest.mark.parametrize("name", CASES)
def test_the_cause_comes_first(name: str, generation: Generation) -> None:
    outcome = run_rules(RULES, analyse(replace(training(name), generation=generation)))

    assert [f.id for f in outcome.findings][:1] == [CASES[name]]
    assert [f.id for f in outcome.findings[1:] if f.severity != "info"] == []
    assert outcome.errors == ()


def test_post_processing_halves_the_work_of_the_gpu() -> None:
    """The article reports a GPU that is active for 47 % of each step."""
    inputs = analyse(training("case_heavy_post_processing"))
    assert inputs.ledger is not None

    assert inputs.ledger.average()["compute"] / inputs.ledger.step_ns == pytest.approx(0.47, abs=0.02)
