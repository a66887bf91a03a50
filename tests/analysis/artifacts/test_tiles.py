"""Tiles in kernels' names, and what Winograd and FFT convolutions run."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from tfperf_plugin.analysis.artifacts.compute.tiles import op_products_run, products_run, tile_of
from tfperf_plugin.trace.model import OpWork, Product

DATA = "void cudnn::winograd_nonfused::winogradForwardData9x9_5x5<float, float>(cudnn::WinogradDataParams)"
TRANSFORM = "void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*)"
FUSED = "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"


def convolution(
    gradient: Literal["", "input", "filter"],
    examples: int,
    size: int,
    channels: tuple[int, int],
    window: int = 9,
) -> OpWork:
    """Of square images and a square window."""
    places = examples * size * size
    product = Product(1, places, channels[1], channels[0], "fp32", window, gradient, (size, size))
    flops = 2 * product.m * product.n * product.k * window
    return OpWork(flops, flops, "fp32", 1, False, "convolution", (product,))


@pytest.mark.parametrize(
    ("name", "tile"),
    [
        ("volta_sgemm_128x64_nt", (128, 64)),
        ("volta_sgemm_32x32_sliced1x4_nn", (32, 32)),
        ("maxwell_scudnn_128x32_stridedB_splitK_interior_nn", (128, 32)),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", (128, 128)),
        ("ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_tn", (256, 64)),
        ("volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1", (256, 128)),
        ("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_stage3_warpsize2x4x1", (128, 256)),
        ("cutlass_80_tensorop_s16816gemm_f16_256x128_32x3_nn_align8", (256, 128)),
        ("void cutlass::Kernel<cutlass::gemm::GemmShape<64, 256, 32>, GemmShape<32, 64, 32>>", (64, 256)),
        ("Cijk_Ailk_Bljk_BBS_BH_MT128x96x64_MI16x16x16x1", (128, 96)),
        ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", (128, 256)),
        ("cudnn_maxwell_gcgemm_64x64_tn_batched", (64, 64)),
        ("void gemmSN_NN_kernel<float, 128, 2, 4, 8, 4, 4, false>", None),
        (FUSED, None),
        (DATA, None),
    ],
)  # fmt: skip
def test_the_tile_in_a_name(name: str, tile: tuple[int, int] | None) -> None:
    assert tile_of(name) == tile


def test_a_forward_pass_by_winograd_runs_17_of_141_gflop() -> None:
    """169 products of [2048, 96] · [96, 256]: 4 by 4 tiles of 9×9 cover 30×30 places of 128 examples."""
    work = convolution("", 128, 30, (96, 256), window=25)

    assert work.flops == 141_557_760_000
    assert products_run("volta_sgemm_128x64_nn", (16, 4, 169), work) == 2 * 169 * 2048 * 96 * 256
    launches = [(DATA, (64, 96, 1)), ("volta_sgemm_128x64_nn", (16, 4, 169))]
    assert op_products_run(launches, work) == 17_012_097_024


@pytest.mark.parametrize(
    ("work", "kernel", "grid", "operations"),
    [
        # Sums over the channels out; of the tile's 128 rows, 96 channels fill three quarters.
        (("input", 128, 30, (96, 256), 25), "maxwell_sgemm_128x128_nt", (16, 1, 169), 338 * 2048 * 96 * 256),
        # Sums over the tiles: 4×4 of them cover 14×14 places by 4 by 4, in 128 examples: 2048.
        (("filter", 128, 14, (384, 256)), "volta_sgemm_128x64_nt", (3, 4, 36), 2 * 36 * 384 * 256 * 2048),
        # Multiplies complex numbers at 17 by 32 places.
        (("input", 256, 28, (6, 6)), "volta_cgemm_32x32_tn", (1, 8, 544), 8 * 544 * 6 * 256 * 6),
        # A block computes 32×32 numbers, of which 6×6 exist.
        (("filter", 256, 28, (6, 6)), "volta_cgemm_32x32_tn", (1, 1, 544), 8 * 544 * 6 * 6 * 256),
        # Takes some of the images: no more than its blocks hold.
        (("", 256, 28, (6, 6)), "volta_cgemm_32x32_tn", (1, 4, 544), 8 * 544 * 6 * 6 * 4 * 32),
    ],
    ids=["input gradient", "filter gradient", "FFT", "a corner of a tile", "some images"],
)  # fmt: skip
def test_what_product_kernels_run(
    work: tuple[Any, ...], kernel: str, grid: tuple[int, int, int], operations: int
) -> None:
    launches = [(TRANSFORM, (96, 1, 1)), (kernel, grid)]

    assert products_run(kernel, grid, convolution(*work)) == operations
    assert op_products_run(launches, convolution(*work)) == operations


@pytest.mark.parametrize(
    ("name", "grid"),
    [
        ("volta_sgemm_128x64_nn", (18, 1, 37)),
        ("volta_sgemm_128x64_nn", (18, 9, 36)),
        ("volta_sgemm_128x64_nn", (18, 1, 0)),
        ("void gemmSN_NN_kernel<float, 128, 2, 4, 8, 4, 4, false>", (18, 1, 36)),
    ],
    ids=["places", "channels", "no blocks", "no tile"],
)
def test_what_name_and_grid_do_not_tell_is_not_known(name: str, grid: tuple[int, int, int]) -> None:
    work = convolution("", 256, 11, (32, 64))
    assert products_run("volta_sgemm_128x64_nn", (18, 1, 36), work) == 2 * 36 * 256 * 9 * 64 * 32

    assert products_run(name, grid, work) is None
    assert op_products_run([(DATA, (1, 1, 1)), (name, grid)], work) is None


def test_a_convolution_without_transforms_is_direct() -> None:
    """The same product kernel, batched over 36 examples."""
    work = convolution("", 36, 11, (32, 64))

    assert op_products_run([("volta_sgemm_128x64_nn", (18, 1, 36))], work) is None


def test_a_filter_gradient_in_several_products_is_not_known() -> None:
    work = convolution("filter", 128, 14, (384, 256))
    product = "volta_sgemm_128x64_nt", (3, 4, 36)

    assert op_products_run([(DATA, (1, 1, 1)), product], work) == products_run(*product, work)
    assert op_products_run([(DATA, (1, 1, 1)), product, product], work) is None
