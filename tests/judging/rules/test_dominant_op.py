"""One op takes most of the GPU's time."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import (
    HALF_GEMM,
    Host,
    TraceInputs,
    fires,
    inputs_of_run,
    judge,
    passes,
    says,
)
from tests.judging.rules.kernels import K, copying, training
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import dominant_op as rule
from tfperf_plugin.judging.rules.one_gpu.dominant_op import RULE

OUT = "model/output_filter/Conv2D"


def layers(*lengths: float) -> list[K]:
    """Kernels of layers of their own that leave nothing for the product which fills the step."""
    return [K(ms, HALF_GEMM, f"model/dense_{i}/MatMul:MatMul") for i, ms in enumerate(lengths)]


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "hidden"),
    [
        (training(layers(24, *[8] * 9, 3.9)), False),  # less than a quarter is usual
        (training(layers(50, 26, 20, 3.9)), False),  # two large ops are no single place to look at
        (training(layers(20, 20, 20, 20, 19.9), warm_up=layers(40)), False),
        # Half of all kernel time, but without it no step would be shorter.
        (training(layers(*[9] * 11), beside=[K(90, HALF_GEMM, f"{OUT}:Conv2D")]), True),
    ],
    ids=["24 %", "two", "warm-up", "on a second stream"],
)
def test_what_does_not_dominate(host: Host, hidden: bool) -> None:
    assert says(passes(RULE, host), rule.HIDDEN) == hidden
    assert fires(RULE, training(layers(25, *[8] * 9, 2.9))).severity == "info"


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("name", "capability", "older"),
    [
        ("flash_fwd_kernel", (9, 0), True),
        ("flash_fwd_kernel", (8, 0), False),
        ("FlashAttnFwdSm90", (9, 0), False),
    ],
)
def test_attention_of_older_gpus_is_told_on_hopper(
    name: str, capability: tuple[int, int], older: bool
) -> None:
    host = Host(capability=capability).trained(
        5,
        100,
        lambda host, at: host.kernel(
            at, at + 90, name=f"void flash::{name}<128>(Params)", op="attention/f:F"
        ),
    )

    assert fires(RULE, host).values["FlashAttention 2"] == older


def without_ops(*kernels: tuple[str, float], vendor: str = "Nvidia") -> TraceInputs:
    """A recording without ops, as of Nsight Systems; names of kernels, and their ms in each step."""
    host = Host(vendor=vendor).steps(5, 100)
    for step in range(0, 500, 100):
        at: float = step
        for name, ms in kernels:
            host.kernel(at, at + ms, name=name)
            at += ms
    return inputs_of_run([replace(host.trace(), lacks=frozenset({"compilation"}))])


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("own::batched_matmul<float>", "Compare own::batched_matmul<float> with cuBLAS"),
        ("own::divergence<float>", "Find out what limits own::divergence<float>"),
        ("tiled_gemm(float const *, float *, int)", "Compare tiled_gemm with cuBLAS"),
        ("gemm_small<float>(float const *, float *)", "Check whether the model needs gemm_small<float>"),
        ("gemm_small(cublasGemmParams *)", "Check whether the model needs gemm_small"),
        ("cutlass::matmul<float>", "Check whether the model needs cutlass::matmul<float>"),
    ],
)
def test_a_product_that_no_library_brings_along_is_held_against_one(name: str, action: str) -> None:
    (found,) = run_rules([RULE], without_ops((name, 60))).findings

    assert found.action == action
    assert says(found, rule.BY_HAND) == ("cuBLAS" in action)


@pytest.mark.near_miss("different")
def test_tools_of_another_vendor_are_not_named() -> None:
    (found,) = run_rules([RULE], without_ops(("own::matmul<float>", 60), vendor="AMD")).findings
    words = f"{found.action} {found.summary} {found.fix.actions}"

    assert "rocprof-compute" in words and words.count("hipBLASLt") == 3
    assert not any(tool in words for tool in ("cuBLAS", "cuDNN", "CUTLASS", "ncu"))


@pytest.mark.near_miss("different")
def test_a_kernel_does_not_stand_for_ops_where_ops_could_have_been_recorded() -> None:
    host = Host().steps(5, 100)
    for at in range(0, 500, 100):
        host.kernel(at, at + 60, name="divergence(int, double)")

    assert isinstance(judge(RULE, host), Missing)


def test_without_a_kernel_the_question_does_not_arise() -> None:
    assert says(judge(RULE, copying()), rule.NOTHING)
