"""Eleven small trainings on this machine's CPU, each slow for one cause: the report on their
recordings names it first, and following its advice makes the step shorter.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.processes import environment, tfperf
from tests.recording.test_trainings import QUIET, skip_without
from tfperf_plugin.api import analyze
from tfperf_plugin.report.model import Report

pytestmark = pytest.mark.slow

PLANTED = Path(__file__).parent / "planted"
TENSORFLOW, JAX = {"KERAS_BACKEND": "tensorflow"}, {"KERAS_BACKEND": "jax"}
CAUSES = [
    pytest.param("keras_fit", "map", TENSORFLOW, "input-bound", "num_parallel_calls", id="Keras-map"),
    pytest.param("keras_fit", "eager", TENSORFLOW, "eager-execution", "run_eagerly", id="Keras-eager"),
    pytest.param("tensorflow_loop", "numbers", {}, "function-retracing", "tf.constant", id="TF-numbers"),
    pytest.param("tensorflow_loop", "eager", {}, "eager-execution", "@tf.function", id="TF-eager"),
    pytest.param("jax_loop", "jit", {}, "xla-recompilation", "Create jitted functions once", id="JAX-jit"),
    pytest.param("jax_loop", "numpy", {}, "step-gaps", "load the next one", id="JAX-numpy"),
    pytest.param("jax_loop", "layers", {}, "eager-execution", "one jax.jit", id="JAX-layers"),
    pytest.param("torch_loop", "loader", {}, "input-bound", "num_workers", id="PyTorch-loader"),
    pytest.param("torch_loop", "examples", {}, "eager-execution", "whole batch", id="PyTorch-examples"),
    pytest.param("keras_fit", "sequence", JAX, "step-gaps", "PyDataset", id="Keras-on-JAX-sequence"),
    pytest.param("keras_fit", "eager", JAX, "eager-execution", "run_eagerly", id="Keras-on-JAX-eager"),
]  # fmt: skip
"""Program, planted cause, variables, the finding that names it, and words of the advice that removes it."""


def recorded(out: Path, program: str, variables: dict[str, str], *arguments: str) -> Report:
    """The report on 15 steps of a training."""
    options = ["--out", str(out), "--after", "20", "--steps", "15"]
    training = [sys.executable, str(PLANTED / f"{program}.py"), *arguments]
    env = environment(CUDA_VISIBLE_DEVICES="-1", **QUIET, **variables)
    done = tfperf("record", *options, "--", *training, env=env)
    assert done.returncode == 0, done.stderr
    return analyze(str(out))


@pytest.mark.parametrize(("program", "cause", "variables", "named", "advised"), CAUSES)
def test_the_first_finding_is_the_planted_cause_and_its_fix_works(
    tmp_path: Path, program: str, cause: str, variables: dict[str, str], named: str, advised: str
) -> None:
    skip_without(
        *{"keras_fit": ("tensorflow",), "torch_loop": ("torch",), "jax_loop": ("jax",)}.get(program, ())
    )

    slow = recorded(tmp_path / "slow", program, variables, cause)
    fixed = recorded(tmp_path / "fixed", program, variables, cause, "--fixed")

    first = slow.findings[0]
    assert first.id == named and first.severity != "info"
    assert any(advised in action for action in first.fix.actions)
    # At least half of the time that the finding names: other programs run on this machine, too.
    (share,) = (row.value for row in first.evidence if row.label.startswith("share of the host's step"))
    assert fixed.steps.p50_ns < (1 - share / 2) * slow.steps.p50_ns  # type: ignore[operator]
