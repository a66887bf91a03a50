"""Which part of a step an op belongs to, and what it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.readers.kineto.traces import Trace, read


def ops(around: list[str], **of_outer: Any) -> list[str]:
    """What the op of a kernel is called that is launched inside these events."""
    trace = Trace()
    for depth, name in enumerate(around):
        trace.op(name, depth, 100 - depth, **(of_outer if not depth else {}))
    trace.op("aten::mul", 40, 60)
    trace.launch(1, 45, 50)
    trace.kernel("mul", 1, 55, 70)
    (device,) = read(trace).devices
    return [device.ops[code] for code in device.op.tolist()]


@pytest.mark.parametrize(
    ("around", "called"),
    [
        ([], "aten::mul"),
        (["autograd::engine::evaluate_function: MulBackward0", "MulBackward0"], "backward/aten::mul"),
        (["CudnnConvolutionBackward"], "backward/aten::mul"),  # 2021 records no engine
        (["Optimizer.step#AdamW.step"], "AdamW/aten::mul"),
        (["Optimizer.step#Shampoo.step"], "optimizer/aten::mul"),
    ],
)
def test_what_is_around_an_op_tells_the_part_of_the_step(around: list[str], called: str) -> None:
    assert ops(around) == [called]


def test_autograd_numbers_the_ops_of_both_passes() -> None:
    assert ops(["aten::linear"], Sequence_number=7) == ["forward/aten::mul"]
    assert ops(["MulBackward0"], Sequence_number=7) == ["backward/aten::mul"]


def test_calls_of_the_same_sizes_in_other_types_are_other_ops() -> None:
    trace = Trace()
    for number, types in enumerate(
        (["float", "c10::Half"], ["c10::Half", "c10::Half"], ["float", "c10::Half"])
    ):
        at = 100 * number
        sizes: dict[str, Any] = {"Input_Dims": [[8, 4], [8, 4]], "Input_type": types}
        trace.op("aten::copy_", at, at + 20, **sizes)
        trace.launch(number + 1, at + 5, at + 10)
        trace.kernel("copy", number + 1, at + 30, at + 40)
    (device,) = (host := read(trace)).devices

    assert [device.ops[code] for code in device.op] == [
        "aten::copy_ 8×4", "aten::copy_ 8×4 (half, half)", "aten::copy_ 8×4"
    ]  # fmt: skip
    moved = {op: known.bytes for (_, op), known in host.op_work.items()}
    assert moved == {"aten::copy_ 8×4": 6 * 32, "aten::copy_ 8×4 (half, half)": 4 * 32}


@pytest.mark.parametrize(
    ("numbers", "numbered", "kept"),
    [
        (range(1, 201), 197, 197),
        (range(1, 2001, 10), 1970, 197),
        # A damaged number, and the ops of another process, in a whole file.
        ([*range(1, 150), 1 << 60], 147, 147),
        ([*range(1, 100), *range(10**9, 10**9 + 100)], 196, 196),
        (["7", 9, "none", -3, 0, 8, None], 1, 1),
    ],
)
def test_numbered_ops_are_counted_beside_those_in_the_file(
    numbers: Sequence[Any], numbered: int, kept: int
) -> None:
    trace = Trace()
    for at, number in enumerate(numbers):
        add = trace.mark if at % 7 == 0 else trace.op
        add("aten::mm", 100 * at, 100 * at + 50, External_id=number)
    trace.launch(9_000, 10, 20)
    found = read(trace)

    assert (found.numbered_count, found.kept_count) == (numbered, kept)
