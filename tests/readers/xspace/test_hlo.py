"""How much a collective moves, from XLA's programs: hand-made, hostile, and by XLA itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.readers.xspace.hlo import (
    BF16,
    F16,
    F32,
    F64,
    PRED,
    TOKEN,
    U32,
    array,
    instruction,
    one_collective,
    program,
    tuple_of,
)
from tests.readers.xspace.raw import content
from tfperf_plugin.readers.xspace.hlo import collective_sizes


@pytest.fixture(scope="module", autouse=True)
def decoder() -> None:
    """Programs are read by Python alone: once, not with both decoders of events."""


@pytest.mark.parametrize(
    ("opcode", "operand", "result", "size"),
    [
        ("all-reduce", array(F32, 1000), array(F32, 1000), 4000),
        ("all-reduce-start", array(BF16, 10, 30), array(BF16, 10, 30), 600),
        ("all-gather", array(F32, 25), array(F32, 200), 800),
        ("all-gather-start", array(F32, 25), tuple_of(array(F32, 25), array(F32, 200)), 800),
        ("reduce-scatter", array(F16, 64, 3), array(F16, 8, 3), 384),
        ("all-to-all", array(F64, 16), array(F64, 16), 128),
        ("collective-permute", array(PRED, 7), array(PRED, 7), 7),
        (
            "collective-permute-start",
            array(F32, 7),
            tuple_of(array(F32, 7), array(F32, 7), array(U32), array(U32)),
            28,
        ),
        ("collective-broadcast", array(F32, 2, 2), array(F32, 2, 2), 16),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_size_is_that_of_the_whole_array(opcode: str, operand: bytes, result: bytes, size: int) -> None:
    assert collective_sizes(one_collective(opcode, operand, result, "it.1")) == {"it.1": size}


def test_a_collective_that_another_instruction_starts() -> None:
    """XLA starts a ReduceScatter through a computation of its own."""
    shape, shard = array(F32, 64), array(F32, 16)
    started = tuple_of(tuple_of(shape), shard)
    entry = [
        instruction("data", "parameter", shape, 1),
        instruction("reduce-scatter-start.3", "async-start", started, 2, [1], [1]),
        instruction("reduce-scatter-done.3", "async-done", shard, 3, [2], [1]),
        instruction("other-start", "async-start", started, 4, [1], [2]),
        instruction("nothing", "async-start", started, 5, [1]),
        instruction("group-start", "async-start", started, 6, [1], [3]),
    ]
    wrapped = [
        instruction("param", "parameter", shape, 1),
        instruction("reduce-scatter.3", "reduce-scatter", shard, 2, [1]),
    ]
    other = [instruction("copy", "copy", shape, 1)]
    several = [
        instruction("param.4", "parameter", shape, 1),
        instruction("all-reduce.4", "all-reduce", shape, 2, [1]),
        instruction("all-reduce.5", "all-reduce", shape, 3, [1]),
    ]

    found = collective_sizes(program(entry, wrapped, other, several))

    assert found == dict.fromkeys(
        ["reduce-scatter-start.3", "reduce-scatter.3", "all-reduce.4", "all-reduce.5"], 256
    )


@pytest.mark.parametrize(
    "operand",
    [
        array(99, 4),  # a type that is not known yet
        array(14),  # opaque
        array(F32, 4, -(1 << 63)),  # a dimension without a bound
        array(F32, -(1 << 63), -(1 << 63)),
        array(F32, 4, 0),
        array(TOKEN),
        tuple_of(),
        tuple_of(array(F32, 4), array(99, 4)),
        b"",
    ],
)
def test_what_the_program_does_not_tell_is_left_out(operand: bytes) -> None:
    assert collective_sizes(one_collective("all-reduce", operand, array(F32, 4))) == {}
    assert collective_sizes(one_collective("all-gather", array(F32, 4), operand)) == {}
    assert collective_sizes(one_collective("all-gather-start", array(F32, 4), operand)) == {}


def test_sizes_have_a_bound() -> None:
    huge = array(F32, *[(1 << 63) - 1] * 1000)
    assert collective_sizes(one_collective("all-reduce", huge, huge)) == {"all-reduce": 1 << 62}
    several = one_collective("all-gather", huge, tuple_of(huge, huge))
    assert collective_sizes(several) == {"all-gather": 1 << 62}


def test_nesting_has_a_bound() -> None:
    shape = array(F32, 4)
    for _ in range(5000):
        shape = tuple_of(shape)
    assert collective_sizes(one_collective("all-gather", shape, shape)) == {}


_XLA = """
import json
import tensorflow as tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops as xla

@tf.function(jit_compile=True)
def step(x, y):
    groups = tf.constant([[0, 1]])
    reduced = xla.xla_all_reduce(x * 2, groups, "Add", "CrossReplica")
    return reduced, xla.xla_reduce_scatter(y, groups, 0, "Add")

compiled = step.experimental_get_compiler_ir(tf.ones((3, 5)), tf.ones((8, 2), tf.float16))
print(json.dumps([compiled(stage=s).hex() for s in ("hlo_serialized", "optimized_hlo_serialized")]))
"""

_SCHEMA = """
import json
from tensorflow.compiler.xla import xla_data_pb2
from tensorflow.compiler.xla.service import hlo_pb2

found = {}
for name in xla_data_pb2.PrimitiveType.keys():
    if name in ("PRIMITIVE_TYPE_INVALID", "TUPLE", "OPAQUE_TYPE", "TOKEN", "BUFFER"):
        continue
    proto = hlo_pb2.HloProto()
    computation = proto.hlo_module.computations.add(id=3, root_id=2)
    for id, opcode in ((1, "parameter"), (2, "all-reduce")):
        row = computation.instructions.add(name=f"{opcode}.{name}", opcode=opcode, id=id)
        row.shape.element_type = xla_data_pb2.PrimitiveType.Value(name)
        row.shape.dimensions.extend([8, 300])
        row.shape.layout.minor_to_major.extend([1, 0])
        row.replica_groups.add(replica_ids=[0, 1])
    row.operand_ids.append(1)
    other = proto.hlo_module.computations.add(id=4)
    caller = other.instructions.add(name="start", opcode="async-start", id=1)
    caller.called_computation_ids.append(3)
    found[name] = proto.SerializeToString().hex()
print(json.dumps(found))
"""


def _tensorflow(code: str) -> str:
    if find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_programs_compiled_by_xla() -> None:
    """Before and after XLA's own passes."""
    for module in json.loads(_tensorflow(_XLA)):
        found = collective_sizes(content(1, bytes.fromhex(module)))
        assert sorted(found.values()) == [8 * 2 * 2, 3 * 5 * 4]


@pytest.mark.slow
def test_each_element_type_of_the_official_schema() -> None:
    protos = json.loads(_tensorflow(_SCHEMA))
    assert {"PRED", "BF16", "F32", "S4", "F8E4M3FN", "C128"} <= protos.keys()
    for name, proto in protos.items():
        bits = int(found[0]) if (found := re.search(r"\d+", name)) else 8
        size = 8 * 300 * bits // 8
        assert collective_sizes(bytes.fromhex(proto)) == {f"all-reduce.{name}": size, "start": size}, name
