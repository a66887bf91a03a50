"""The GPU waits for the host to launch kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import Host, each, finding, fires, inputs_of_run, passes, says, value
from tests.readers.kineto.traces import Trace, read
from tests.readers.nsight.writer import Export
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import kernel_launch_bound as rule
from tfperf_plugin.judging.rules.one_gpu.kernel_launch_bound import RULE
from tfperf_plugin.judging.verdicts import Finding


def training(launch: float, kernel: float, kernels: int = 10) -> Host:
    """Steps of ``kernels`` kernels, each launched (ms) only after the one before has ended."""
    host = Host()
    length = kernels * (launch + kernel)
    host.steps(5, length)

    def step(at: float) -> None:
        for number in range(kernels):
            begin = at + number * (launch + kernel)
            host.kernel(begin + launch, begin + launch + kernel, launch=(begin, begin + launch))

    each(5, length, step)
    return host


def test_what_a_gpu_needs_between_kernels_stays() -> None:
    """Of 3 µs between two kernels, a microsecond is the GPU's own, however early they are launched."""
    found = fires(RULE, training(launch=0.003, kernel=0.020))

    assert found.claims == {"idle.launch": 20_000}
    assert found.covers == {"idle.launch": 30_000}  # all of it is a symptom's reason


@pytest.mark.parametrize(
    ("updates", "kind", "named"),
    [
        (120, "mul_1:Mul", True),
        (110, "mul_1:Mul", False),  # half of all are 115
        (120, "ResourceApplyAdam:ResourceApplyAdam", False),  # one kernel updates a variable
    ],
)
def test_where_most_kernels_update_variables_the_optimizer_is_named(
    updates: int, kind: str, named: bool
) -> None:
    def step(host: Host, at: float) -> None:
        for number in range(2 * 115):
            begin = at + number * 0.02
            op = f"nadam/update_{number}/{kind}" if number < updates else "model/dense/add:AddV2"
            name = "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel"
            host.kernel(begin + 0.015, begin + 0.02, name=name, op=op, launch=(begin, begin + 0.015))

    found = fires(RULE, Host().trained(5, 5, step))

    assert says(found, rule.OPTIMIZER) == named and not found.values["only updates"]
    assert found.advice == ("the optimizer launches most kernels" if named else "")


def test_a_larger_batch_changes_no_step_that_only_updates() -> None:
    def step(host: Host, at: float) -> None:
        for number in range(230):
            begin, op = at + number * 0.02, f"nadam/update_{number}/mul_1:Mul"
            name = "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel"
            host.kernel(begin + 0.015, begin + 0.02, name=name, op=op, launch=(begin, begin + 0.015))

    found = finding(RULE, Host().trained(5, 5, step))

    assert found.fix.actions and not any("larger batch" in action for action in found.fix.actions)


def ahead() -> Host:
    """Only the step's very first kernel is launched while nothing runs."""

    def step(host: Host, at: float) -> None:
        for number in range(10):
            begin, called = at + number * 0.1, at + number * 0.03
            host.kernel(begin, begin + 0.1, launch=(called, called + 0.03))

    return Host().trained(5, 1, step)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        training(launch=0.009, kernel=0.991),
        ahead(),
        # A launch counts as in flight for at most 0.1 ms after the call.
        Host().trained(5, 100, lambda host, at: host.kernel(at + 50, at + 100, launch=(at, at + 0.02))),
    ],
    ids=["0.9 %", "ahead of a busy GPU", "long after the launch"],
)
def test_what_launching_does_not_cost(host: Host) -> None:
    passes(RULE, host)
    assert fires(RULE, training(launch=0.010, kernel=0.990)).claims == {"idle.launch": 90_000}


def called(steps: int, executes: float) -> Host:
    """Steps of 100 ms, each a call of 45 ms whose executor works from ``executes`` to 40 ms."""
    host = Host().steps(steps, 100)
    for number in range(steps):
        at = 100 * number
        host.event("train_function", at, at + 45, tf_function_call="notTraced-nonXla")
        host.event("ExecutorState::Process", at + executes, at + 40.1, thread="tf_Compute/1", id=7 + number)
        host.event("FunctionRun", at + executes, at + 41, id=7 + number)
    return host


def slow_calls(steps: int) -> Host:
    """Python calls for 20 ms before the executor's first op, which launches 20 ms later."""

    def step(at: float) -> None:
        host.kernel(at + 40, at + 100, launch=(at + 39.9, at + 40), thread="tf_Compute/1")

    host = called(steps, 20)
    each(steps, 100, step)
    return host


def test_in_one_step_a_host_with_time_to_spare_may_be_late_only_there() -> None:
    one, more = finding(RULE, slow_calls(1)), finding(RULE, slow_calls(5))
    busy = Host()
    busy.step(0, 0, 10)
    for begin in range(10):
        busy.kernel(begin + 0.7, begin + 1, launch=(begin, begin + 0.7))

    assert (one.severity, one.confidence, says(one, rule.COULD_RUN_AHEAD)) == ("info", "low", True)
    assert one.action == "Let the host run ahead of the GPU"
    assert not says(more, rule.COULD_RUN_AHEAD)
    assert finding(RULE, busy).severity == "warning"


def slow_op(steps: int, late: float = 30) -> Host:
    """The executor takes ``late`` ms before it launches the kernel of model/b."""
    host = called(steps, 0.1)

    def step(at: float) -> None:
        for begin, end, op in ((0.2, 40 - late, "model/a:Relu"), (40, 99.9, "model/b:Conv2D")):
            launch = (at + begin - 0.05, at + begin)
            host.kernel(at + begin, at + end, launch=launch, thread="tf_Compute/1", op=op)

    each(steps, 100, step)
    return host


def test_few_ops_that_take_the_host_long_are_told_from_many_launches() -> None:
    host = Host()
    host.step(0, 0, 100)
    host.event("aten::linear", 0.5, 99)
    for begin, op in ((0.6, "first"), (36, "a:Relu"), (66, "b:Conv2D"), (95, "c:Relu")):
        host.kernel(begin, begin + 4, launch=(begin - 0.05, begin), op=op)
    found = fires(RULE, host)

    assert (found.title, found.advice) == (rule.FEW_OPS, "one op takes the host long")
    assert says(found, rule.CAUSE_FEW_OPS) and found.cause.endswith("before the first kernel of a:Relu.")
    assert found.claims == {"idle.dispatch": pytest.approx(82_250_000, abs=100_000)}


@pytest.mark.near_miss("below")
def test_what_any_op_may_take_is_not_held_against_one() -> None:
    assert fires(RULE, slow_op(5, late=1.5)).title == "Host-bound at one op"
    assert fires(RULE, slow_op(5, late=1.03)).title == "Kernel-launch-bound"


def calls(
    copied: float = 4,
    *,
    steps: int = 8,
    inside: str = "PjitFunction(f)",
    copies: bool = True,
    op: str = "shard_args",
) -> Host:
    """Calls of 10 ms of what JAX compiled: arguments are placed in ``copied`` ms, a kernel starts at 6."""

    def step(host: Host, at: float) -> None:
        host.event(inside, at + 0.1, at + 6.1)
        if at < 10 * steps:
            host.event(op, at + 0.2, at + 0.4)
            if copies:
                copy = "PjRtStreamExecutorBuffer::CopyToDeviceHelper::async_copy_to_device"
                host.event(copy, at + 0.3, at + 0.2 + copied, thread="tf_pjrt_thread_pool")
        host.event("PJRT_LoadedExecutable_Execute", at + 0.5, at + 6)
        host.kernel(at + 6, at + 9.9, launch=(at + 5.99, at + 6))

    return Host().trained(9, 10, step)


def test_arguments_that_each_call_places_anew_are_named() -> None:
    found = fires(RULE, calls())

    assert found.advice == "arguments are placed in each call"
    assert value(found, "of the waiting while arguments are placed") == pytest.approx(4 / 5.9, abs=0.01)
    assert says(found, rule.PLACES) and says(found, rule.CAUSE_PLACES)
    # Beside copies on other threads the call executes already, which it would still have to.
    assert sum(found.claims.values()) == 200_000


@pytest.mark.parametrize(
    "host",
    [
        calls(copied=2.8),  # less than half of the waiting
        calls(steps=4),  # the first calls only
        calls(copies=False),  # nothing is copied
        calls(inside="MyOwnCode"),  # placed by the program, outside of a call
        calls(op="other"),
    ],
)
def test_else_launching_is_what_matters(host: Host) -> None:
    assert fires(RULE, host).title == "Kernel-launch-bound"


def torch_steps(draw: Callable[[Trace, float, int], None]) -> Finding:
    """What the rule finds in four steps of 10 ms. ``draw``: begin in µs and the first free correlation id."""
    trace = Trace()
    for number in range(4):
        at = 10_000.0 * number
        trace.mark(f"ProfilerStep#{number}", at, at + 10_000)
        draw(trace, at, 1000 * number + 1)
    (found,) = run_rules([RULE], inputs_of_run((read(trace),))).findings
    return found


def add(trace: Trace, correlation: int, begin: float, end: float) -> None:
    """A kernel that an op launches 20 µs before."""
    trace.op("aten::add", begin - 25, begin - 8)
    trace.launch(correlation, begin - 20, begin - 10)
    trace.kernel("add", correlation, begin, end)


def after_random_numbers(name: str, inner: str = "", thread: int = 1, marked: str = "") -> Finding:
    """Steps that draw random numbers for 4 ms, with a call or op inside, before they launch a kernel."""

    def step(trace: Trace, at: float, free: int) -> None:
        trace.op("aten::linear", at + 1, at + 4_600)
        mark = trace.mark if marked else trace.op
        mark(marked or name, at + 20, at + 4_020, thread)
        if marked:
            trace.op(name, at + 21, at + 4_019, thread)
        if inner.startswith("cuda"):
            trace.launch(free + 1, at + 30, at + 4_000, inner)
        elif inner:
            trace.op(inner, at + 30, at + 4_000, thread)
        add(trace, free, at + 4_500, at + 9_900)

    return torch_steps(step)


def test_time_in_an_op_that_computes_on_the_cpu_is_left_to_another_rule() -> None:
    found = after_random_numbers("aten::randn", "aten::normal_")

    assert found.saving and found.saving.ns < 1_000_000


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "found",
    [
        after_random_numbers("aten::randn", "cudaMalloc"),  # it allocates
        after_random_numbers("aten::randn", thread=2),  # on a thread that launches nothing
        after_random_numbers("aten::empty"),
        after_random_numbers("my_function"),
    ],
)
def test_the_next_op_is_named_where_no_op_computes_on_the_cpu(found: Finding) -> None:
    assert found.title == "Host-bound at one op"
    assert found.cause.endswith("before the first kernel of aten::add.")


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("kernel", "told"), [("implicit_convolve_sgemm", True), ("convert_kernel", False)])
def test_advice_on_cudnn_is_for_programs_with_convolutions(kernel: str, told: bool) -> None:
    def step(trace: Trace, at: float, free: int) -> None:
        trace.op("aten::linear", at + 1, at + 4_600)
        add(trace, free, at + 4_500, at + 9_000)
        trace.op("aten::other", at + 9_000, at + 9_040)
        trace.launch(free + 1, at + 9_010, at + 9_020)
        trace.kernel(kernel, free + 1, at + 9_050, at + 9_900)

    found = torch_steps(step)

    assert found.title == "Host-bound at one op" and found.fix
    assert any("cudnn.benchmark" in action for action in found.fix.actions) == told


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("call", "advised"), [("cudaLaunchKernel", True), ("cudaGraphLaunch", False)])
def test_graphs_that_launch_already_are_not_advised(call: str, advised: bool) -> None:
    def step(trace: Trace, at: float, free: int) -> None:
        trace.op("vllm::step", at + 1, at + 9_000)
        for number in range(20):
            begin = at + 400 * number + 10
            trace.launch(free + number, begin, begin + 50, call)
            trace.kernel("gemm", free + number, begin + 60, begin + 390)

    found = torch_steps(step)

    assert found.fix
    actions = " ".join(found.fix.actions)
    assert ("--enforce-eager" in actions) == advised and "--max-num-seqs" in actions


def building(steps: int, call: str = "cudaGraphInstantiateWithFlags") -> Finding:
    """Steps, of which the first ``steps`` spend 4 ms in a call before they launch a kernel."""

    def step(trace: Trace, at: float, free: int) -> None:
        trace.op("aten::linear", at + 1, at + 4_600)
        if at < 10_000 * steps:
            trace.launch(free + 1, at + 30, at + 4_000, call)
        add(trace, free, at + 4_500, at + 9_900)

    return torch_steps(step)


def test_graphs_that_each_step_builds_anew_are_named() -> None:
    found = building(4)

    assert found.title == "CUDA graphs are built in each step"
    assert says(found, rule.CAUSE_BUILDS_GRAPH) and "4.0 ms of it while the host builds" in found.cause
    assert found.saving and found.saving.ns == pytest.approx(4_000_000, abs=100_000)
    assert not any("reduce-overhead" in action for action in found.fix.actions)


def test_the_capture_of_a_graph_goes_with_it() -> None:
    def step(trace: Trace, at: float, free: int) -> None:
        trace.op("aten::linear", at + 1, at + 4_600)
        trace.launch(free + 1, at + 30, at + 40, "cudaStreamBeginCapture")
        trace.launch(free + 2, at + 1_990, at + 2_000, "cudaStreamEndCapture")
        trace.launch(free + 3, at + 2_000, at + 4_000, "cudaGraphInstantiate")
        add(trace, free, at + 4_500, at + 9_900)

    found = torch_steps(step)

    assert found.saving and found.saving.ns == pytest.approx(3_970_000, abs=50_000)


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("found", [building(1), building(4, "cudaGraphUpload")])
def test_a_graph_that_is_built_once_or_launched_is_no_reason(found: Finding) -> None:
    assert found.title != "CUDA graphs are built in each step"


@pytest.mark.near_miss("hidden")
def test_ops_that_make_a_batch_are_no_part_of_the_step() -> None:
    def step(trace: Trace, at: float, free: int) -> None:
        trace.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 20, at + 4_020)
        trace.op("aten::stack", at + 30, at + 4_000)
        trace.op("aten::linear", at + 4_030, at + 5_500)
        add(trace, free, at + 5_450, at + 9_900)

    assert torch_steps(step).title == "Host-bound at one op"


def zeroing(mark: str, zeros: int, others: int) -> Finding:
    """Steps that launch kernels of 20 µs one after another, the first ones in a mark."""

    def step(trace: Trace, at: float, free: int) -> None:
        trace.mark(mark, at + 1, at + 60 * zeros + 1)
        for number in range(zeros + others):
            begin = at + 60 * number
            add(trace, free + number, begin + 35, begin + 55)

    return torch_steps(step)


@pytest.mark.near_miss("below")
def test_a_mark_that_little_of_the_waiting_lies_in_is_not_named() -> None:
    assert not says(zeroing("Optimizer.zero_grad#SGD.zero_grad", 50, 70), rule.MARKED)


@pytest.mark.near_miss("below")
def test_filling_few_gradients_is_not_worth_a_word() -> None:
    found = zeroing("Optimizer.zero_grad#SGD.zero_grad", 1, 119)

    assert found.fix and not says(found, rule.FILLS)
    assert "set_to_none" not in " ".join(found.fix.actions)


@pytest.mark.near_miss("once")
@pytest.mark.parametrize("earlier", [False, True])
def test_what_a_single_launch_waits_for_is_no_cost_of_launching(earlier: bool, tmp_path: Path) -> None:
    """It may load the kernel's code. Earlier launches of the recording make it a step of several."""
    export = Export()
    for number in range(9 if earlier else 0):
        at = 30_000 * number**2
        export.launch(at, at + 5_000, at + 6_000)
    export.call("cudaLaunchKernel", 3_000_000, 40_000_000, 99)
    export.kernel(41_000_000, 100_000_000, correlation=99)
    outcome = run_rules([RULE], inputs_of_run([export.trace(tmp_path)]))

    assert [found.id for found in outcome.findings] == (["kernel-launch-bound"] if earlier else [])
    assert [row.reason for row in outcome.not_applicable] == ([] if earlier else [rule.ONE_LAUNCH])
