"""Visible GPUs that ran nothing."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, finding, fires, inputs, judge, says, value
from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed
from tfperf_plugin.judging.rules.several_gpus import idle_gpus as rule
from tfperf_plugin.judging.rules.several_gpus.idle_gpus import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord


def training(visible: int, working: int, name: str = "worker") -> Host:
    host = Host(name, gpus=visible)
    host.steps(5, 100)
    for gpu in range(working):
        for number in range(5):
            host.kernel(100 * number, 100 * number + 100, gpu)
    return host


def test_half_of_the_gpus_idle_is_critical_but_saves_no_step_time() -> None:
    found = finding(RULE, training(visible=4, working=2))

    assert found.title == "Idle GPUs: 2 of 4"
    assert found.severity == "critical"
    assert found.saving is None
    assert value(found, "share") == 0.5
    assert "GPU 2 and GPU 3" in found.summary


def test_less_than_half_is_a_warning() -> None:
    found = finding(RULE, training(visible=4, working=3))

    assert found.severity == "warning"
    assert found.title == "Idle GPUs: 1 of 4"
    assert finding(RULE, training(visible=5, working=3)).severity == "warning"  # 40 %


def test_one_of_many_is_a_note() -> None:
    assert finding(RULE, training(visible=20, working=19)).severity == "warning"
    assert finding(RULE, training(visible=21, working=20)).severity == "info"


def test_the_share_decides_the_rank() -> None:
    assert fires(RULE, training(visible=8, working=2)).impact_ratio == 0.75


def test_a_few_copies_are_no_work() -> None:
    host = training(visible=2, working=1)
    host.copy("H2D", 0, 0.01, gpu=1, size=4)

    assert says(fires(RULE, host), rule.COPIES)


@pytest.mark.near_miss("below")
def test_all_working_is_no_finding() -> None:
    assert isinstance(judge(RULE, training(visible=4, working=4)), Passed)


def test_gpus_of_all_hosts_count() -> None:
    found = fires(RULE, training(visible=1, working=1), training(visible=2, working=1, name="other"))

    assert found.title == "Idle GPUs: 1 of 3"
    assert "other GPU 1" in found.summary


def test_a_host_without_any_kernel_was_not_recorded_rather_than_idle() -> None:
    two, silent = training(visible=2, working=2), training(visible=2, working=0, name="silent")

    assert isinstance(judge(RULE, two, silent), Passed)
    assert "silent" not in fires(RULE, training(visible=2, working=1), silent).summary


def test_one_gpu_or_none_at_work_is_another_question() -> None:
    assert isinstance(judge(RULE, training(visible=1, working=1)), NotApplicable)
    assert isinstance(judge(RULE, training(visible=2, working=0)), NotApplicable)


def test_one_process_of_several_cannot_tell_what_the_others_use() -> None:
    """One process per GPU: each sees all GPUs, works on one, and communicates with the others."""
    host = training(visible=8, working=1)
    host.kernel(10, 20, 0, ALL_REDUCE, stream=20)

    assert isinstance(judge(RULE, host), NotApplicable)


def test_idle_gpus_of_many_hosts_are_counted_per_host() -> None:
    hosts = [training(visible=4, working=2, name=f"worker{i}") for i in range(3)]

    assert (
        "2 GPUs of worker0, 2 GPUs of worker1 and 2 GPUs of worker2 ran no kernel"
        in fires(RULE, *hosts).summary
    )


def test_processes_of_one_machine_that_use_different_gpus_leave_none_idle() -> None:
    """Each of four processes sees all four GPUs of the machine and works on its own."""

    def process(own: int, visible: int = 4) -> Host:
        host = Host(f"process{own}", gpus=visible)
        host.steps(5, 100)
        for number in range(5):
            host.kernel(100 * number, 100 * number + 90, own)
        return host

    passed = judge(RULE, *(process(own) for own in range(4)))
    assert isinstance(passed, Passed)
    assert "All 4 visible GPUs" in passed.reason
    assert fires(RULE, *(process(own, visible=8) for own in range(4))).title == "Idle GPUs: 4 of 8"


def judged_with(replicas: int) -> Found:
    artifacts = inputs(training(visible=4, working=2))
    facts = TrainingFacts((TrainingRecord(replicas=replicas),))
    found = RULE.judge(artifacts.get(Devices), artifacts.get(Capture), facts)
    assert isinstance(found, Found)
    return found


def test_the_number_of_replicas_that_the_training_recorded() -> None:
    few, many = judged_with(2), judged_with(4)

    assert "The training was set up for 2 replicas: as many as GPUs that work." in few.summary
    assert "recorded 4 replicas of the model, on 2 GPUs that work" in many.summary
    assert value(few, "replicas of the model") == 2
    assert not says(fires(RULE, training(visible=4, working=2)), rule.AS_MANY)


def test_a_program_for_one_gpu_is_information() -> None:
    found = finding(RULE, training(visible=8, working=1))

    assert (found.severity, found.title) == ("info", "Idle GPUs: 7 of 8")
    assert says(found, rule.FOR_ONE)
    assert any("MirroredStrategy" in action for action in found.fix.actions)


def test_a_training_that_wanted_more_than_one_gpu_is_none_for_one() -> None:
    artifacts = inputs(training(visible=4, working=1))
    facts = TrainingFacts((TrainingRecord(replicas=4),))
    found = RULE.judge(artifacts.get(Devices), artifacts.get(Capture), facts)

    assert isinstance(found, Found)
    assert found.severity == "critical"


def test_advice_to_a_jax_program_is_jax() -> None:
    host = training(visible=4, working=2)
    host.event("PjitFunction(train_step)", 1, 2)
    found = finding(RULE, host)

    assert found.severity == "critical"
    assert {snippet.framework for snippet in found.fix.snippets} == {"JAX", "shell"}
    assert not any("MirroredStrategy" in action for action in found.fix.actions)


def executing(threads: int) -> Host:
    """JAX runs one module on as many GPUs; kernels of the first one only were recorded."""
    host = training(visible=8, working=1)
    for number in range(threads):
        host.event("ExecuteHelper", 10, 20, f"py_xla_execute/{number}")
    return host


def test_gpus_that_threads_launch_for_were_not_recorded_rather_than_idle() -> None:
    verdict = judge(RULE, executing(8))

    assert isinstance(verdict, NotApplicable)
    assert "7 GPUs of which no kernel was recorded" in verdict.reason
    assert fires(RULE, executing(1)).title == "Idle GPUs: 7 of 8"


def cycling(times: int) -> Host:
    """Memory of both GPUs is allocated and freed; the second one's ``times`` times."""
    host = training(visible=2, working=1)
    for gpu, count in enumerate((10, times)):
        for at in range(count):
            for name in ("MemoryAllocation", "MemoryDeallocation"):
                host.event(
                    name, 10 * at, 10 * at, allocator_name=f"GPU_{gpu}_bfc", bytes_allocated=100,
                    bytes_available=900, peak_bytes_in_use=100,
                )  # fmt: skip
    return host


def test_a_gpu_whose_memory_comes_and_goes_as_on_the_other_is_at_work() -> None:
    assert isinstance(judge(RULE, cycling(5)), NotApplicable)
    assert fires(RULE, cycling(4)).title == "Idle GPUs: 1 of 2"


def test_memory_of_a_gpu_that_only_receives_copies_is_no_work() -> None:
    host = cycling(10)
    for at in range(10):
        host.copy("H2D", 10 * at, 10 * at + 0.01, gpu=1, size=4)

    assert says(fires(RULE, host), rule.COPIES)


def starting(steps: int = 1, at: float = 150) -> Host:
    """GPUs begin their first step one after another; the third one has its data at the end."""
    host = Host(gpus=4)
    host.steps(steps, 200)
    host.kernel(10, 20, 0)
    host.kernel(90, 100, 1)
    host.copy("H2D", at, at + 1, gpu=2, size=4)
    return host


def test_gpus_that_are_still_being_started_are_not_unused() -> None:
    verdict = judge(RULE, starting())

    assert isinstance(verdict, NotApplicable)
    assert says(verdict, rule.STARTING)
    assert fires(RULE, starting(at=50)).title == "Idle GPUs: 2 of 4"  # it had its data before
    assert fires(RULE, starting(steps=3)).title == "Idle GPUs: 2 of 4"  # complete steps without it
