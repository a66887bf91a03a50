"""What the corpus covers."""

from __future__ import annotations

import pytest

from demo.accuracy.bases import (
    DEVICES,
    Setting,
    fits,
    healthy,
    wire_bytes,
    work_ns,
)
from demo.accuracy.causes import BY_NAME, CAUSES, Cause
from demo.accuracy.corpus import RUNS_PER_CAUSE, Case, combine, compose, corpus, singles
from demo.simulator.devices import Device

each_cause = pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.name)


@pytest.mark.slow
def test_the_same_code_makes_the_same_cases() -> None:
    assert corpus() == corpus()
    assert len({case.name for case in corpus()}) == len(corpus())


@pytest.mark.slow
def test_every_training_fits_into_its_memory() -> None:
    """But for those that are meant to be nearly full, with some room."""
    meant = {cause.name for cause in CAUSES if cause.rule == "memory-pressure"}
    cases = [case for case in corpus() if not meant.intersection(name for name, _ in case.causes)]

    assert [case.name for case in cases if not fits(case.training())] == []


@each_cause
def test_each_cause_meets_each_level_of_each_factor(cause: Cause) -> None:
    mine = [case.setting for case in singles() if case.causes[0][0] == cause.name]

    assert len(mine) == RUNS_PER_CAUSE
    assert {s.device for s in mine} == set(cause.devices)
    assert {s.generation for s in mine} == set(cause.generations)
    assert {s.layout for s in mine} == set(cause.layouts)
    assert {s.steps for s in mine} == set(cause.steps)
    assert {s.jitter for s in mine} == set(cause.jitters)
    assert {s.model for s in mine} == set(cause.models)
    assert {s for c in singles() if c.causes[0][0] == cause.name for _, s in c.causes} == set(cause.shares)


@each_cause
def test_a_cause_changes_the_training_and_without_it_it_is_gone(cause: Cause) -> None:
    case = next(case for case in singles() if case.causes[0][0] == cause.name)
    bare = Case(case.setting).training(), compose(case.setting, [])

    assert bare[0] == bare[1]
    assert case.training() != case.training(without=(cause.name,))
    assert case.training() != bare[0]


def test_two_causes_combine_only_where_their_order_makes_no_difference() -> None:
    float32, tf32 = BY_NAME["float32"], BY_NAME["TF32"]
    callback, reading = BY_NAME["a silent callback"], BY_NAME["slow reading"]

    assert combine(callback, reading)
    assert not combine(float32, tf32)  # of one rule
    assert not combine(BY_NAME["the GPUs are not recorded"], reading)  # hides it
    assert not combine(BY_NAME["one GPU after the other"], BY_NAME["uneven batches"])


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
@pytest.mark.parametrize("gpus", [1, 8])
def test_a_healthy_step_can_hide_its_transfer(device: Device, gpus: int) -> None:
    for setting in (Setting(device=device, gpus=gpus, model=model) for model in ("convnet", "transformer")):
        training = healthy(setting)
        transfer_ns = wire_bytes(training) / training.device.bus_gbps
        assert transfer_ns < 0.25 * work_ns(training)
