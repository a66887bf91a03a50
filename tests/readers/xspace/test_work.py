"""Work of XLA's instructions: against XLA's own counts, by hand where it counts otherwise, and hostile."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.xspace import jax_programs
from tests.readers.xspace.hlo import BF16, F16, F32, F64, S32, array, instruction, program, tuple_of
from tests.readers.xspace.raw import content, number, varint
from tfperf_plugin.readers.xspace.work import positions, work_of


@pytest.fixture(scope="module", autouse=True)
def decoder() -> None:
    """Programs are read by Python alone: once, not with both decoders of events."""


_ROWS, _IDS, _TABLE = 256 * 64 * 4, 256 * 4, 5000 * 64 * 4
_IMAGE, _UPDATES, _PLACES = 4 * 28 * 28 * 16 * 4, 12544 * 4, 12544 * 4 * 4
BY_HAND = {
    # XLA counts the larger of two branches; here each stands for itself. With the comparison and its cast.
    "branch": (2 * 2 * 64**3 + 64**2 + 2, 98_312),
    # Rows are read and written, and their numbers read; XLA counts the whole table.
    "embedding": (3 * 256, 2 * _ROWS + _IDS),
    # The same, and a copy of the numbers, zeros of the table's size, and the rows added to them.
    "embedding, gradient": (34_304, 2 * _ROWS + 3 * _IDS + 4 + _TABLE + 3 * _ROWS + _IDS),
    # XLA counts the image as read and written, not only the places that the gradient reaches.
    "largest of a window, gradient": (476_672, 3_662_860 - 2 * _IMAGE + 2 * _UPDATES),
}


def total(proto: bytes) -> tuple[int, int, int]:
    works = work_of(proto).values()
    return (
        sum(work.flops for work in works),
        sum(work.bytes for work in works),
        sum(work.transcendentals for work in works),
    )


@pytest.mark.parametrize("known", jax_programs.stored(), ids=lambda known: known.name)
def test_as_xla_counts(known: jax_programs.Program) -> None:
    compare(known)


@pytest.mark.slow
def test_as_xla_counts_what_is_compiled_now() -> None:
    if find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    code = [sys.executable, "-m", jax_programs.__name__, "--print"]
    done = subprocess.run(code, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for known in jax_programs.read(done.stdout):
        compare(known)


def compare(known: jax_programs.Program) -> None:
    flops, moved, transcendentals = total(known.proto)
    if known.name in BY_HAND:
        assert (flops, moved) == BY_HAND[known.name]
    else:
        assert flops == pytest.approx(known.flops, rel=0.01)
        assert moved == pytest.approx(known.bytes, rel=0.01)
    assert transcendentals == pytest.approx(known.transcendentals, rel=0.01)


def call(target: str, shapes: list[bytes], result: bytes, config: str = "", more: bytes = b"") -> bytes:
    """A program of one custom call."""
    rows = [instruction(f"p{i}", "parameter", shape, i) for i, shape in enumerate(shapes)]
    stands_for = content(28, target.encode()) + content(43, config.encode()) + more
    called = instruction("it", "custom-call", result, 99, range(len(shapes))) + stands_for
    return program([*rows, called])


def gemm(contracting: int | str, wrapped: bool = True) -> str:
    config = {"alpha_real": 1, "dot_dimension_numbers": {"lhs_contracting_dimensions": [contracting]}}
    return json.dumps({"gemm_backend_config": config} if wrapped else config)


@pytest.mark.parametrize("target", ["__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8"])
@pytest.mark.parametrize("config", [gemm("1"), gemm(1), gemm(1, wrapped=False)])
def test_products_of_libraries(target: str, config: str) -> None:
    """The second result is memory to work in."""
    result = tuple_of(array(BF16, 64, 16), array(6, 4_000_000))
    found = work_of(call(target, [array(BF16, 64, 32), array(BF16, 32, 16)], result, config))["it"]
    assert (found.flops, found.matrix_flops, found.matrix_format) == (2 * 64 * 32 * 16,) * 2 + ("bf16",)
    assert found.bytes == 2 * (64 * 32 + 32 * 16 + 64 * 16)


def test_batched_product_of_a_library() -> None:
    shapes = [array(F32, 8, 64, 32), array(F32, 8, 16, 32)]
    found = work_of(call("__cublas$gemm", shapes, array(F32, 8, 64, 16), gemm("2")))["it"]
    assert (found.flops, found.matrix_format) == (2 * 8 * 64 * 32 * 16, "fp32")


@pytest.mark.parametrize(
    ("target", "places"),
    [
        ("__cudnn$convForward", (0, 1, 2)),
        ("__cudnn$convBackwardInput", (2, 1, 0)),
        ("__cudnn$convBackwardFilter", (0, 2, 1)),
    ],
)
def test_convolutions_of_libraries(target: str, places: tuple[int, int, int]) -> None:
    """Whatever is computed of input, filter and output, it is as many multiplications."""
    forward = (array(F16, 4, 28, 28, 16), array(F16, 3, 3, 16, 32), array(F16, 4, 28, 28, 32))
    *operands, result = (forward[places.index(place)] for place in range(3))
    window = content(1, number(1, 3), number(2, 1), number(3, 1), number(4, 1), number(5, 1), number(6, 1))
    labels = (
        number(3, 2), number(4, 3), content(6, varint(0), varint(1)), number(7, 0), number(8, 3),
        number(9, 0), number(10, 3), content(11, varint(1), varint(2)), content(12, varint(1), varint(2)),
    )  # fmt: skip
    more = content(15, window, window) + content(16, *labels)
    found = work_of(call(target, operands, tuple_of(result, array(6, 1 << 20)), "{}", more))["it"]
    valid = (3 * 28 - 2) ** 2
    assert (found.flops, found.matrix_format) == (2 * 4 * 16 * 32 * valid, "fp16")
    assert found.bytes == 2 * (4 * 28 * 28 * 16 + 3 * 3 * 16 * 32 + 4 * 28 * 28 * 32)


@pytest.mark.parametrize(
    ("target", "config"),
    [
        ("__cudnn$fmhaSoftmax", "{}"),
        ("xla.gpu.unknown", gemm("1")),
        ("", gemm("1")),
        ("__cublas$gemm", "{}"),
        ("__cublas$gemm", ""),
        ("__cublas$gemm", "[" * 100_000),
        ("__cublas$gemm", gemm("2")),
        ("__cublas$gemm", gemm(-1)),
        ("__cublas$gemm", gemm("9" * 5000)),
        ("__cublas$gemm", gemm("one")),
        ("__cudnn$convForward", "{}"),
    ],
)
def test_other_calls_are_not_judged(target: str, config: str) -> None:
    shapes = [array(F32, 64, 32), array(F32, 32, 16)]
    assert work_of(call(target, shapes, array(F32, 64, 16), config)) == {}


@given(
    st.tuples(*[st.integers(1, 5), st.integers(-3, 4), st.integers(1, 4), st.integers(1, 4)]),
    st.integers(1, 9),
    st.integers(1, 5),
    st.integers(0, 9),
)
def test_padding_and_holes_are_not_multiplied(
    window: tuple[int, int, int, int], input: int, kernel: int, output: int
) -> None:
    stride, low, dilation, base = window
    at = [o * stride + k * dilation - low for o in range(output) for k in range(kernel)]
    values = {i * base for i in range(input)}
    assert positions((kernel, stride, low, 0, dilation, base), input, kernel, output) == sum(
        a in values for a in at
    )


def product_inside(format: int = BF16, format_2: int = 0) -> bytes:
    """A fusion of Triton: the product is in the fusion that the fusion calls."""
    left, right, out = array(format, 64, 32), array(format, 32, 16), array(format, 64, 16)
    parameters = [instruction("a", "parameter", left, 1), instruction("b", "parameter", right, 2)]
    dims = content(30, content(1, varint(1)), content(2, varint(0)))
    dot = instruction("dot", "dot", out, 3, [1, 2]) + dims
    other = array(format_2 or format, 64, 32), array(format_2 or format, 32, 16)
    second = [
        instruction("c", "parameter", other[0], 1), instruction("d", "parameter", other[1], 2),
        instruction("dot.2", "dot", out, 3, [1, 2]) + dims,
    ]  # fmt: skip
    entry = [*parameters, instruction("it", "fusion", out, 9, [1, 2], [1])]
    nested = [*parameters, instruction("inner", "fusion", out, 4, [1, 2], [2])]
    if format_2:
        nested += [instruction("inner.2", "fusion", out, 5, [1, 2], [3])]
    root = number(6, 4)
    bodies = [entry, nested, [*parameters, dot], second]
    computations = [
        content(3, *(content(2, row) for row in rows), number(5, id), root if id == 1 else number(6, 3))
        for id, rows in enumerate(bodies)
    ]
    return content(1, *computations)


def test_products_of_nested_fusions() -> None:
    found = work_of(product_inside())
    assert list(found) == ["it"]
    assert (found["it"].matrix_flops, found["it"].matrix_format) == (2 * 64 * 32 * 16, "bf16")
    assert found["it"].bytes == 2 * (64 * 32 + 32 * 16 + 64 * 16)
    assert found["it"].per_run


def test_products_of_two_formats_have_none() -> None:
    found = work_of(product_inside(BF16, F64))["it"]
    assert (found.matrix_flops, found.matrix_format) == (2 * 2 * 64 * 32 * 16, "mixed")


def test_what_repeats_is_listed_by_itself() -> None:
    shape = array(F32, 8)
    entry = [instruction("x", "parameter", shape, 1), instruction("loop", "while", shape, 2, [1], [1, 2])]
    condition = [instruction("y", "parameter", shape, 1), instruction("compare", "compare", shape, 2, [1, 1])]
    body = [instruction("z", "parameter", shape, 1), instruction("add", "add", shape, 2, [1, 1])]
    found = work_of(program(entry, condition, body))
    assert {name: (work.flops, work.per_run) for name, work in found.items()} == {
        "compare": (8, False),
        "add": (8, False),
    }


@pytest.mark.parametrize("opcode", ["rng-bit-generator", "cholesky", "future", "", "fusion", "reduce", "map"])
def test_what_is_not_known_is_left_out(opcode: str) -> None:
    shape = array(F32, 8)
    rows = [instruction("x", "parameter", shape, 1), instruction("it", opcode, shape, 2, [1])]
    assert work_of(program(rows)) == {}
    known = [instruction("x", "parameter", shape, 1), instruction("it", "add", array(99, 8), 2, [1, 1])]
    assert work_of(program(known)) == {}


def test_a_computation_that_calls_itself() -> None:
    shape = array(F32, 8)
    rows = [instruction("x", "parameter", shape, 1), instruction("it", "fusion", shape, 2, [1], [0])]
    assert work_of(program(rows)) == {}
    loop = [instruction("x", "parameter", shape, 1), instruction("it", "while", shape, 2, [1], [0, 0])]
    assert work_of(program(loop)) == {}


def check(data: bytes) -> None:
    for name, work in work_of(data).items():
        assert isinstance(name, str)
        assert all(
            0 <= n < 1 << 63 for n in (work.flops, work.matrix_flops, work.bytes, work.transcendentals)
        )


def test_cut_off_anywhere_or_with_a_flipped_bit() -> None:
    data = product_inside()
    for position in range(len(data)):
        check(data[:position])
        for bit in (0, 3, 7):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            check(bytes(flipped))


@settings(max_examples=200)
@given(st.sampled_from(jax_programs.stored()), st.integers(0, 100_000), st.binary(min_size=1, max_size=8))
def test_no_overwritten_part_breaks_it(known: jax_programs.Program, at: int, patch: bytes) -> None:
    at %= len(known.proto)
    check(known.proto[:at] + patch + known.proto[at + len(patch) :])


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    check(data)
    check(content(1, content(3, content(2, data))))
    check(call("__cublas$gemm", [data, data], data, gemm(0), data))


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


@pytest.mark.parametrize("make", [shared_computation, chain_of_calls, large_operands, large_windows])
def test_hostile_programs_take_time_by_their_size_only(make: Callable[[int], bytes]) -> None:
    def took(count: int) -> float:
        data = make(count)
        before = time.process_time()
        check(data)
        return time.process_time() - before

    # In proportion it would be four times as long, by the square of the size sixteen times.
    assert took(500_000) < 8 * min(took(125_000) for _ in range(2)) + 0.05
