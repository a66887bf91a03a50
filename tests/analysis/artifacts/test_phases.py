"""Phases: told from names as frameworks write them, and sums that are exact."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import HALF_GEMM, MS, Host, inputs
from tests.strategies import Recording, recordings
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, Phases, phase_of

FORWARD, LOSS, BACKWARD, OPTIMIZER, OTHER = Phase


@pytest.mark.parametrize(
    ("op", "phase"),
    [
        # Keras 2, one GPU and several
        ("sequential/dense/MatMul:MatMul", FORWARD),
        ("replica_3/model/conv2d/Conv2D:Conv2D", FORWARD),
        ("gradient_tape/replica_3/model/conv2d/Conv2D/Conv2DBackpropInput:Conv2DBackpropInput", BACKWARD),
        ("replica_1/sparse_categorical_crossentropy/weighted_loss/Sum:Sum", LOSS),
        ("gradient_tape/sparse_categorical_crossentropy/weighted_loss/Tile:Tile", BACKWARD),
        ("mean_squared_error/SquaredDifference:SquaredDifference", LOSS),
        ("Adam/Adam/update_12/ResourceApplyAdam:ResourceApplyAdam", OPTIMIZER),
        ("SGD/SGD/AssignAddVariableOp:AssignAddVariableOp", OPTIMIZER),
        ("cond_16/then/_232/cond_16/cond/then/_38304/cond_16/cond/update_6/Mul:Mul", OPTIMIZER),
        ("cond_1/then/_10/cond_1/Adam/Pow:Pow", OPTIMIZER),
        ("LossScaleOptimizer/mul:Mul", OPTIMIZER),
        ("AddN_3:AddN", BACKWARD),
        # Keras 3
        ("StatefulPartitionedCall/functional_1/dense_1/Cast:Cast", FORWARD),
        ("StatefulPartitionedCall/gradient_tape/functional_1/dense_1/MatMul/MatMul:MatMul", BACKWARD),
        ("StatefulPartitionedCall/gradient_tape/replica_2/functional_1/add/Sum:Sum", BACKWARD),
        ("StatefulPartitionedCall/compile_loss/mse/Mean:Mean", LOSS),
        ("StatefulPartitionedCall/adamw/Sqrt:Sqrt", OPTIMIZER),
        ("while/body/_1/while/StatefulPartitionedCall/loss_scale_optimizer/cond/then/_9/Mul:Mul", OPTIMIZER),
        ("StatefulPartitionedCall/compile_metrics/accuracy/Sum:Sum", OTHER),
        # custom loops
        ("resnet/stage1/block/Conv2D:Conv2D", FORWARD),
        ("compute_loss/softmax_cross_entropy_with_logits/Mul:Mul", LOSS),
        ("MatMul_4:MatMul", OTHER),
        ("SoftmaxCrossEntropyWithLogits:SoftmaxCrossEntropyWithLogits", LOSS),
        ("ReluGrad:ReluGrad", BACKWARD),
        ("ResourceApplyKerasMomentum:ResourceApplyKerasMomentum", OPTIMIZER),
        # the gradient of a convolution is the forward pass of a transposed one
        ("decoder/conv2d_transpose/conv2d_transpose:Conv2DBackpropInput", FORWARD),
        ("Conv2DBackpropInput:Conv2DBackpropInput", OTHER),
        # TensorFlow 1 in graph mode
        ("gradients/dense/MatMul_grad/MatMul:MatMul", BACKWARD),
        # JAX and XLA
        ("jit(train_step)/jit(main)/jvp(MLP)/Dense_0/dot_general", FORWARD),
        ("jit(train_step)/jit(main)/transpose(jvp(MLP))/Dense_0/dot_general", BACKWARD),
        ("jit(train_step)/jit(main)/transpose(jvp(MLP))/rematted_computation/tanh", BACKWARD),
        ("jit(train_step)/jit(main)/mul", OTHER),
        ("jit(train_step)/jit(main)/adamw/mul", OPTIMIZER),
        ("jit(forward_3d_conv)/conv_general_dilated", OTHER),
        ("XlaModule:", OTHER),
        ("loop_add_fusion.3", OTHER),
        ("", OTHER),
    ],
)
def test_names(op: str, phase: Phase) -> None:
    assert phase_of(op) is phase


OPS = (
    "model/dense/MatMul:MatMul",
    "compile_loss/mse/Mean:Mean",
    "gradient_tape/model/dense/MatMul/MatMul:MatMul",
    "adam/Sqrt:Sqrt",
    "MatMul_1:MatMul",
)


@given(recordings(units=(1, 1000, 70_000)), st.data())
def test_phases_add_up_to_compute_exactly(recording: Recording, data: st.DataObject) -> None:
    named = [
        replace(e, stats={**e.stats, "tf_op": data.draw(st.sampled_from(OPS))})
        if e.gpu >= 0 and data.draw(st.booleans())
        else e
        for e in recording.events
    ]
    analysis = replace(recording, events=named).analyse()
    ledger = analysis.ledger
    assert ledger is not None
    made = analysis.inputs()
    found = made.of(Phases)

    for device in ledger.hosts[0].devices:
        sums = made.part(Phases)[device.host, device.device]
        assert (sums >= 0).all()
        assert sums.sum(axis=1).tolist() == device.sums_ns[:, 0].tolist()
    assert sum(found.average_ns.values()) == ledger.average()["compute"]
    assert 0 <= found.told_ratio <= 1


def test_where_kernels_overlap_the_first_one_counts() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at + 10, at + 40, op=OPS[2])
        host.kernel(at + 30, at + 60, op=OPS[3], stream=8)
        host.kernel(at + 45, at + 50, op=OPS[0], stream=9)
        host.kernel(at + 70, at + 90, op=OPS[0])

    found = inputs(Host().trained(3, 100, step)).of(Phases)

    assert list(found.average_ns.values()) == [20 * MS, 0, 30 * MS, 20 * MS, 0]
    assert (found.told_ratio, found.reason) == (1, "")


def test_without_a_backward_pass_a_scope_tells_nothing() -> None:
    host = Host().trained(3, 100, lambda host, at: host.kernel(at, at + 50, name=HALF_GEMM, op=OPS[0]))
    found = inputs(host).of(Phases)

    assert found.told_ratio == 0
    assert "backward pass" in found.reason
