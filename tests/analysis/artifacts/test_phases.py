"""Phases: told from names as frameworks write them, and sums that are exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.build import training
from demo.simulator import Training
from demo.simulator.models import ConvNet, Transformer
from tests.builders import HALF_GEMM, MS, Host, inputs
from tests.judging.rules.test_simulated_causes import analyse
from tests.strategies import Recording, recordings
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, Phases, phase_of, plain_op
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.finding import find_runs

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


def test_an_op_has_one_name_on_all_gpus() -> None:
    assert plain_op("gradient_tape/replica_3/model/a/MatMul:MatMul") == "gradient_tape/model/a/MatMul:MatMul"
    assert plain_op("StatefulPartitionedCall/replica_1/model/a/Add:AddV2") == "model/a/Add:AddV2"
    assert plain_op("my_replica_3/a:Add") == "my_replica_3/a:Add"


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


@pytest.mark.parametrize(("unscoped", "told"), [(19, True), (21, False)])
def test_too_little_that_is_told(unscoped: int, told: bool) -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 100 - unscoped, op=OPS[2])
        host.kernel(at + 100, at + 100 + unscoped, op=OPS[4])

    found = inputs(Host().trained(3, 200, step)).of(Phases)

    assert found.told_ratio == pytest.approx(1 - unscoped / 100)
    assert ("79 %" in found.reason) is not told


def test_without_a_backward_pass_a_scope_tells_nothing() -> None:
    host = Host().trained(3, 100, lambda host, at: host.kernel(at, at + 50, name=HALF_GEMM, op=OPS[0]))
    found = inputs(host).of(Phases)

    assert found.told_ratio == 0
    assert "backward pass" in found.reason


def test_xla_keeps_where_an_instruction_comes_from() -> None:
    def step(host: Host, at: float) -> None:
        for begin, scope in (
            (0, "jit(step)/jit(main)/jvp(MLP)/dot"),
            (50, "jit(step)/transpose(jvp(MLP))/dot"),
        ):
            stats = {"hlo_op": f"fusion.{begin}", "tf_op": "XlaModule:", "name": scope}
            host.kernel(at + begin, at + begin + 20, stats=dict(stats))

    found = inputs(Host().trained(3, 100, step)).of(Phases)

    assert found.average_ns["backward"] == 20 * MS


JOB = training("healthy_single_gpu")


@pytest.mark.parametrize(
    "job",
    [
        JOB,
        replace(JOB, generation="old"),
        replace(JOB, generation="trace", gpus=2),
        replace(JOB, model=Transformer(batch=8), precision="bf16"),
        replace(JOB, model=ConvNet(batch=32), compute_streams=2, precision="fp32"),
    ],
    ids=["keras3", "old", "two GPUs", "transformer", "two streams"],
)
def test_simulated_trainings(job: Training) -> None:
    """The share of each phase is that of the kernels which the model lists for it."""
    kernels = job.model.kernels(job.device, job.precision)
    length = {p: sum(k.duration_ns for k in kernels if k.phase == p) for p in ("backward", "optimizer")}
    total = sum(k.duration_ns for k in kernels)
    found: Phases = analyse(job).get(Phases)
    compute = sum(found.average_ns.values())

    assert found.reason == ""
    if job.compute_streams == 1:
        for phase, ns in length.items():
            assert found.average_ns[phase] / compute == pytest.approx(ns / total, abs=0.02)
    assert found.average_ns["loss"] > 0
    assert found.average_ns["other"] == 0


def test_eager_training_is_not_told() -> None:
    found: Phases = analyse(training("tracer_overhead")).get(Phases)

    assert found.told_ratio < 0.8
    assert "run eagerly" in found.reason


def test_a_real_profile(real_logdir: Callable[..., Path]) -> None:
    """A part of a step of BERT: the forward pass, and what the backward pass can do at its very begin."""
    (run,) = find_runs(str(real_logdir("GPU-multi-worker")))
    report = build_report(run)

    assert report.phases is not None
    assert report.phases.items is not None
    assert report.phases.told_ratio > 0.99
    assert report.ledger is not None
    by_id = {item.id: item.ns for item in report.phases.items}
    compute = next(a.ns for a in report.ledger.accounts if a.id == "compute")
    assert sum(by_id.values()) == compute
    assert by_id["forward"] > 0.99 * compute
