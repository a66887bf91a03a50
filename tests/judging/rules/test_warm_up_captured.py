"""The recording begins with steps that trace and compile."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import (
    ADD,
    MS,
    SGEMM,
    Host,
    TraceInputs,
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
from tfperf_plugin.analysis.artifacts.host.startup import Startup
from tfperf_plugin.judging.engine.rule import Found, NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.capture import warm_up_captured as rule
from tfperf_plugin.judging.rules.capture.warm_up_captured import RULE
from tfperf_plugin.judging.rules.input import input_bound
from tfperf_plugin.judging.rules.one_gpu import allocator_stalls


def training(*compiling: float) -> Host:
    """Six steps of 100 ms, the n-th of which compiles for the n-th number of ms."""
    host = Host().trained(6, 100, lambda host, at: host.kernel(at, at + 100))
    for number, length in enumerate(compiling):
        if length:
            host.event("XlaCompile", number * 100, number * 100 + length)
    return host


@pytest.mark.parametrize(
    ("host", "title", "said"),
    [
        (training(80), "the first step", "Step 0 takes 100 ms: it traces, compiles or starts up"),
        (training(5), "the first step", "Step 0"),
        (training(80, 0, 0, 10), "the first step", "Step 0"),  # one later step that traces again
        (training(80, 50), "the first 2 steps", "Steps 0 and 1 take up to 100 ms: they trace"),
    ],
)  # fmt: skip
def test_steps_that_are_left_out_are_named(host: Host, title: str, said: str) -> None:
    found = finding(RULE, host)

    assert (found.severity, found.title) == ("info", f"Warm-up left out: {title}")
    assert said in found.summary
    assert value(found, "steps left out") == len(found.where) == (2 if "2" in title else 1)


@pytest.mark.parametrize("kernel", [ADD, "void vllm::rms_norm_kernel<c10::BFloat16>"])
def test_a_long_first_step_of_a_server_may_be_a_prefill(kernel: str) -> None:
    host = Host().trained(6, 100, lambda host, at: host.kernel(at, at + 100, name=kernel))
    host.event("XlaCompile", 0, 80)

    said = finding(RULE, host).summary
    assert ("A prefill of vLLM also takes longer than a step that decodes." in said) == ("vllm" in kernel)


@pytest.mark.parametrize("name", ["Warm-up Step", "Step"])
def test_a_program_may_call_all_its_steps_warm_up(name: str) -> None:
    host = Host()
    for number in range(6):
        at = 100 * number
        host.step(number, at, at + 100, name=name)
        host.kernel(at, at + 95, launch=(at, at + 0.1))
    host.event("XlaCompile", 0, 80)

    assert says(finding(RULE, host), rule.NAMED) == (name != "Step")


def starting(last_copy: float) -> Host:
    """Two of three GPUs begin the first step one after another; the third one receives its data."""
    host = Host(gpus=3)
    host.step(0, 0, 200)
    host.kernel(10, 20, 0)
    host.kernel(90, 100, 1)
    host.copy("H2D", last_copy, last_copy + 1, gpu=2, size=4)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        training(4.9),  # a little
        training(0, 0, 80),  # in a later step
        training(*[80.0] * 6),  # in every step
        training(80, 0, 80, 80, 80),
        starting(50),  # it had its data while others computed
    ],
)
def test_what_is_no_warm_up(host: Host) -> None:
    passes(RULE, host)


def test_without_steps_the_question_does_not_arise() -> None:
    assert isinstance(judge(RULE, Host()), NotApplicable)


def test_a_recording_that_ends_while_gpus_are_being_started_says_so() -> None:
    found = finding(RULE, starting(150))

    assert (found.severity, found.title) == ("warning", "Start-up recorded instead of training")
    assert "GPU 0 after 0.01 s and GPU 1 after 0.09 s; GPU 2 only received data" in found.summary
    assert (value(found, "GPUs that have begun"), value(found, "GPUs that received data")) == (2, 1)


CONV = "model/conv/Conv2D:Conv2D"


def one_step(held: float = 0, copied: float = 0, calls: int = 20) -> Host:
    """One step of 50 ms: two launches beside each other, held for so long, then ``calls`` of 20 µs.

    The GPU copies during the first ``copied`` ms.
    """
    host = Host()
    host.step(0, 0, 50)
    host.kernel(held + 1.1, held + 1.2, launch=(1, 1.02 + held), thread="tf_Compute/1")
    host.kernel(held + 1.3, held + 1.4, launch=(1.01, 1.05 + held), thread="tf_Compute/2")
    for number in range(calls):
        at = held + 2 + number
        host.kernel(at + 0.03, at + 0.9, launch=(at, at + 0.02), thread="tf_Compute/1")
    if copied:
        host.copy("H2D", 1.05, 1.05 + copied, size=100_000_000)
    return host


def startup(host: Host) -> Startup:
    return inputs(host).of(Startup)


def slow_calls() -> Host:
    host = Host()
    host.step(0, 0, 100)
    for at in range(1, 81, 4):
        host.kernel(at + 3, at + 3.5, launch=(at, at + 3))
    return host


def tuning(checks: bool = True, steps: int = 1, op: str = CONV) -> Host:
    """A convolution tries out three algorithms of 8 ms, then runs one for 2 ms; another op follows."""
    host = Host().steps(steps, 60)
    for number in range(steps):
        at = 60 * number + 1
        for _ in range(3):
            host.kernel(at, at + 8, name=SGEMM, op=op)
            host.kernel(at + 8.1, at + 8.2, name="redzone_checker" if checks else "add", op=op)
            at += 10
        host.kernel(at, at + 2, name=SGEMM, op=op)
        host.kernel(at + 2, at + 27, op="model/add:AddV2")
    return host


def test_trials_without_an_op_are_told_between_the_first_and_the_last_check() -> None:
    assert startup(tuning(op="")).ns == round(20.1 * MS)


def test_a_step_that_tunes_promises_nothing_of_products() -> None:
    """Of a later step nobody knows which algorithms it runs."""
    outcome = run_rules(RULES, inputs(tuning()))
    why = {row.id: row.reason for row in outcome.not_applicable}

    assert "cuDNN still chooses its algorithms" in why["mixed-precision-off"]


def first_use(
    held: float, op: str = "aten::conv2d", name: str = "conv", before: float = 0, outer: str = ""
) -> Host:
    """A step of 100 ms whose fourth launch is held for some ms, in an op that begins some ms ``before``, and
    in an ``outer`` one that begins 5 ms before."""
    host = Host()
    host.step(0, 0, 100)
    if outer:
        host.event(outer, 5, 10.02 + held)
    host.event(op, 10 - before, 10.01 + held)
    for at in (1, 2, 3, *range(50, 90, 2)):
        host.kernel(at + 0.5, at + 1.5, launch=(at, at + 0.01))
    host.kernel(10 + held, 49, name=name, launch=(10, 10 + held))
    return host


def loaded() -> Host:
    """A module is loaded for 10 ms before the first kernel."""
    host = Host()
    host.step(0, 0, 50)
    host.kernel(20, 50)
    host.event("cuModuleLoadData", 2, 12)
    return host


def few_launches() -> Host:
    host = Host()
    host.step(0, 0, 100)
    for op, begin, end in (("linear", 10, 40), ("sum", 60, 60.01)):
        host.event(f"aten::{op}", begin - 0.01, end + 0.01)
        host.kernel(end + 1, end + 2, name=op, launch=(begin, end))
    return host


@pytest.mark.parametrize(
    ("host", "loading"),
    [
        (loaded(), 10),
        (first_use(30), 30),  # PyTorch lets the driver load a kernel at its first launch
        (few_launches(), 30.01),
        (first_use(0.01, before=5), 5.01),  # libraries set themselves up in the op that calls them first
        (first_use(0.01, before=9), 5.51),  # the GPU works before
        (first_use(0.01, before=2, outer="aten::convolution"), 5.01),  # an outer op sets them up
    ],
)
def test_kernels_are_loaded_when_they_are_first_used(host: Host, loading: float) -> None:
    assert startup(host).by_cause == {"loading": round(loading * MS)}
    assert fires(RULE, host).title == "Kernels loaded inside the step"


def freeing(asked: int) -> Host:
    """A step of 100 ms: an op frees for 30 ms, asks for attributes of the GPU and allocates for 10 ms."""
    host = Host().steps(1, 100)
    host.event("aten::addmm", 9, 51)
    for at in (1, 2, 3, *range(52, 90, 2)):
        host.kernel(at + 0.5, at + 1.5, launch=(at, at + 0.01))
    host.event("cudaFree", 10, 15)
    host.event("cudaFree", 15, 40)
    for number in range(asked):
        host.event("cudaDeviceGetAttribute", 40 + number / 1000, 40.001 + number / 1000)
    host.event("cudaMalloc", 41, 51)
    return host


def test_a_library_that_sets_itself_up_starts_and_frees_nothing() -> None:
    host = freeing(14)

    assert startup(host).by_cause == {"setting up": round(30.014 * MS)}
    assert fires(RULE, host).title == "Libraries set up inside the step"
    assert value(fires(allocator_stalls.RULE, host), "GPU idle while memory") == 10 * MS


def measuring(op: str, call: str = "cudaEventSynchronize") -> Host:
    """A step of 100 ms: an op waits twice for the GPU, and once for memory."""
    host = Host().steps(1, 100)
    host.event(op, 10, 41)
    for at in (*range(1, 9, 2), 10, 20, *range(52, 90, 2)):
        host.kernel(at + 0.5, at + 1.5, launch=(at + 0.1, at + 0.11))
    host.event(call, 10.2, 11.6)
    host.event("cudaMalloc", 12, 19)
    host.event(call, 20.2, 21.6)
    return host


def test_convolutions_of_pytorch_that_measure_algorithms_start_up() -> None:
    host = measuring("aten::cudnn_convolution")

    assert startup(host).by_cause == {"trying": 29 * MS}
    assert "cuDNN" in fires(RULE, host).title
    assert not isinstance(judge(allocator_stalls.RULE, host), Found)


@pytest.mark.near_miss("different")
@pytest.mark.parametrize("names", [("aten::item",), ("aten::conv2d", "cudaStreamSynchronize")])
def test_other_waits_are_no_start_up(names: Sequence[str]) -> None:
    assert startup(measuring(*names)).by_cause == {}


@pytest.mark.near_miss("below")
@pytest.mark.parametrize("asked", [0, 7])
def test_a_pool_that_returns_memory_sets_nothing_up(asked: int) -> None:
    assert startup(freeing(asked)).by_cause == {}
    assert value(fires(allocator_stalls.RULE, freeing(asked)), "GPU idle while memory") == 40 * MS


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        one_step(held=0.9),  # less than a millisecond is usual
        one_step(held=17, copied=16.9),  # the driver is locked while it copies from pageable memory
        one_step(held=17, calls=5),  # few calls do not tell what is usual
        slow_calls(),  # all take long
        tuning(checks=False),
        first_use(30, op="model/conv/Conv2D:Conv2D"),
        first_use(30, name=ADD),
        first_use(0.01, name=ADD, before=5),
    ],
)
def test_what_is_no_start_up(host: Host) -> None:
    assert startup(host).ns == 0
    passes(RULE, host)


def scripted(
    *pauses: float, kernel: str = "fused_mul_1", name: str = "delta", inside: str = ""
) -> TraceInputs:
    """A recording without marks: each call of a function pauses for some ms before its launch.

    Each second call launches another kernel. ``inside``: op that runs in the pauses.
    """
    trace, at = Trace(), 0.0
    for number, pause in enumerate(pauses):
        begin = at + 1000 * pause
        trace.op("aten::relu", at + 1, at + 20)
        trace.launch(3 * number + 1, at + 2, at + 8)
        trace.kernel(f"relu_{number}", 3 * number + 1, at + 9, at + 60)
        trace.op(name, at + 30, begin + 200)
        if inside:
            trace.op(inside, at + 31, begin + 90)
        trace.launch(3 * number + 2, begin + 100, begin + 110)
        trace.kernel(f"{kernel}{number // 2}", 3 * number + 2, begin + 111, begin + 190)
        at = begin + 300
    return inputs_of_run((read(trace),))


def test_a_function_that_compiles_in_the_only_recorded_pass_is_named_as_start_up() -> None:
    given = scripted(60)
    outcome = run_rules(RULES, given)
    (found,) = (f for f in outcome.trust if f.id == "warm-up-captured")

    assert set(given.of(Startup).by_cause) == {"compiling"}
    assert given.of(Startup).ns == pytest.approx(60 * MS, rel=0.01)
    assert found.title == "First calls compile inside the step"
    assert "it compiles delta in a first call. 60.0 ms of 60" in found.summary
    assert [found.id for found in outcome.findings if found.saving] == []


@pytest.mark.parametrize("kernel", ["fused_mul_1", "my_kernel"])
def test_later_calls_show_that_the_first_two_compile(kernel: str) -> None:
    found = scripted(40, 60, *[0.1] * 5, kernel=kernel).of(Startup)

    assert found.by_cause == {"compiling": pytest.approx(100 * MS, rel=0.01)}


@pytest.mark.parametrize(
    "given",
    [
        scripted(60, 60, 60, 60),  # each call takes long
        scripted(0.1, 0.1, 0.1, 60),  # none of the first two
        scripted(60, kernel="my_kernel"),  # neither later calls nor a generated kernel
        scripted(60, name="aten::conv2d", kernel="at::native::conv"),
        scripted(60, inside="aten::normal_"),  # the host works
        scripted(0.9),  # too short to tell
    ],
)
@pytest.mark.near_miss("hidden")
def test_other_pauses_in_functions_are_no_start_up(given: TraceInputs) -> None:
    assert "compiling" not in given.of(Startup).by_cause


def fetching(*lengths: float, of: str = "MultiProcessing") -> Host:
    """One step of 100 ms whose batches are fetched for so many ms each, and used for 5."""
    host, at = Host().steps(1, 100), 0.0
    for length in lengths:
        host.event(f"enumerate(DataLoader)#_{of}DataLoaderIter.__next__", at, at + length)
        host.event("aten::linear", at + length + 0.1, at + length + 1)
        host.kernel(at + length + 0.5, at + length + 5, launch=(at + length + 0.2, at + length + 0.3))
        at += length + 5
    return host


def test_the_first_fetch_from_worker_processes_starts_them() -> None:
    host = fetching(60, 1, 5)

    assert startup(host).by_cause == {"starting workers": 60 * MS}
    assert fires(RULE, host).title == "Worker processes started inside the step"
    assert value(fires(input_bound.RULE, host), "GPU idle while the step waits") == 6 * MS


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    "host",
    [fetching(60), fetching(60, 7), fetching(0.9, 0.01), fetching(60, 1, of="SingleProcess")],
    ids=["no later one", "later ones wait", "too short to tell", "no workers"],
)
def test_other_first_fetches_may_come_again(host: Host) -> None:
    assert "starting workers" not in startup(host).by_cause


def first_jax_call(longest: float) -> Host:
    """Two GPUs whose threads allocate for some ms before they launch; the next call does not."""
    host = Host(gpus=2)
    for call, at in enumerate((0.0, 100.0)):
        host.event("PjitFunction(train_step)", at, at + 90)
        for gpu in range(2):
            taken = 0.02 if call else longest - 4 * gpu
            thread = f"py_xla_execute/{gpu}"
            host.event("Build buffer allocations", at + 1, at + 1 + taken, thread=thread)
            host.event("DeviceMemAllocator::Alloc", at + 1, at + 1 + taken / 2, thread=thread)
            host.kernel(
                at + 2 + taken, at + 80, gpu, launch=(at + 1.5 + taken, at + 1.6 + taken), thread=thread
            )
    host.event("PjitFunction(train_step)", 200, 201)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("longest", "warm_up"), [(40, True), (0.06, False)])
def test_a_first_call_in_jax_allocates_its_buffers_or_finds_memory_in_the_pool(
    longest: float, warm_up: bool
) -> None:
    host = first_jax_call(longest)

    assert inputs(host).steps.hosts[0].warm_up.tolist()[:2] == [warm_up, False]
    assert startup(host).ns == 0  # of the steps that are left


def test_a_little_start_up_of_a_long_step_is_no_finding() -> None:
    host = one_step(held=2)
    host.event("work", 50, 1000)
    passed = passes(RULE, host)

    assert says(passed, rule.A_LITTLE)
