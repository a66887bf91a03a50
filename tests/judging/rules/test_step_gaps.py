"""The GPU is idle between steps."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, finding, fires, inputs_of_run, judge, passes, says, value
from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.engine.words import NO_GPU
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu import step_gaps as rule
from tfperf_plugin.judging.rules.one_gpu.step_gaps import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord


def training(gap: float, busy: bool = False) -> Host:
    """Steps of 100 ms whose marker ends ``gap`` ms early; the GPU works inside it, or all the time."""
    host = Host().steps(5, 100 - gap, gap)
    each(5, 100, lambda at: host.kernel(at, at + 100 - (0 if busy else gap)))
    return host


def test_idle_time_outside_the_step_is_the_finding() -> None:
    found = finding(RULE, training(gap=40))

    assert found.saving and (found.severity, found.saving.ns) == ("critical", 40_000_000)
    assert (value(found, "Step gap"), value(found, "longest gap")) == (40_000_000, 40_000_000)
    assert (found.where[0].begin_ms, found.where[0].end_ms) == (60, 100)
    assert says(found, rule.UNSEEN)


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


def test_one_long_gap_counts_with_its_average() -> None:
    host = Host()
    for number, begin in enumerate((0, 100, 200, 318, 418)):
        host.step(number, begin, begin + 100)
        host.kernel(begin, begin + 100)
    found = fires(RULE, host)

    assert found.claims == {"idle.between_steps": 4_500_000}  # 18 ms in four steps
    assert value(found, "longest gap") == 18_000_000


def test_of_a_part_of_a_step_nothing_is_known_about_gaps() -> None:
    host = Host()
    host.step(0, 0, 30)
    host.kernel(0, 5)
    host.kernel(95, 100)

    assert says(judge(RULE, host), rule.ONE_STEP)


def test_without_kernels_it_cannot_be_judged() -> None:
    assert isinstance(judge(RULE, Host().steps(5, 60, 40)), Missing)


def test_steps_of_other_accelerators_cannot_be_judged() -> None:
    """What the host waits for between its ops is not known."""
    trace = Trace(deviceProperties=[])
    for number in range(4):
        at = 1000 * number
        trace.mark(f"ProfilerStep#{number}", at, at + 1000)
        trace.op("aten::mm", at + 1, at + 10)
        trace.host("mtia_ccp_events", "mm", at + 10, at + 900)

    assert run_rules([RULE], inputs_of_run((read(trace),))).missing_data


def loop(gap: float, call: float = 0.0) -> Host:
    """A host without GPUs: steps of 100 ms whose marker ends ``gap`` ms early; each calls a function for
    ``call`` ms, if any."""
    host = Host(gpus=0).steps(6, 100 - gap, gap)
    if call:
        each(6, 100, lambda at: host.event("f", at, at + call, tf_function_call="notTraced-nonXla"))
    return host


def test_without_a_gpu_it_is_the_hosts_time_and_no_saving() -> None:
    found = finding(RULE, loop(gap=30))

    assert (found.saving, found.severity, found.title) == (None, "warning", "Host work between steps")
    assert value(found, "the host between steps") == 30_000_000
    assert value(found, "share of the host's step") == 0.3
    assert (found.where[0].begin_ms, found.where[0].end_ms) == (70, 100)
    assert says(found, rule.UNSEEN) and says(found, NO_GPU)


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


def jax_loop(load: float, steps: int = 6, elsewhere: bool = False) -> Host:
    """Steps of 20 ms and a marker around each: loading for ``load`` ms without an event, a call of what JAX
    compiled that launches 10 ms of kernels after 0.2 ms, and waiting for them.

    ``elsewhere``: the call returns at once, and a thread of the runtime launches.
    """
    host = Host()
    for number in range(steps):
        at = 20.0 * number
        host.step(number, at, at + 19.9)
        call = at + load
        host.event("PjitFunction(train_step)", call, call + (0.1 if elsewhere else 0.5))
        thread = "py_xla_execute" if elsewhere else "python3"
        host.kernel(call + 0.3, call + 10, launch=(call + 0.2, call + 0.25), thread=thread)
        host.event("block_until_ready", call + 0.6, call + 10)
    return host


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_loop_that_loads_between_calls_works_whether_or_not_an_event_says_so(elsewhere: bool) -> None:
    found = fires(RULE, jax_loop(8, elsewhere=elsewhere))

    # 8 ms of loading, and 2 ms after the step's results, less the call.
    assert found.claims["idle.between_steps"] == pytest.approx(9.9e6, abs=0.25e6)
    assert found.cause.startswith("Your loop works for ")
    assert "between two calls of the step's function" in found.cause
    assert "loading batches in Python or NumPy" in found.summary


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


def test_markers_hold_where_calls_in_jax_launch_only_a_part() -> None:
    """What launches the rest is in no call, so that outside of calls need not be outside of the step."""
    host = jax_loop(8)
    for number in range(6):
        for k in range(5):
            at = 20.0 * number + k
            host.kernel(at + 0.1, at + 0.5, launch=(at, at + 0.05))

    assert "idle.between_steps" not in getattr(judge(RULE, host), "claims", {})


@pytest.mark.parametrize("call", ["PjitFunction(train_step)", "aten::linear"])
def test_without_a_gpu_a_marker_that_holds_the_loading_of_a_batch_does_not_hide_it(call: str) -> None:
    host = beside(loop(gap=0), call, 70, 99.5, "python3")

    assert fires(RULE, host).evidence[0].value == 70_500_000
    passes(RULE, beside(loop(gap=0), call, 0.5, 99.8, "python3"))


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
