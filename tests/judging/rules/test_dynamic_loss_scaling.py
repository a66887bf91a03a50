"""The optimizer waits until the host has decided whether the gradients are finite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import ADD, HALF_GEMM, SGEMM, Host, each, finding, fires, judge, passes, value
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable
from tfperf_plugin.judging.rules.precision.dynamic_loss_scaling import RULE
from tfperf_plugin.readers.logdirs.finding import find_runs

# As Keras 3 on TensorFlow 2.21 and TensorFlow 2.3 name them.
KERAS_3 = (
    "StatefulPartitionedCall/IsFinite_1:IsFinite",
    "StatefulPartitionedCall/cond/then/_22/cond/adam/Sub_10:Sub",
)
OLD = "replica_4/IsFinite:IsFinite", "cond_17/then/_256/cond_17/AdamWeightDecay/update/Mul:Mul"


def training(
    gap: float,
    names: tuple[str, str] = KERAS_3,
    gemm: str = HALF_GEMM,
    steps_with_gap: int = 6,
    hidden: bool = False,
    capability: tuple[int, int] = (7, 0),
) -> Host:
    """Steps of 100 ms: 80 ms until the gradients are checked, a gap, and the optimizer."""
    host = Host(capability=capability).steps(6, 100)
    check, optimizer = names

    def step(at: float) -> None:
        pause = gap if at < 100 * steps_with_gap else 0
        host.kernel(at + 0.01, at + 79, name=gemm, op="dense/MatMul:MatMul", launch=(at, at + 0.005))
        host.kernel(at + 79, at + 80, name=ADD, op=check, launch=(at + 0.01, at + 0.015))
        launched = at + 80 + pause - 0.01 if pause else at + 0.02
        host.kernel(at + 80 + pause, at + 100, name=ADD, op=optimizer, launch=(launched, launched + 0.005))

    each(6, 100, step)
    if hidden:
        each(6, 100, lambda at: host.kernel(at, at + 100, stream=8))
    return host


@pytest.mark.parametrize("names", [KERAS_3, OLD], ids=["Keras 3", "TensorFlow 2.3"])
def test_the_gap_before_the_optimizer_is_the_finding(names: tuple[str, str]) -> None:
    found = finding(RULE, training(gap=10, names=names))

    assert found.severity == "warning"
    assert found.saving and found.saving.ns == 11_000_000  # the gap, and the millisecond of checking
    assert value(found, "GPU idle before the first kernel") == 10_000_000
    assert value(found, "kernels that check gradients") == 1_000_000
    assert names[1].partition("/then/")[0] in found.summary
    assert (found.where[0].begin_ms, found.where[0].end_ms) == (80, 90)


def test_bfloat16_is_advised_only_where_the_gpu_has_it() -> None:
    assert fires(RULE, training(10)).advice == ""
    assert fires(RULE, training(10, capability=(8, 0))).advice == "bfloat16"


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [training(0), training(0.9), training(10, hidden=True), training(19, steps_with_gap=2)],
    ids=["no gap", "0.9 %", "hidden", "in a third of the steps"],
)
def test_what_scaling_does_not_cost(host: Host) -> None:
    passes(RULE, host)
    assert fires(RULE, training(gap=1)).claims["idle.unknown"] > 0


@pytest.mark.parametrize(
    ("names", "gemm"),
    [
        ((KERAS_3[0], "cond_4/then/_48/cond_4/OptionalGetValue:OptionalGetValue"), HALF_GEMM),
        ((KERAS_3[0], "StatefulPartitionedCall/adam/Sub_10:Sub"), HALF_GEMM),
        (("dense/Relu:Relu", KERAS_3[1]), HALF_GEMM),
        (KERAS_3, SGEMM),
    ],
    ids=["another conditional", "no conditional", "no check", "no 16 bits"],
)
def test_what_is_no_loss_scaling(names: tuple[str, str], gemm: str) -> None:
    assert isinstance(judge(RULE, training(10, names, gemm)), NotApplicable)


def test_where_only_the_host_ran_the_optimizers_branch_kernels_are_missing() -> None:
    check, optimizer = KERAS_3
    host = Host()

    def step(at: float) -> None:
        host.kernel(at, at + 80, name=HALF_GEMM, op="dense/MatMul:MatMul")
        host.event(check, at + 80, at + 80.1, thread="tf_Compute/1")
        host.event(optimizer, at + 90, at + 90.1, thread="tf_Compute/1")

    host.steps(6, 100)
    each(6, 100, step)
    found = judge(RULE, host)

    assert isinstance(found, Missing)
    assert optimizer.partition("/then/")[0] in found.reason


def test_a_real_profile_whose_optimizer_was_not_recorded(real_logdir: Callable[..., Path]) -> None:
    (run,) = find_runs(str(real_logdir("GPU-multi-worker")))
    report = build_report(run)

    assert RULE.id in [row.id for row in report.missing_data]
    assert not {"host-op-in-step", "host-sync-in-step", "host-thread-contention", RULE.id} & {
        f.id for f in report.findings
    }
    assert [i.cause for i in report.idle] == [None] * len(report.idle)
