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


APPLY = [K(0.03, ADAM, f"adam/update_{i}/ResourceApplyAdam:ResourceApplyAdam") for i in range(100)]
# Adam's loop over 60 parameters of a million numbers, of which weight decay passes over twice.
LOOP = [
    K(0.05, MUL, f"adam/aten::{name} 1000×1000", work=OpWork(1_000_000, 0, "", 12_000_000))
    for name in ("mul_", "mul_", "lerp_", "sqrt", "addcdiv_") * 60
]


@pytest.mark.parametrize(
    ("kernels", "stated", "spent", "parameters", "source"),
    [
        (op_by_op(), MILLION, 6_000_000, 10**7, "28 bytes for each of 10,000,000 parameters (as given)"),
        (APPLY, MILLION, 3_000_000, 10**7, "(as given)"),  # one kernel for each variable counts too
        (LOOP, None, 15_000_000, 60 * 10**6, "60,000,000 parameters (by the sizes"),
        (
            op_by_op(100, 0.01) * 3,
            MILLION,
            15_000_000,
            3 * 10**7,
            "(as given)",
        ),  # three training steps a call
    ],
    ids=["op by op", "fused", "sizes of PyTorch's ops", "several training steps"],
)
def test_the_bound_is_one_pass_over_all_variables(
    kernels: Sequence[K], stated: Stated | None, spent: int, parameters: int, source: str
) -> None:
    found = fires(RULE, training(kernels, device=A100), stated=stated)

    # 28 bytes a parameter at 0.85 × 1555 GB/s.
    needed = round(28 * parameters / 1321.75)
    assert found.claims == {"compute": spent - needed, "idle.unknown": 0}
    assert value(found, "update kernels per step") == len(kernels)
    assert value(found, "what one pass needs") == needed
    assert source in evidence(found.evidence, "what one pass needs").source


def test_without_parameters_the_bytes_of_its_ops_are_needed() -> None:
    found = finding(RULE, training(op_by_op(size=10_000_000), device=A100))

    # 10 MB take 7.566 µs of each kernel's 20 µs.
    assert found.saving and found.saving.ns == pytest.approx(300 * (20_000 - 7_566), rel=0.001)
    assert "3.0 GB that its ops move" in evidence(found.evidence, "what one pass needs").source


def test_without_either_nothing_is_claimed() -> None:
    assert isinstance(judge(RULE, training(op_by_op(), device=A100)), Missing)
    assert isinstance(judge(RULE, training(op_by_op()), stated=MILLION), Missing)


@pytest.mark.parametrize(("stated", "id"), [(MILLION, "optimizer-per-variable"), (None, "small-kernels")])
def test_small_kernels_has_them_only_where_this_rule_cannot_judge(stated: Stated | None, id: str) -> None:
    host = training(op_by_op(400, 0.004), device=A100)

    assert [f.id for f in run_rules([SMALL, RULE], inputs(host, stated=stated)).findings] == [id]


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
