"""Ops and kernels of judged steps: counts, times and launches; ops on the host and their own time."""

from __future__ import annotations

from tests.builders import HALF_GEMM, MS, SGEMM, Host, each, inputs
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.ops import Launch, Ops, read_details
from tfperf_plugin.analysis.artifacts.compute.phases import Phase
from tfperf_plugin.analysis.artifacts.host.host_ops import HostOps

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


def test_replicas_are_one_op() -> None:
    found = inputs(two_gpus()).of(Ops)

    # Three of four steps are judged: the last one's end is not recorded.
    assert found.windows_count == 6
    assert [(r.name, r.phase, len(r.rows)) for r in found.ops] == [
        (BACKWARD, Phase.BACKWARD, 1),
        (FORWARD, Phase.FORWARD, 2),
    ]
    assert found.ops[1].times == Times(12, 3 * (10 + 11 + 4 + 4) * 10**6, 4_000_000, 11_000_000)
    assert found.ops[1].times.mean_ns == 7_250_000
    assert [(r.name, r.phase, len(r.ops), r.times) for r in found.types] == [
        ("MatMul", r.phase, 1, r.times) for r in found.ops
    ]


def test_kernels_are_apart_by_op_and_configuration() -> None:
    host = Host()
    host.steps(2, 100)
    for begin, grid in ((10, "1,1,1"), (20, "2,1,1"), (30, "2,1,1")):
        host.kernel(
            begin, begin + 1, name=HALF_GEMM, op=FORWARD,
            stats={"kernel_details": f"regs:32 static_shared:0 dynamic_shared:64 grid:{grid} block:32,1,1"},
        )  # fmt: skip
    found = inputs(host).of(Ops)

    assert [(r.launch.grid, r.times.count) for r in found.kernels] == [("2,1,1", 2), ("1,1,1", 1)]
    assert found.kernels[0].tensor_cores
    assert len(found.ops[0].rows) == 2


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


def test_many_codes_are_counted_as_few_are() -> None:
    """Where names and ops are so many that their pairs are sorted instead of counted in a table."""
    host = Host()
    host.steps(2, 100)
    for number in range(2100):
        at = 1 + number / 50
        host.kernel(at, at + 0.01, name=f"kernel_{number}", op=f"model/op_{number}:Add")
    found = inputs(host).of(Ops)

    assert len(found.kernels) == 2100
    assert {r.times.count for r in found.kernels} == {1}


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


def test_ops_on_the_host_and_their_own_time() -> None:
    host = two_gpus()

    def step(at: float) -> None:
        host.event("model/map/while:Where", at + 5, at + 25, thread="tf_Compute/1")
        host.event("SomethingBetween", at + 6, at + 16, thread="tf_Compute/1")
        host.event("replica_1/model/Unique:Unique", at + 7, at + 15, thread="tf_Compute/1")
        host.event("EagerLocalExecute: Sum", at + 90, at + 91)
        host.event("EagerLocalExecute: __inference_step_1", at + 1, at + 89)

    each(4, 100, step)
    host.event("model/map/while:Where", 500, 600, thread="tf_Compute/1")
    found = inputs(host).of(HostOps)

    assert found.steps_count == 3
    assert [(r.name, r.calls_count, r.total_ns // 10**6, r.self_ns // 10**6) for r in found.rows] == [
        ("model/map/while:Where", 3, 60, 36),
        ("model/Unique:Unique", 3, 24, 24),
        ("Sum", 3, 3, 3),
    ]


def multiplies(host: Host, at: float) -> None:
    host.event("model/dense/MatMul:_MklMatMul", at + 10, at + 40)


def test_ops_of_a_host_without_gpus() -> None:
    made = inputs(Host(gpus=0).trained(3, 100, multiplies))

    assert made.of(HostOps).rows[0].name == "model/dense/MatMul:_MklMatMul"
    assert not isinstance(made.get(Ops), Ops)


def test_outermost_ops_of_pytorch_count_where_no_gpu_works() -> None:
    def step(host: Host, at: float) -> None:
        host.event("aten::linear", at + 10, at + 40)
        host.event("aten::addmm", at + 11, at + 39)
        host.event("aten::relu", at + 50, at + 60)

    found = inputs(Host(gpus=0).trained(3, 100, step)).of(HostOps)

    assert [(r.name, r.calls_count) for r in found.rows] == [("aten::addmm", 2), ("aten::relu", 2)]
    assert found.per_step == 2
    on_gpu = Host().trained(3, 100, step)
    on_gpu.kernel(20, 30)
    assert inputs(on_gpu).of(HostOps).per_step is None


def test_ops_of_several_hosts_are_averaged_over_all_their_steps() -> None:
    hosts = [Host(name=name, gpus=0).trained(4, 100, multiplies) for name in ("a", "b")]
    found = inputs(*hosts).of(HostOps)

    assert (found.steps_count, found.rows[0].calls_count) == (6, 6)
