"""Programs of XLA, however they are made: no bytes break the reader, and its cost is bounded.

A megabyte costs at most 3 s and 200 MB, as SECURITY.md promises.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pace import calm_s
from tests.readers.xspace import jax_programs
from tests.readers.xspace.hlo import (
    F32,
    S32,
    array,
    gemm,
    instruction,
    library_call,
    nested_product,
    one_collective,
    program,
    tuple_of,
)
from tests.readers.xspace.raw import content, number, varint
from tfperf_plugin.readers.content import Budget
from tfperf_plugin.readers.xspace.hlo import collective_sizes
from tfperf_plugin.readers.xspace.work import work_of


@pytest.fixture(scope="module", autouse=True)
def decoder() -> None:
    """Programs are read by Python alone: once, not with both decoders of events."""


def check(data: bytes) -> None:
    """Whatever is found has possible values."""
    for size in collective_sizes(data).values():
        assert 0 < size <= 1 << 62
    for work in work_of(data).values():
        assert all(0 <= n < 1 << 63 for n in (work.flops, work.matrix_flops, work.bytes))


def example() -> bytes:
    shape, shard = array(F32, 64, packed=False), array(F32, 16)
    started = tuple_of(tuple_of(shape), shard)
    entry = [
        instruction("data", "parameter", shape, 1),
        instruction("all-reduce.1", "all-reduce", shape, 2, [1], packed=False),
        instruction("start", "async-start", started, 4, [1], [1]),
        instruction("gather", "all-gather-start", tuple_of(shard, shape), 5, [3]),
    ]
    return program(
        entry, [instruction("p", "parameter", shape, 1), instruction("r", "all-to-all", shape, 2, [1])]
    )


def test_the_example_is_understood() -> None:
    assert collective_sizes(example()) == dict.fromkeys(("all-reduce.1", "start", "r", "gather"), 256)


@pytest.mark.parametrize("data", [example(), nested_product()], ids=["collectives", "product"])
def test_cut_off_anywhere_or_with_a_flipped_bit(data: bytes) -> None:
    for position in range(len(data)):
        check(data[:position])
        assert collective_sizes(data[:position]) == {} or data[position:] == content(3, b"")
        for bit in (0, 3, 7):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            check(bytes(flipped))


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    check(data)
    check(content(1, data))
    check(content(1, content(3, data)))
    check(content(1, content(3, content(2, data))))
    check(one_collective("all-reduce", data, data))
    check(one_collective("all-gather-start", array(F32), data))
    check(library_call("__cublas$gemm", [data, data], data, gemm(0), data))


@settings(max_examples=200)
@given(
    st.sampled_from([example(), *(known.proto for known in jax_programs.stored())]),
    st.integers(0, 100_000),
    st.binary(min_size=1, max_size=8),
)
def test_no_overwritten_part_breaks_it(data: bytes, at: int, patch: bytes) -> None:
    at %= len(data)
    check(data[:at] + patch + data[at + len(patch) :])


# ------------------------------------------------------------------------------------------- cost


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


def shared_computation(count: int) -> bytes:
    """Many fusions, all of one large computation."""
    shape = array(F32, 8)
    rows = [instruction("x", "parameter", shape, 1)]
    body = [*rows, *(instruction("a", "add", shape, i, [1, 1]) for i in range(2, count // 200))]
    return program(
        [*rows, *(instruction(f"f{i}", "fusion", shape, i, [1], [1]) for i in range(count // 200))], body
    )


def chain_of_calls(count: int) -> bytes:
    """Each computation calls the next one twice."""
    shape = array(F32, 8)
    parameter = instruction("x", "parameter", shape, 1)
    return program(
        *(
            [parameter, *(instruction(f"f{i}", "fusion", shape, i, [1], [id + 1]) for i in (2, 3))]
            for id in range(count // 200)
        )
    )


def large_operands(count: int) -> bytes:
    large = tuple_of(*[array(S32, 1)] * (count // 25))
    return program([
        instruction("x", "parameter", large, 1), instruction("it", "add", array(F32, 1), 2, [1] * count),
    ])  # fmt: skip


def large_windows(count: int) -> bytes:
    window = content(1, number(1, 4000), number(2, 1), number(5, 1), number(6, 64))
    labels = (content(number_, varint(2)) for number_ in (6, 11, 12))
    more = content(15, window) + content(16, number(4, 1), number(7, 0), number(8, 1), number(10, 1), *labels)
    shape = array(F32, 1, 1, 4000)
    rows = (instruction(f"c{i}", "convolution", shape, i, [1, 1]) + more for i in range(2, count // 120))
    return program([instruction("x", "parameter", shape, 1), *rows])


def products_of_all_scores(count: int) -> bytes:
    """Many products whose scores all meet in the same instructions."""
    shape = array(F32, 2, 8, 8)
    dims = content(30, content(1, varint(2)), content(2, varint(1)), content(3, varint(0)))
    rows = [instruction("x", "parameter", shape, 1)]
    many = range(2, 2 + count // 150)
    rows += [instruction(f"d{i}", "dot", shape, i, [1, 1]) + dims for i in many]
    rows += [instruction(f"e{i}", "exponential", shape, many[-1] + i, many) for i in range(1, 20)]
    return program(rows)


def long_paths(count: int) -> bytes:
    """Many products, each of which is followed by all that comes behind."""
    shape = array(F32, 2, 8, 8)
    dims = content(30, content(1, varint(2)), content(2, varint(1)), content(3, varint(0)))
    rows = [instruction("x", "parameter", shape, 1)]
    for i in range(1, count // 300):
        rows.append(instruction(f"d{i}", "dot", shape, 2 * i, [2 * i - 1, 1]) + dims)
        rows.append(instruction(f"e{i}", "add", shape, 2 * i + 1, [2 * i, 2 * i - 1]))
    return program(rows)


def one_large_operand_many_times(count: int) -> bytes:
    large = tuple_of(*[array(F32, 1)] * (count // 25))
    rows = [instruction("p", "parameter", large, 1), instruction("r", "all-reduce", large, 2, [1] * count)]
    return program(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        shared_computation, chain_of_calls, large_operands, large_windows, products_of_all_scores, long_paths,
        one_large_operand_many_times,
        lambda count: content(1, content(3, b"\x12\x00" * count)),  # empty instructions
        lambda count: content(1, b"\x1a\x00" * count),  # empty computations
        lambda count: content(1, content(3, content(2, number(35, 1) * count))),
        lambda count: one_collective("all-reduce", number(3, 2) * count + number(2, F32), b""),
        lambda count: program([content(2, b"all-reduce") + number(36, 1) * 300] * (count // 500)),
    ],
)  # fmt: skip
def test_hostile_programs_take_time_by_their_size_only(make: Callable[[int], bytes]) -> None:
    small, large = make(125_000), make(500_000)

    # In proportion it would be four times as long, by the square of the size sixteen times.
    assert calm_s(lambda: check(large)) < 8 * calm_s(lambda: check(small)) + 0.05


def test_more_parts_than_in_any_program() -> None:
    shape = array(F32, 4)
    whole = one_collective("all-reduce", shape, shape)
    assert collective_sizes(whole + number(9, 1) * 1_000) == {"all-reduce": 16}
    assert collective_sizes(whole + number(9, 1) * 1_100_000) == {}
