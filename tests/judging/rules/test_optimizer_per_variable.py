"""An optimizer that updates each variable with kernels of its own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import Host, evidence, finding, fires, inputs, judge, value
from tests.judging.rules.kernels import A100, K, moving, training
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.analysis.artifacts.compute.updates import parameter_bytes
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu.optimizer_per_variable import RULE
from tfperf_plugin.judging.rules.one_gpu.small_kernels import RULE as SMALL
from tfperf_plugin.trace.model import OpWork

MUL = "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel"
ADAM = "void tensorflow::functor::ApplyAdamKernel<float>(int, float*)"
MILLION = Stated(parameters=10_000_000)


def op_by_op(variables: int = 60, ms: float = 0.02, size: int = 0, optimizer: str = "adam") -> list[K]:
    """Keras 3 updates each variable with a handful of ops."""
    names = ("mul:Mul", "mul_1:Mul", "add:AddV2", "Sqrt:Sqrt", "truediv:RealDiv")
    work = moving(size) if size else None
    return [
        K(ms, MUL, f"StatefulPartitionedCall/{optimizer}/v{i}/{name}", work=work)
        for i in range(variables)
        for name in names
    ]


def test_the_bound_is_one_pass_over_all_variables() -> None:
    host = training(op_by_op(), device=A100)
    found = fires(RULE, host, stated=MILLION)

    # 300 kernels of 20 µs − 28 bytes × 10 million / (0.85 × 1555 GB/s).
    needed = round(280e6 / 1321.75)
    assert found.claims == {"compute": 6_000_000 - needed, "idle.unknown": 0}
    assert value(found, "update kernels per step") == 300
    assert value(found, "what one pass needs") == needed
    assert (
        "28 bytes for each of 10,000,000 parameters (as given)" in evidence(found.evidence, "what one").source
    )


def test_one_kernel_for_each_variable_counts_too() -> None:
    kernels = [K(0.03, ADAM, f"adam/update_{i}/ResourceApplyAdam:ResourceApplyAdam") for i in range(100)]

    found = fires(RULE, training(kernels, device=A100), stated=MILLION)

    assert found.claims == {"compute": 3_000_000 - round(280e6 / 1321.75), "idle.unknown": 0}
    assert value(found, "ResourceApplyAdam") == 3_000_000


def test_sizes_of_the_ops_of_pytorch_tell_the_parameters() -> None:
    """Adam's loop over 60 parameters of a million numbers, of which weight decay passes over twice."""
    work = OpWork(1_000_000, 0, "", 12_000_000)
    names = ("mul_", "mul_", "lerp_", "sqrt", "addcdiv_")
    kernels = [K(0.05, MUL, f"adam/aten::{name} 1000×1000", work=work) for name in names * 60]
    found = fires(RULE, training(kernels, device=A100))

    assert found.claims["compute"] == 15_000_000 - round(28 * 60e6 / 1321.75)
    assert "60,000,000 parameters (by the sizes" in evidence(found.evidence, "what one").source


def test_gaps_between_updates_go_with_them() -> None:
    """Kernels launched ahead leave the GPU idle for 2 µs each: one is the price of another kernel."""
    host = Host(device=A100).steps(5, 10)
    for at in range(0, 50, 10):
        for number in range(400):
            begin = at + 0.005 * number
            host.kernel(begin, begin + 0.003, name=ADAM, op=f"adam/update_{number}:ResourceApplyAdam")
        host.kernel(at + 2, at + 10, name="ampere_sgemm_128x64_tn", op="model/dense/MatMul:MatMul")

    claims = fires(RULE, host, stated=MILLION).claims

    assert claims == {"compute": 1_200_000 - round(280e6 / 1321.75), "idle.unknown": 399 * 1_000}


def test_without_parameters_the_bytes_of_its_ops_are_needed() -> None:
    found = finding(RULE, training(op_by_op(size=10_000_000), device=A100))

    # 10 MB take 7.566 µs of each kernel's 20 µs.
    assert found.saving and found.saving.ns == pytest.approx(300 * (20_000 - 7_566), rel=0.001)
    assert "3.0 GB that its ops move" in evidence(found.evidence, "what one pass needs").source


def test_memory_that_stays_bounds_the_parameters() -> None:
    """1.2 GB stay; at 12 bytes for the weight and both values of Adam these are at most 100 million."""
    kernels = [K(0.05, ADAM, f"adam/update_{i}/ResourceApplyAdam:ResourceApplyAdam") for i in range(100)]
    host = training(kernels, device=A100)
    for at in (1, 50, 101, 150):
        host.memory(at, 1_200_000_000, 40_000_000_000, 1_200_000_000)
    found = fires(RULE, host)

    assert found.claims == {"compute": 5_000_000 - round(2.8e9 / 1321.75), "idle.unknown": 0}
    assert "stays allocated" in evidence(found.evidence, "what one pass needs").source


def test_without_either_nothing_is_claimed() -> None:
    assert isinstance(judge(RULE, training(op_by_op(), device=A100)), Missing)
    assert isinstance(judge(RULE, training(op_by_op()), stated=MILLION), Missing)


def test_small_kernels_leaves_them_to_this_rule() -> None:
    host = training(op_by_op(400, 0.004), device=A100)
    (found,) = run_rules([SMALL, RULE], inputs(host, stated=MILLION)).findings

    assert found.id == "optimizer-per-variable"


def test_small_kernels_has_them_where_this_rule_cannot_judge() -> None:
    (found,) = run_rules([SMALL, RULE], inputs(training(op_by_op(400, 0.004), device=A100))).findings

    assert found.id == "small-kernels"


def test_each_op_has_one_cause() -> None:
    slow = inputs(training(op_by_op(size=10_000_000), device=A100)).get(Slow)

    assert len(slow.ops("optimizer-per-variable")) == 300
    assert set(slow.by_cause) == {"optimizer-per-variable"}


@pytest.mark.parametrize(
    ("ops", "size"),
    [
        (["Adam/update/ResourceApplyAdam:ResourceApplyAdam"], 28),
        (["SGD/update/ResourceApplyGradientDescent:ResourceApplyGradientDescent"], 12),
        (["SGD/update/ResourceApplyKerasMomentum:ResourceApplyKerasMomentum"], 20),
        (["sgd/mul:Mul"], 20),
        (["adagrad/update/ResourceApplyAdagradV2:ResourceApplyAdagradV2"], 20),
        (["sgd/mul:Mul", "adam/mul:Mul"], 28),
        (["my_optimizer/mul:Mul"], 28),
    ],
)
def test_the_optimizer_says_how_much_it_keeps(ops: Sequence[str], size: int) -> None:
    assert parameter_bytes(ops) == size


def test_several_training_steps_in_one_call_need_as_many_passes() -> None:
    host = training(op_by_op(100, 0.01) * 3, device=A100)

    assert value(fires(RULE, host, stated=MILLION), "what one pass needs") == round(3 * 280e6 / 1321.75)


OTHER = [K(0.05, MUL, f"model/block_{i}/mul:Mul") for i in range(300)]
# Older Keras computes gradients in the scope of the optimizer.
SUMS = [K(0.05, MUL, f"Adam/gradients/AddN_{i}:AddN") for i in range(300)]
SCALE = [K(0.05, MUL, f"adam/loss_scale_optimizer/v{i}/mul:Mul") for i in range(300)]


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "kernels",
    [op_by_op(19, 0.2), op_by_op(60, 0.003), op_by_op(60, 0.0039), OTHER, SUMS, SCALE],
    ids=[
        "too few",
        "below 1 % of the step",
        "below 1 % above its need",
        "other ops",
        "sums of gradients",
        "a loss scale",
    ],
)
def test_what_stays_silent(kernels: Sequence[K]) -> None:
    verdict = judge(RULE, training(kernels, device=A100), stated=MILLION)

    assert isinstance(verdict, Passed | NotApplicable)


@pytest.mark.near_miss("hidden")
def test_under_a_product_it_costs_nothing() -> None:
    host: Host = training([], beside=op_by_op(), device=A100)

    assert not isinstance(judge(RULE, host, stated=MILLION), Found)
