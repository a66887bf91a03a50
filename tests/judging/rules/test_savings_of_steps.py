"""What a finding on steps of one GPU promises against what it brings when its cause is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demo.build import training
from demo.simulator import Training
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Communication, Launching
from tests.judging.rules.test_savings_of_several_gpus import assert_keeps_its_promise

EAGER, TRACED, COMPILED = (
    training(name) for name in ("eager_execution", "function_retracing", "xla_recompilation")
)
RARE, POST = training("step_outliers"), training("case_heavy_post_processing")

# Rule, training with the cause, training without it.
CASES: dict[str, tuple[str, Training, Training]] = {
    "eager": ("eager-execution", EAGER, replace(EAGER, eager=False)),
    "eager, slower Python": (
        "eager-execution",
        replace(EAGER, launching=Launching(python_ns=150 * MICROSECOND_NS)),
        replace(EAGER, eager=False),
    ),
    "eager, larger batch": (
        "eager-execution",
        replace(EAGER, model=ConvNet(batch=128), readback_lag=0),
        replace(EAGER, model=ConvNet(batch=128), readback_lag=0, eager=False),
    ),
    "traced in each step": ("function-retracing", TRACED, replace(TRACED, retrace_every=0)),
    "traced in every third step": (
        "function-retracing",
        replace(TRACED, retrace_every=3, steps=16),
        replace(TRACED, retrace_every=0, steps=16),
    ),
    "traced, Keras, the loss read in each step": (
        "function-retracing",
        replace(TRACED, generation="keras3", readback_lag=0),
        replace(TRACED, generation="keras3", readback_lag=0, retrace_every=0),
    ),
    "compiled in every third step": ("xla-recompilation", COMPILED, replace(COMPILED, recompile_every=0)),
    "compiled in each step, old TensorFlow": (
        "xla-recompilation",
        replace(COMPILED, recompile_every=1, generation="old"),
        replace(COMPILED, recompile_every=0, generation="old"),
    ),
    "compiled on four GPUs": (
        "xla-recompilation",
        replace(COMPILED, gpus=4, recompile_every=2, communication=Communication(launcher="xla")),
        replace(COMPILED, gpus=4, recompile_every=0, communication=Communication(launcher="xla")),
    ),
    "checkpoint after every fifth step": ("step-outliers", RARE, replace(RARE, between_steps=())),
    "checkpoint, silent": (
        "step-outliers",
        replace(RARE, between_steps=tuple(replace(w, op="", every=4) for w in RARE.between_steps)),
        replace(RARE, between_steps=()),
    ),
    "images after each step": ("step-gaps", POST, replace(POST, between_steps=())),
}


@pytest.mark.parametrize("case", CASES)
def test_the_promise_is_what_it_brings(case: str, tmp_path: Path) -> None:
    assert_keeps_its_promise(CASES[case], tmp_path)
