"""GPUs start the step one after another."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import (
    ALL_REDUCE,
    GET_NEXT,
    Host,
    evidence,
    fires,
    inputs,
    judge,
    passes,
    says,
    value,
)
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Name, Program
from tfperf_plugin.analysis.artifacts.communication.step_starts import Starts
from tfperf_plugin.judging.engine.rule import Found, NotApplicable
from tfperf_plugin.judging.engine.severity import LITTLE
from tfperf_plugin.judging.rules.several_gpus import gpu_stagger as rule
from tfperf_plugin.judging.rules.several_gpus.gpu_stagger import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord

TENSORFLOW = Program("Keras", compiled=False, tf_data=True)
SHARED = ("tf_Compute/1", "tf_Compute/1")
PRIVATE = ("tf_gpu_private_0/1", "tf_gpu_private_1/2")


def training(
    late: float,
    launch_late: float | None = None,
    threads: tuple[str, str] = SHARED,
    late_steps: int = 5,
    name: str = "worker",
    input_late: float = 0,
) -> Host:
    """Steps of 100 ms: GPU 1 starts ``late`` ms after GPU 0, both compute 60 ms, then exchange gradients.

    It waits for its input for ``input_late`` ms of that.
    """

    def step(host: Host, at: float) -> None:
        after = late if at < late_steps * 100 else 0
        host.kernel(at, at + 60, 0, launch=(at, at + 0.01), thread=threads[0])
        host.kernel(at + 60, at + 100, 0, ALL_REDUCE)
        begin = at + (after if launch_late is None else launch_late)
        if input_late:
            host.event(GET_NEXT, begin - input_late, begin, thread=threads[1])
        host.kernel(at + after, at + 60 + after, 1, launch=(begin, begin + 0.01), thread=threads[1])
        host.kernel(at + 60 + after, at + 100, 1, ALL_REDUCE)

    return Host(name, gpus=2).trained(5, 100, step)


def test_one_thread_for_all_gpus_is_told_from_several() -> None:
    one, several = (
        fires(RULE, training(30)),
        fires(RULE, training(30, threads=("tf_Compute/1", "tf_Compute/2"))),
    )

    assert says(one, rule.ONE_THREAD)
    assert value(one, "host threads that launch first") == "tf_Compute/1 for all"
    assert says(several, rule.SEVERAL_THREADS)
    assert value(several, "host threads that launch first") == "GPU 0: tf_Compute/1, GPU 1: tf_Compute/2"
    assert "so GPU 1 starts 30.0 ms after GPU 0" in one.cause
    assert several.cause == ""  # the first sentence names the GPU
    # Launches that are late by less than 80 % of 30 ms are not blamed.
    assert says(fires(RULE, training(late=30, launch_late=24)), rule.ONE_THREAD)
    less = fires(RULE, training(late=30, launch_late=23.9))
    assert less.confidence == "medium" and "lie only 23.9 ms apart" in less.summary


ONE_PRIVATE = (PRIVATE[0], PRIVATE[0])
SEPARATE, TOGETHER = "Give each GPU its own launch threads", "Launch for all GPUs at the same time"
DELAYS = "Find out what delays the late GPUs"


@pytest.mark.parametrize(
    ("host", "case", "action"),
    [
        (training(30), "", SEPARATE),
        (training(30, threads=ONE_PRIVATE), "one thread launches for all", TOGETHER),
        (training(30, threads=PRIVATE), "threads are private", DELAYS),
        (training(30, launch_late=0), "launches do not explain it", DELAYS),
    ],
    ids=["shared", "one private thread", "private", "not by launches"],
)
def test_what_to_do_fits_the_cause_and_is_not_set_already(host: Host, case: str, action: str) -> None:
    found = fires(RULE, host)

    assert (found.advice, found.action) == (case, action)


@pytest.mark.parametrize("name", ["JAX", "PyTorch"])
def test_only_launch_threads_of_tensorflow_can_be_given_to_gpus(name: Name) -> None:
    found = judged_with(recorded(), training(30), Program(name, compiled=False, tf_data=False))

    assert found.action == rule.TOGETHER


def judged_with(facts: TrainingFacts, host: Host, program: Program = TENSORFLOW) -> Found:
    artifacts = inputs(host)
    found = RULE.judge(artifacts.get(Starts), artifacts.ledger, artifacts.get(Devices), program, facts)
    assert isinstance(found, Found)
    return found


def recorded(**environment: str) -> TrainingFacts:
    return TrainingFacts((TrainingRecord(environment=environment),))


LIBRARY = ("python3", "launcher/2")


@pytest.mark.parametrize(
    ("threads", "environment", "case"),
    [
        # The names of launch threads tell nothing where another library launches.
        (LIBRARY, {"TF_GPU_THREAD_MODE": "gpu_private"}, "threads are private, two for each GPU"),
        (LIBRARY, {}, ""),
        (PRIVATE, {"TF_GPU_THREAD_MODE": "gpu_private"}, "threads are private, two for each GPU"),
        (PRIVATE, {"TF_GPU_THREAD_MODE": "gpu_private", "TF_GPU_THREAD_COUNT": "4"}, "threads are private"),
        (SHARED, {"TF_GPU_THREAD_COUNT": "4"}, "the number of threads is set"),
    ],
)
def test_what_the_training_recorded_is_believed(
    threads: tuple[str, str], environment: dict[str, str], case: str
) -> None:
    found = judged_with(recorded(**environment), training(30, threads=threads))

    assert found.advice == case
    row = evidence(found.evidence, "launch threads private")
    assert row.value == ("no" if case in ("", "the number of threads is set") else "yes")
    assert row.source.endswith("recorded by the training") == (threads == LIBRARY and bool(environment))


def test_a_gpu_that_waits_for_its_input_does_not_start_late_by_launching() -> None:
    passed = passes(RULE, training(late=30, input_late=24, threads=PRIVATE))

    assert says(passed, rule.BY_INPUT) and "waits 24.0 ms" in passed.reason
    found = fires(RULE, training(late=30, input_late=23.9, threads=PRIVATE))  # less than 80 % of 30 ms
    assert value(found, "of the skew, waiting for input") == 23_900_000
    # What its input explains is not claimed: 6.1 ms of idle time, and of waiting for it, on one of two GPUs.
    assert found.claims == {"idle.stagger": 3_050_000, "communication.wait": 3_050_000}


def busy(late: float = 30, work: float = 100) -> Host:
    """The GPU that begins later is still busy with the step before, for most of that time."""
    host = Host(gpus=2).steps(6, 100)
    for number in range(6):
        at = 100 * number
        host.kernel(at, at + 100, 0, launch=(at, at + 0.01))
        host.kernel(at + late, at + late + work, 1, launch=(at, at + 0.01))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "said"),
    [
        (training(late=1.9), rule.CLOSE),
        (training(late=30, late_steps=1), rule.CLOSE),  # one of four steps does not make a median
        (busy(), rule.BY_WORK),
        (busy(late=2, work=99.5), LITTLE),
    ],
)
def test_jitter_and_late_starts_that_cost_nothing_are_no_stagger(host: Host, said: str) -> None:
    passed = passes(RULE, host)

    assert says(passed, said)
    assert value(fires(RULE, training(late=2)), "Launch skew") == 2_000_000


ROTATING, NO_ORDER = ((0, 1, 2), (1, 2, 0), (2, 0, 1)), ((0, 1, 2), (2, 1, 0), (1, 0, 2))


@pytest.mark.parametrize(
    ("late", "said"),
    [
        (ROTATING, "in rotating order"),
        (NO_ORDER, "in no fixed order"),
        (((0, 0, 2),), "which start together"),
    ],
)
def test_the_order_of_starts_is_told(late: Sequence[Sequence[int]], said: str) -> None:
    """``late``: of each GPU in 10 ms, for each step in turn."""
    host = Host(gpus=3).steps(7, 100)
    for number in range(7):
        for gpu, after in enumerate(late[number % len(late)]):
            host.kernel(100 * number + 10 * after, 100 * number + 70 + 10 * after, gpu)
    found = fires(RULE, host)

    assert said in found.summary
    assert says(found, rule.NOT_RECORDED)  # launches
    assert found.confidence == "medium"


def test_first_starts_of_gpus_say_nothing_of_a_usual_step() -> None:
    host = Host(gpus=3)
    host.step(0, 0, 200)
    host.kernel(10, 20, 0)
    host.kernel(90, 100, 1)
    host.copy("H2D", 150, 151, gpu=2, size=4)  # the third is about to be started when the recording ends

    assert judge(RULE, host) == NotApplicable(rule.STARTING)
