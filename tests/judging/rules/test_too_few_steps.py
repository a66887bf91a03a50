"""Averages rest on too few steps."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.rules.capture import too_few_steps as rule
from tfperf_plugin.judging.rules.capture.too_few_steps import RULE


def training(markers: int) -> Host:
    return Host().trained(markers, 100, lambda host, at: host.kernel(at, at + 100))


def keras() -> Host:
    host = training(markers=1)
    host.event("Profiled batch", 0, 90)
    return host


def warming_up() -> Host:
    host = training(markers=4)
    host.event("XlaCompile", 0, 90)
    return host


@pytest.mark.parametrize(
    ("host", "title", "complete"),
    [
        (training(markers=3), "Only 2 complete steps were recorded", 2),
        (training(markers=2), "Only 1 complete step was recorded", 1),
        (training(markers=1), "One step recorded, not the time after it", 0),
        (keras(), "One step recorded, not the time after it", 0),
        (warming_up(), "Only 2 complete steps were recorded", 2),
    ],
    ids=["two", "one", "a part of one", "a batch of Keras", "warm-up"],
)
def test_few_complete_steps_are_thin_evidence(host: Host, title: str, complete: int) -> None:
    found = finding(RULE, host)

    assert (found.severity, found.title) == ("warning", title)
    assert value(found, "complete steps") == complete
    assert says(found, rule.ONE) == (not complete)


def test_after_a_single_batch_of_keras_the_command_is_said_that_records_more() -> None:
    assert "tfperf record -- python train.py" in finding(RULE, keras()).fix.summary
    assert "tfperf record" not in finding(RULE, training(markers=1)).fix.summary


@pytest.mark.near_miss("below")
def test_three_complete_steps_are_enough() -> None:
    assert judge(RULE, training(markers=4)) == Passed("3 complete steps were recorded after warm-up.")


def test_the_host_with_most_steps_counts() -> None:
    other = Host("other").steps(2, 100)

    passes(RULE, training(markers=4), other)


def test_without_steps_another_rule_speaks() -> None:
    assert isinstance(judge(RULE, Host()), NotApplicable)
