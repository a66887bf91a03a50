"""What the only recorded step does besides training, and the same step without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.simulator import simulate
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.training import (
    MILLISECOND_NS,
    Collector,
    Communication,
    InputPipeline,
    Startup,
    Training,
)
from tests.strategies import Analysis, analyse
from tfperf_plugin.analysis.artifacts.host.startup import Startup as Found

ONE = Training(
    model=ConvNet(batch=128),
    generation="old",
    steps=1,
    readback_lag=0,
    input=InputPipeline(arrays=True),
    collector=Collector(one_batch=True, op_events=False),
)
JAX = Training(
    model=Transformer(batch=8, layers=2),
    jax=True,
    gpus=2,
    steps=2,
    communication=Communication(launcher="xla"),
)


def analysed(training: Training) -> Analysis:
    return analyse(simulate(training).files["worker0"])


def startup(training: Training) -> Found:
    return analysed(training).inputs().of(Found)


@pytest.mark.parametrize("training", [ONE, replace(ONE, generation="keras3"), JAX], ids=["old", "new", "JAX"])
def test_a_usual_step_does_not_start_up(training: Training) -> None:
    assert startup(training).ns == 0


def test_what_is_tried_out_is_no_compute() -> None:
    usual, tuned = analysed(ONE), analysed(replace(ONE, startup=Startup(candidates=3)))
    assert usual.ledger is not None
    assert tuned.ledger is not None
    (before,), (after,) = usual.ledger.hosts[0].devices, tuned.ledger.hosts[0].devices

    assert len(after.kernels) == len(before.kernels)
    now, then = tuned.ledger.average(), usual.ledger.average()
    assert now["compute"] == pytest.approx(then["compute"], rel=0.02)
    gained = tuned.ledger.step_ns - usual.ledger.step_ns
    assert now["idle.startup"] == pytest.approx(gained, rel=0.05)


@pytest.mark.parametrize("held_ms", [2, 5, 17])
def test_what_the_driver_holds_is_what_the_step_takes_longer(held_ms: int) -> None:
    found = startup(replace(ONE, startup=Startup(held_ns=held_ms * MILLISECOND_NS)))

    assert set(found.by_cause) == {"calling"}
    assert found.ns == pytest.approx(held_ms * MILLISECOND_NS, rel=0.02)


def test_the_buffers_of_a_first_call_in_jax() -> None:
    allocating = replace(JAX, steps=3, startup=Startup(allocating_ns=20 * MILLISECOND_NS))

    assert analysed(allocating).steps.warm_up.tolist()[:2] == [True, False]
    assert not analysed(replace(allocating, startup=Startup())).steps.warm_up.any()
