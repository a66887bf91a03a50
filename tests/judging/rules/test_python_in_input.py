"""Steps wait for Python inside the input pipeline."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, fires, passes, value
from tests.pipelines import STEP, STEPS, Stage, fed
from tfperf_plugin.judging.rules.input.python_in_input import RULE

GENERATOR: Stage = ("Generator", 90, {"name": "GeneratorDataset:1"})


def with_function(host: Host, begin: float, end: float, op: str) -> Host:
    """The map's function of each batch runs in the pool, in an op of this name, while its thread waits."""
    for number in range(1, STEPS):
        at, pool = number * STEP, "tf_data_private_threadpool/7"
        host.event(
            "InstantiatedCapturedFunction::Run",
            at + begin,
            at + end,
            thread="tf_data_iterator_resource/3",
            id=50 + number,
        )
        host.event("ExecutorState::Process", at + begin, at + end, thread=pool, id=50 + number)
        host.event(op, at + begin + 0.01, at + end - 0.01, thread=pool)
    return host


def test_a_generator_that_steps_wait_for() -> None:
    found = fires(RULE, fed(40, ("BatchV2", 1, {}), GENERATOR))

    assert found.summary.startswith(
        "tf.data.Dataset.from_generator(...) runs Python for 90.0 ms of each batch"
    )
    assert found.claims == {"idle.input": 40_000_000}
    assert value(found, "share of the wait in which it runs") == 1.0


def test_a_map_that_calls_python() -> None:
    for op in ("PyFunc:PyFunc", "EagerPyFunc:EagerPyFunc"):
        host = fed(40, ("Map", 88, {"name": "MapDataset:2"}), ("TFRecord", 2, {}))
        found = fires(RULE, with_function(host, -45, 38, op))

        assert found.summary.startswith(".map(py_function) runs Python")


def test_a_map_of_tensorflow_ops_is_no_python() -> None:
    host = fed(40, ("Map", 88, {"name": "MapDataset:2"}), ("TFRecord", 2, {}))
    verdict = passes(RULE, with_function(host, -45, 38, "decode:DecodeJpeg"))

    assert "(preprocessing)" in verdict.reason


@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("below")
def test_a_generator_that_is_fast_enough_passes() -> None:
    passes(RULE, fed(0.9, ("BatchV2", 1, {}), GENERATOR))
    passes(RULE, fed(40, ("BatchV2", 1, {}), GENERATOR, busy_from=0))
    passes(RULE, fed(40, ("Map", 80, {}), ("Generator", 10, {})))  # behind a slower map
    passes(RULE, fed(30, ("BatchV2", 1, {}), ("Generator", 29, {}), prefetch=False))  # that would hide it


def test_without_a_gpu_the_hosts_step_is_judged() -> None:
    found = finding(RULE, fed(40, ("BatchV2", 1, {}), GENERATOR, gpus=0))

    assert (found.severity, found.saving) == ("critical", None)
