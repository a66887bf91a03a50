"""Large matrix products that take more than twice what good libraries need."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import (
    HALF_GEMM,
    SGEMM,
    Host,
    finding,
    fires,
    inputs,
    passes,
    says,
    value,
)
from tests.judging.rules.kernels import A100, K, training
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import slow_products as rule
from tfperf_plugin.judging.rules.one_gpu.slow_products import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord
from tfperf_plugin.trace.model import OpKind, Product

OP = "model/logits/MatMul:MatMul"
# 8192³ in fp16 is 1.1 TFLOP: 312 TFLOP/s, of which libraries reach 80 % at best (a GPU
# without a name), need 4.41 ms; of usual layers they reach 55 %: 6.41 ms.
CUBE = Product(1, 8192, 8192, 8192, "fp16")
FLOPS, SIZE = 2 * 8192**3, 3 * 2 * 8192**2
USUAL_NS = 6_410_000


def product(ms: float, flops: int = FLOPS, name: str = HALF_GEMM, **more: object) -> Host:
    host = training([K(ms, name, OP)], device=A100, **more)  # type: ignore[arg-type]
    host.work(OP, flops, SIZE, "fp16", [CUBE])
    return host


def test_of_float32_products_what_16_bit_would_save_is_not_claimed() -> None:
    """A quarter of 8192³ usually takes 17.6 ms on the ordinary units (80 % of 19.5 TFLOP/s)."""
    host = training([K(80, SGEMM, OP)], device=A100)
    host.work(OP, FLOPS // 4, SIZE, "fp32")

    needed_ns = FLOPS / 4 / (256 / 2 * 108 * 1.41e9 * 0.8) * 1e9
    assert fires(RULE, host).claims == {"compute": pytest.approx(80_000_000 - needed_ns, rel=1e-3)}


def turned(ms: float) -> Host:
    """A convolution that takes ``ms``, between transposes of its tensors that take 8 ms."""
    op = "model/conv/Conv2D:Conv2D"
    to_last, to_first = (f"void cudnn::ops::{n}Kernel<__half>(P)" for n in ("nchwToNhwc", "nhwcToNchw"))
    host = training([K(4, to_last, op), K(ms, HALF_GEMM, op), K(4, to_first, op)], device=A100)
    host.work(op, FLOPS, SIZE, "fp16", [CUBE])
    return host


def test_transposes_of_its_tensors_do_not_make_a_product_slow() -> None:
    passes(RULE, turned(5))
    assert [op.name for op in inputs(turned(5)).get(Slow).ops("layout-transposes")] == [
        "model/conv/Conv2D:Conv2D"
    ]
    assert fires(RULE, turned(20)).claims == {"compute": pytest.approx(20_000_000 - USUAL_NS, rel=1e-3)}


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        product(8.7),  # 1.97 times what it needs
        product(5, FLOPS // 4096),  # below 1 GFLOP
        product(1.2, FLOPS // 8),  # could save less than 1 % of the step
    ],
    ids=["fast enough", "small", "short"],
)
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)


@pytest.mark.near_miss("hidden")
def test_what_runs_under_other_products_costs_nothing() -> None:
    host = training([K(1, HALF_GEMM)], device=A100, beside=[K(30, HALF_GEMM, OP)])
    host.work(OP, FLOPS, SIZE, "fp16", [CUBE])

    passes(RULE, host)


@pytest.mark.parametrize(("side", "grid"), [(8191, ""), (8192, "grid:8,8,1 block:256,1,1")])
def test_a_special_cause_comes_first(side: int, grid: str) -> None:
    host = training([K(20, HALF_GEMM, OP, details=grid)], device=A100)
    host.work(OP, FLOPS, SIZE, "fp16", [Product(1, 8192, side, 8192, "fp16")])

    passes(RULE, host)


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("kernel", "command"),
    [
        ("gemm_fusion_dot_6", "XLA_FLAGS=--xla_gpu_enable_triton_gemm=false python train.py"),
        ("triton_gemm_dot_6", "XLA_FLAGS=--xla_gpu_enable_triton_gemm=false python train.py"),
        (HALF_GEMM, "XLA_FLAGS=--xla_gpu_triton_gemm_any=true python train.py"),
    ],
)
def test_triton_is_no_advice_for_what_triton_computes(kernel: str, command: str) -> None:
    made = inputs(product(20, name=kernel))
    made.facts = TrainingFacts((TrainingRecord(jit_compile=True),))
    (found,) = run_rules([RULE], made).findings

    assert found.command == command


def small_products(number: int, ms: float, kind: OpKind = "product", scope: str = "model/dense") -> Host:
    """Products of 256×256×256 in 16 bit, 34 MFLOP each, on a grid of as many blocks as multiprocessors."""
    small = Product(1, 256, 256, 256, "fp16")
    kernels = [
        K(ms, HALF_GEMM, f"{scope}_{i}/MatMul:MatMul", details="grid:108,1,1 block:256,1,1")
        for i in range(number)
    ]
    host = training(kernels, device=A100)
    for i in range(number):
        host.work(kernels[i].op, 2 * 256**3, 3 * 2 * 256**2, "fp16", [small])
        host.op_work["", kernels[i].op] = replace(host.op_work["", kernels[i].op], kind=kind)
    return host


def test_many_small_products_are_judged_together_without_a_promise() -> None:
    found = finding(RULE, small_products(20, 0.5))

    assert (found.saving, found.severity) == (None, "info")
    assert (value(found, "smaller products"), value(found, "these products")) == (20, 10_000_000)
    assert says(found, rule.TOGETHER_CAUSE) and says(found, rule.MERGE)
    assert says(fires(RULE, small_products(20, 0.5, "convolution")), rule.CONVOLUTIONS)
    assert says(fires(RULE, small_products(20, 0.5, scope="model/lstm/while/body/dense")), rule.LOOP)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("number", "ms"), [(9, 1), (20, 0.24)], ids=["few", "short"])
def test_few_or_short_small_products_stay_silent(number: int, ms: float) -> None:
    passes(RULE, small_products(number, ms))


def test_where_memory_bounds_the_products_it_is_said() -> None:
    host = training([K(20, HALF_GEMM, OP)], device=A100)
    host.work(OP, 2 * 1024**3, 8_000_000_000, "fp16", [Product(1, 1024, 1024, 1024, "fp16")])

    assert says(fires(RULE, host), rule.MEMORY_BOUND)
