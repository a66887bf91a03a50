"""An LSTM or GRU that runs as a while loop, with and without kernels."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, fires, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.one_gpu import rnn_loop as rule
from tfperf_plugin.judging.rules.one_gpu.rnn_loop import RULE

BODY = "model/lstm/while/body/_24/model/lstm/while/lstm_cell"
BACKWARD = "gradient_tape/model/lstm/while/model/lstm/while_grad/body/_141/gradient_tape/model/lstm/while"
PRODUCT = f"{BODY}/MatMul:MatMul"
# TensorFlow records ops of a graph on processors only; the loop's counter is there in any case.
COUNTER = f"{BODY}/add:AddV2"


def on_gpu(
    wait: float = 0.9, op: str = PRODUCT, gradient: str = f"{BACKWARD}/MatMul:MatMul", hidden: bool = False
) -> Host:
    """Steps of 100 ms: 20 iterations forward and 20 backward of 1 ms, in each of which the GPU waits."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.1, at + 50, launch=(at, at + 0.02))
        for i in range(40):
            begin = at + 50 + i
            # The launch takes as long as the GPU waits for it.
            host.kernel(begin + wait, begin + 1, op=gradient if i >= 20 else op, launch=(begin, begin + wait))
        host.kernel(at + 90, at + 100, launch=(at + 89.99, at + 89.995))
        if hidden:
            host.kernel(at + 50, at + 90, stream=8)

    return Host().trained(6, 100, step)


def on_host(length: float = 0.01, op: str = PRODUCT, allocations: bool = False, steps: int = 6) -> Host:
    """Steps of 100 ms without kernels: 40 iterations of 2 ms with one op each."""

    def step(host: Host, at: float) -> None:
        for i in range(40):
            begin = at + 10 + 2 * i
            if allocations:
                host.event(
                    "MemoryAllocation", begin, begin, thread="tf_Compute/1", allocator_name="GPU_0_bfc",
                    bytes_allocated=4, bytes_available=4, peak_bytes_in_use=4, tf_op=op.rpartition(":")[0],
                )  # fmt: skip
            else:
                host.event(op, begin, begin + length, thread="tf_Compute/1")

    return Host().trained(steps, 100, step)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("host", [on_gpu(wait=0.02), on_gpu(hidden=True)], ids=["short waits", "hidden"])
def test_what_loops_do_not_cost(host: Host) -> None:
    passes(RULE, host)
    assert sum(fires(RULE, on_gpu(wait=0.03)).claims.values()) >= 1_000_000


@pytest.mark.parametrize("allocations", [False, True])
def test_without_kernels_the_loop_is_named_but_promises_nothing(allocations: bool) -> None:
    found = finding(RULE, on_host(op=COUNTER, allocations=allocations))

    assert (found.severity, found.saving) == ("warning", None)
    assert (value(found, "iterations"), value(found, "recorded ops of the loops")) == (40, 40)
    assert says(found, rule.LOOPS) and "lstm in a total of 40 iterations: they take 78 %" in found.cause
    assert says(found, rule.NOT_RECORDED)


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("as_kernels", [False, True])
@pytest.mark.parametrize(
    ("layer", "op", "said"),
    [
        ("lstm", "Relu_1:Relu", True),
        ("lstm", "Relu_1", True),
        ("lstm", "Tanh:Tanh", False),
        ("lstm", "ReluGrad:ReluGrad", False),
        ("my_rnn", "Relu:Relu", False),  # no activation lets cuDNN run it
    ],
)
def test_an_activation_that_keeps_a_layer_from_cudnn_is_named(
    layer: str, op: str, said: bool, as_kernels: bool
) -> None:
    name = f"m/{layer}/while/body/_2/m/{layer}/while/lstm_cell/{op}"
    found = fires(RULE, on_gpu(op=name) if as_kernels else on_host(op=name))

    assert says(found, rule.ACTIVATION) == ("They run Relu:" in found.summary) == said


def test_long_ops_on_threads_are_work_not_a_loop() -> None:
    passes(RULE, on_host(length=1.99))
    assert fires(RULE, on_host(length=1)).impact_ratio < 0.4


@pytest.mark.parametrize(
    "op",
    [
        "model/lstm/CudnnRNNV3:CudnnRNNV3",
        "model/lstm/while/cond/_23/model/lstm/while/Less:Less",
        "model/decode/while/body/_24/model/decode/while/MatMul:MatMul",
        "model/groups/while/body/_24/model/groups/while/MatMul:MatMul",
        "jit(train_step)/while/body/dot_general:dot_general",
    ],
)
def test_fused_layers_and_other_loops_are_left_alone(op: str) -> None:
    assert isinstance(judge(RULE, on_host(op=op)), NotApplicable)
    assert isinstance(judge(RULE, on_gpu(op=op, gradient=op)), NotApplicable)
