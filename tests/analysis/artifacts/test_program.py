"""Which framework a profile shows, and whether XLA compiled what the GPUs run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host, inputs
from tfperf_plugin.analysis.artifacts.capture.program import Program


def of(*hosts: Host) -> Program:
    """What the hosts show, but for their GPUs."""
    return replace(inputs(*hosts).of(Program), gpus_count=0, bfloat16=False, tf32=False)


def test_ops_of_tensorflow_are_enough_where_nothing_speaks_of_another() -> None:
    host = Host()
    host.kernel(0, 80, op="dense/MatMul:MatMul")
    of_pytorch = Host()
    of_pytorch.event("aten::mm", 0, 1)
    of_pytorch.kernel(0, 80, op="dense/MatMul:MatMul")

    assert of(host).framework == "custom loop"
    assert of(of_pytorch).framework == "PyTorch"


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("mark", "compiled"),
    [
        ("Torch-Compiled Region: 0/0", True),
        ("## Call CompiledFxGraph fp5r5pk7bndv ##", True),
        ("train_step", False),
    ],
)
@pytest.mark.parametrize("most", [True, False])  # beside a small function that is compiled, the model is not
def test_what_compiled_code_launches_is_compiled(mark: str, compiled: bool, most: bool) -> None:
    host = Host()
    for begin in (0, 100, 200):
        host.event(mark, begin, begin + (20 if most else 4))
        for number, name in enumerate(("triton_poi_fused_add_0", *2 * ["void at::native::fill<4>"])):
            at = begin + 5 * number
            host.kernel(at + 1, at + 5, name=name, launch=(at, at + 1))

    assert of(host).compiled is (compiled and most)


@pytest.mark.parametrize(
    ("dropout", "draws", "trains"),
    [
        ("aten::dropout", True, True),
        ("aten::native_dropout", False, True),
        ("aten::dropout", False, False),  # off, it hands its input on
        ("aten::rand_like", True, False),
    ],
)
def test_dropout_that_draws_random_numbers_is_on(dropout: str, draws: bool, trains: bool) -> None:
    host = Host(gpus=0)
    for begin in (0, 100, 200):
        host.event("aten::addmm", begin, begin + 5)
        host.event(dropout, begin + 10, begin + 20)
        if draws:
            host.event("aten::bernoulli_", begin + 12, begin + 18)

    assert of(host).conditions["inference in training mode"] is trains
