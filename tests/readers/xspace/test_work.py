"""Work of XLA's instructions: against XLA's own counts, by hand where it counts otherwise, and hostile."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.xspace import jax_programs
from tests.readers.xspace.hlo import (
    BF16,
    F8,
    F16,
    F32,
    array,
    gemm,
    instruction,
    library_call,
    nested_product,
    program,
    tuple_of,
)  # fmt: skip
from tests.readers.xspace.raw import content, number, varint
from tfperf_plugin.readers.xspace import hlo
from tfperf_plugin.readers.xspace import program as program_of
from tfperf_plugin.readers.xspace.products import positions
from tfperf_plugin.readers.xspace.work import work_of
from tfperf_plugin.trace.model import OpWork, Product


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


def total(proto: bytes) -> tuple[int, int]:
    works = work_of(proto).values()
    return sum(work.flops for work in works), sum(work.bytes for work in works)


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
    flops, moved = total(known.proto)
    if known.name in BY_HAND:
        assert (flops, moved) == BY_HAND[known.name]
    else:
        assert flops == pytest.approx(known.flops, rel=0.01)
        assert moved == pytest.approx(known.bytes, rel=0.01)


@pytest.mark.parametrize("target", ["__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8"])
@pytest.mark.parametrize("config", [gemm("1"), gemm(1), gemm(1, wrapped=False)])
def test_products_of_libraries(target: str, config: str) -> None:
    """The second result is memory to work in."""
    result = tuple_of(array(BF16, 64, 16), array(6, 4_000_000))
    found = work_of(library_call(target, [array(BF16, 64, 32), array(BF16, 32, 16)], result, config))["it"]
    assert (found.flops, found.matrix_flops, found.matrix_format) == (2 * 64 * 32 * 16,) * 2 + ("bf16",)
    assert found.bytes == 2 * (64 * 32 + 32 * 16 + 64 * 16)
    assert (found.kind, found.products) == ("product", (Product(1, 64, 16, 32, "bf16"),))


def test_products_of_transformer_engine() -> None:
    """The left operand is transposed or not; what also communicates is not judged."""
    scale, result = array(F32, 1), tuple_of(array(BF16, 4, 64, 16), array(BF16, 0), array(6, 1 << 20))
    for left in (array(F8, 4, 64, 32), array(F8, 32, 4, 64)):
        shapes = [left, scale, array(F8, 32, 16), scale]
        found = work_of(library_call("te_gemm_v2_ffi", shapes, result, "{collective_op = 0 : i64}"))["it"]
        assert found.products == (Product(1, 4 * 64, 16, 32, "fp8"),)
        assert found.flops == found.matrix_flops == 2 * 4 * 64 * 16 * 32
        assert work_of(library_call("te_gemm_v2_ffi", shapes, result, "{collective_op = 1 : i64}")) == {}
        assert work_of(library_call("te_gemm_v2_ffi", shapes, array(BF16, 4, 64, 32), "{}")) == {}


@pytest.mark.parametrize(
    ("target", "places"),
    [
        ("__cudnn$convForward", (0, 1, 2)),
        ("__cudnn$convForwardGraph", (0, 1, 2)),
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
    found = work_of(library_call(target, operands, tuple_of(result, array(6, 1 << 20)), "{}", more))["it"]
    valid = (3 * 28 - 2) ** 2
    assert (found.flops, found.matrix_format) == (2 * 4 * 16 * 32 * valid, "fp16")
    assert found.bytes == 2 * (4 * 28 * 28 * 16 + 3 * 3 * 16 * 32 + 4 * 28 * 28 * 32)
    assert (found.kind, found.products) == (
        "convolution", (Product(1, 4 * 28 * 28, 32, 16, "fp16", window=9),),
    )  # fmt: skip


def fmha(mask: str = "CAUSAL", **more: object) -> str:
    """As JAX writes it: sizes are texts."""
    shape = {"element_type": "BF16", "dimensions": ["2", "8", "256", "256"]}
    config = {"fmha_scale": 0.1, "intermediate_tensor_shape": shape, "mask_type": mask, **more}
    return json.dumps({"cudnn_fmha_backend_config": config})


def te(mask: int = 2, wrapped: bool = True, **more: int) -> str:
    """As MLIR writes a call's attributes, in the outer object of the GPU's compiler or alone."""
    sizes = {
        "input_batch": 2, "attn_heads": 8, "num_gqa_groups": 2, "q_max_seqlen": 256, "kv_max_seqlen": 256,
        "qk_head_dim": 64, "v_head_dim": 32, "mask_type": mask, "qkv_layout": 9, "window_size_left": -1,
        **more,
    }  # fmt: skip
    numbers = "".join(f", {name} = {value} : i64" for name, value in sizes.items())
    attributes = f"{{deterministic = false{numbers}, scaling_factor = 1.250000e-01 : f64}}"
    return json.dumps({"custom_call_backend_config": {"attributes": attributes}}) if wrapped else attributes


QUERY, KEY, VALUE = array(BF16, 2, 256, 8, 64), array(BF16, 2, 256, 2, 64), array(BF16, 2, 256, 2, 32)
OUT, PAIRS = array(BF16, 2, 256, 8, 32), 2 * 8 * 256 * 256
FORWARD, BACKWARD = 2 * (64 + 32), 2 * (3 * 64 + 2 * 32)


@pytest.mark.parametrize(
    ("target", "config", "flops"),
    [
        ("__cudnn$fmhaSoftmax", fmha(), PAIRS // 2 * FORWARD),
        ("__cudnn$fmhaScaleBiasSoftmaxDropout", fmha("NO_MASK"), PAIRS * FORWARD),
        ("__cudnn$fmhaSoftmaxBackward", fmha("PADDING_CAUSAL"), PAIRS // 2 * BACKWARD),
        ("te_fused_attn_forward_ffi", te(), PAIRS // 2 * FORWARD),
        ("te_fused_attn_forward_ffi", te(0, wrapped=False), PAIRS * FORWARD),
        ("te_fused_attn_backward_ffi", te(3), PAIRS // 2 * BACKWARD),
    ],
)
def test_attention_of_libraries(target: str, config: str, flops: int) -> None:
    """Groups of heads share keys and values; the last result is memory to work in."""
    result = tuple_of(OUT, array(F32, 2, 8, 256, 1), array(6, 1 << 20))
    found = work_of(library_call(target, [QUERY, KEY, VALUE], result, config))["it"]
    assert (found.kind, found.flops, found.matrix_flops, found.matrix_format) == (
        "attention", flops, flops, "bf16",
    )  # fmt: skip
    assert found.bytes == 2 * 2 * 256 * (8 * 64 + 2 * 64 + 2 * 32 + 8 * 32) + 4 * 2 * 8 * 256
    assert found.products == ()


@pytest.mark.parametrize(
    ("target", "config"),
    [
        ("__cudnn$fmhaSoftmax", fmha("ALIBI")),
        ("__cudnn$fmhaSoftmax", fmha(sliding_window_length=64)),
        ("__cudnn$fmhaSoftmax", fmha(max_seg_per_batch=4)),
        ("__cudnn$fmhaSoftmax", fmha(is_paged_attention=True)),
        ("__cudnn$fmhaSoftmax", fmha(intermediate_tensor_shape={"dimensions": ["2", "8", "256", "0"]})),
        ("__cudnn$fmhaSoftmax", fmha(intermediate_tensor_shape={"dimensions": ["2", "8", "128", "256"]})),
        ("te_fused_attn_forward_ffi", te(9)),
        ("te_fused_attn_forward_ffi", te(2, kv_max_seqlen=512)),
        ("te_fused_attn_forward_ffi", te(2, qkv_layout=14)),
        ("te_fused_attn_forward_ffi", te(2, window_size_left=128)),
        ("te_fused_attn_forward_ffi", "{}"),
    ],
)
def test_attention_whose_pairs_are_not_known_is_not_judged(target: str, config: str) -> None:
    assert work_of(library_call(target, [QUERY, KEY, VALUE], OUT, config)) == {}


def test_kernels_whose_authors_estimated_their_cost() -> None:
    cost = {"flops": 1000, "bytes_accessed": 500}
    config = json.dumps({"custom_call_config": {"body": "", "cost_estimate": cost}})
    found = work_of(library_call("mosaic_gpu", [array(BF16, 64)], array(F32, 64), config))["it"]
    assert (found.flops, found.bytes) == (1000, 500)
    assert work_of(library_call("mosaic_gpu", [], array(F32, 64), config.replace("500", "-1"))) == {}


@pytest.mark.parametrize(
    ("target", "config"),
    [
        ("__cudnn$fmhaSoftmax", "{}"),
        ("__cudnn$norm", "{}"),
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
    assert work_of(library_call(target, shapes, array(F32, 64, 16), config)) == {}


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


def works(name: str) -> dict[str, OpWork]:
    (known,) = (known for known in jax_programs.stored() if known.name == name)
    return work_of(known.proto)


# A block's products: queries, keys, values and the way out; scores and their use; up and down.
PROJECTION, SCORES, WIDE = 2 * 128**3, 2 * 2 * 4 * 64 * 64 * 32, 2 * 128 * 128 * 512
BLOCK = 4 * PROJECTION + 2 * SCORES + 2 * WIDE


@pytest.mark.parametrize(
    ("name", "needed", "again"),
    [
        ("block, gradient", 3 * BLOCK - 3 * PROJECTION, 0),
        # Here XLA sees that products are equal, except for those on the way up, and computes them once.
        ("blocks, recomputation", 2 * 3 * BLOCK - 3 * PROJECTION, 2 * WIDE),
        ("loop over blocks, recomputation", 3 * BLOCK, BLOCK - WIDE),
    ],
)
def test_products_that_are_computed_again(name: str, needed: int, again: int) -> None:
    """Of the first block's inputs no gradient is asked, which spares three products."""
    found = works(name).values()
    assert sum(work.matrix_flops for work in found if work.recomputed) == again
    assert sum(work.matrix_flops for work in found if not work.recomputed) == needed


def test_what_xla_computes_again() -> None:
    shape = array(F32, 8)
    rows = [instruction("x", "parameter", shape, 1), instruction("add.7.remat2", "add", shape, 2, [1, 1])]
    assert work_of(program(rows))["add.7.remat2"].recomputed


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("attention", [2]),
        ("attention, gradient", [6]),
        ("block, gradient", [6]),
        ("block in bfloat16, gradient", [6]),
        ("blocks, recomputation", [6, 6]),
        ("loop over blocks, recomputation", [2, 6]),
        ("step", []),
        ("softmax", []),
        ("batched product", []),
    ],
)
def test_attention_in_several_instructions(name: str, counts: list[int]) -> None:
    """Its products: two forward and four backward, in a loop beside the two that are computed again."""
    found = works(name)
    names = {work.attention for work in found.values()} - {""}
    of = {a: [work for work in found.values() if work.attention == a] for a in names}
    assert sorted(sum(bool(work.products) for work in part) for part in of.values()) == counts
    for attention, part in of.items():
        assert found[attention].products[0].batch == 8
        assert any(not work.products for work in part)  # of the softmax


def softmax_between(
    second: int = 64, elementwise: str = "exponential", largest: str = "maximum", middle: int = 8
) -> bytes:
    """Scores [8, 64, 64] of products of a library; ``second``: what the second product is summed over."""
    scores, rows, one = array(F32, 8, 64, 64), array(F32, middle, 64), array(F32)
    product = content(28, b"__cublas$gemm") + content(43, gemm(2, batch=0).encode())
    entry = [
        instruction("q", "parameter", array(F32, 8, 64, 32), 1),
        instruction("v", "parameter", array(F32, 8, 32, second), 2),
        instruction("qk", "custom-call", tuple_of(scores, array(2, 1 << 20)), 3, [1, 1]) + product,
        instruction("part", "get-tuple-element", scores, 4, [3]),
        instruction("zero", "constant", one, 5),
        instruction("largest", "reduce", rows, 6, [4, 5], [1]),
        instruction("wide", "broadcast", scores, 7, [6]),
        instruction("less", "subtract", scores, 8, [4, 7]),
        instruction("exp", elementwise, scores, 9, [8]),
        instruction("sum", "reduce", rows, 10, [9, 5], [2]),
        instruction("wide.2", "broadcast", scores, 11, [10]),
        instruction("less.2", "divide", scores, 12, [9, 11]),
        instruction("shape", "reshape", array(F32, 8, 64 * 64 // second, second), 13, [12]),
        instruction("pv", "custom-call", array(F32, 8, 64 * 64 // second, 32), 14, [13, 2]) + product,
        instruction("other", "negate", scores, 15, [12]),
    ]
    reducers = [
        [instruction(n, "parameter", one, i) for i, n in enumerate("ab", 1)]
        + [instruction("r", opcode, one, 3, [1, 2])]
        for opcode in (largest, "add")
    ]
    bodies = [entry, *reducers]
    return content(1, *(
        content(3, *(content(2, row) for row in rows), number(5, id), number(6, 3))
        for id, rows in enumerate(bodies)
    ))  # fmt: skip


def test_attention_of_a_library_s_products() -> None:
    found = work_of(softmax_between())
    assert {name for name, work in found.items() if work.attention} == found.keys() - {"other"}
    assert {work.attention for work in found.values()} == {"qk", ""}


@pytest.mark.parametrize(
    "changed",
    [{"second": 32}, {"elementwise": "tanh"}, {"largest": "add"}, {"middle": 4}],
    ids=["summed over something else", "no exponential", "no maximum", "not of each row"],
)
def test_what_lies_between_products_is_not_always_attention(changed: dict[str, Any]) -> None:
    """Experts, too, have two batched products with something elementwise between them."""
    assert {work.attention for work in work_of(softmax_between(**changed)).values()} == {""}


@pytest.mark.parametrize("opcode", ["rng-bit-generator", "cholesky", "future", "", "fusion", "reduce", "map"])
def test_what_is_not_known_is_left_out(opcode: str) -> None:
    shape = array(F32, 8)
    rows = [instruction("x", "parameter", shape, 1), instruction("it", opcode, shape, 2, [1])]
    assert work_of(program(rows)) == {}
    known = [instruction("x", "parameter", shape, 1), instruction("it", "add", array(99, 8), 2, [1, 1])]
    assert work_of(program(known)) == {}


def test_an_operand_that_is_cut_off() -> None:
    shape = array(F32, 8)
    rows = [
        instruction("x", "parameter", shape, 1),
        instruction("it", "add", shape, 2) + content(36, b"\x01\x81"),
        instruction("next", "add", shape, 3, [1, 1]),
    ]
    assert {name: work.bytes for name, work in work_of(program(rows)).items()} == {"next": 3 * 8 * 4}


def test_a_computation_that_calls_itself() -> None:
    shape = array(F32, 8)
    rows = [instruction("x", "parameter", shape, 1), instruction("it", "fusion", shape, 2, [1], [0])]
    assert work_of(program(rows)) == {}
    loop = [instruction("x", "parameter", shape, 1), instruction("it", "while", shape, 2, [1], [0, 0])]
    assert work_of(program(loop)) == {}


def test_few_instructions_are_read_like_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other or all at once, and damaged anywhere."""

    def read(few: int) -> list[object]:
        monkeypatch.setattr(program_of, "FEW_INSTRUCTIONS", few)
        damaged = [whole[:at] + b"\xff" + whole[at + 1 :] for at in range(len(whole))]
        programs = [known.proto for known in jax_programs.stored()]
        return [(work_of(data), hlo.collective_sizes(data)) for data in [*programs, *damaged]]

    whole = nested_product()
    assert read(0) == read(1 << 30)
