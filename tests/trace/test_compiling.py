"""Tracing and compiling are told apart, and lie where nothing is recorded, too."""

from __future__ import annotations

from tests.builders import MS, Host
from tfperf_plugin.analysis.startup import compilations, compile_spans, tracing
from tfperf_plugin.arrays.intervals import Intervals

OP = "__inference_f_9:__inference_f_9"


def spans(found: Intervals) -> list[tuple[float, float]]:
    return [(b / MS, e / MS) for b, e in zip(found.begin_ns.tolist(), found.end_ns.tolist(), strict=True)]


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


def test_threads_of_tf_data_do_not_hold_up_the_step() -> None:
    host = Host(gpus=0)
    for name in ("tf.function-graph_building", "XlaCompile"):
        host.event(name, 20, 30, thread="tf_data_private_threadpool/5")
    events = host.trace().events

    assert spans(tracing(events)) == spans(compile_spans(events)) == []
