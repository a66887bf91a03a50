"""Changes to an input, each drawn from a random number generator: what broken and hostile files are like."""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Callable, Sequence, Set
from random import Random
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from tests.fuzz.wire import BYTES, FIXED32, FIXED64, VARINT, Field, Place, parse, to_bytes

_BASES = (0, 100, 1 << 7, 1 << 14, 1 << 31, 1 << 32, 1 << 53, 1 << 60, 1 << 61, 1 << 62, 1 << 63)
NUMBERS = (
    *(base + near for base in _BASES for near in (-1, 0, 1)),
    *(-(1 << 63), -(1 << 61), 10**15, 10**18, 1_700_000_000 * 10**9),
)
DOUBLES = (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, -0.0, -1.0, 2.0)
_TEXTS = (
        "", "/host:CPU", "/device:GPU:0", "/device:GPU:1", "/device:GPU:999999999", "/device:GPU:" + "9" * 5000,
        "Task Environment", "/host:metadata", "Steps", "python3", "train", "Profiled batch", "FunctionRun",
        "MemcpyH2D", "MemcpyD2H", "Memset", "MemoryAllocation", "MemoryDeallocation", "IteratorGetNext",
        "IteratorGetNextOp::DoCompute", "Iterator::Prefetch::ParallelMapV2::Batch", "Iterator::Root",
        "Iterator::" + "::".join(["Map[0]"] * 300), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(a)",
        "ExecutorState::Process", "XlaCompile", "cuStreamSynchronize", "cuLaunchKernel",
        "group_id:1", "size:" + "9" * 5000, "num_bytes:99999999999999999999", "kind_src:pageable size:5 dest:1",
        "(float[9999999999999999999,9999999999999999999];half[])", "([])", "[1,,2]", "[" * 5000, "(" * 5000,
        "grid:9999999999,9999999999,9999999999 block:1,1,1 occ_pct:999.9 regs:999999999999",
        "a/b/Adam/ResourceApplyAdam:ResourceApplyAdam", "/_1" * 3000, "_1" * 5000, ".1" * 5000 + "x",
        "gradient_tape/" * 400 + "MatMul:MatMul", "<script>x</script>", "\x1b[31m", "\u202e", "{0}%s%n", "\0",
        "x" * 70_000, "GPU_0_bfc", "GPU_" + "9" * 5000 + "_bfc", "NaN", "1e999", "-1", "all-reduce-start.1",
        "correlation_id", "step_num", "_r", "_p", "_pt", "_c", "_ct", "id", "parent_id", "tf_op", "shape",
        "memcpy_details", "kernel_details", "buffer_size", "bytes_allocated", "fragmentation", "name",
        "allocator_name", "addr", "allocation_bytes", "requested_bytes", "peak_bytes_in_use", "element_id",
        "tf_function_call", "tracing_count", "hlo_op", "hlo_module", "program_id", "hlo_proto",
        "profile_start_time", "device_vendor", "compute_cap_major", "memory_bandwidth", "memory_size",
        "clock_rate", "core_count", "shapes", "types", "int64 float", "[1,2] []", "group_size",
        "X", "i", "M", "s", "cat", "ts", "dur", "pid", "tid", "args", "kernel", "gpu_memcpy", "cpu_op", "Operator",
        "cuda_runtime", "user_annotation", "python_function", "ProfilerStep#7", "[memory]", "thread_name",
        "correlation", "Input Dims", "Input type", "Collective name", "Out msg nelems", "Device Type", "stream",
        "device", "Total Allocated", "}, {", "N/A", "traceEvents", "baseTimeNanoseconds", "a.py(1): f",
)  # fmt: skip
_WORDS = re.compile(rb'"(?:[^"\\]|\\.)*"|\w+|\W')
_JSON = (
    "N/A",
    "nan",
    "null",
    "true",
    "{}",
    "[]",
    "-0.0",
    "1e999",
    "1e308",
    "NaN",
    "[" * 5000,
    "9" * 5000,
    '"\\ud800"',
)
TEXTS = (*map(str.encode, _TEXTS), b"\xff\xfe\x80", b"\xed\xa0\x80", b"\xf0\x9f\x98")


def mutated(data: bytes, others: Sequence[bytes], random: Random, kind: str = "XSpace") -> bytes:
    """``data``, a message of this kind, after one to several changes; ``others`` lend parts."""
    tree = parse(data, kind)
    if not tree:
        return bent(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 3, 5, 8))):
        place = _place(tree, random)
        if place is None:
            break
        change = random.choice(_CHANGES)
        change(place, lambda: parse(random.choice(others), kind), random)
    result = to_bytes(tree)
    return bent(result, random) if random.random() < 0.05 else result


def reworded(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """A text after one to several changes: words that are gone, repeated, others' or hostile."""
    words = _WORDS.findall(data)
    if not words or random.random() < 0.2:
        return bent(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 3, 5, 8))):
        at, lender = random.randrange(len(words) + 1), _WORDS.findall(random.choice(others))
        hostile = random.choice((json.dumps(random.choice(_TEXTS)), str(random.choice(NUMBERS)), *_JSON))
        lent = random.choice(
            ([], [hostile.encode()], words[at : at + 9] * 2, lender[at : at + random.randrange(1, 40)])
        )
        words[at : at + random.choice((0, 1, 1, 1, 9))] = lent
    return b"".join(words)


_OTHERS: tuple[Any, ...] = (None, True, [], [1], [[]], {}, {"ph": "X"}, 1.5, -1e300, float("nan"), "9" * 400)


def retraced(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """A trace of PyTorch's profiler after one to several changes, of its text or of single events."""
    events = _events(data)
    if not events or random.random() < 0.4:
        return reworded(data, others, random)
    for _ in range(random.choice((1, 1, 2, 3, 5, 8))):
        at, lender = random.randrange(len(events)), random.choice(_events(random.choice(others)) or events)
        if random.random() < 0.3:
            events[at : at + random.choice((0, 1, 5))] = [lender] * random.choice((0, 1, 2, 60))
            events = events or [lender]
            continue
        event = events[at] = json.loads(json.dumps(events[at]))
        place = event["args"] if isinstance(event.get("args"), dict) and random.random() < 0.5 else event
        key = random.choice([*place, *lender, *_TEXTS])
        near = place[key] + random.choice((-1, 1, 1000)) if isinstance(place.get(key), int) else None
        place[key] = random.choice(
            (
                random.choice(NUMBERS),
                random.choice(_TEXTS),
                random.choice(_OTHERS),
                lender.get(key),
                near,
                near,
            )
        )
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": events}).encode()


_TAGS = (
    "epoch_loss", "batch_loss", "batch_2", "loss", "a/global_step/sec", "evaluation_loss_vs_iterations",
    "val_loss", "", "x" * 5000, "\x1b[31m<b>",
)  # fmt: skip


def rewritten(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """An event file after one to several changes of its records, which keep right checksums but for the last."""
    records = _records(data)
    if not records or random.random() < 0.2:
        return bent(data, random)
    for _ in range(random.choice((1, 1, 2, 3, 5, 8))):
        at, lender = random.randrange(len(records) + 1), _records(random.choice(others)) or records
        changed = bent(random.choice(records or lender), random)
        records[at : at + random.choice((0, 1, 3))] = random.choice(
            ([], [changed], records[at : at + 9] * 3, lender[at:], [_event(random)], [_event(random)])
        )
    return _event_file(records)


def grown_event_file(data: bytes, size: int, random: Random) -> bytes:
    """An event file of ``size`` bytes that repeats a part of this one."""
    records = _records(data) or [_event(random)]
    at = random.randrange(len(records))
    part = _event_file(records[at : at + random.choice((1, 1, 5, 50))])
    return _event_file(records) + part * max(0, (size - len(data)) // len(part))


def _event(random: Random) -> bytes:
    """An event with a scalar of a hostile tag, step and time."""
    value = Summary.Value(tag=random.choice(_TAGS), simple_value=1)
    step = random.choice((0, 1, 7, -1, (1 << 63) - 1, -(1 << 63)))
    wall_time = random.choice((0.0, -1.0, 1.7e9, 1.7e9 + random.random(), 1e300, float("nan"), float("inf")))
    count = random.choice((1, 1, 1, 300))
    event: bytes = Event(
        step=step, wall_time=wall_time, summary=Summary(value=[value] * count)
    ).SerializeToString()
    return event


def _event_file(records: Sequence[bytes]) -> bytes:
    file = io.BytesIO()
    for record in records:
        RecordWriter(file).write(record)
    return file.getvalue()


def _records(data: bytes) -> list[bytes]:
    """The records of an event file as far as their lengths go; checksums do not matter."""
    found, at = [], 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        found.append(data[at + 12 : at + 12 + length])
        at += 16 + length
    return found


def _events(trace: bytes) -> list[dict[str, Any]]:
    """The events of a trace; none if it is damaged."""
    try:
        found = json.loads(trace)
    except (ValueError, RecursionError):
        return []
    events = found.get("traceEvents") if isinstance(found, dict) else found
    return [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []


def grown_trace(data: bytes, size: int, random: Random) -> bytes:
    """A trace with one to some of its events repeated until it has this size; some of the numbers and texts in
    each copy are its own."""
    events = _events(data)
    if not events:
        return (data * (size // max(1, len(data)) + 1))[:size]
    at = random.randrange(len(events))
    part = [json.dumps(event) for event in events[at : at + random.choice((1, 1, 2, 5))]]
    own = {digit for digit in "0123456789" if random.random() < 0.5}

    def differ(text: str, number: int) -> str:
        """Numbers that begin with certain digits grow."""
        return re.sub(r"\b\d{1,15}\b", lambda found: str(int(found[0]) + number * (found[0][0] in own)), text)

    shapes = [shape for shape in _SHAPES if random.random() < 0.3]

    def copy(text: str, number: int) -> str:
        text = differ(text, number)
        for field, written in shapes:
            text = field.sub(rf"\g<1>{written(number)}", text)
        return text

    count = size // sum(map(len, part))
    copies = [copy(text, number) for number in range(count) for text in part]
    inner = ",".join([*map(json.dumps, events), *copies])
    return f'{{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{inner}]}}'.encode()


def grown_resources(data: bytes, size: int, random: Random) -> bytes:
    """What a machine did with its rows, or its series, repeated until the file has this size at most; other bytes
    are repeated as they are."""
    try:
        file = json.loads(data)
        times = max(1, size // max(1, len(json.dumps(file, separators=(",", ":")).encode())))
        if random.random() < 0.5:
            file["series"] = [one | {"of": str(at)} for at in range(times) for one in file["series"]][:1024]
        else:
            ends, last = file["end_ns"], file["end_ns"][-1]
            # Later ends have more digits than the first ones.
            times = max(1, times * 9 // 10)
            file["end_ns"] = [end + at * last for at in range(times) for end in ends]
            for one in file["series"]:
                one.update({name: one[name] * times for name in ("mean", "low", "high")})
        return json.dumps(file, separators=(",", ":")).encode()
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return (data * (size // max(1, len(data)) + 1))[:size]


_SHAPES: list[tuple[re.Pattern[str], Callable[[int], str]]] = [
    (re.compile(r'("device": )\d+'), lambda number: str(number % 64)),
    (re.compile(r'("name": "[^"]*)'), str),
    (re.compile(r'("ts": [\d.]+, "dur": )[\d.]+'), lambda number: str(10**7 - 2 * number)),
    (re.compile(r'("(?:Input Dims|grid)": \[+)'), lambda number: f"{number},{'9,' * 500}"),
]
"""What copies of events may have of their own: a GPU, a name, all later ones inside, or sizes, and how it is
written."""


def _place(tree: list[Field], random: Random) -> Place | None:
    """A field of any depth; the few outer ones are as likely as the many inner ones."""
    siblings = tree
    while siblings:
        index = random.randrange(len(siblings))
        content = siblings[index].content
        if not isinstance(content, list) or not content or random.random() < 0.2:
            return Place(siblings, index)
        siblings = content
    return None


def grown(data: bytes, size: int, random: Random, kind: str = "XSpace") -> bytes:
    """``data`` with one field, and all that it holds, repeated until it has this size. Some of the numbers and
    texts in each copy are its own."""
    tree = parse(data, kind)
    place = _place(tree, random)
    if place is None:
        return data
    own = {number for number in range(1, 8) if random.random() < 0.5}
    count = (size - len(data)) // max(1, len(place.field.to_bytes()))
    copies = [place.field.copy() for _ in range(count)]
    for number, copy in enumerate(copies):
        _differ(copy, number, own)
    place.siblings[place.index : place.index] = copies
    return to_bytes(tree)


def _differ(one: Field, number: int, own: Set[int], depth: int = 2) -> None:
    if isinstance(one.content, list):
        for child in one.content if depth else ():
            _differ(child, number, own, depth - 1)
    elif one.number not in own:
        return
    elif isinstance(one.content, int):
        one.content += number
    elif not one.kind:
        one.content = re.sub(
            rb"\d{1,9}|$", lambda found: b"%d" % (int(found[0] or 0) + number), one.content, count=1
        )


Change = Callable[[Place, Callable[[], list[Field]], Random], None]


def _delete(place: Place, *_: object) -> None:
    del place.siblings[place.index]


def _repeat(place: Place, lend: object, random: Random) -> None:
    copies = [place.field.copy() for _ in range(random.choice((1, 1, 2, 9, 60)))]
    place.siblings[place.index : place.index] = copies


def _move(place: Place, lend: object, random: Random) -> None:
    one = place.siblings.pop(place.index)
    place.siblings.insert(random.randint(0, len(place.siblings)), one)


def _value(place: Place, lend: object, random: Random) -> None:
    one = place.field
    if one.wire_type == FIXED64:
        one.content = struct.unpack("<Q", struct.pack("<d", random.choice(DOUBLES)))[0]
    elif isinstance(one.content, int):
        near = one.content + random.choice((-1, 1, 1000, -1000, 10**6, 10**9))
        one.content = random.choice((*NUMBERS, near, near, near, random.getrandbits(random.randint(1, 64))))
    elif one.kind == "Json" and isinstance(one.content, bytes):
        one.content = reworded(one.content, [one.content], random)
    elif isinstance(one.content, bytes):
        one.content = random.choice((random.choice(TEXTS), one.content + random.choice(TEXTS)))


def _kind(place: Place, lend: object, random: Random) -> None:
    one = place.field
    one.wire_type = random.choice((VARINT, FIXED64, BYTES, FIXED32, 3, 4, 6, 7))
    if one.wire_type in (VARINT, FIXED64, FIXED32) and not isinstance(one.content, int):
        one.content = random.choice(NUMBERS)
    elif one.wire_type == BYTES and isinstance(one.content, int):
        one.content = random.choice(TEXTS)


def _number(place: Place, lend: object, random: Random) -> None:
    place.field.number = random.choice((*range(12), 1 << 28, 1 << 29))


def _length(place: Place, lend: object, random: Random) -> None:
    place.field.lie = random.choice((-1, 1, 2, 100, 1 << 31, 1 << 32, 1 << 62, -(1 << 62)))


def _lend(place: Place, lend: Callable[[], list[Field]], random: Random) -> None:
    """A part of another message takes the place of one of its kind."""
    lender = _place(lend(), random)
    if lender is not None:
        place.siblings.insert(place.index, lender.field.copy())


_CHANGES: tuple[Change, ...] = (
    *(_value,) * 10, *(_repeat,) * 3, *(_delete,) * 3, _move, _kind, _number, _length, *(_lend,) * 2,
)  # fmt: skip


def bent(data: bytes, random: Random) -> bytes:
    """Bytes changed without regard to what they mean; or the end is missing."""
    if not data or random.random() < 0.3:
        return data[: random.randint(0, len(data))]
    bent = bytearray(data)
    for _ in range(random.randint(1, 4)):
        bent[random.randrange(len(bent))] = random.randrange(256)
    return bytes(bent)
