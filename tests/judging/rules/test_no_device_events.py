"""GPUs are there, but nothing was recorded on them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.builders import GET_NEXT, Host, finding, fires, inputs, inputs_of_run, passes, says, value
from tests.readers.kineto.traces import CPU_ONLY, Trace, read
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.capture import no_device_events as rule
from tfperf_plugin.judging.rules.capture.no_device_events import RULE

REFUSED = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: the user may not use the counters <b>"
UNTRACED = "The file holds no work of GPUs: record with nsys profile --trace=cuda,nvtx."
UNLOADED = "Failed to load libcupti (is it installed and accessible?)"
LAUNCH, SYNCHRONIZE = "cudaLaunchKernel", "cudaDeviceSynchronize"


def silent(*events: str, error: str = "", name: str = "worker", gpus: int = 1) -> Host:
    """A host of whose GPUs no kernel was recorded, and its ``events``, a ms each."""
    host = Host(name, gpus=gpus).steps(5, 100)
    for at, event in enumerate(events):
        host.event(event, at, at + 1)
    if error:
        host.error(error)
    return host


def of_apple() -> Host:
    host = silent(name="Someones-MacBook-Pro.local", gpus=0)
    host.memory(10, 1_000, 10_000, 1_000)
    return host


@pytest.mark.parametrize(("executes_ms", "waits"), [(30, True), (60, False)])
def test_a_host_that_mostly_waits_is_told_though_no_kernel_was_recorded(
    executes_ms: float, waits: bool
) -> None:
    host = Host().steps(1, 100)
    host.memory(0, 1, 10, 1)
    host.event(GET_NEXT, 1, 2)
    host.event("ExecutorState::Process", 3, 3 + executes_ms, "tf_Compute/1")
    found = finding(RULE, host)

    assert says(found, rule.WAITS) == waits
    assert ("For the other 69.0 ms the host waits for the GPU, or Python runs." in found.summary) == waits


def test_what_the_file_lost_is_the_cause() -> None:
    given = inputs(silent(*[LAUNCH] * 3))
    given.run = replace(given.run, losses=("Events without a possible time were left out.",))
    (found,) = run_rules([RULE], given).trust

    assert found.title == "GPU events damaged"
    assert says(found, rule.LOST_IN_FILE)


def copying(call: str, length: float = 60_000, memory: str = "Pageable") -> Trace:
    """Ten copies of ``length`` µs, one every 100 ms, by the calls of a program that also makes ``call``."""
    trace = Trace(deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])
    trace.launch(99, 0, 10, call)
    for number, at in enumerate(range(0, 1_000_000, 100_000), 1):
        trace.mark(f"ProfilerStep#{number}", at + 20, at + 100_000)
        trace.op("aten::copy_", at + 30, at + 60_100)
        trace.launch(number, at + 40, at + 60_050, "cudaMemcpyAsync")
        trace.copy(f"Memcpy HtoD ({memory} -> Device)", number, at + 50, at + 50 + length, 154_000_000)
    return trace


@pytest.mark.parametrize(("length", "share", "pinned"), [(60_000, "60 %", True), (900, "0.9 %", False)])
def test_copies_are_work_even_without_a_kernel(length: float, share: str, pinned: bool) -> None:
    (found,) = run_rules([RULE], inputs_of_run((read(copying("cudaGetDeviceCount", length)),))).trust

    assert (found.title, found.severity) == ("No kernel ran, only copies", "critical")
    assert f"10 copies or memsets are all that ran on 1 GPU, for up to {share} of the time." in found.summary
    assert says(found, rule.PINNED) == pinned


def test_pinned_copies_need_no_pinned_memory() -> None:
    trace = copying("cudaGetDeviceCount", memory="Pinned")
    (found,) = run_rules([RULE], inputs_of_run((read(trace),))).trust

    assert says(found, rule.ONLY_COPIED) and not says(found, rule.PINNED)


@pytest.mark.near_miss("different")
def test_beside_copies_a_launched_kernel_was_lost() -> None:
    (found,) = run_rules([RULE], inputs_of_run((read(copying(LAUNCH)),))).trust

    assert says(found, rule.LAUNCHED) and not says(found, rule.ONLY_COPIED)


@pytest.mark.parametrize(("thread", "on_mac"), [(2, True), (1, False)], ids=["of its own", "the same"])
def test_a_mac_has_a_backward_pass_of_linear(thread: int, on_mac: bool) -> None:
    """On a thread of its own, as autograd gives to GPUs; nested tensors have one on processors, too."""
    trace = Trace()
    trace.op("aten::linear", 0, 100)
    backward = "autograd::engine::evaluate_function: LinearBackward0"
    trace.op(backward, 200, 400, thread=thread)
    trace.op("aten::linear_backward", 210, 390, thread=thread)
    found = run_rules([RULE], inputs_of_run((read(trace),))).trust

    assert any(says(one, rule.USED_ON_MPS) for one in found) == on_mac


PERMISSION, ALONE = "profiling is not permitted", "another profiler holds the GPU"


@pytest.mark.parametrize(
    ("host", "cause", "case"),
    [
        (silent(), rule.EITHER, ""),
        (silent(*[LAUNCH] * 3), "The program launched 3 kernels, but", "kernels were launched"),
        (silent(LAUNCH, SYNCHRONIZE), rule.AWAITED, ""),
        (silent("aten::uniform_"), rule.EITHER_NOT_ASKED, "GPU events were not asked for"),
        (silent(*["cudaGetDeviceCount"] * 3), rule.NOT_LAUNCHED, "nothing was launched"),
        (of_apple(), rule.USED_ON_MAC, "macOS"),
        (silent("aten::_mps_convolution"), rule.USED_ON_MPS, "macOS"),
        (silent(error="CUPTI_ERROR_UNKNOWN"), rule.ERROR, ""),
        (silent(error=f"worker: {UNLOADED}"), rule.NOT_LOADED, "CUPTI was not loaded"),
        (silent(error=REFUSED), rule.NOT_PERMITTED, PERMISSION),
        (silent(error="Insufficient privilege to run libcupti."), rule.NOT_PERMITTED, PERMISSION),
        (silent(error="Another profile session running."), rule.NOT_ALONE, ALONE),
        (silent(error="CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"), rule.NOT_ALONE, ALONE),
        (silent(error=UNTRACED), rule.NOT_TRACED, "CUDA was not traced"),
        (silent(error=REFUSED, gpus=0), rule.NOT_PERMITTED, PERMISSION),  # it hides the GPUs themselves
    ],
)  # fmt: skip
def test_each_cause_has_its_own_answer(host: Host, cause: str, case: str) -> None:
    found = fires(RULE, host)

    assert says(found, cause)
    assert (found.advice, found.severity) == (case, "critical")


def test_what_an_old_profiler_measured_on_the_gpu_is_told() -> None:
    """The product would pass for one on the CPU."""
    trace = Trace(CPU_ONLY)
    trace.op("aten::linear", 0, 190)
    trace.op("aten::mm", 10, 180)
    for op, begin, end in (("aten::linear", 20, 120), ("aten::mm", 30, 110)):
        trace.add("X", op, begin, end, pid="CUDA functions", tid=0)
    host = read(trace)
    (found,) = run_rules([RULE], inputs_of_run((host,))).trust

    assert host.timed_ns == {"aten::linear": 20_000, "aten::mm": 80_000} and len(host.events.name) == 2
    assert says(found, rule.TIMED) and "aten::mm takes 80 µs of 0.10 ms" in found.summary
    assert found.title == "No kernels recorded"


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (110, "Of a step of 500 ms, the CPU computes for 100 ms in normal_, without calling a GPU."),
        (50, ""),  # a call inside it may wait
    ],
)
def test_an_op_that_calls_no_gpu_computes(call: float, said: str) -> None:
    def step(host: Host, at: float) -> None:
        host.event("aten::normal_", at, at + 100)
        host.event(LAUNCH, at + call, at + call + 1)

    found = fires(RULE, Host().trained(5, 500, step))

    assert says(found, rule.COMPUTES) == says(found, rule.FILLS) == bool(said)
    assert said in found.summary and not says(found, rule.ON_HOST)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("call", "length", "said"),
    [
        ("cudaFree", 60, "The program spends 60.0 ms in cudaFree, of a step of 500 ms."),
        ("cudaFree", 50, ""),
        (SYNCHRONIZE, 60, ""),  # the GPU works meanwhile
    ],
)
def test_calls_that_take_much_of_a_recording_without_kernels_are_named(
    call: str, length: float, said: str
) -> None:
    def step(host: Host, at: float) -> None:
        host.event(call, at, at + length)
        host.event(LAUNCH, at + 110, at + 111)

    found = fires(RULE, Host().trained(5, 500, step))

    assert said in found.summary and says(found, rule.CALLS) == bool(said)


@pytest.mark.parametrize(
    ("name", "thread", "windows"), [("lab-7", "tf_Compute", True), ("DESKTOP-R2D2C3P", "tf_Compute/9", False)]
)
def test_threads_of_tensorflow_tell_windows_from_linux(name: str, thread: str, windows: bool) -> None:
    """Those of Linux have numbers, also in WSL, whose hosts have the names of Windows."""
    host = silent(error=UNLOADED, name=name)
    host.event("MatMul", 10, 11, thread)

    assert fires(RULE, host).advice == "CUPTI was not loaded" + " on Windows" * windows


def test_windows_is_told_by_recorded_paths_too() -> None:
    found = fires(RULE, silent(r"$C:\Users\me\train.py:12 fit", error=REFUSED))

    assert found.advice == "profiling is not permitted on Windows"


def test_other_accelerators_are_no_gpus() -> None:
    trace = Trace(deviceProperties=[])
    trace.op("aten::cudnn_convolution", 0, 10)
    trace.host("mtia_ccp_events", "convolution", 3, 9)
    (said,) = run_rules([RULE], inputs_of_run((read(trace),))).not_applicable

    assert "other accelerators: MTIA" in said.reason


def test_one_host_of_two_without_kernels_is_named() -> None:
    good = Host("good").steps(5, 100)
    good.kernel(0, 400)
    found = finding(RULE, good, silent(name="silent", gpus=2))

    assert (found.severity, found.title) == ("warning", "No GPU events recorded: silent")
    assert says(found, rule.DECLARED_ON)
    assert value(found, "GPUs declared") == 2


def half_recorded(*launching: str, event: str = "ExecuteHelper", freed: Sequence[int] = ()) -> Host:
    """Kernels of one of two GPUs; threads that launch, and GPUs whose memory comes and goes."""
    host = Host(gpus=2).steps(5, 100)
    for at in range(0, 500, 100):
        host.kernel(at, at + 90)
        for thread in launching:
            host.event(event, at, at + 1, thread)
        for gpu in freed:
            for begin in range(at, at + 80, 10):
                name = "MemoryDeallocation" if begin % 20 else "MemoryAllocation"
                host.event(name, begin, begin, allocator_name=f"GPU_{gpu}_bfc")
    return host


PRIVATE = ("tf_gpu_private_0/1", "tf_gpu_private_1/1")


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        (half_recorded("py_xla_execute/0", "py_xla_execute/1"), rule.LOST_BY_THREADS),
        (half_recorded(*PRIVATE, event="cuLaunchKernel"), rule.LOST_BY_THREADS),
        (half_recorded(freed=(0, 1)), rule.LOST_BY_MEMORY),
    ],
    ids=["threads of JAX", "threads of TensorFlow", "memory"],
)
def test_kernels_of_some_gpus_only_are_a_fault_of_the_recording(host: Host, sentence: str) -> None:
    found = finding(RULE, host)

    assert (found.severity, found.title) == ("warning", "Kernels of 1 of 2 GPUs not recorded")
    assert says(found, sentence) and "The host works for GPU 1" in found.summary


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        half_recorded("py_xla_execute/0"),
        half_recorded("tf_gpu_private_0/1", "tf_gpu_private_0/2", event="cuLaunchKernel"),
        half_recorded(freed=(0,)),
    ],
    ids=["one thread", "several threads of one GPU", "memory of one GPU"],
)
def test_a_gpu_that_nothing_works_for_is_unused(host: Host) -> None:
    assert passes(RULE, host).reason == "5 kernels were recorded on 1 GPU."
