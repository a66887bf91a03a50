"""What is said of the real recordings themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report


@pytest.fixture
def report(real_logdir: Callable[..., Path]) -> Callable[[str], Report]:
    def build(name: str) -> Report:
        (run,) = find_runs(str(real_logdir(name)))
        return build_report(run)

    return build


def reasons(report: Report) -> dict[str, str]:
    return {row.id: row.reason for row in (*report.passed, *report.not_applicable)}


def test_a_part_of_a_step_on_two_of_eight_gpus(report: Callable[[str], Report]) -> None:
    found = report("GPU-multi-worker")

    assert [(f.id, f.severity, f.title) for f in found.trust] == [
        ("too-few-steps", "warning", "One step recorded, not the time after it"),
        ("warm-up-captured", "warning", "Start-up recorded instead of training"),
    ]
    assert "GPU 4 after 1.79 s and GPU 6 after 2.44 s; GPU 1 only received data" in found.trust[1].summary
    assert found.findings == ()  # what lies between two starts is no step: nothing is to be gained there
    assert "673 ms that were recorded are no step of training" in found.headline
    assert found.advice == "Record later, after the first steps, when all GPUs are at work."
    assert "still being started" in reasons(found)["idle-gpus"]
    assert "still being started" in reasons(found)["gpu-stagger"]
    assert reasons(found)["no-device-events"] == "1,330 kernels were recorded on 2 GPUs."
    assert reasons(found)["no-step-markers"].startswith("1 step was told from calls of the function")
    assert reasons(found)["one-host-of-many"] == "No GPU ran a collective kernel."


def test_ten_marked_steps_on_a_cpu(report: Callable[[str], Report]) -> None:
    found = report("tf-cpu-input")

    assert found.trust == ()
    assert reasons(found)["too-few-steps"] == "10 complete steps were recorded after warm-up."
    assert reasons(found)["no-device-events"] == "The model ran on the CPU."
    assert [f.id for f in found.findings if f.severity != "info"] == [
        "input-bound",
        "step-gaps",
        "gpu-not-used",
    ]


def test_eight_gpus_without_marked_steps(report: Callable[[str], Report]) -> None:
    found = report("jax-mi300x")

    assert [f.id for f in found.trust] == [
        "too-few-steps",  # three, of 3.8 to 46 ms
        "no-step-markers",
        "warm-up-captured",
    ]
    assert [f.id for f in found.findings if f.severity != "info"] == [
        "unexplained-idle",
    ]
    assert reasons(found)["no-device-events"] == "200 kernels were recorded on 8 GPUs."


@pytest.mark.parametrize(
    ("profile", "name"),
    [
        ("GPU-multi-worker", "Tesla V100-SXM2-16GB (inferred)"),
        ("jax-mi300x", "Instinct MI300X (inferred)"),
    ],
)
def test_gpus_without_a_name_are_told_by_their_figures(
    report: Callable[[str], Report], profile: str, name: str
) -> None:
    assert {device.name for device in report(profile).devices} == {name}
