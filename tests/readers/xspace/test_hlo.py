"""How much a collective moves, from XLA's programs: hand-made, hostile, and by XLA itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

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
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace import read
from tfperf_plugin.readers.xspace.hlo import collective_sizes


@pytest.fixture(scope="module", autouse=True)
def decoder() -> None:
    """Programs are read by Python alone: once, not with both decoders of events."""


REAL = Path(__file__).parents[4] / "shared" / "profiles" / "jax-mi300x" / "tw003.xplane.pb"


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


@pytest.mark.parametrize(
    "opcode", ["all-reduce-done", "all-gather-done", "ragged-all-to-all", "reduce", "gather", "fusion", ""]
)
def test_other_instructions_have_none(opcode: str) -> None:
    assert collective_sizes(one_collective(opcode, array(F32, 8), array(F32, 8), "it.1")) == {}


def test_all_arrays_of_one_call_count_together() -> None:
    gradients = [array(F32, 100), array(F32, 10, 10), array(BF16, 50)]
    shards = [array(F32, 25), array(F32, 5)]
    gathered = [array(F32, 100), array(F32, 20)]
    rows = [
        *(instruction(f"p{i}", "parameter", shape, i) for i, shape in enumerate([*gradients, *shards])),
        instruction("all-reduce-start.1", "all-reduce-start", tuple_of(*gradients), 7, [0, 1, 2]),
        instruction("all-gather.2", "all-gather", tuple_of(*gathered), 8, [3, 4]),
        instruction(
            "all-gather-start.3",
            "all-gather-start",
            tuple_of(tuple_of(*shards), tuple_of(*gathered)),
            9,
            [3, 4],
        ),
        instruction("all-reduce.4", "all-reduce", array(F32, 100), 10, [0], packed=False),
        instruction("all-to-all.5", "all-to-all", tuple_of(*gradients[:2]), 11, [0, 1], packed=False),
    ]

    assert collective_sizes(program(rows)) == {
        "all-reduce-start.1": 900,
        "all-gather.2": 480,
        "all-gather-start.3": 480,
        "all-reduce.4": 400,
        "all-to-all.5": 800,
    }


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


def test_ids_are_those_of_the_computation() -> None:
    """Newer XLA stores the computation's id above each id, older XLA does not."""
    high = 4 << 32
    one = [
        instruction("a", "parameter", array(F32, 2), high + 1),
        instruction("all-reduce.1", "all-reduce", array(F32, 2), high + 2, [high + 1]),
    ]
    two = [
        instruction("all-reduce.2", "all-reduce", array(F32, 3), 2, [1]),
        instruction("b", "parameter", array(F32, 3), 1),
    ]

    assert collective_sizes(program(one, [], two)) == {"all-reduce.1": 8, "all-reduce.2": 12}


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


def test_an_unknown_operand_is_left_out() -> None:
    shape = array(F32, 4)
    rows = [instruction("p", "parameter", shape, 1), instruction("r", "all-reduce", shape, 2, [1, 3])]
    assert collective_sizes(program(rows, [instruction("p", "parameter", shape, 3)])) == {}


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


def test_real_programs_without_collectives_have_no_sizes() -> None:
    protos = _real_programs()
    assert len(protos) == 8
    assert [name for name, proto in protos.items() if collective_sizes(proto)] == []


def test_real_programs_are_understood() -> None:
    """Real programs in which a shift becomes a collective: its opcode is as long as "all-gather"."""
    protos = _real_programs()

    def sizes(opcode: bytes) -> dict[str, int]:
        data = protos["jit__normal(9)"].replace(content(2, b"shift-left"), content(2, opcode))
        return collective_sizes(data)

    bytes_of_array = 8 * 32 * 60 * 104 * 16 * 4
    assert sizes(b"shift-left") == {}
    assert sizes(b"all-gather") == dict.fromkeys(sizes(b"all-reduce"), bytes_of_array)
    assert sizes(b"all-reduce")["shift_left.60.33"] == 2 * bytes_of_array  # a shift has two operands
    assert len(sizes(b"all-reduce")) == 20


def _real_programs() -> dict[str, bytes]:
    if not REAL.parent.parent.exists():
        pytest.skip("the folder with real profiles is not here")
    (plane,) = [p for p in read(REAL.read_bytes(), Anomalies()).planes if p.name == "/host:metadata"]
    protos = {name: stats["Hlo Proto"] for name, stats in plane.event_stats.items()}
    return {name: proto for name, proto in protos.items() if isinstance(proto, bytes)}
