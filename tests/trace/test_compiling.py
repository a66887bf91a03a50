"""Tracing and compiling are told apart, and lie where nothing is recorded, too."""

from __future__ import annotations

from tests.builders import MS, Host
from tfperf_plugin.analysis.startup import compilations, compile_spans, traced_calls, tracing
from tfperf_plugin.arrays.intervals import Intervals

OP = "__inference_f_9:__inference_f_9"


def spans(found: Intervals) -> list[tuple[float, float]]:
    return [(b / MS, e / MS) for b, e in zip(found.begin_ns.tolist(), found.end_ns.tolist(), strict=True)]


def test_a_call_traces_until_it_runs() -> None:
    host = Host(gpus=0)
    host.event("f", 10, 50, tf_function_call="traced-nonXla", tracing_count=4)
    host.event("FunctionRun", 40, 41, id=7)
    host.event("f", 60, 90, tf_function_call="notTraced-nonXla", tracing_count=4)
    events = host.trace().events

    assert spans(tracing(events)) == [(10, 40)]
    assert spans(compile_spans(events)) == []
    assert [int(events.tracing_count[row]) for row in traced_calls(events)] == [4]


def test_a_program_is_compiled_from_its_ops_begin_until_it_runs() -> None:
    host = Host(gpus=0)
    host.event("f", 10, 99, tf_function_call="traced-xla", tracing_count=2)
    host.event(OP, 30, 98)
    host.event("HLO passes through layout assignment", 40, 45)
    host.event("CpuCompiler::RunBackend", 45, 60)
    host.event("CpuExecutable::ExecuteAsyncOnStream", 70, 97)
    events = host.trace().events

    assert spans(tracing(events)) == [(10, 30)]
    assert spans(compile_spans(events)) == [(30, 70)]
    names = {events.names[events.name[row]] for row in compilations(events)}
    assert names == {OP, "HLO passes through layout assignment", "CpuCompiler::RunBackend"}


def test_the_executors_event_carries_a_program_as_well() -> None:
    host = Host(gpus=0)
    host.event("ExecutorState::Process", 5, 99, thread="tf_Compute/1")
    host.event("ExecutorState::ProcessAsync::Start", 10, 98, thread="tf_Compute/1")
    host.event("HLO Transforms:a_inference_f_9__.3", 20, 30, thread="tf_Compute/1")
    host.event("a_inference_f_9__.3:XLA GPU module", 60, 97, thread="tf_Compute/1")

    assert spans(compile_spans(host.trace().events)) == [(10, 60)]


def test_what_carries_no_program_is_not_compiling() -> None:
    """A step marker around a compiler's event: nothing says what happens before and after it."""
    host = Host(gpus=0)
    host.step(0, 0, 100)
    host.event("XlaCompile", 20, 30)

    assert spans(compile_spans(host.trace().events)) == [(20, 30)]


def test_a_program_that_is_not_seen_to_run_ends_with_its_compiler() -> None:
    host = Host(gpus=0)
    host.event(OP, 10, 90)
    host.event("XlaCompile", 20, 30)
    host.event("cuLaunchKernel", 95, 96, correlation_id=3)  # of something else

    assert spans(compile_spans(host.trace().events)) == [(10, 30)]


def test_threads_of_tf_data_do_not_hold_up_the_step() -> None:
    host = Host(gpus=0)
    for name in ("tf.function-graph_building", "XlaCompile"):
        host.event(name, 20, 30, thread="tf_data_private_threadpool/5")
    events = host.trace().events

    assert spans(tracing(events)) == spans(compile_spans(events)) == []


def test_no_events_at_all() -> None:
    events = Host(gpus=0).trace().events

    assert spans(tracing(events)) == spans(compile_spans(events)) == []
    assert len(traced_calls(events)) == len(compilations(events)) == 0
