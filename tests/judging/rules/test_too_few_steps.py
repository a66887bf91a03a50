"""Averages rest on too few steps."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.rules.capture import too_few_steps as rule
from tfperf_plugin.judging.rules.capture.too_few_steps import RULE


def training(markers: int) -> Host:
    return Host().trained(markers, 100, lambda host, at: host.kernel(at, at + 100))


def test_two_complete_steps_are_thin_evidence() -> None:
    found = finding(RULE, training(markers=3))

    assert found.severity == "warning"
    assert found.title == "Only 2 complete steps were recorded"
    assert value(found, "complete steps") == 2
    assert value(found, "steps recorded") == 3
    assert says(found, rule.CAPPED)


def test_one_is_said_in_the_singular() -> None:
    assert finding(RULE, training(2)).title == "Only 1 complete step was recorded"


def test_a_part_of_one_step_is_called_just_that() -> None:
    found = finding(RULE, training(markers=1))

    assert found.title == "One step recorded, not the time after it"
    assert says(found, rule.ONE)


def test_after_a_single_batch_of_keras_the_command_is_said_that_records_more() -> None:
    host = training(markers=1)
    host.event("Profiled batch", 0, 90)
    found = finding(RULE, host)

    assert found.title == "One step recorded, not the time after it"
    assert "tfperf record -- python train.py" in found.fix.summary
    assert "tfperf record" not in finding(RULE, training(markers=1)).fix.summary


@pytest.mark.near_miss("below")
def test_three_complete_steps_are_enough() -> None:
    assert judge(RULE, training(markers=4)) == Passed("3 complete steps were recorded after warm-up.")


def test_warm_up_steps_do_not_count() -> None:
    host = training(markers=4)
    host.event("XlaCompile", 0, 90)
    found = finding(RULE, host)

    assert value(found, "complete steps") == 2


def test_the_host_with_most_steps_counts() -> None:
    other = Host("other").steps(2, 100)

    passes(RULE, training(markers=4), other)


def test_without_steps_another_rule_speaks() -> None:
    assert isinstance(judge(RULE, Host()), NotApplicable)
