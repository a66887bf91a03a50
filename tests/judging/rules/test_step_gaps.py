"""The GPU is idle between steps."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, fires, inputs_of_run, judge, passes, says
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu import step_gaps as rule
from tfperf_plugin.judging.rules.one_gpu.step_gaps import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord


def training(gap: float, busy: bool = False) -> Host:
    """Steps of 100 ms whose marker ends ``gap`` ms early; the GPU works inside it, or all the time."""
    host = Host().steps(5, 100 - gap, gap)
    each(5, 100, lambda at: host.kernel(at, at + 100 - (0 if busy else gap)))
    return host


# The gap is 40 ms long.
@pytest.mark.parametrize(
    ("covered", "said"),
    [(38, rule.RUNS), (31, rule.RUNS_MOSTLY), (19, rule.UNSEEN)],
    ids=["all", "most", "half"],
)
def test_an_event_that_covers_the_gap_is_named(covered: float, said: str) -> None:
    host = training(gap=40)
    each(5, 100, lambda at: host.event("Checkpoint.on_train_batch_end", at + 61, at + 61 + covered))
    found, named = fires(RULE, host), said == rule.RUNS

    assert says(found, said)
    assert found.advice == ("the cause is named" if named else "")
    assert [e.value for e in found.evidence if "Checkpoint" in e.label] == [38_000_000] * named


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


def test_without_a_gpu_calls_of_functions_tell_better_than_markers() -> None:
    """Callbacks that run inside the marker."""
    assert fires(RULE, loop(gap=0, call=60)).evidence[0].value == 40_000_000
    passes(RULE, loop(gap=0.5))


def beside(host: Host, name: str, begin: float, end: float, thread: str = "tf_XLAEigen/1") -> Host:
    """In each step of 100 ms an event from ``begin`` to ``end``."""
    each(6, 100, lambda at: host.event(name, at + begin, at + end, thread=thread))
    return host


def test_without_a_gpu_waiting_for_input_and_tracing_are_no_gap() -> None:
    host = beside(loop(gap=40), "IteratorGetNextOp::DoCompute", 60, 80, "python3")

    passes(RULE, beside(host, "tf.function-graph_building", 80, 99.5, "python3"))


def test_without_a_gpu_there_is_no_gap_while_xla_still_computes_on_the_cpu() -> None:
    """JAX hands a step over and goes on: its marker ends before the work does."""
    host = beside(loop(gap=60), "ThunkExecutor::Execute", 30, 80)

    assert fires(RULE, host).evidence[0].value == 20_000_000
    passes(RULE, beside(host, "ThunkExecutor::Execute", 80, 99.5))


def test_without_a_gpu_steps_that_are_only_handed_over_have_no_gaps() -> None:
    assert isinstance(judge(RULE, beside(loop(gap=60), "ThunkExecutor::Execute", 590, 680)), Missing)


def test_without_a_gpu_eager_ops_are_named_with_the_pauses_between_them() -> None:
    host = loop(gap=30)

    def images(at: float) -> None:
        for number in range(60):
            begin = at + 70 + number * 0.5
            host.event("TFE_Py_FastPathExecute_C", begin, begin + 0.25)
            name = "EncodePng" if number % 2 else "WriteFile"
            host.event(f"EagerLocalExecute: {name}", begin + 0.01, begin + (0.24 if number % 2 else 0.2))

    each(6, 100, images)

    assert "eager ops outside the step's function, most of all EncodePng" in fires(RULE, host).summary


def test_an_eager_loop_has_no_gaps_where_its_ops_are() -> None:
    def step(host: Host, at: float) -> None:
        for number in range(90):
            host.event("EagerLocalExecute: MatMul", at + number, at + number + 0.8)
        host.event("metric", at + 95, at + 97, tf_function_call="notTraced-nonXla")

    host = Host(gpus=0).trained(6, 100, step)
    passes(RULE, host)


def test_short_pauses_between_calls_in_jax_are_of_the_step() -> None:
    """A step that Python puts together from many calls is no gap."""
    host = Host()
    for number in range(6):
        at = 20.0 * number
        host.step(number, at, at + 20)
        for k in range(20):
            call = at + k
            host.event("PjitFunction(add)", call, call + 0.2)
            host.kernel(call + 0.15, call + 0.5, launch=(call + 0.1, call + 0.12))

    passes(RULE, host)


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
