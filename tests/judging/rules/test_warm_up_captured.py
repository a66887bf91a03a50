"""The recording begins with steps that trace and compile."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, finding, judge, value
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.rules.warm_up_captured import RULE


def training(*compiling: float) -> Host:
    """Six steps of 100 ms, the n-th of which compiles for the n-th number of ms."""
    host = Host()
    host.steps(6, 100)
    each(6, 100, lambda at: host.kernel(at, at + 100))
    for number, length in enumerate(compiling):
        if length:
            host.event("XlaCompile", number * 100, number * 100 + length)
    return host


def test_the_step_that_is_left_out_is_named() -> None:
    found = finding(RULE, training(80))

    assert found.severity == "info"
    assert found.title == "Warm-up left out: the first step"
    assert "Step 0 takes 100 ms: it traces or compiles functions" in found.summary
    assert value(found, "steps left out") == 1
    assert [(p.begin_ms, p.step) for p in found.where] == [(0, 0)]


def test_several_are_listed() -> None:
    found = finding(RULE, training(80, 50))

    assert found.title == "Warm-up left out: the first 2 steps"
    assert "Steps 0 and 1 take up to 100 ms: they trace or compile functions" in found.summary
    assert value(found, "steps left out") == 2


@pytest.mark.near_miss("below")
def test_a_little_compiling_is_no_warm_up() -> None:
    assert isinstance(judge(RULE, training(4.9)), Passed)
    assert finding(RULE, training(5)).severity == "info"


def test_compiling_in_a_later_step_is_no_warm_up() -> None:
    assert isinstance(judge(RULE, training(0, 0, 80)), Passed)


def test_compiling_in_every_step_is_no_warm_up_either() -> None:
    assert isinstance(judge(RULE, training(*[80.0] * 6)), Passed)


def test_without_steps_the_question_does_not_arise() -> None:
    assert isinstance(judge(RULE, Host()), NotApplicable)


def test_one_later_step_that_traces_again_does_not_bring_the_warm_up_back() -> None:
    found = finding(RULE, training(80, 0, 0, 10))

    assert value(found, "steps left out") == 1
    assert isinstance(judge(RULE, training(80, 0, 80, 80, 80)), Passed)  # it compiles all the time


def starting(last_copy: float) -> Host:
    """Two of three GPUs begin the first step one after another; the third one receives its data."""
    host = Host(gpus=3)
    host.step(0, 0, 200)
    host.kernel(10, 20, 0)
    host.kernel(90, 100, 1)
    host.copy("H2D", last_copy, last_copy + 1, gpu=2, size=4)
    return host


def test_a_recording_that_ends_while_gpus_are_being_started_says_so() -> None:
    found = finding(RULE, starting(150))

    assert found.severity == "warning"
    assert found.title == "Start-up recorded instead of training"
    assert "GPU 0 after 0.01 s and GPU 1 after 0.09 s; GPU 2 only received data" in found.summary
    assert "Record later, after the first steps." in found.summary
    assert (value(found, "GPUs that have begun"), value(found, "GPUs that received data")) == (2, 1)


@pytest.mark.near_miss("below")
def test_a_gpu_that_had_its_data_while_others_computed_is_not_about_to_start() -> None:
    assert isinstance(judge(RULE, starting(50)), Passed)
