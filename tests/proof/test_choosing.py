"""Which switches a tuning tries."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.proof.tuning import chosen
from tfperf_plugin.report.model import Workload


@pytest.mark.parametrize(
    ("workload", "often"),
    [
        (Workload(framework="TensorFlow", keras=True), ["steps-per-execution=16", "jit-compile"]),
        (Workload(framework="JAX", keras=True), ["steps-per-execution=16", "jit-compile"]),
        (Workload(framework="PyTorch"), ["fused-optimizer", "torch-compile"]),
        (Workload(framework="JAX"), []),
        (Workload(), []),
    ],
)
def test_what_often_helps_is_told_by_the_framework_whatever_words_name_it(
    workload: Workload, often: list[str]
) -> None:
    report = replace(make_report(), findings=(), workload=workload, program="JAX, PyTorch, Keras")

    assert chosen(report, only=(), skipped=(), allowed=()) == dict.fromkeys(often, "")
