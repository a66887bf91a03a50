"""An op of the step runs on the CPU while the GPU waits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import MS, Host, each, inputs, inputs_of_run, judge
from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import excessive_memcpy, kernel_launch_bound
from tfperf_plugin.judging.rules.one_gpu.host_op_in_step import RULE
from tfperf_plugin.judging.verdicts import Finding

UNIQUE = "model/match/Unique:Unique"


def training(
    op: float,
    steps: int = 6,
    steps_with_op: int = 6,
    hidden: bool = False,
    name: str = UNIQUE,
    copy: float = 0,
) -> Host:
    """Steps of 100 ms; after 40 ms an op runs on the CPU, and only then the second kernel is launched."""

    def step(host: Host, at: float) -> None:
        pause = op if at < 100 * steps_with_op else 0
        host.kernel(at + 0.01, at + 40, launch=(at, at + 0.005))
        host.event("model/relu:Relu", at, at + 0.006)
        begin = at + 40 + copy
        if pause:
            host.event(name, begin, begin + pause, thread="tf_Compute/1")
        if copy:
            host.copy("D2H", at + 40, begin, size=1_000, op=name)
        launched = begin + pause
        host.kernel(launched + 0.01, at + 100, launch=(launched, launched + 0.005))

    host = Host().trained(steps, 100, step)
    if hidden:
        each(steps, 100, lambda at: host.kernel(at, at + 100, stream=8))
    return host


def decoding() -> Host:
    """Only tf.data runs ops."""
    host = training(op=0)
    each(6, 100, lambda at: host.event("map/Decode:DecodeJpeg", at, at + 90, thread="tf_data_private/1"))
    return host


def briefly() -> Host:
    """The op covers 15 of 20 ms of the pause."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.01, at + 40, launch=(at, at + 0.005))
        host.event(UNIQUE, at + 40, at + 55, thread="tf_Compute/1")
        host.kernel(at + 60.01, at + 100, launch=(at + 60, at + 60.005))

    return Host().trained(6, 100, step)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "claimed_ms"),
    [
        (training(op=0.9), 0),
        (training(op=1), 1),
        (training(op=20, hidden=True), 0),
        (training(op=40, steps_with_op=1), 0),
        (training(op=40, steps_with_op=3), 24),
        (training(op=20, name="model/identity:Identity"), 0),  # it only passes a tensor on
        (decoding(), 0),
        (briefly(), 0),
    ],
)
def test_what_ops_on_the_cpu_cost(host: Host, claimed_ms: float) -> None:
    claims = getattr(judge(RULE, host), "claims", {})

    assert sum(claims.values()) == claimed_ms * MS


@pytest.mark.parametrize(
    ("op", "copy", "found"),
    [
        (20, 5, {"host-op-in-step": ["excessive-memcpy"]}),
        (4, 15, {"excessive-memcpy": [], "host-op-in-step": []}),  # copies that take longer come first
    ],
)
def test_copies_of_an_op_that_takes_longer_belong_to_it(
    op: float, copy: float, found: dict[str, list[str]]
) -> None:
    outcome = run_rules([RULE, excessive_memcpy.RULE], inputs(with_copies(op, copy)))

    assert [(f.id, [e.id for e in f.explains]) for f in outcome.findings] == list(found.items())


def with_copies(op: float, copy: float) -> Host:
    """As ``training``; the op's input is copied to the host first, by a launch of its own."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.01, at + 40, launch=(at, at + 0.005))
        details = "kind_src:device kind_dst:pinned size:1000 dest:0 async:1"
        stats = {"memcpy_details": details}
        host.kernel(
            at + 40, at + 40 + copy, name="MemcpyD2H", stream=20, op=f"{UNIQUE.partition(':')[0]}/_7:_Send",
            launch=(at + 0.01, at + 0.015), stats=dict(stats),
        )  # fmt: skip
        done = at + 40 + copy + op
        host.event(UNIQUE, at + 40 + copy, done, thread="tf_Compute/1")
        host.kernel(done + 0.01, at + 100, launch=(done, done + 0.005))

    return Host().trained(6, 100, step)


RANDOM = (("aten::randn", 20, 4_020), ("aten::normal_", 30, 4_000))


def of_torch(
    ops: tuple[tuple[str, float, float], ...] = RANDOM,
    around: str = "",
    line: str = "",
    call: str = "",
    thread: int = 1,
    busy: float = 0,
    steps: int = 4,
) -> list[Finding]:
    """Findings in steps of 10 ms of PyTorch: ops, then an op that launches a kernel of 5.4 ms.

    ``around``: what is marked around the ops; ``line``: the function of Python; ``call``: inside the ops;
    ``busy``: a kernel, launched before the ops, lasts until then; ``steps``: that have the ops. In µs.
    """
    trace = Trace()
    for number in range(4):
        at, free = 10_000.0 * number, 1_000 * number + 1
        trace.mark(f"ProfilerStep#{number}", at, at + 10_000)
        if line:
            trace.host("python_function", line, at + 2, at + 4_400, thread)
            trace.host("python_function", "torch/random.py(3): draw", at + 3, at + 4_300, thread)
        if around:
            trace.mark(around, at + 18, at + 4_030, thread)
        for name, begin, end in ops if number < steps else ():
            trace.op(name, at + begin, at + end, thread)
        if call:
            trace.launch(free + 10, at + 40, at + 3_900, call)
        if busy:
            trace.launch(free + 1, at + 5, at + 10)
            trace.kernel("mul", free + 1, at + 12, at + busy)
        trace.op("aten::add", at + 4_475, at + 4_492)
        trace.launch(free, at + 4_480, at + 4_490)
        trace.kernel("add", free, max(at + 4_500, at + busy), at + 9_900)
    outcome = run_rules([RULE, kernel_launch_bound.RULE], inputs_of_run((read(trace),)))
    return [found for found in outcome.findings if found.id == RULE.id]


@pytest.mark.parametrize(
    ("given", "named", "advised"),
    [
        ({}, "aten::normal_ in aten::randn", "device='cuda'"),
        ({"around": "make_noise"}, "aten::normal_ in aten::randn in make_noise", "device='cuda'"),
        (
            {"around": "make_noise", "line": "train.py(7): batch"},
            "aten::normal_ in aten::randn at train.py:7 batch",
            "device='cuda'",
        ),
        (
            {"ops": (("aten::sort", 20, 4_020), ("aten::view", 30, 40)), "line": "train.py(7): batch"},
            "aten::sort at train.py:7 batch",
            "NumPy",
        ),
        (
            {"ops": (("aten::zero_", 20, 4_020),), "around": "Optimizer.zero_grad#SGD.zero_grad"},
            "aten::zero_ in Optimizer.zero_grad#SGD.zero_grad",
            "set_to_none=True",
        ),
        (
            {"ops": (("aten::addcdiv_", 20, 4_020),), "around": "Optimizer.step#Adam.step"},
            "aten::addcdiv_ in Optimizer.step#Adam.step",
            "before you make its optimizer",
        ),
    ],
)
def test_the_place_of_an_op_of_pytorch_is_named_and_decides_what_to_do(
    given: dict[str, Any], named: str, advised: str
) -> None:
    (found,) = of_torch(**given)

    assert f"the CPU runs {named};" in found.summary
    assert advised in found.fix.actions[0]


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "given",
    [
        {"busy": 4_500},  # the GPU works meanwhile
        {"thread": 2},  # a thread that launches nothing
        {"ops": (("aten::empty", 20, 4_020),)},
        {"ops": (("my_function", 20, 4_020),)},  # no op
        {"call": "cudaMalloc"},
        {"call": "cudaStreamSynchronize"},
        {"call": "cudaLaunchKernel"},  # its kernel was not recorded
        {"around": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"},
        {"steps": 1},
        {"ops": tuple(("aten::view", at, at + 80) for at in range(20, 4_000, 100))},  # many short ones
    ],
)
def test_what_does_not_compute_while_the_gpu_waits_is_not_named(given: dict[str, Any]) -> None:
    assert of_torch(**given) == []
