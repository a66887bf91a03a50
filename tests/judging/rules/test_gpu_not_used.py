"""The model ran on the CPU; a GPU that was used, but not recorded, is another matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Host, each, finding, fires, inputs, inputs_of_run, judge, passes, says, value
from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.judging.engine.rule import Found, NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.capture import no_device_events
from tfperf_plugin.judging.rules.one_gpu import eager_execution
from tfperf_plugin.judging.rules.one_gpu import gpu_not_used as rule
from tfperf_plugin.judging.rules.one_gpu.gpu_not_used import RULE

CONV = "model/conv/Conv2D:Conv2D"
FILTER = "gradient_tape/model/conv/Conv2D/Conv2DBackpropFilter:Conv2DBackpropFilter"


def training(
    conv: float = 40, gpus: int = 0, steps: int = 6, op: str = CONV, name: str = "worker", others: int = 0
) -> Host:
    """Steps of 100 ms; a convolution and its gradient run on threads, the gradient 20 ms beside the first."""

    def step(host: Host, at: float) -> None:
        host.event(op, at, at + conv, thread="tf_Compute/1")
        host.event(FILTER, at + conv / 2, at + conv / 2 + conv, thread="tf_Compute/2")
        for i in range(others):
            host.event(
                "model/add:AddV2", at + 90 + i * 0.001, at + 90.0005 + i * 0.001, thread="tf_Compute/1"
            )

    return Host(name, gpus=gpus).trained(steps, 100, step)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("python_ms", "called"), [(50, True), (3, False)])
def test_of_python_that_takes_most_the_cost_can_be_learned(python_ms: float, called: bool) -> None:
    host = training()
    each(6, 100, lambda at: host.event("m/PyFunc:PyFunc", at, at + python_ms, thread="tf_Compute/3"))

    assert fires(RULE, host).values["Python is called"] is called


def test_where_cupti_was_not_loaded_a_later_profile_of_the_gpu_would_lack_kernels() -> None:
    host = training(gpus=1)
    host.error("Failed to load libcupti (is it installed and accessible?)")
    outcome = run_rules(RULES, inputs(host))
    (note,) = outcome.trust

    assert (note.title, note.severity) == (no_device_events.WOULD_MISS, "info")
    assert "put CUPTI's folder in front of LD_LIBRARY_PATH" in note.summary
    assert outcome.on_cpu and outcome.findings[0].title == "The GPU was not used"


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("gpus", "error"), [(0, "Failed to load libcupti"), (1, "Failed to load libcublas")])
def test_only_gpus_that_are_there_need_cupti(gpus: int, error: str) -> None:
    host = training(gpus=gpus)
    host.error(error)

    assert isinstance(judge(no_device_events.RULE, host), NotApplicable)


@pytest.mark.near_miss("below")
def test_ops_as_short_as_their_launch_are_said_but_cost_nothing() -> None:
    """5,000 launches take the host 100 ms."""
    found = fires(RULE, training(others=5_000))

    assert found.severity == "info"
    assert says(found, rule.LITTLE_GAIN)
    assert fires(RULE, training(others=2_000)).severity == "warning"


def test_the_loop_of_a_layer_that_cudnn_can_take_would_be_one_launch() -> None:
    """Keras calls such a layer as a function, which runs under an id of its own."""

    def step(host: Host, at: float) -> None:
        call, product = "model/lstm/PartitionedCall:PartitionedCall", "while_1/body/_2/while/MatMul:MatMul"
        host.event("FunctionRun", at, at + 90, id=int(at) + 1)
        host.event("ExecutorState::Process", at + 1, at + 2, thread="tf_Compute/1", id=int(at) + 1)
        host.event(call, at + 1.5, at + 2, thread="tf_Compute/1")
        host.event("ExecutorState::Process", at + 2, at + 82, thread="tf_Compute/2", id=int(at) + 2)
        for i in range(4_000):
            host.event(product, at + 2 + 0.02 * i, at + 2.02 + 0.02 * i, thread="tf_Compute/2")

    found = fires(RULE, Host(gpus=1).trained(6, 100, step))

    assert found.severity == "critical"
    assert says(found, rule.ONE_EACH) and "4,000 ops" in found.summary
    assert value(found, "launching these ops") == 0


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(("op", "launched"), [("TensorListPushBack", 1), ("TensorListStack", 4_001)])
def test_an_op_that_only_hands_on_a_tensor_launches_nothing(op: str, launched: int) -> None:
    def step(host: Host, at: float) -> None:
        host.event("lstm/while/body/_2/MatMul:MatMul", at, at + 2, thread="tf_Compute/1")
        for i in range(4_000):
            begin = at + 2 + 0.0025 * i
            host.event(f"while/{op}:{op}", begin, begin + 0.001, thread="tf_Compute/1")

    found = fires(RULE, Host(gpus=1).trained(6, 100, step))

    assert value(found, "launching these ops") == launched * 20_000


def test_how_to_install_cuda_is_told_for_windows_too() -> None:
    page = " ".join(Path(rule.__file__).with_suffix(".md").read_text(encoding="utf-8").split())

    assert page.count("tensorflow[and-cuda]") == page.count("and-cuda]'`. On Windows itself, 2.10 was") == 2


@pytest.mark.parametrize("allocator", ["GPU_0_bfc", "\0PU_0_bfc"])
@pytest.mark.parametrize(
    ("gpus", "note"), [(1, no_device_events.USED), (0, no_device_events.NONE_DECLARED_USED)]
)
def test_a_gpu_whose_memory_was_allocated_was_used_and_not_recorded(
    allocator: str, gpus: int, note: str
) -> None:
    host = training(gpus=gpus)
    host.memory(10, 1_000, 10_000, 1_000, allocator=allocator)

    assert isinstance(judge(RULE, host), NotApplicable)
    assert says(fires(no_device_events.RULE, host), note)


BACKWARD = "autograd::engine::evaluate_function: AddmmBackward0"


def torch(
    product: float = 30, other: float = 10, op: str = "aten::addmm", backward: str = "", gpus: int = 0
) -> Host:
    """Steps of 100 ms of a linear layer and an activation, and of a gradient on the thread ``backward``."""

    def step(host: Host, at: float) -> None:
        host.event("aten::linear", at, at + product + 0.01)
        host.event(op, at + 0.005, at + 0.005 + product)
        host.event("aten::clamp_min", at + 40, at + 40 + other)
        if backward:
            host.event(BACKWARD, at + 55, at + 55 + product, thread=backward)
            host.event("aten::mm", at + 55, at + 55 + product, thread=backward)

    return Host(gpus=gpus).trained(6, 100, step)


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(("other", "outside"), [(14, True), (15.1, False)])
def test_an_op_is_no_cause_where_more_time_passes_outside_of_ops(other: float, outside: bool) -> None:
    """The product takes 35 ms of 100; what lies within neither op is Python's."""
    found = finding(RULE, torch(35, other))

    assert says(found, rule.CAUSE_OUTSIDE) == outside
    assert ("addmm" in found.cause) != outside and bool(found.where) != outside
    assert any("smaller images" in action for action in found.fix.actions) != outside
    assert any("what runs between the ops" in action for action in found.fix.actions) == outside


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(("longest", "uneven"), [(90, True), (29, False)])
def test_uneven_steps_make_the_cpu_a_doubtful_cause(longest: float, uneven: bool) -> None:
    """Every second step takes 10 ms, the others up to ``longest``."""
    host, at = Host(), 0.0
    for number in range(12):
        length = 10 if number % 2 else longest
        host.step(number, at, at + length)
        host.event("aten::addmm", at, at + 0.9 * length)
        at += length
    found = finding(RULE, host)

    assert says(found, rule.UNEVEN) == uneven
    assert (found.severity, found.confidence) == (("warning", "low") if uneven else ("critical", "high"))


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("longest", "count", "stalled"), [(150, 20, True), (90, 20, False), (150, 5, False)])
def test_one_call_that_stands_still_says_little_of_the_model(longest: int, count: int, stalled: bool) -> None:
    host, at = Host(gpus=0), 0.0
    for number in range(count):
        length = longest if number == 2 else 10 if number % 2 else 1
        host.event("aten::mkldnn_convolution", at, at + length)
        at += length + 1
    found = finding(RULE, host)

    assert says(found, rule.STALLED) == stalled
    assert (found.action == "Record again on an idle machine") == stalled


def using(event: str = "", allocator: str = "") -> Host:
    """With an event of a launch or of a tensor that is sent between devices, or memory allocated."""
    host = training()
    if event:
        host.event(event, 1, 1.01, correlation_id=7)
    if allocator:
        host.memory(10, 1_000, 10_000, 1_000, allocator=allocator)
    return host


def preparing() -> Host:
    """Only the input pipeline computes."""
    return Host(gpus=0).trained(
        6, 100, lambda host, at: host.event("map/Conv2D:Conv2D", at, at + 90, thread="tf_data_private/1")
    )


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "used"),
    [
        (using(event="IteratorGetNext/_3:_Send"), False),
        (using(event="cuLaunchKernel"), False),
        (using(allocator="mklcpu"), True),
        (preparing(), False),
        (torch(0.05, 0.01), False),  # no longer than a launch
        (torch(0.051, 0.01), True),
        (torch(5, 10), False),  # a full queue of launches holds up each op alike
        (torch(10, 10), True),
        (torch(5, 10, op="aten::mkldnn_convolution"), True),
        (torch(5, 20, backward="python3"), True),
        (torch(30, backward="pt_autograd_0"), False),  # a thread of its own: that of a GPU
    ],
)
def test_what_tells_that_processors_compute_the_model(host: Host, used: bool) -> None:
    assert isinstance(judge(RULE, host), Found if used else NotApplicable)


def test_a_backward_pass_on_a_thread_of_its_own_is_noted() -> None:
    found = fires(no_device_events.RULE, torch(30, backward="pt_autograd_0"))

    assert says(found, no_device_events.NOT_ASKED) and says(found, no_device_events.NONE_DECLARED_OPS)


@pytest.mark.parametrize(
    ("op", "advice"),
    [
        ("aten::cudnn_convolution", "GPU events were not asked for"),
        ("aten::miopen_rnn", "GPU events were not asked for"),
        ("aten::_mps_convolution", "macOS"),
    ],
)
def test_ops_that_only_gpus_have_speak_for_one(op: str, advice: str) -> None:
    host = torch(op=op)

    assert isinstance(judge(RULE, host), NotApplicable)
    assert fires(no_device_events.RULE, host).advice == advice


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("stated", "setting_up_us", "used"),
    [(False, 15, None), (False, 3_700_000, True), (True, 15, False)],  # an old file states no list of GPUs
)
def test_tensors_that_are_filled_and_moved_do_not_tell_where_to(
    stated: bool, setting_up_us: int, used: bool | None
) -> None:
    trace = Trace()
    if not stated:
        del trace.metadata["deviceProperties"]
    at = 0.0
    for length in (setting_up_us, 15, 15, 15):
        trace.op("aten::normal_", at, at + 720_000)
        trace.op("aten::to", at + 730_000, at + 800_000 + length)
        trace.op("aten::empty_strided", at + 730_001, at + 730_001 + length)
        trace.op("aten::copy_", at + 730_002 + length, at + 799_000 + length)
        trace.op("aten::pow", at + 801_000 + length, at + 801_300 + length)
        at += 802_000 + length
    given = inputs_of_run((read(trace),))

    assert isinstance(given.call(RULE.judge), Found) is (used is False)
    assert isinstance(given.call(no_device_events.RULE.judge), Found) is (used is True)


@pytest.mark.parametrize("op", ["model/dense/MatMul:MatMul", "lstm/while/body/_1/lstm/while/MatMul_1:MatMul"])
def test_the_executor_records_products_of_a_graph_on_processors_only(op: str) -> None:
    """TensorFlow calls the ops of GPUs inexpensive and does not record them, however long they take."""
    host = Host().trained(6, 100, lambda host, at: host.event(op, at, at + 0.004, thread="tf_Compute/1"))

    assert fires(RULE, host).severity == "info"


@pytest.mark.near_miss("hidden")
def test_a_gpu_that_runs_anything_is_used() -> None:
    host = training(gpus=1)
    host.kernel(0, 600)
    cut = training(gpus=1)
    cut.copy("H2D", 1, 2, size=4)

    passes(RULE, host)
    passes(RULE, cut)


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(("around", "first"), [(19, "gpu-not-used"), (21, "eager-execution")])
def test_only_what_is_critical_comes_before_ops_that_take_most(around: float, first: str) -> None:
    host = Host(gpus=0)
    each(100, 1, lambda at: host.event("aten::linear", at, at + 1))
    each(100, 1, lambda at: host.event("aten::addmm", at + around / 100, at + 1))
    outcome = run_rules([RULE, eager_execution.RULE], inputs(host))

    assert outcome.findings[0].id == first and len(outcome.findings) == 2


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(("waiting", "said"), [(19, False), (21, True)])
@pytest.mark.parametrize("gpus", [0, 1])
def test_waiting_that_a_gpu_would_not_shorten_is_said_at_once(waiting: float, said: bool, gpus: int) -> None:
    host = training(gpus=gpus)
    each(6, 100, lambda at: host.event("IteratorGetNextOp::DoCompute", at + 70, at + 70 + waiting))
    found = finding(RULE, host)

    assert says(found, rule.WAITS) == (f"For {waiting:.1f} ms of it the model waits" in found.cause) == said


def test_onednn_is_missed_only_where_it_does_not_run() -> None:
    onednn, compiled = training(op="m/_MklNativeFusedConv2D:_MklNativeFusedConv2D"), training()
    each(6, 100, lambda at: compiled.event("CpuExecutable::ExecuteAsyncOnStream", at, at + 75))

    assert not any(says(fires(RULE, host), rule.NO_ONEDNN) for host in (onednn, compiled))


def test_ops_of_a_compiled_program_are_told_by_the_events_at_their_ends() -> None:
    """As XLA records them since JAX 0.10: its program waits for them in an event that takes no time."""

    def step(host: Host, at: float) -> None:
        for name, begin, end in (("dot.3", 5, 45), ("dot.12", 45, 65), ("reduce", 65, 67)):
            host.event(name, at + begin, at + end, thread="tf_XLAPjRtCpuClient/1")
            host.event(f"end: {name}", at + end, at + end + 0.001, thread="tf_XLAEigen/2")
        done = "ThunkExecutor::Execute (wait for completion)"
        host.event(done, at + 68, at + 68.001, thread="tf_XLAPjRtCpuClient/1")

    found = finding(RULE, Host(gpus=0).trained(6, 100, step))

    assert value(found, "time in which dot runs") == 60_000_000
    assert value(found, "ops on the CPU") == 62_000_000
