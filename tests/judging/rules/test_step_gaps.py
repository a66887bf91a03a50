"""The GPU is idle between steps."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, fires, inputs_of_run, judge, passes
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu.step_gaps import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord


def training(gap: float, busy: bool = False) -> Host:
    """Steps of 100 ms whose marker ends ``gap`` ms early; the GPU works inside it, or all the time."""
    host = Host().steps(5, 100 - gap, gap)
    each(5, 100, lambda at: host.kernel(at, at + 100 - (0 if busy else gap)))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        training(gap=0.9),
        training(gap=40, busy=True),
        Host().trained(5, 100, lambda host, at: host.kernel(at + 40, at + 100)),
    ],
    ids=["0.9 %", "under a kernel", "inside the step"],
)
def test_what_is_no_gap(host: Host) -> None:
    passes(RULE, host)
    assert fires(RULE, training(gap=1)).claims == {"idle.between_steps": 1_000_000}


def loop(gap: float, call: float = 0.0) -> Host:
    """A host without GPUs: steps of 100 ms whose marker ends ``gap`` ms early; each calls a function for
    ``call`` ms, if any."""
    host = Host(gpus=0).steps(6, 100 - gap, gap)
    if call:
        each(6, 100, lambda at: host.event("f", at, at + call, tf_function_call="notTraced-nonXla"))
    return host


def beside(host: Host, name: str, begin: float, end: float, thread: str = "tf_XLAEigen/1") -> Host:
    """In each step of 100 ms an event from ``begin`` to ``end``."""
    each(6, 100, lambda at: host.event(name, at + begin, at + end, thread=thread))
    return host


def test_without_a_gpu_steps_that_are_only_handed_over_have_no_gaps() -> None:
    assert isinstance(judge(RULE, beside(loop(gap=60), "ThunkExecutor::Execute", 590, 680)), Missing)


def test_keras_on_jax_is_known_by_what_the_training_recorded() -> None:
    host = beside(loop(gap=0), "PjitFunction(train_step)", 70, 99.5, "python3")
    facts = TrainingFacts((TrainingRecord(steps_per_execution=1),))

    def actions(facts: TrainingFacts | None) -> str:
        (found,) = (
            f
            for f in run_rules(RULES, inputs_of_run([host.trace()], facts=facts)).findings
            if f.id == "step-gaps"
        )
        return "".join(found.fix.actions)

    assert "PyDataset" in actions(facts) and "jax.lax.scan" not in actions(facts)
    assert "jax.lax.scan" in actions(None) and "PyDataset" not in actions(None)
