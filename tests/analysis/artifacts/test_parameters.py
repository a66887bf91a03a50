"""The number of parameters, told from collectives, shapes and memory, and how it says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import Host, decoded, each, find_steps, inputs, inputs_of
from tfperf_plugin.analysis.artifacts.compute.parameters import ParametersEstimate, estimated
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.trace.model import HostTrace

STEPS = 3
SIZES = [(1000, 2000), (2000,), (2000, 10), (10,)]
COUNT = 1000 * 2000 + 2000 + 2000 * 10 + 10
GB = 1_000_000_000


def estimate(
    host: Host, collective_bytes: int | None = None, element_bytes: int = 4
) -> ParametersEstimate | None:
    found = inputs(host)
    return estimated(found.part(ParametersEstimate), found.ledger, collective_bytes, element_bytes)


def certain(host: Host, collective_bytes: int | None = None) -> ParametersEstimate:
    found = estimate(host, collective_bytes)
    assert found is not None
    return found


def training(gpus: int = 1) -> Host:
    """Steps of 10 ms, in which a kernel runs whose shape says nothing about parameters."""
    host = Host(gpus=gpus)
    host.steps(STEPS + 1, 10)

    def step(at: float) -> None:
        for gpu in range(gpus):
            op(host, "model/dense/MatMul:MatMul", "half[8,1000];half[1000,2000]", at, gpu)

    each(STEPS, 10, step)
    return host


def op(host: Host, name: str, inputs_: str, at: float = 0, gpu: int = 0) -> None:
    """A kernel that this op launched, with the shapes of its inputs."""
    host.kernel(at + 1, at + 2, gpu, op=name, stats={"shape": f"({inputs_})"} if inputs_ else {})


def text(size: tuple[int, ...]) -> str:
    return f"float[{','.join(map(str, size))}]"


def weights(host: Host, gpus: int = 1, scope: str = "replica_{gpu}/model/layer_{layer}/MatMul") -> Host:
    """In each step each weight is read, and cast to 16 bit on each GPU."""

    def step(at: float) -> None:
        for gpu in range(gpus):
            for layer, size in enumerate(SIZES):
                where = scope.format(gpu=gpu, layer=layer)
                host.event(f"{where}/ReadVariableOp:ReadVariableOp", at, at + 0.1)
                op(host, f"{where}/Cast:Cast", text(size), at, gpu)

    each(STEPS, 10, step)
    return host


def updates(host: Host, name: str = "Adam/update_{i}/ResourceApplyAdam:ResourceApplyAdam") -> Host:
    def step(at: float) -> None:
        for i, size in enumerate(SIZES):
            op(host, name.format(i=i), f"resource[];resource[];float[];float[];{text(size)}", at)

    each(STEPS, 10, step)
    return host


def memory(host: Host, lasting: int, gpu: int = 0) -> None:
    allocator = f"GPU_{gpu}_bfc"
    for at, allocated in ((1, lasting + GB), (2, lasting), (3, lasting + 2 * GB)):
        host.memory(at, allocated, 16 * GB, lasting + 2 * GB, allocator)


@pytest.mark.parametrize(
    ("bytes_", "count", "confidence", "basis"),
    [
        (
            4 * COUNT,
            COUNT,
            "high",
            "gradients reduced per step, 4 bytes each; sum of the shapes of 4 variables",
        ),
        (6 * COUNT, COUNT * 3 // 2, "medium", "that the optimizer updates disagrees: 2.02 million"),
        # Keras' steps_per_execution: what is marked is a call of several training steps.
        (2 * 4 * COUNT, COUNT, "high", "the collectives of a marked step move 2 times as much"),
        (10 * 4 * COUNT, COUNT, "high", "the collectives of a marked step move 10 times as much"),
    ],
)
def test_collectives_come_first(bytes_: int, count: int, confidence: str, basis: str) -> None:
    found = certain(updates(training()), bytes_)

    assert (found.count, found.confidence) == (count, confidence)
    assert basis in found.basis


def test_variables_that_are_updated_row_by_row_do_not_show_their_size() -> None:
    host = updates(training())
    op(host, "Adam/update_e/ResourceSparseApplyAdam:ResourceSparseApplyAdam", "resource[];float[64,300]")
    assert estimate(host) is None


def test_keras_3_reads_inside_of_the_cast() -> None:
    host = training()
    for i, size in enumerate(SIZES):
        number = f"_{i}" if i else ""
        host.event(f"functional/dense/Cast{number}/ReadVariableOp:ReadVariableOp", 1, 1.1)
        op(host, f"functional/dense/Cast{number}:Cast", text(size))
    op(host, "functional/dense/Cast_9:Cast", "float[512,1000]")  # the layer's input
    host.event("functional/position/Identity/ReadVariableOp:ReadVariableOp", 1, 1.1)
    op(host, "functional/position/Cast:Cast", "float[1]")

    assert certain(host).count == COUNT + 1


@pytest.mark.parametrize(
    ("name", "shape", "reason"),
    [
        ("model/norm/Cast:Cast", "float[8,384,1024]", "an activation: nothing is read there"),
        ("gradient_tape/model/layer_0/MatMul/Cast:Cast", "half[1000,2000]", "a gradient, back to float32"),
        ("replica_0/model/layer_0/MatMul/Cast_1:Cast", "half[1000,2000]", "back to float32 beside it"),
        ("replica_0/model/layer_0/Cast:Cast", "float[8,1000]", "the layer's input, outside of the matmul"),
        ("model/mask/Cast:Cast", "bool[8,384]", "a mask"),
        ("model/dense/BiasAdd:BiasAdd", "float[8,1000];float[1000]", "no cast"),
        ("model/many/Cast:Cast", "", "no shape recorded"),
    ],
)
def test_what_is_no_weight(name: str, shape: str, reason: str) -> None:
    host = weights(training())
    each(STEPS, 10, lambda at: op(host, name, shape, at))
    expected = COUNT if "Cast_1" not in name else COUNT - 2_000_000  # more casts than reads: which is it?
    assert certain(host).count == expected, reason


@pytest.mark.parametrize(
    ("found_by", "per_parameter", "confidence", "basis"),
    [
        (weights, 12.025, "high", "(0.0243 GB, 12 bytes per parameter as with Adam) agrees to 0.2 %"),
        (weights, 20, "medium", ""),  # as with no optimizer
        (updates, 24, "medium", "(0.0485 GB, 12 bytes per parameter as with Adam) disagrees: 4.04 million"),
    ],
)
def test_memory_confirms_shapes_or_contradicts_them(
    found_by: Callable[[Host], Host], per_parameter: float, confidence: str, basis: str
) -> None:
    host = found_by(training())
    memory(host, round(per_parameter * COUNT))
    found = certain(host)

    assert (found.count, found.confidence) == (COUNT, confidence)
    assert basis in found.basis and ("memory" in found.basis) == bool(basis)


def test_a_part_of_a_step_may_miss_some() -> None:
    host = weights(training())
    found = estimated(inputs(host).part(ParametersEstimate), None, None, 4)

    assert found is not None
    assert found.confidence == "low"
    assert found.basis.endswith("only a part of a step was recorded, so that some may be missing")


@pytest.mark.parametrize(
    "shape",
    [f"float[{'9' * 5000}]", "float[" + "1,1" * 50_000, "float[", "float[-1,3]", "float[1,,2]", "float[é]"],
)
def test_strange_shapes_are_harmless(shape: str) -> None:
    host = training()
    host.event("a/ReadVariableOp:ReadVariableOp", 1, 1.1)
    op(host, "a/Cast:Cast", shape)
    estimate(host)


def real(folder: Path) -> tuple[HostTrace, ...]:
    return decoded({file.name: file.read_bytes() for file in sorted(folder.glob("*.xplane.pb"))})


def test_bert_large(real_profile: Callable[[str], Path]) -> None:
    """BERT-large has 334 million parameters. A part of a step: the optimizer was not recorded."""
    hosts = real(real_profile("GPU-multi-worker"))
    found = inputs_of(hosts, find_steps(hosts), None).get(ParametersEstimate)

    assert found is not None
    assert found.count == pytest.approx(334e6, rel=0.01)
    assert found.confidence == "high"
    # Each GPU casts 392 times: 97 masks, a gradient and the scale of the loss are no weights.
    assert found.basis.startswith("sum of the shapes of 293 weights that are cast to 16 bit; ")
    assert found.basis.endswith("12 bytes per parameter as with Adam) agrees to 0.1 %")


@pytest.mark.parametrize("name", ["jax-mi300x", "tf-cpu-input"])
def test_profiles_that_do_not_tell(real_profile: Callable[[str], Path], name: str) -> None:
    hosts = real(real_profile(name))

    assert isinstance(inputs_of(hosts, find_steps(hosts), None).get(ParametersEstimate), NotApplicable)
