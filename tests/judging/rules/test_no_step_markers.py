"""The profile does not tell, or does not tell directly, where a step begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import HALF_GEMM, Host, Stats, each, finding, inputs_of_run, judge, passes, says, value
from tests.judging.rules.kernels import A100
from tests.readers.nsight.writer import MS, Export
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.capture import no_step_markers as rule
from tfperf_plugin.judging.rules.capture import warm_up_captured
from tfperf_plugin.judging.rules.capture.no_step_markers import RULE
from tfperf_plugin.report.panels.headline import headline

TO_HOST, PAGE_FAULT = 12, 2


def kernels(host: Host) -> Host:
    """Work of five steps that recurs."""
    each(5, 100, lambda at: host.kernel(at, at + 40, name="forward"))
    each(5, 100, lambda at: host.kernel(at + 40, at + 80, name="backward"))
    return host


def test_kernels_without_any_steps_are_a_warning() -> None:
    host = Host()
    for number in range(5):
        host.kernel(number**2, number**2 + 1, name=f"kernel_{number}")
    found = finding(RULE, host)

    assert found.severity == "warning"
    assert value(found, "steps found") == 0
    assert "1 GPU ran kernels" in found.summary
    assert any("nvtxRangePushA" in s.code for s in found.fix.snippets)


def stored() -> Host:
    host = kernels(Host())
    for number in range(5):
        host.stored_step(number, number * 100, number * 100 + 80)
    return host


def jax() -> Host:
    host = Host()
    each(5, 100, lambda at: host.event("PjitFunction(train_step)", at, at + 1))
    each(5, 100, lambda at: host.kernel(at + 1, at + 80, launch=(at + 0.2, at + 0.4)))
    return host


def program() -> Host:
    host = Host()
    stats: Stats = {"hlo_module": "jit_train_step", "program_id": 3, "hlo_op": "fusion.1"}
    each(5, 100, lambda at: host.kernel(at, at + 80, stats=stats))
    return host


def on_cpu(host: Host) -> Host:
    each(5, 100, lambda at: host.event("aten::addmm", at, at + 80))
    return host


def trained(host: Host) -> Host:
    host.event("Optimizer.step#SGD.step", 0, 1)
    return host


def pytorch(host: Host) -> Host:
    host.event("aten::empty", 0, 1)
    return host


def reading(host: Host) -> Host:
    each(5, 100, lambda at: host.event("aten::item", at + 85, at + 90))
    return host


@pytest.mark.parametrize(
    ("host", "source", "sentence", "name"),
    [
        (trained(kernels(Host())), "the GPUs' recurring work", rule.PERIOD, ""),
        (stored(), "the stored Steps line", rule.STEPS_LINE, ""),
        (jax(), "calls of a compiled function", rule.JIT_CALLS, "calls of “train_step”"),
        (program(), "repeats of an XLA program", rule.MODULES, "“jit_train_step”"),
        (reading(on_cpu(Host())), "ops and calls that recur", rule.HOST_PERIOD, "thread of the host"),
    ],
)
def test_steps_that_are_inferred_are_noted(host: Host, source: str, sentence: str, name: str) -> None:
    found = finding(RULE, host)

    assert (found.severity, found.title) == ("info", f"Steps inferred from {source}")
    assert value(found, "steps found") == 5
    assert says(found, sentence) and name in found.summary


def test_what_recurs_on_the_gpu_without_an_update_may_be_a_layer() -> None:
    found, of_training = finding(RULE, kernels(pytorch(Host()))), finding(RULE, trained(kernels(Host())))

    assert says(found, rule.LAYERS) and found.severity == "warning"
    assert not says(of_training, rule.LAYERS) and of_training.severity == "info"
    assert finding(RULE, kernels(Host())).severity == "info"  # a program of another kind


@pytest.mark.near_miss("below")
def test_markers_and_calls_of_the_training_function_are_what_is_wanted() -> None:
    marked, called = kernels(Host()).steps(5, 100), kernels(Host())
    for number in range(5):
        called.event("FunctionRun", number * 100, number * 100 + 90, id=number + 1, _r=1)

    assert judge(RULE, marked) == Passed(
        "5 steps were told from step markers (“train”). 4 of them are judged; left out: 1 incomplete step."
    )
    assert says(passes(RULE, called), rule.FUNCTION_RUNS)
    assert isinstance(judge(RULE, Host()), NotApplicable)


@pytest.mark.parametrize(("compiling_ms", "said"), [(40, True), (2, False)])
def test_a_model_on_the_cpu_that_repeats_nothing_says_whether_it_compiles(
    compiling_ms: float, said: bool
) -> None:
    host = on_cpu(Host())
    host.event("backend_compile", 500, 500 + compiling_ms)
    found = finding(RULE, host)

    assert (found.severity, says(found, rule.NOTHING_RECURS)) == ("info", True)
    assert says(found, rule.ONLY_COMPILES) == said


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(
    ("op", "seen"),
    [("AssignVariableOp", True), ("ResourceApplyAdam", True), ("ReadVariableOp", False), ("AddV2", False)],
)
def test_a_single_update_is_not_denied(op: str, seen: bool) -> None:
    host = on_cpu(Host(gpus=0))
    host.event(f"EagerLocalExecute: {op}", 500, 501)
    found = finding(RULE, host)

    assert (says(found, rule.ONE_AT_MOST), says(found, rule.NOTHING_RECURS)) == (seen, not seen)


def test_what_recurs_twice_on_the_cpu_may_be_chance() -> None:
    host = Host()
    each(2, 100, lambda at: host.event("aten::addmm", at, at + 80))

    assert not says(finding(RULE, host), rule.RECURS)


def test_what_products_reach_is_said_without_steps_too() -> None:
    host = Host(device=A100)
    for number in range(5):
        host.kernel(
            number**2,
            number**2 + 1,
            name=HALF_GEMM.replace("128x128", f"{64 << number}x64"),
            op=f"m/dense_{number}/MatMul:MatMul",
        )
        host.work(f"m/dense_{number}/MatMul:MatMul", 10**11, 10**6)
    found = finding(RULE, host)

    assert says(found, rule.REACHED) and "32 % of the peak in fp16" in found.summary


@pytest.mark.parametrize(("before_ms", "said"), [(6, True), (2, False)])
def test_time_before_the_first_launch_is_told_if_it_is_long(before_ms: int, said: bool) -> None:
    host = Host()
    host.event("aten::linear", before_ms, before_ms + 9)
    host.kernel(before_ms + 1.1, before_ms + 9, launch=(before_ms + 1, before_ms + 1.1))

    assert says(finding(RULE, host), rule.BEFORE) == said


@pytest.mark.parametrize("back_ms", [0, 20])
def test_work_after_the_last_launch_is_said_to_be_not_judged(back_ms: int, tmp_path: Path) -> None:
    """The host reads managed memory, whose pages go back."""
    export = Export()
    export.launch(0, MS, 30 * MS, "add(int)")
    for at in range(40 * MS, (40 + back_ms) * MS, 2 * MS):
        moved = {"bytes": 12_000_000, "copyKind": TO_HOST, "migrationCause": PAGE_FAULT}
        export.work("CUPTI_ACTIVITY_KIND_MEMCPY", at, at + 2 * MS, **moved)
    found = inputs_of_run((export.trace(tmp_path),)).call(RULE.judge)

    assert isinstance(found, Found)
    assert says(found, rule.LATER) == bool(back_ms)


@pytest.mark.parametrize("copies", [False, True])
def test_work_beside_the_one_that_recurs_is_told(copies: bool, tmp_path: Path) -> None:
    """First the program does something without a GPU for a minute."""
    export = Export()
    first = 60_000
    for ms in (0, *range(first, first + 40)):
        export.launch(ms * MS, ms * MS + MS // 10, ms * MS + MS // 2, "one(int)")
    if copies:
        last = (first + 50) * MS
        copied = {"bytes": 100_000_000, "copyKind": 1, "srcKind": 1}
        export.work("CUPTI_ACTIVITY_KIND_MEMCPY", last, last + 20 * MS, **copied)
    given = inputs_of_run((export.trace(tmp_path),))
    found, warm = given.call(RULE.judge), given.call(warm_up_captured.RULE.judge)

    assert isinstance(found, Found) and isinstance(warm, Found)
    assert says(found, rule.OUTSIDE) == copies
    assert says(warm, warm_up_captured.PAUSES)
    assert "nothing was recorded for 60.0 s of it" in warm.summary


@pytest.mark.parametrize(("launches", "once"), [(1, True), (10, False)])
def test_a_program_that_launches_few_kernels_has_no_steps(launches: int, once: bool, tmp_path: Path) -> None:
    export = Export()
    for number in range(launches):
        at = (500 + number**2) * MS
        export.launch(at, at + MS, at + 2 * MS, f"kernel_{number}(int)")
    copied = {"bytes": 1_000_000, "copyKind": 2}
    export.call("cudaMemcpy_v3020", at + MS, at + 300 * MS, correlation=99)
    export.work("CUPTI_ACTIVITY_KIND_MEMCPY", at + 5 * MS, at + 300 * MS, correlation=99, **copied)
    inputs = inputs_of_run((export.trace(tmp_path),))
    outcome = run_rules(RULES, inputs)
    found = next(note for note in outcome.trust if note.id == "no-step-markers")
    said = inputs.call(headline, outcome)
    few = "The program launches 1 kernel, once, which runs for 1.0 ms; 500 ms of start-up come before."

    assert (says(found, rule.RUNS_ONCE), says(found, rule.RECORDING)) == (once, not once)
    assert ("excessive-memcpy" in {f.id for f in outcome.findings}) != once
    assert (said.recorded, said.unit) == ((few, "") if once else ("", "step"))
