"""Tensors that are turned between channels first and channels last around convolutions."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, fires, passes, says
from tests.judging.rules.kernels import K, training
from tfperf_plugin.judging.rules.one_gpu import layout_transposes as rule
from tfperf_plugin.judging.rules.one_gpu.layout_transposes import RULE

TO_LAST = "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>(P)"
SWAP = "void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 256, 32, 32>(P)"
CONV = "StatefulPartitionedCall/model/conv/Conv2D:Conv2D"
CONVOLUTION = K(20, "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_interior_nhwc_tn_v1", CONV)


def test_those_of_the_layout_optimizer_count() -> None:
    turn = K(8, SWAP, "model/conv/Conv2D-0-TransposeNHWCToNCHW-LayoutOptimizer:Transpose")
    found = fires(RULE, training([turn, CONVOLUTION]))

    assert found.claims == {"compute": 8_000_000}
    assert says(found, rule.BY_OPTIMIZER)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("kernels", "beside"),
    [
        ([K(0.9, TO_LAST, CONV)], []),
        ([K(20, SWAP, "model/attention/transpose:Transpose")], []),
        ([K(20, HALF_GEMM, "")], []),
        ([], [K(20, TO_LAST, CONV)]),
    ],
    ids=["below 1 %", "the model's own transpose", "no transpose", "under other kernels"],
)
def test_what_stays_silent(kernels: list[K], beside: list[K]) -> None:
    passes(RULE, training([*kernels, CONVOLUTION], beside=beside))


def test_rearranging_weights_is_no_turn_between_layouts() -> None:
    """TensorFlow reverses the dimensions of filters for cuDNN in each step, channels last or not."""
    shuffle = "void tensorflow::functor::ShuffleInTensor3Simple<float, {}, false>(int, float const*, float*)"
    weights = K(20, shuffle.format("2, 1, 0"), CONV)

    passed = passes(RULE, training([weights, CONVOLUTION]))

    assert "rearrange the weights of convolutions, which any layout needs, take 20.0 ms" in passed.reason
    images = K(8, shuffle.format("0, 2, 1"), CONV)
    assert fires(RULE, training([weights, images, CONVOLUTION])).claims == {"compute": 8_000_000}
