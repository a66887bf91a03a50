"""GPUs that are idle while nothing is recorded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import (
    Host,
    TraceInputs,
    each,
    finding,
    fires,
    inputs,
    inputs_of_run,
    judge,
    passes,
    says,
    value,
)
from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.host.idle import Idle
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.run import how_to, run_rules
from tfperf_plugin.judging.rules.one_gpu import unexplained_idle as rule
from tfperf_plugin.judging.rules.one_gpu.unexplained_idle import RULE
from tfperf_plugin.report.panels.headline import headline
from tfperf_plugin.report.panels.ledger import PYTHON, idle_accounts


def training(silence: float, meanwhile: str = "", thread: str = "tf_Compute/1", longer: float = -1) -> Host:
    """Steps of 100 ms with two kernels and a silence between them, in which ``meanwhile`` goes on."""

    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 40, launch=(at, at + 0.01), thread=thread)
        later = at + 40 + silence
        host.kernel(later, at + 100, launch=(later - 0.01, later), thread=thread)
        if meanwhile:
            host.event(meanwhile, at + 41, later + longer, thread)

    return Host().trained(5, 100, step)


def test_where_clocks_differ_idle_time_has_no_cause() -> None:
    host = Host()

    def step(host: Host, at: float) -> None:
        for begin, end in ((1, 31), (61, 99)):
            host.kernel(at + begin - 20, at + end - 20, launch=(at + begin, at + begin + 0.1))
        host.event("wait_for_disk", at + 41, at + 60)

    found = finding(RULE, host.trained(9, 100, step))

    assert says(found, rule.APART)
    assert value(found, "longest stretch") == 30_000_000


def recorded_once(*kernels: str) -> TraceInputs:
    """A recording without steps and ops: a kernel of 10 ms each, 90 ms after the one before."""
    trace = Trace(deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])
    for number, name in enumerate(kernels):
        at = number * 100_000
        trace.launch(number + 1, at, at + 10)
        trace.kernel(name, number + 1, at + 20, at + 10_020)
    return inputs_of_run((read(trace),))


@pytest.mark.parametrize(
    ("recorder", "advised", "not_advised"),
    [
        ("Nsight Systems", "torch.cuda.nvtx.range", "torch.profiler"),
        ("PyTorch profiler", "torch.profiler.record_function", "nvtx"),
    ],
)
def test_advice_is_for_what_recorded_the_program(recorder: str, advised: str, not_advised: str) -> None:
    given = recorded_once(*["at::native::add"] * 3)
    given.run = replace(given.run, recorder=recorder)
    program = given.get(Program)
    said = " ".join(RULE.page.advice_of("").fix(program, {}).actions)

    assert advised in said and not_advised not in said
    assert how_to("Record with torch.profiler.profile(record_shapes=True).", program) == (
        "" if recorder == "Nsight Systems" else "Record with torch.profiler.profile(record_shapes=True)."
    )


def test_what_precedes_a_first_run_may_be_start_up_and_is_no_saving() -> None:
    given = recorded_once("a", "b", "c")
    outcome = run_rules([RULE], given)
    (found,) = outcome.findings

    assert (found.severity, found.saving) == ("info", None)
    assert "180 ms of it come before kernels that run for the first time" in found.summary
    assert "the GPUs idle for 180 ms of the 210 ms" in given.call(headline, outcome).recorded


@pytest.mark.near_miss("below")
def test_what_precedes_later_runs_may_recur() -> None:
    given = recorded_once("a", "b", *"baabbbba")
    outcome = run_rules([RULE], given)
    (found,) = outcome.findings

    assert found.saving and found.saving.ns == pytest.approx(720_000_000, rel=0.01)
    assert given.call(headline, outcome).recorded == ""


def launched(begin: float, op: str = "", meanwhile: tuple[str, float, float] | None = None) -> Host:
    """Steps of 100 ms in which the GPU waits from 40 to 70 ms for a kernel that is launched at ``begin``."""

    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 40, launch=(at, at + 0.01), op="model/a:MatMul")
        host.kernel(at + 70, at + 100, launch=(at + begin, at + begin + 0.01), op=op)
        if meanwhile:
            host.event(meanwhile[0], at + meanwhile[1], at + meanwhile[2])

    return Host().trained(5, 100, step)


def test_an_idle_gpu_whose_next_kernel_is_launched_does_not_wait_for_the_host() -> None:
    found = fires(RULE, launched(1, "", ("aten::copy_", 2, 99)))

    assert found.advice == "the next kernel is launched" and says(found, rule.LAUNCHED)
    assert value(found, "of it with the next kernel launched") == pytest.approx(30_000_000, rel=0.01)


def with_op() -> Host:
    """The silence has a cause."""
    host = training(30)
    each(5, 100, lambda at: host.event("model/unique:Unique", at + 40, at + 69.9, "tf_Compute/1"))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("explained")
@pytest.mark.parametrize(
    "host",
    [
        training(9.9),  # a tenth of the step decides
        Host().trained(5, 100, lambda host, at: host.kernel(at, at + 99, launch=(at, at + 0.01))),
        with_op(),
    ],
    ids=["9.9 %", "a GPU that works", "explained"],
)
def test_what_is_not_unexplained(host: Host) -> None:
    passes(RULE, host)
    assert fires(RULE, training(10.1)).claims["idle.unknown"] > 10_000_000


def test_what_the_program_marks_around_the_silence_is_named() -> None:
    """The host is in the block, whose events are all short."""
    trace = Trace(deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])
    for step in range(5):
        at = 100_000 * step
        trace.mark(f"ProfilerStep#{step}", at, at + 99_990)
        trace.mark("forward", at + 100, at + 99_500)
        trace.mark("attention", at + 5_000, at + 99_000)
        for short in range(42_000, 69_000, 1_000):
            trace.host("python_function", "attention.py(7): check", at + short, at + short + 10)
        for number, (begin, end) in enumerate(((200, 40_000), (69_800, 99_000))):
            correlation = 2 * step + number + 1
            trace.op("aten::mm", at + begin - 50, at + begin)
            trace.launch(correlation, at + begin - 20, at + begin - 10)
            trace.kernel("ampere_sgemm_128x64_tn", correlation, at + begin, at + end)
    (found,) = run_rules([RULE], inputs_of_run((read(trace),))).findings

    assert says(found, rule.IDLE_INSIDE)
    assert "the host is in attention (29.8 ms), which the program marks" in found.summary


def test_who_traced_python_is_not_told_to_and_what_waits_for_the_gpus_is_named() -> None:
    found = fires(RULE, training(30, "$api.py:3154 block_until_ready", "python"))

    assert found.advice == "Python waits" and says(found, rule.EFFECT)
    assert "$api.py:3154 block_until_ready on thread python" in found.cause


@pytest.mark.near_miss("explained")
def test_a_wait_in_which_the_gpu_begins_to_work_is_an_effect() -> None:
    """Python waits for what the GPU waits for: to wait less often makes no step shorter."""
    found = fires(RULE, training(30, "$api.py:3154 block_until_ready", "python", longer=5))

    assert "block_until_ready" not in found.summary
    assert found.cause == ""


def test_the_function_of_python_that_works_meanwhile_is_named_not_what_began_the_program() -> None:
    host = training(30, thread="python")
    host.event("$train.py:1 <module>", -1, 600, "python")
    for at in range(0, 500, 100):
        host.event("$train.py:30 train_step", at + 40.1, at + 69.9, "python")
        host.event("$data.py:7 augment", at + 41, at + 69, "python")
        host.event("$data.py:9 flip", at + 42, at + 50, "python")

    found = fires(RULE, host)

    assert found.advice == "Python works" and says(found, rule.WORKS)
    assert "$data.py:7 augment on thread python" in found.cause


@pytest.mark.parametrize("callee", ["$nn.Module: OptimizedModule_0", "$model.py:5 layers"])
def test_what_a_function_of_python_does_before_its_first_launch_is_told(callee: str) -> None:
    host = training(30, thread="python")
    for at in range(0, 500, 100):
        host.event("$model.py:3 forward", at + 40.1, at + 75, "python")
        host.event("<built-in method __getitem__ of dict object>", at + 41, at + 41.1, "python")
        host.event(callee, at + 69.9, at + 74, "python")
    found = finding(RULE, host)

    assert f"$model.py:3 forward, before it calls {callee} on thread python" in found.cause
    assert found.action == f"Find what Python does before {callee[1:]}"
    assert says(found, rule.GUARDS) == ("OptimizedModule" in callee)
    assert found.fix and found.fix.actions[-1].startswith("It runs in each step")


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("second", "together"), [("python", True), ("other", False)])
def test_several_functions_of_python_that_cover_most_are_named_together(second: str, together: bool) -> None:
    """On two threads, they may overlap."""
    host = training(30, thread="python")
    for at in range(0, 500, 100):
        host.event("$hooks.py:248 reset", at + 41, at + 56, "python")
        host.event("$hooks.py:268 set_context", at + 56.1, at + 69, second)
        host.kernel(at + 99, at + 99.1, stream=8, launch=(at + 98, at + 98.01), thread=second)
    given = inputs(host)
    (found,) = run_rules([RULE], given).findings
    rows = idle_accounts(given.get(Idle), given.get(Stalls), (), given.get(Ledger).step_ns)

    assert any(PYTHON in row.sentence for row in rows) is together
    assert (found.action == "Take this Python code out of the step, or run it ahead") is together
    assert says(found, rule.WORKS) is together
    if together:
        assert (
            "reset on thread python (15.0 ms) and $hooks.py:268 set_context on thread python (12.9 ms)"
            in found.cause
        )
    else:
        assert found.action == "Name what the host does while the GPUs are idle"


@pytest.mark.parametrize("said", [True, False])
def test_where_events_are_missing_the_only_step_is_not_judged(said: bool) -> None:
    """The collector says that it dropped some, or a launch lacks its kernel."""
    host = Host()
    host.step(0, 0, 100)
    host.kernel(0, 20, launch=(0, 0.01))
    host.kernel(80, 100, launch=(79, 79.01))
    if said:
        host.warning("CUPTI activity buffer: 12 events were dropped")
    else:
        host.event("cuLaunchKernel", 40, 41, correlation_id=9000)

    assert says(judge(RULE, host), rule.DROPPED)
