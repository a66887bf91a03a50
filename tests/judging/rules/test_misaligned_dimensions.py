"""Sides of matrix products that do not suit the Tensor Cores."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, SGEMM, Host, finding, fires, judge, passes, says, value
from tests.judging.rules.kernels import A100, K, training
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable
from tfperf_plugin.judging.rules.precision import misaligned_dimensions as rule
from tfperf_plugin.judging.rules.precision.misaligned_dimensions import RULE
from tfperf_plugin.trace.model import Product

OP = "model/logits/MatMul:MatMul"
NARROW = "void cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_64x1_nn_align1>(Params)"

TF32 = "cutlass_80_tensorop_s1688dgrad_optimized_tf32_128x128_16x4_nhwc_align4"


def product(
    ms: float, m: int, n: int, k: int, kernel: str = HALF_GEMM, format: str = "fp16", window: int = 1
) -> Host:
    """A product on an A100: 312 TFLOP/s in 16 bit, of which libraries reach 80 % on a GPU without a name."""
    host = training([K(ms, kernel, OP)], device=A100)
    size = 2 * (m * n + n * k + m * k)
    host.work(OP, 2 * m * n * k * window, size, format, [Product(1, m, n, k, format, window)])
    return host


def test_padding_adds_work_that_the_saving_leaves() -> None:
    """With 9 channels in, 16 are 1.78 times the work: of 40 ms, 1.78 halves are left."""
    needed_ns = 2 * 2**20 * 512 * 9 * 25 / (2048 * 108 * 1.41e9 * 0.8) * 1e9
    found = fires(RULE, product(40, 2**20, 512, 9, window=25))

    assert value(found, "needed at the next multiples") == pytest.approx(needed_ns * 16 / 9, rel=1e-3)
    assert found.claims == {"compute": pytest.approx(40_000_000 * (1 - 16 / 9 / 2), rel=1e-3)}


def test_narrow_loads_of_kernels_whose_work_is_unknown_cost_half() -> None:
    found = finding(RULE, training([K(40, NARROW, OP, "(half[4096,1020];half[1020,4096])")]))

    assert "16 bytes: 1020." in found.summary
    assert found.saving and (found.saving.ns, found.confidence) == (20_000_000, "medium")
    assert [(p.label, p.end_ms - p.begin_ms) for p in found.where] == [("product with narrow loads", 40)]
    assert says(fires(RULE, training([K(40, NARROW, OP)])), rule.ODD_UNKNOWN)
    assert isinstance(judge(RULE, training([K(40, NARROW.replace("align1", "align8"), OP)])), Missing)


@pytest.mark.parametrize(
    ("format", "align", "saving_ns"), [("fp16", 4, 20_000_000), ("fp32", 4, 0), ("fp32", 2, 20_000_000)]
)
def test_how_many_elements_a_load_takes_depends_on_the_format(
    format: str, align: int, saving_ns: int
) -> None:
    kernel = (
        (NARROW if format == "fp16" else TF32).replace("align1", "align4").replace("align4", f"align{align}")
    )
    host = training([K(40, kernel, OP)], device=A100)
    host.work(OP, 10**12, 10**6, format)

    if saving_ns:
        assert fires(RULE, host).claims == {"compute": saving_ns}
    else:
        passes(RULE, host)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        product(1.8, 4096, 50257, 768),  # 1.42 times what it needs
        product(4, 4096, 50264, 768),  # 50264 = 8 × 6283
        product(1.9, 4096, 8191, 768),  # half of it is less than 1 % of the step
        product(10, 1, 50257, 4096),  # a matrix by a vector waits for memory
        product(10, 2047, 512, 512, window=9),  # rows of a convolution do not lie along memory
        product(80, 8191, 8191, 8191, SGEMM, "fp32"),  # ordinary units
        product(30, 4097, 4097, 4097, "volta_fp16_sgemm_fp16_128x64_nn"),  # tensor-cores-unused
        product(5, 8192, 8192, 8191, NARROW),  # needs 4.4 ms
        product(4, 4096, 50264, 768, NARROW),  # its sides are not the cause of narrow loads
        product(40, 4096, 4100, 4100, TF32, "tf32"),  # 4 elements of 32 bits are 16 bytes
        training([K(1.9, NARROW, OP)]),
        training([K(1, HALF_GEMM)], device=A100, beside=[K(30, NARROW, OP)]),
    ],
    ids=[
        "fast", "multiple", "short", "vector", "places", "ordinary units", "beside", "at the floor",
        "multiple, narrow loads", "multiple of 4 in TF32", "short, narrow loads", "under others",
    ],
)  # fmt: skip
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)


def test_gpus_without_tensor_cores_are_not_judged() -> None:
    assert isinstance(judge(RULE, training([K(30, NARROW, OP)], capability=(6, 1))), NotApplicable)
