"""Ops and kernels of judged steps: counts, times and launches; ops on the host and their own time."""

from __future__ import annotations

from tests.builders import HALF_GEMM, MS, SGEMM, Host, inputs
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.ops import Launch, Ops, read_details

FORWARD = "model/dense/MatMul:MatMul"
BACKWARD = "gradient_tape/model/dense/MatMul/MatMul:MatMul"


def two_gpus() -> Host:
    def step(host: Host, at: float) -> None:
        for index in range(2):
            name = f"replica_{index}/{FORWARD}" if index else FORWARD
            host.kernel(at + 10, at + 20 + index, index, HALF_GEMM, op=name)
            host.kernel(at + 30, at + 34, index, SGEMM, op=name)
            host.kernel(at + 40, at + 70, index, HALF_GEMM, op=BACKWARD)

    return Host(gpus=2).trained(4, 100, step)


def test_totals_agree_with_the_kernels_that_rules_see() -> None:
    made = inputs(two_gpus())
    found, kernels = made.of(Ops), made.of(Kernels)

    assert found.total_ns == kernels.total_ns == sum(r.times.total_ns for r in found.kernels)
    assert sum(r.times.count for r in found.kernels) == sum(r.times.count for r in kernels.rows)
    assert found.windows_count == kernels.windows_count
    assert [(r.op, r.times.max_ns) for r in kernels.rows[-2:]] == [
        (FORWARD, 4 * MS),
        (f"replica_1/{FORWARD}", 4 * MS),
    ]


def test_details_of_all_collectors() -> None:
    new = "regs:168 static_shared:1024 dynamic_shared:48 grid:216,2,1 block:256,1,1 occ_pct:62.5"
    assert read_details(new) == Launch(168, 1072, "216,2,1", "256,1,1", 0.625)
    assert read_details("regs:38 shm:16 grid:160,1,1 block:1024,1,1") == Launch(
        38, 16, "160,1,1", "1024,1,1", None
    )
    rocm = " grid:219,40,1 block:256,1,1 private_mem:0 group_mem:49280 occ_pct:0"
    assert read_details(rocm) == Launch(None, 49280, "219,40,1", "256,1,1", None)
    assert read_details("") == Launch(None, None, "", "", None)
    assert read_details("regs:x grid:1,1 occ_pct:") == Launch(None, None, "", "", None)
