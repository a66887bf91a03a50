"""What programs may cost, however they are made: 3 s and 200 MB for a megabyte, as SECURITY.md promises."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from tests.pace import calm_s
from tests.readers.xspace.hlo import F32, array, instruction, program, tuple_of
from tests.readers.xspace.raw import content, number, varint
from tfperf_plugin.readers.budget import Budget
from tfperf_plugin.readers.xspace.hlo import collective_sizes
from tfperf_plugin.readers.xspace.work import work_of

SIZE = 250_000
SECONDS_A_BYTE, BYTES_A_BYTE = 3e-6, 200


def convolution(kernel: int, base: int) -> bytes:
    """One dimension; ``base``: dilation of the input."""
    window = content(15, content(1, number(1, kernel), number(2, 1), number(5, 1), number(6, base)))
    axes = content(
        16, number(7, 0), number(8, 1), *(number(n, 2) for n in (11, 6, 12)), number(9, 0), number(10, 1)
    )
    image, taps = array(F32, 1, 1, 1 << 20), array(F32, 1, 1, kernel)
    rows = [
        instruction("x", "parameter", image, 1),
        instruction("w", "parameter", taps, 2),
        instruction("it", "convolution", image, 3, [1, 2]) + window + axes,
    ]
    return program(rows)


def windows() -> Iterator[bytes]:
    """Kernels of a million places, and inputs with holes."""
    for place in range(10_000):
        yield convolution((1 << 20) - place % 7, 3)


def scores() -> Iterator[bytes]:
    """Many products whose results all pass fusions that compute exponentials of many sizes."""
    many = [instruction("e", "exponential", array(F32, 1000 + n), n + 1) for n in range(1500)]
    shape = array(F32, 8, 64, 64)
    dims = content(30, content(1, varint(2)), content(2, varint(0)), content(3, varint(0)))
    products = range(2, 1502)
    entry = [instruction("q", "parameter", shape, 1)]
    entry += [instruction(f"p{id}", "dot", shape, id, [1, 1]) + dims for id in products]
    entry.append(instruction("f", "fusion", shape, 2000, products, [1]))
    entry += [instruction("f", "fusion", shape, id, [id - 1], [1]) for id in range(2001, 2060)]
    entry.append(instruction("pv", "dot", shape, 3000, [2059, 1]) + dims)
    yield program(entry, many)


def long_instructions() -> Iterator[bytes]:
    """Of 60 instructions in each program, one has 250 fields."""
    for _ in range(400):
        rows = [number(35, n) for n in range(60)]
        rows[30] += number(99, 0) * 250
        yield program(rows)


def nested() -> Iterator[bytes]:
    """Tuples of tuples."""
    shape = array(F32, 1)
    for _ in range(7):
        shape = tuple_of(shape, shape, shape)
    yield program([instruction("x", "add", shape, n + 1, [n]) for n in range(20)])


@pytest.fixture(scope="module", autouse=True)
def decoder() -> None:
    """Programs are read by Python alone: once, not with both decoders of events."""


@pytest.mark.parametrize("kind", [windows, scores, long_instructions, nested])
def test_a_program_costs_in_proportion_to_its_bytes(kind: Callable[[], Iterator[bytes]]) -> None:
    protos, size = [], 0
    for proto in kind():
        protos.append(proto)
        size += len(proto)
        if size > SIZE:
            break
    took = calm_s(lambda: read(protos, size))
    tracemalloc.start()
    read(protos[: len(protos) // 10 + 1], size)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert took < size * SECONDS_A_BYTE
    assert peak < size * BYTES_A_BYTE


def read(protos: list[bytes], size: int) -> None:
    budget = Budget(size)
    for proto in protos:
        work_of(proto, None, budget)
        collective_sizes(proto)


def test_what_the_budget_does_not_cover_is_not_judged() -> None:
    proto = convolution(3, 2)

    assert work_of(proto, None, Budget(100))["it"].kind == "convolution"
    assert work_of(proto, None, Budget(10)) == {}
