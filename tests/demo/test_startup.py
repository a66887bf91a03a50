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


def test_the_buffers_of_a_first_call_in_jax() -> None:
    allocating = replace(JAX, steps=3, startup=Startup(allocating_ns=20 * MILLISECOND_NS))

    assert analysed(allocating).steps.warm_up.tolist()[:2] == [True, False]
    assert not analysed(replace(allocating, startup=Startup())).steps.warm_up.any()
