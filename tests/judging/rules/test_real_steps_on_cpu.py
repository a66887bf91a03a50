"""What is said of real trainings on this machine's CPU that trace, compile or run eagerly in each step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.judging.engine.evidence_level import severity_at_most
from tfperf_plugin.judging.engine.severity import severity_at
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report

pytestmark = pytest.mark.slow

RULES = ("eager-execution", "function-retracing", "xla-recompilation")


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("tensorflow")
    out = tmp_path_factory.mktemp("captured")
    command = [sys.executable, "-m", "tests.judging.rules.steps_on_cpu", str(out)]
    subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY)
    return out


def report(captured: Path, name: str) -> Report:
    (run,) = find_runs(str(captured / name))
    return build_report(run)


def found(captured: Path, name: str) -> dict[str, Finding]:
    return {f.id: f for f in report(captured, name).findings}


def evidence(finding: Finding, label: str) -> Evidence:
    return next(e for e in finding.evidence if e.label.startswith(label))


def test_a_python_number_that_changes_is_traced_in_each_step(captured: Path) -> None:
    findings = found(captured, "python_number")
    retracing = findings["function-retracing"]

    assert next(iter(findings)) == "function-retracing"
    assert (
        retracing.severity == "warning"
    )  # at most, where neither a GPU's work nor products on the CPU were recorded
    assert "trace train anew" in retracing.summary
    # A step in which other programs take the processor is left out.
    judged = [column.number for column in report(captured, "python_number").steps.columns if column.judged]
    assert len(judged) > 4
    assert evidence(retracing, "steady steps that trace").value == len(judged)
    # Once for each of the steps before and while it was recorded.
    assert evidence(retracing, "traces of train so far").value == judged[-1] + 1
    assert "xla-recompilation" not in findings


def test_tensors_in_its_place_are_traced_once(captured: Path) -> None:
    assert not set(RULES) & set(found(captured, "tensors"))


def test_a_loop_without_functions_is_eager(captured: Path) -> None:
    whole = report(captured, "eager")
    recorded = whole.capture_quality
    assert recorded is not None
    eager = next(f for f in whole.findings if f.id == "eager-execution")

    # What else runs on the machine decides how much of the step this is, how even the steps are, and whether
    # a product takes long enough to prove that no GPU computes it.
    between = evidence(eager, "share of the host's step").value
    assert isinstance(between, float)
    by_share = severity_at(between)
    assert by_share is not None
    assert eager.severity == severity_at_most(by_share, recorded.level)
    assert eager.cause.startswith("Python runs 40 ops per step one by one")
    assert "function-retracing" not in found(captured, "eager")


def test_keras_that_runs_eagerly_is_eager(captured: Path) -> None:
    findings = found(captured, "keras_eager")

    assert next(iter(findings)) == "eager-execution"
    assert "step-gaps" not in findings


def test_new_shapes_are_compiled_in_each_step(captured: Path) -> None:
    findings = found(captured, "shapes")

    assert next(iter(findings)) == "xla-recompilation"
    compiling = findings["xla-recompilation"]
    assert "XLA compiles train anew" in compiling.summary
    assert evidence(compiling, "share of the host's step").value > 0.5  # type: ignore[operator]
    assert evidence(compiling, "of them traced anew").value == 0
    assert "function-retracing" not in findings


def test_new_shapes_without_a_signature_are_traced_as_well(captured: Path) -> None:
    findings = found(captured, "shapes_traced")

    assert list(findings)[:2] == ["xla-recompilation", "function-retracing"]
    assert evidence(findings["xla-recompilation"], "of them traced anew").value >= 8  # type: ignore[operator]


def test_one_shape_is_compiled_once(captured: Path) -> None:
    assert not set(RULES) & set(found(captured, "one_shape"))


def test_a_callback_that_sleeps_is_a_gap_without_a_name(captured: Path) -> None:
    findings = found(captured, "keras_sleeps")
    gaps = findings["step-gaps"]

    assert next(iter(findings)) == "step-gaps"
    assert gaps.saving is None
    assert evidence(gaps, "the host between steps").value > 20_000_000  # type: ignore[operator]
    assert "No recorded event covers this work" in gaps.summary
    assert not set(RULES) & set(findings)


def test_a_callback_that_draws_with_tensorflow_is_named(captured: Path) -> None:
    findings = found(captured, "keras_draws")

    assert next(iter(findings)) == "step-gaps"
    assert "Meanwhile the host runs eager ops outside the step's function" in findings["step-gaps"].summary
    assert not set(RULES) & set(findings)
