"""What names of ops tell: layers, scopes, optimizers."""

from __future__ import annotations

import pytest

from tfperf_plugin.analysis.artifacts.compute.op_names import is_optimizer, work


@pytest.mark.parametrize(
    ("op", "layer", "family"),
    [
        ("StatefulPartitionedCall/model/conv/Conv2D:Conv2D", "model/conv", "Conv2D"),
        ("gradient_tape/model/conv/Conv2D/Conv2DBackpropFilter:Conv2DBackpropFilter", "model/conv", "Conv2D"),
        ("gradient_tape/model/conv/Conv2DBackpropInput:Conv2DBackpropInput", "model/conv", "Conv2D"),
        ("gradient_tape/replica_1/model/dense/MatMul/MatMul_1:MatMul", "model/dense", "MatMul"),
        ("model/bn/FusedBatchNormV3:FusedBatchNormV3", "model/bn", "FusedBatchNorm"),
        ("gradient_tape/model/bn/FusedBatchNormGradV3:FusedBatchNormGradV3", "model/bn", "FusedBatchNorm"),
        ("gradient_tape/model/conv/BiasAdd/BiasAddGrad:BiasAddGrad", "model/conv", "BiasAdd"),
        ("custom-call.7", "custom-call.7", ""),
        ("MatMul:MatMul", "", "MatMul"),
        ("", "", ""),
    ],
)
def test_an_op_and_its_gradients_have_the_layer_in_common(op: str, layer: str, family: str) -> None:
    assert work(op) == (layer, family)


@pytest.mark.parametrize(
    ("op", "optimizer"),
    [
        ("StatefulPartitionedCall/adam/mul_3:Mul", True),
        ("AdamW/Sqrt_1:Sqrt", True),
        ("loss_scale_optimizer/Mul:Mul", True),
        ("model/adam_layer_norm/mul:Mul", False),
        ("model/dense/Adam:Mul", False),
        ("adam", False),
    ],
)
def test_ops_of_the_optimizer_are_told_by_their_scope(op: str, optimizer: bool) -> None:
    assert is_optimizer(op) is optimizer
