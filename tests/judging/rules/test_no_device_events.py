"""GPUs are there, but nothing was recorded on them."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, fires, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.capture import no_device_events as rule
from tfperf_plugin.judging.rules.capture.no_device_events import RULE
from tfperf_plugin.report.render.text import part_to_markdown

REFUSED = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: the user may not use the counters <b>"


def test_gpus_without_kernels_cannot_be_judged() -> None:
    host = Host(gpus=2).steps(5, 100)
    host.copy("H2D", 0, 1, size=4)  # a copy is no kernel
    found = finding(RULE, host)

    assert (found.severity, found.saving) == ("critical", None)
    assert value(found, "GPUs declared") == 2
    assert value(found, "kernels recorded") == 0
    assert says(found, rule.EITHER)


def test_what_cupti_says_is_passed_on_word_for_word() -> None:
    host = Host()
    host.error(REFUSED)
    host.error("something else")
    found = fires(RULE, host)

    assert [e.value for e in found.evidence if e.unit == "text"] == [REFUSED]


def test_kernels_that_were_launched_but_not_recorded_are_counted() -> None:
    host = Host(gpus=1).steps(5, 100)
    for at in range(3):
        host.event("cudaLaunchKernel", at, at + 0.01)
    found = fires(RULE, host)

    assert says(found, rule.LAUNCHED) and "3 kernels" in found.summary
    assert found.advice == "kernels were launched"


def test_a_program_that_waited_for_the_gpu_was_not_stopped_too_early() -> None:
    host = Host(gpus=1).steps(5, 100)
    host.event("cudaLaunchKernel", 0, 0.01)
    host.event("cudaDeviceSynchronize", 1, 2)
    found = fires(RULE, host)

    assert says(found, rule.AWAITED)
    assert found.advice == ""


def test_of_a_gpu_that_pytorch_only_declares_the_file_does_not_say_what_it_did() -> None:
    host = Host(gpus=1)
    host.event("aten::uniform_", 0, 300)
    found = fires(RULE, host)

    assert says(found, rule.EITHER_NOT_ASKED)
    assert found.advice == "GPU events were not asked for"


UNLOADED = "Failed to load libcupti (is it installed and accessible?)"


@pytest.mark.parametrize(
    ("message", "cause", "case"),
    [
        (UNLOADED, rule.NOT_LOADED, "CUPTI was not loaded"),
        (REFUSED, rule.NOT_PERMITTED, "profiling is not permitted"),
        (
            "Insufficient privilege to run libcupti (you need root permission).",
            rule.NOT_PERMITTED,
            "profiling is not permitted",
        ),
        ("Another profile session running.", rule.NOT_ALONE, "another profiler holds the GPU"),
        ("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", rule.NOT_ALONE, "another profiler holds the GPU"),
    ],
)
def test_each_message_of_the_file_has_its_own_answer(message: str, cause: str, case: str) -> None:
    host = Host("worker")
    host.error(f"worker: {message}")
    found = fires(RULE, host)

    assert says(found, cause)
    assert found.advice == case


@pytest.mark.parametrize("name", ["DESKTOP-R2D2C3P", "LAPTOP-1A2B3C4D", "WIN-0123456789A"])
def test_on_windows_it_is_the_way_of_windows(name: str) -> None:
    host = Host(name)
    host.error(f"{name}: {UNLOADED}")
    found = fires(RULE, host)

    assert found.advice == "CUPTI was not loaded on Windows"
    assert [e.value for e in found.evidence if e.label.startswith("Windows")] == [name]


def test_windows_is_told_by_recorded_paths_too() -> None:
    host = Host("worker")
    host.error(REFUSED)
    host.event(r"$C:\Users\me\train.py:12 fit", 0, 1)
    found = fires(RULE, host)

    assert found.advice == "profiling is not permitted on Windows"


@pytest.mark.parametrize("name", ["desktop", "DESKTOP-lab", "WINDY-0123456"])
def test_a_name_of_ones_own_is_no_windows(name: str) -> None:
    host = Host(name)
    host.error(UNLOADED)
    found = fires(RULE, host)

    assert found.advice == "CUPTI was not loaded"


def test_where_the_file_says_nothing_or_nothing_known_every_cause_is_listed() -> None:
    unknown = Host()
    unknown.error("CUPTI_ERROR_UNKNOWN")

    assert fires(RULE, Host()).advice == ""
    assert fires(RULE, unknown).advice == ""
    assert says(fires(RULE, unknown), rule.ERROR)


def test_a_gpu_of_apple_is_no_matter_of_cupti() -> None:
    host = Host("Someones-MacBook-Pro.local", gpus=0)
    host.memory(10, 1_000, 10_000, 1_000)
    found = fires(RULE, host)

    assert found.advice == "macOS"
    assert says(found, rule.USED_ON_MAC) and says(found, rule.NONE_DECLARED_USED)


def test_an_error_of_cupti_is_enough_where_it_hides_the_gpus_themselves() -> None:
    host = Host(gpus=0)
    host.error(REFUSED)

    assert fires(RULE, host).severity == "critical"


@pytest.mark.near_miss("below")
def test_kernels_on_one_of_two_gpus_are_enough() -> None:
    host = Host(gpus=2)
    host.kernel(0, 1, gpu=1)
    passed = passes(RULE, host)

    assert passed.reason == "1 kernel was recorded on 1 GPU."


def test_without_gpus_the_question_does_not_arise() -> None:
    host = Host(gpus=0).steps(5, 100)

    assert isinstance(judge(RULE, host), NotApplicable)


def test_one_host_of_two_without_kernels_is_named() -> None:
    good, silent = Host("good"), Host("silent", gpus=2)
    for host in (good, silent):
        host.steps(5, 100)
    good.kernel(0, 400)
    found = finding(RULE, good, silent)

    assert found.severity == "warning"
    assert found.title == "No GPU events recorded: silent"
    assert value(found, "GPUs declared") == 2


def test_the_report_says_what_to_do() -> None:
    host = Host()
    host.error(UNLOADED)

    note = part_to_markdown(finding(RULE, host), None)

    assert "put its folder in front of LD\\_LIBRARY\\_PATH" in note


def half_recorded(threads: int) -> Host:
    """Kernels of one of two GPUs; ``threads`` of JAX launch, one for each GPU."""
    host = Host(gpus=2).steps(5, 100)
    for number in range(5):
        host.kernel(100 * number, 100 * number + 90)
        for thread in range(threads):
            host.event("ExecuteHelper", 100 * number, 100 * number + 1, f"py_xla_execute/{thread}")
    return host


def test_kernels_of_some_gpus_only_are_a_fault_of_the_recording() -> None:
    found = finding(RULE, half_recorded(2))

    assert (found.severity, found.title) == ("warning", "Kernels of 1 of 2 GPUs not recorded")
    assert "The host works for GPU 1: its threads launch for 2 GPUs." in found.summary
    assert value(found, "GPUs that threads launch for") == 2


@pytest.mark.near_miss("below")
def test_a_gpu_that_nothing_launches_for_is_unused() -> None:
    passes(RULE, half_recorded(1))


def test_several_threads_of_one_gpu_are_one_gpu() -> None:
    host = half_recorded(0)
    for thread in ("tf_gpu_private_0/1", "tf_gpu_private_0/2"):
        host.event("cuLaunchKernel", 1, 2, thread)

    passes(RULE, host)
    host.event("cuLaunchKernel", 1, 2, "tf_gpu_private_1/1")
    assert "launch for 2 GPUs" in fires(RULE, host).summary


def test_memory_that_comes_and_goes_tells_a_gpu_that_was_not_recorded() -> None:
    host = Host(gpus=2).steps(4, 100)
    for number in range(4):
        host.kernel(100 * number, 100 * number + 90)
        for gpu in range(2):
            for at in range(0, 80, 10):
                name = "MemoryDeallocation" if at % 20 else "MemoryAllocation"
                host.event(name, 100 * number + at, 100 * number + at, allocator_name=f"GPU_{gpu}_bfc")
    found = fires(RULE, host)

    assert says(found, rule.LOST_BY_MEMORY) and "The host works for GPU 1" in found.summary


def test_where_nothing_was_launched_nothing_is_missing() -> None:
    host = Host(gpus=1)
    for at in range(3):
        host.event("cudaGetDeviceCount", at, at + 0.01)
    found = finding(RULE, host)

    assert found.title == "Nothing ran on the GPU"
    assert says(found, rule.NOT_LAUNCHED) and "3 times" in found.summary
