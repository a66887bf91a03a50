"""Chains of elementwise kernels that XLA would fuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.builders import (
    HALF_GEMM,
    Host,
    Stats,
    evidence,
    fires,
    inputs,
    inputs_of_run,
    judge,
    passes,
    says,
    value,
)
from tests.judging.rules.kernels import A100, K, moving, training
from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.judging.engine.rule import Found, NotApplicable
from tfperf_plugin.judging.rules.precision import elementwise_fusion as rule
from tfperf_plugin.judging.rules.precision.elementwise_fusion import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord

GELU = "StatefulPartitionedCall/model/encoder_0/gelu"
NAME = "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<half>>(P)"


def chain(*lengths: float, scope: str = GELU) -> list[K]:
    types = ("Pow", "Mul", "AddV2", "Tanh", "Sub")
    return [K(ms, NAME, f"{scope}/{types[i % 5].lower()}_{i}:{types[i % 5]}") for i, ms in enumerate(lengths)]


TAPE = "gradient_tape/model/encoder_0/gelu"
TWO_LAYERS = [
    *chain(4, 4, 4),
    K(5, HALF_GEMM, "model/dense/MatMul:MatMul"),
    *chain(6, 6, 6, scope="model/encoder_1/gelu"),
]
GRADIENTS = [K(10, NAME, f"{TAPE}/{op}") for op in ("mul/Mul:Mul", "Tanh/TanhGrad:TanhGrad", "pow/Pow:Pow")]


def known(kernels: Sequence[K], size: int) -> list[K]:
    return [replace(k, work=moving(size)) for k in kernels]


PYTORCH = [K(4, NAME, f"aten::{op} 16×512") for op in ("pow", "mul", "silu")]
FOUR = chain(10, 15, 10, 5)
AT_BANDWIDTH = 2e9 / 1321.75 / 1e6  # ms for 2 GB at 0.85 × 1555 GB/s


@pytest.mark.parametrize(
    ("kernels", "claimed"),
    [
        (TWO_LAYERS, 20_000_000),
        (GRADIENTS, 20_000_000),
        (PYTORCH, 8_000_000),
        (known(FOUR, 10**9)[:3] + FOUR[3:], 25_000_000),
        (known(chain(*[AT_BANDWIDTH] * 4), 2 * 10**9), 3e6 * AT_BANDWIDTH),
    ],
    ids=["two layers", "gradients", "outside autograd", "an unknown shape", "at the bandwidth"],
)
def test_chains_are_those_of_each_layer(kernels: Sequence[K], claimed: float) -> None:
    assert fires(RULE, training(kernels, device=A100)).claims == {"compute": pytest.approx(claimed, rel=1e-5)}


def test_where_shapes_are_known_bytes_bound_the_saving() -> None:
    """Kernels far below the bandwidth are slow for another reason than the bytes between them."""
    found = fires(RULE, training(known(FOUR, 2 * 10**9), device=A100))

    # 8 GB, of which one fused kernel needs 2: 6 GB at 0.85 × 1555 GB/s, less than the 25 ms of today's bound.
    assert found.claims["compute"] == pytest.approx(6e9 / 1321.75, abs=2)
    assert value(found, "bytes that the chains move") == 8 * 10**9
    assert value(found, "bytes that fused kernels need") == 2 * 10**9


def split(*ops: str) -> Trace:
    """Steps of 100 ms in which each op launches two equal kernels of 10 ms, as for over 2^31 elements."""
    trace = Trace(deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])
    for step in range(5):
        start = step * 100_000
        trace.mark(f"ProfilerStep#{step}", start, start + 99_990)
        for number, op in enumerate(ops):
            trace.op(f"aten::{op}", start + number * 100, start + number * 100 + 90)
            for piece in range(2):
                correlation = 1 + step * 100 + number * 2 + piece
                at, begin = start + number * 100 + 10 + piece * 20, start + 10_000 * (number * 2 + piece)
                name = f"void at::native::vectorized_elementwise_kernel<4, at::native::{op}>(int)"
                trace.launch(correlation, at, at + 10)
                trace.kernel(name, correlation, begin + 1_000, begin + 11_000)
    return trace


def test_pieces_of_one_op_are_no_chain() -> None:
    two, three = (inputs_of_run((read(split(*ops)),)) for ops in (("add", "relu"), ("add", "mul", "relu")))

    assert says(two.call(RULE.judge), rule.NO_CHAIN)
    found = three.call(RULE.judge)
    assert isinstance(found, Found) and found.claims == {"compute": 40_000_000}


CAST = [K(5, NAME, f"model/layer_{i}/dense/Cast:Cast") for i in range(6)]
ADAM = [K(5, NAME, f"adam/mul_{i}:Mul") for i in range(6)]
LOOSE = [K(5, NAME, f"mul_{i}:Mul") for i in range(6)]
XLA = [K(5, "loop_multiply_fusion", f"loop_multiply_fusion.{i}") for i in range(6)]
TURNED = [K(5, "void tensorflow::functor::SwapDimension1And2InTensor3Simple<half>(P)",
            f"model/encoder_0/attention/transpose_{i}:Transpose") for i in range(4)]  # fmt: skip
BROKEN = [*chain(5, 5), K(5, HALF_GEMM, "model/dense/MatMul:MatMul"), *chain(5, 5)]
TINY = chain(*[0.009] * 500)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("kernels", "beside"),
    [
        (chain(10, 10), ()), (BROKEN, ()), (CAST, ()), (ADAM, ()), (LOOSE, ()), (XLA, ()), (TURNED, ()),
        (TINY, ()), (chain(0.3, 0.5, 0.5), ()),
        ([], ()),
        ([], chain(10, 10, 10)),
        (chain(20, 20), chain(0.02, 0.02)),
    ],
    ids=[
        "two", "a product between", "casts of weights", "optimizer", "no scope", "XLA", "transposes",
        "near the length of an empty kernel", "below 1 %", "none", "under a product", "on two streams",
    ],
)  # fmt: skip
def test_what_stays_silent(kernels: Sequence[K], beside: Sequence[K]) -> None:
    assert not isinstance(judge(RULE, training(kernels, beside=beside)), Found)


def test_a_chain_does_not_reach_into_the_next_step() -> None:
    host = Host().steps(5, 100)
    for number in range(5):
        for at, kernel in zip((0, 60), chain(40, 40), strict=True):
            begin = number * 100 + at
            host.kernel(begin, begin + 40, name=NAME, op=kernel.op, launch=(begin, begin + 0.01))

    passes(RULE, host)


def test_a_training_that_xla_compiles_is_not_advised_to_do_so() -> None:
    given = inputs(training(chain(10, 10, 10)))
    given.facts = TrainingFacts((TrainingRecord(jit_compile=True),))
    assert given.call(RULE.judge) == NotApplicable(rule.COMPILED_STEP)


GELU_CALLS = ("integer_pow", "multiply", "add", "multiply_1", "tanh", "multiply_2")


def outside_jit(calls: Sequence[str], ms: float = 4, size: int = 2 * 10**9, ops: int = 1) -> Host:
    """JAX runs each call as a program of its own, here with this many kernels."""
    host = Host(device=A100).steps(5, 100)
    for step in range(5):
        at = 100.0 * step
        for call in calls:
            for i in range(ops):
                program: Stats = {"hlo_module": f"jit_{call}", "program_id": 1 + calls.index(call)}
                op: Stats = {"hlo_op": f"loop_{call}_fusion.{i}"}
                host.kernel(at, at + ms, name=f"loop_{call}_fusion", stats=program | op)
                host.op_work[f"jit_{call}({1 + calls.index(call)})", f"loop_{call}_fusion.{i}"] = moving(size)
                at += ms
        host.kernel(at, 100 * step + 100, name=HALF_GEMM, stats={"hlo_module": "jit_dot", "program_id": 99})
    return host


def test_calls_outside_jit_are_a_chain() -> None:
    found = fires(RULE, outside_jit(GELU_CALLS))

    # Six kernels of 4 ms over 2 GB each: all but one of them pass 10 GB at 0.85 × 1555 GB/s.
    assert found.claims["compute"] == pytest.approx(10e9 / 1321.75, abs=3)
    assert evidence(found.evidence, "programs of one op each").source == "6 kernels in a row, 1 × per step"
    assert says(found, rule.CHAINS_OF_PROGRAMS)
    assert found.where[0].end_ms - found.where[0].begin_ms == 4


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [outside_jit(GELU_CALLS[:2]), outside_jit(["step"] * 6), outside_jit(GELU_CALLS, 2, ops=2)],
    ids=["two calls", "one program again and again", "programs of several ops"],
)
def test_programs_that_are_no_chain(host: Host) -> None:
    assert not isinstance(judge(RULE, host), Found)
