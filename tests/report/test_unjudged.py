"""Kernels without a known limit, and what to run to find it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host, inputs
from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.words import RECORD
from tfperf_plugin.report.panels.headline import Unjudged, measure

SECONDS = "tfperf record --after-seconds 30 -- python PROGRAM"
NCU = "ncu --set full --kernel-name regex:gemm --launch-count 1"
GEMM = Unjudged(0.9, "own::gemm<float>", 0.8, "")


@pytest.mark.parametrize(
    ("program", "lacks", "command"),
    [
        (Program(""), (), f"{NCU} PROGRAM"),
        (Program("", amd=True), (), "rocprof-compute profile --name limits --kernel gemm -- PROGRAM"),
        (Program("JAX", training=True), ("shapes",), f"{NCU} python train.py"),
        (Program("PyTorch", training=True), ("memory",), f"{NCU} python train.py"),
        (Program("PyTorch", training=True), ("shapes",), RECORD),
        (Program("PyTorch"), ("shapes",), SECONDS),
    ],
)
def test_sizes_of_tensors_tell_limits_else_a_measured_kernel(
    program: Program, lacks: tuple[str, ...], command: str
) -> None:
    capture: Capture = inputs(Host()).get(Capture)

    assert measure(GEMM, program, replace(capture, lacks=lacks)) == command
