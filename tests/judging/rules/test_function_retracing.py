"""A tf.function is traced again and again."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, finding, fires, inputs, passes, value
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu.function_retracing import RULE


def call(
    host: Host, at: float, traces: float, count: int = 1, kernel: tuple[float, float] = (60, 100)
) -> None:
    """A call of train_step that traces for so many ms before it runs; times are those of a step of 100 ms."""
    state = "traced-nonXla" if traces else "notTraced-nonXla"
    host.event("train_step", at, at + 99, tf_function_call=state, tracing_count=count)
    host.event("FunctionRun", at + traces + 0.5, at + 98, id=1 + round(at), _r=1)
    host.kernel(at + kernel[0], at + kernel[1])


def training(*traces: float, gpus: int = 1, kernel: tuple[float, float] = (60, 100)) -> Host:
    """Steps of 100 ms whose n-th call traces for the n-th number of ms; the last one is not complete."""
    host = Host(gpus=gpus).steps(len(traces), 100)
    seen = 0
    for number, length in enumerate(traces):
        seen += length > 0
        call(host, number * 100, length, max(1, seen), kernel)
    return host


def test_graph_building_counts_where_no_call_is_marked() -> None:
    """A dataset or a function that is made anew in each step."""

    def step(host: Host, at: float) -> None:
        call(host, at, 0)
        host.event("tf.function-graph_building", at + 10, at + 30)

    host = Host().trained(6, 100, step)
    found = fires(RULE, host)

    assert found.claims == {"idle.compile": 20_000_000}
    assert "steady steps trace functions anew" in found.summary


def test_in_rare_long_steps_it_claims_what_these_cost() -> None:
    """Two of ten steps take five times as long, because they trace."""
    host, begin = Host(), 0.0
    for number in range(11):
        traces = 400.0 if number in (4, 9) else 0.0
        host.step(number, begin, begin + 100 + traces)
        state = "traced-nonXla" if traces else "notTraced-nonXla"
        host.event("train_step", begin, begin + 99 + traces, tf_function_call=state, tracing_count=1)
        host.event("FunctionRun", begin + traces + 0.5, begin + 98 + traces, id=1 + number, _r=1)
        host.kernel(begin + traces + 1, begin + traces + 100)
        begin += 100 + traces
    outcome = run_rules(RULES, inputs(host))

    assert [f.id for f in outcome.findings] == ["function-retracing"]
    assert [f.id for f in outcome.findings[0].explains] == ["step-outliers"]
    saving = outcome.findings[0].saving
    assert saving and (saving.ns, saving.accounts) == (2 * 400_500_000 // 10, {})
    assert "2 rare long steps trace train_step anew" in outcome.findings[0].summary


def preparing() -> Host:
    """Only functions of tf.data are traced."""
    host = training(*[0.0] * 6)
    name = "tf.function-graph_building"
    each(6, 100, lambda at: host.event(name, at + 10, at + 30, thread="tf_data_private/1"))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        training(*[0.4] * 6),  # and 0.5 ms until the function runs
        training(*[40.0] * 6, kernel=(0, 100)),
        training(0, 0, 0, 40, 0, 0),
        training(40, 0, 0, 0, 0, 0),
        training(40, 40, 0, 0, 0, 0),
        preparing(),
    ],
    ids=["0.9 %", "under a kernel", "once", "warm-up", "a long warm-up", "tf.data"],
)
def test_tracing_that_costs_nothing_or_is_no_pattern(host: Host) -> None:
    passes(RULE, host)
    assert fires(RULE, training(*[0.5] * 6)).claims == {"idle.compile": 1_000_000}


def test_without_a_gpu_it_is_the_hosts_time_and_no_saving() -> None:
    host = Host(gpus=0).steps(6, 100)
    each(6, 100, lambda at: host.event("f", at, at + 30, tf_function_call="traced-nonXla", tracing_count=7))
    found = finding(RULE, host)

    # Neither a GPU's work nor the CPU's was recorded.
    assert (found.saving, found.severity) == (None, "warning")
    assert value(found, "the host traces") == 30_000_000
    assert "No GPU was recorded" in found.summary
