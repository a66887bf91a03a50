"""Events of a trace as columns: what ran on GPUs, what ran on threads, and what the allocator did; and what
the trace says beside them: GPUs, ranks of the job, when time 0 was, and what went wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import compress
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Raw, field
from numpy.typing import NDArray

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Budget, Data
from tfperf_plugin.readers.kineto.blocks import BOMB, Repair, Text, cleaned
from tfperf_plugin.readers.kineto.form import (
    EXACT_US,
    FAILURES,
    NOTHING,
    Args,
    Complete,
    Decoder,
    Instant,
    Named,
)
from tfperf_plugin.readers.tables import MAX_TIME_NS
from tfperf_plugin.records import known
from tfperf_plugin.trace.model import Codes

_MAX_US: Final = MAX_TIME_NS // 1000
_MOST_NUMBER: Final = 1 << 62
_TO_NS: Final = Decimal(1000)
_NO_TIME: Final = -(1 << 63)
_BYTES_AN_EVENT: Final = 8
"""Real packed files take 20 bytes and more for each event that is read, other ones 200 and more."""
_MOST_DISTINCT: Final = 4
"""Distinct names, shapes and so on take at most this many bytes a byte of the file, each ``_DISTINCT_BYTES``
beside its text; those of real packed files take up to 0.4."""
_DISTINCT_BYTES: Final = 100
_LEAST_BUDGET: Final = 1 << 17
_MOST_TEXT: Final = 1 << 14
"""Longer names are cut, longer lists of shapes left out."""
IMPOSSIBLE: Final = "Events without a possible time were left out."
CUT_OFF: Final = "The file ends in the middle: the job was killed, or a copy failed. It was read up to there."

KERNEL, COPY, SET, OP, MARK, RUNTIME, PYTHON, OTHER = range(8)
"""Kinds of events. A mark is what the program or PyTorch annotates, such as a step."""


class _Kinds(dict[str, int]):
    def __missing__(self, category: str) -> int:
        return OTHER


# Today's categories, and the names that they had in 2021.
_KINDS: Final = _Kinds({
    "kernel": KERNEL, "gpu_memcpy": COPY, "gpu_memset": SET, "cpu_op": OP, "user_annotation": MARK,
    "cuda_runtime": RUNTIME, "cuda_driver": RUNTIME, "hip_runtime": RUNTIME, "hip_driver": RUNTIME,
    "xpu_runtime": RUNTIME, "xpu_driver": RUNTIME, "python_function": PYTHON,
    "Kernel": KERNEL, "Memcpy": COPY, "Memset": SET, "Operator": OP, "Runtime": RUNTIME, "": OP,
})  # fmt: skip


_ACCELERATOR: Final = re.compile(r"(?i)(mtia|hpu|mps|npu|tpu|mlu|privateuse1?)_")


class Table:
    """Distinct values, by code in the order in which they were first seen.

    ``normal``: makes the value that is kept of one that was stored. ``size``: bytes of them, about.
    """

    def __init__(self, normal: Callable[[Any], Any], *known: Any) -> None:
        self.codes: dict[Any, int] = {}
        self.size = 0
        self._normal, self._seen = normal, _Seen(self.code)
        self.add(known, len(known))

    def code(self, value: Any) -> int:
        """The code of a value that was not seen before."""
        self.size += _DISTINCT_BYTES + len(repr(value))
        return self.codes.setdefault(self._normal(value), len(self.codes))

    def add(self, values: Iterable[Any], count: int) -> Codes:
        """The code of each value."""
        return np.fromiter(map(self._seen.__getitem__, values), np.int32, count)


class _Seen(dict[Any, int]):
    """Value → code; asks for that of a new value."""

    def __init__(self, code: Callable[[Any], int]) -> None:
        self._code = code

    def __missing__(self, value: Any) -> int:
        code = self[value] = self._code(value)
        return code


class Rows:
    """The events of one group of kinds, as columns that grow block by block."""

    def __init__(self, *numbers: str) -> None:
        self._getters = {name: attrgetter(name) for name in numbers}
        self._parts: dict[str, list[NDArray[Any]]] = {}
        self._done: dict[str, NDArray[Any]] = {}

    def put(self, **columns: NDArray[Any]) -> None:
        """Appends to columns."""
        for name, values in columns.items():
            self._parts.setdefault(name, []).append(values)

    def put_numbers(self, args: Sequence[Any]) -> None:
        """Appends the numbers of these arguments."""
        self.put(**{name: numbers(map(of, args)) for name, of in self._getters.items()})

    def column(self, name: str) -> NDArray[Any]:
        """A whole column; empty if there is none."""
        if name not in self._done:
            parts = self._parts.pop(name, [])
            self._done[name] = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return self._done[name]

    def leave_out(self, rows: Bools) -> None:
        """Drops these rows."""
        self._done = {name: self.column(name)[~rows] for name in (*self._parts, *self._done)}

    def __len__(self) -> int:
        return len(self.column("start_ns"))


class Decoded:
    """A trace as columns; times in ns, as the trace counts them. Codes refer to the tables of the same name.

    ``whole_us``: all times are whole µs, so that an event may seem to end up to 1 µs after the one around it.
    ``begin_ns``: when the first event of any kind starts, which is time 0 in a viewer of traces.
    ``threads``: names of threads by (process, thread), as far as they are known.
    ``dims``, ``types``, ``values``: sizes, types and numbers of inputs as stored. ``calls``: collectives as
    (name, type of numbers, numbers in the output, in the input).
    ``accelerators``: kinds of devices whose events are not read, such as "MTIA".
    ``count``: events, also those that are not read; ``kept``: those that are. ``budget``: what GPUs and the
    inputs of ops may take beyond that.
    """

    def __init__(self, size: int) -> None:
        self.names, self.places, self.grids = Table(_text), Table(_place), Table(_grid)
        self.dims, self.types, self.values = (Table(_short, b"") for _ in range(3))
        self.calls = Table(_call, _CALL(Args()))
        self.gpu = Rows("device", "stream", "correlation", "bytes", "group")
        self.host = Rows("correlation", "sequence", "number")
        self.memory = Rows("change", "address", "allocated", "reserved", "device_type", "device_id")
        self.threads: dict[tuple[str, str], str] = {}
        self.outside: dict[str, Any] = {}
        self.accelerators: set[str] = set()
        self.whole_us = True
        self.begin_ns = MAX_TIME_NS
        self.count = self.kept = 0
        self.budget = Budget(size + _LEAST_BUDGET)

    @property
    def tables_size(self) -> int:
        """Bytes of all distinct values, about."""
        tables = (self.names, self.places, self.grids, self.dims, self.types, self.values, self.calls)
        return sum(table.size for table in tables) + _DISTINCT_BYTES * len(self.threads)


def decode(data: Data, anomalies: Anomalies) -> Decoded:
    """The columns of a trace. Raises UnreadableInput if it holds no events, or more than any trace."""
    found, text, decoder = Decoded(len(data)), Text(data), Decoder()
    repair = Repair(text, decoder, anomalies, len(data))
    for block in text.blocks():
        events = decoder.of(block)
        _add(found, repair.events(block) if events is None else events, anomalies)
        _require_real(found, len(data))
    if not found.count:
        raise UnreadableInput("The file holds no events of PyTorch's profiler. Capture a new profile.")
    if not text.has_ended:
        anomalies.add("cut-off", CUT_OFF, severity="data_loss")
    found.outside = outside(text.before, text.after)
    _leave_out_far(found, anomalies)
    if not text.has_ended:
        _end_with_gpus(found)
    return found


def _end_with_gpus(found: Decoded) -> None:
    """Ends a cut recording with its last work of a GPU: the file keeps more of what threads did, which stands
    before it, and the GPUs would seem to idle meanwhile."""
    if len(found.gpu) and len(found.host):
        until = found.gpu.column("end_ns").max()
        found.host.leave_out(found.host.column("start_ns") > until)
        np.minimum(found.host.column("end_ns"), until, out=found.host.column("end_ns"))


def _leave_out_far(found: Decoded, anomalies: Anomalies) -> None:
    """Leaves out single events that are days away from the others; many would mean several recordings."""
    groups = [rows for rows in (found.gpu, found.host, found.memory) if len(rows)]
    if not groups:
        return
    starts, ends = (np.concatenate([rows.column(of) for rows in groups]) for of in ("start_ns", "end_ns"))
    far = tables.far_away(starts, ends)
    if far is None:
        return
    anomalies.add("impossible-time", IMPOSSIBLE, int(far.sum()), "data_loss")
    bounds = np.cumsum([len(rows) for rows in groups])[:-1]
    for rows, left_out in zip(groups, np.split(far, bounds), strict=True):
        rows.leave_out(left_out)
    if found.begin_ns < int(starts[~far].min()):
        found.begin_ns = int(starts[~far].min())


def _require_real(found: Decoded, size: int) -> None:
    if found.kept > (size + (1 << 16)) // _BYTES_AN_EVENT:
        raise UnreadableInput("The file holds more events than its size allows, so it is no trace.")
    if found.tables_size > _MOST_DISTINCT * (size + (1 << 16)):
        raise UnreadableInput(BOMB)


def _add(found: Decoded, events: Sequence[Any], anomalies: Anomalies) -> None:
    found.count += len(events)
    complete = [event for event in events if type(event) is Complete]
    kind = np.fromiter(map(_KINDS.__getitem__, map(_CATEGORY, complete)), np.int8, len(complete))
    start_ns, end_ns, possible = _spans(
        found, kind <= SET, map(_TS, complete), map(_DUR, complete), anomalies
    )
    for add, wanted in ((_add_gpu, kind <= SET), (_add_host, (kind > SET) & (kind <= PYTHON))):
        rows = wanted & possible
        if rows.any():
            add(found, list(compress(complete, rows.tolist())))
            add_to = found.gpu if add is _add_gpu else found.host
            add_to.put(kind=kind[rows], start_ns=start_ns[rows], end_ns=end_ns[rows])
            found.kept += int(rows.sum())
    others = {event.cat for event in compress(complete, (kind == OTHER).tolist())}
    found.accelerators |= {match[1].upper() for cat in others if (match := _ACCELERATOR.match(cat))}
    if len(complete) < len(events):
        _add_names(found, [event for event in events if type(event) is Named])
        _add_memory(found, [event for event in events if type(event) is Instant], anomalies)


def _spans(
    found: Decoded, of_gpu: Bools, starts: Iterable[Any], lengths: Iterable[Any], anomalies: Anomalies
) -> tuple[Ints, Ints, Bools]:
    """When events start and end, and whether that is possible.

    A kernel whose times are lost is at 0, or ends before it starts.
    """
    start_ns, starts_whole = times(list(starts))
    length_ns, lengths_whole = times(list(lengths))
    found.whole_us &= starts_whole and lengths_whole
    lost = of_gpu & (((start_ns == 0) & (length_ns == 0)) | (length_ns < 0))
    possible = (start_ns >= -MAX_TIME_NS) & (start_ns <= MAX_TIME_NS) & ~lost
    anomalies.add("impossible-time", IMPOSSIBLE, int((~possible).sum()), "data_loss")
    sentence = "Events without a possible duration were given none."
    anomalies.add("negative-duration", sentence, int(((length_ns < 0) & ~lost).sum()), "error")
    found.begin_ns = min(found.begin_ns, int(start_ns[possible].min(initial=found.begin_ns)))
    return start_ns, start_ns + np.clip(length_ns, 0, MAX_TIME_NS), possible


def _add_gpu(found: Decoded, events: Sequence[Complete]) -> None:
    count, args, gpu = len(events), list(map(_ARGS, events)), found.gpu
    gpu.put(
        name=found.names.add(map(_NAME, events), count),
        grid=found.grids.add(map(_launch_of, args), count),
        call=found.calls.add(map(_CALL, args), count),
    )
    gpu.put_numbers(args)


def _add_host(found: Decoded, events: Sequence[Complete]) -> None:
    count, args, host = len(events), list(map(_ARGS, events)), found.host
    dims, types, values, call = np.zeros((4, count), np.int32)  # 0: nothing is said
    said = [i for i, of in enumerate(args) if of.dims is not NOTHING or of.collective]
    if said:
        of_said = [args[i] for i in said]
        dims[said] = found.dims.add(map(bytes, map(_DIMS, of_said)), len(said))
        types[said] = found.types.add(map(bytes, map(_TYPES, of_said)), len(said))
        values[said] = found.values.add((_values(events[i]) for i in said), len(said))
        call[said] = found.calls.add(map(_CALL, of_said), len(said))
    host.put(
        name=found.names.add(map(_NAME, events), count),
        place=found.places.add(map(_PLACE, events), count),
        dims=dims,
        types=types,
        values=values,
        call=call,
    )
    host.put_numbers(args)


def _add_names(found: Decoded, events: Sequence[Named]) -> None:
    for event in events:
        if event.name == "thread_name":
            found.threads[_text(event.pid), _text(event.tid)] = _text(event.args.name)


def _add_memory(found: Decoded, events: Sequence[Instant], anomalies: Anomalies) -> None:
    events = [event for event in events if event.name == "[memory]"]
    of_gpu = np.zeros(len(events), np.bool_)
    start_ns, _, possible = _spans(found, of_gpu, map(_TS, events), [0] * len(events), anomalies)
    events, start_ns = list(compress(events, possible.tolist())), start_ns[possible]
    found.kept += len(events)
    if events:
        place = found.places.add(map(_PLACE, events), len(events))
        found.memory.put(start_ns=start_ns, end_ns=start_ns, place=place)
        found.memory.put_numbers(list(map(_ARGS, events)))


_CATEGORY, _NAME, _ARGS = attrgetter("cat"), attrgetter("name"), attrgetter("args")
_TS, _DUR, _PLACE = attrgetter("ts"), attrgetter("dur"), attrgetter("pid", "tid")
_DIMS, _TYPES = attrgetter("dims"), attrgetter("types")
_CALL = attrgetter("collective", "dtype", "output", "input")


# ------------------------------------------------------------------------------ what is kept of a value


def _values(event: Complete) -> bytes:
    """The numbers among an op's inputs, such as strides, if its work depends on them."""
    name = event.name
    wanted = type(name) is str and ("conv" in name or "attention" in name)
    return bytes(event.args.values) if wanted else b""


def _text(value: Any) -> str:
    return str(value)[:_MOST_TEXT]


def _place(values: tuple[Any, Any]) -> tuple[str, str]:
    return _text(values[0]), _text(values[1])


def _launch_of(args: Args) -> tuple[Any, ...]:
    """How a kernel was launched: registers, shared memory, grid, block and, if recorded, occupancy."""
    needs = args.registers, args.shared, bytes(args.grid), bytes(args.block)
    return needs if args.occupancy == -1 else (*needs, args.occupancy)


def _grid(values: tuple[Any, ...]) -> tuple[str, str, bytes, bytes, str]:
    registers, shared, grid, block, *occupancy = values
    return _text(registers), _text(shared), _short(grid), _short(block), "".join(map(_text, occupancy))


def _short(value: bytes) -> bytes:
    return value if len(value) <= _MOST_TEXT else b""


def _call(values: tuple[Any, Any, Any, Any]) -> tuple[str, str, int, int]:
    return _text(values[0]), _text(values[1]), _number(values[2]), _number(values[3])


# ------------------------------------------------------------------------------------- numbers


def numbers(values: Iterable[Any]) -> Ints:
    """Integers, as numbers or texts; −1 for what is none, or has more digits than any measurement."""
    kept = list(values)
    try:
        found = np.fromiter(kept, np.int64, len(kept))
    except (TypeError, ValueError, ArithmeticError):
        return np.fromiter(map(_number, kept), np.int64, len(kept))
    return np.where((found > -_MOST_NUMBER) & (found < _MOST_NUMBER), found, -1)


def _number(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, ArithmeticError):
        return -1
    return number if abs(number) < _MOST_NUMBER else -1


def times(values: Sequence[Any]) -> tuple[Ints, bool]:
    """Times in ns of numbers in µs, ``_NO_TIME`` for what is none; and whether all are whole µs."""
    types = set(map(type, values))
    try:
        if types <= {int}:
            whole = np.fromiter(values, np.int64, len(values))
            fits = (whole >= -_MAX_US) & (whole <= _MAX_US)
            return np.where(fits, whole * 1000, _NO_TIME), True
        if types <= {int, float}:
            number = np.fromiter(values, np.float64, len(values))
            if (np.abs(number) < EXACT_US).all():
                floor = np.floor(number)
                part = np.rint((number - floor) * 1000)
                return floor.astype(np.int64) * 1000 + part.astype(np.int64), False
        if types <= {int, Decimal}:
            return np.fromiter(map(round, map(_TO_NS.__mul__, values)), np.int64, len(values)), False
    except OverflowError:  # a number of more than 64 bits
        pass
    return np.fromiter(map(_time, values), np.int64, len(values)), False


def _time(value: Any) -> int:
    if not isinstance(value, int | float | str | Decimal) or isinstance(value, bool):
        return _NO_TIME
    try:
        exact = Decimal(value)
        return round(exact * 1000) if abs(exact) <= _MAX_US else _NO_TIME
    except ArithmeticError:
        return _NO_TIME


# --------------------------------------------------------------------------------- beside the events

_MOST_BYTES: Final = 1 << 20
"""Limit of one field. The properties of 64 GPUs take some ten kilobytes."""
_MOST_RANKS: Final = 1 << 20
# "host_4000.1743587813300.pt.trace.json": host, process, time.
_OF_PROCESS: Final = re.compile(r"(.+)_\d+\.\d+\.pt\.trace\.json(?:\.gz)?")


class _Outside(msgspec.Struct, rename="camel"):
    device_properties: Raw = NOTHING
    base_time_nanoseconds: Raw = NOTHING
    distributed_info: Raw = NOTHING
    trace_name: Raw = NOTHING
    errors: Raw = field(default=NOTHING, name="ERROR")
    warnings: Raw = field(default=NOTHING, name="WARNING")


def outside(before: bytes, after: bytes) -> dict[str, Any]:
    """The fields beside ``traceEvents`` that are read, as they are stored; none if they are damaged.

    ``before``, ``after``: the text around the list of events; of a file that was cut, the latter is missing.
    """
    for text in (before + b"null" + after, before + b"null}"):
        for form in (text, cleaned(text)):
            try:
                stored = msgspec.json.decode(form, type=known(_Outside))
                found = {name: _value(getattr(stored, of)) for of, name in _NAMES.items()}
                listed = found[_DEVICES]
                return found if listed is None else found | {_DEVICES: _devices(listed)}
            except FAILURES:
                continue
    return {}


def world_size(found: Mapping[str, Any]) -> int:
    """The number of ranks of the job that ``found``, from ``outside``, states; 0 if it states none."""
    stated = found.get("distributedInfo")
    number = stated.get("world_size") if isinstance(stated, dict) else None
    return number if type(number) is int and 0 < number <= _MOST_RANKS else 0


def machine(found: Mapping[str, Any]) -> str:
    """The machine whose process was recorded, by the name that PyTorch's handler gave the file; "" if it has
    another name. ``found``: from ``outside``."""
    path = str(found.get("traceName") or "").replace("\\", "/")
    named = _OF_PROCESS.fullmatch(path.rpartition("/")[2])
    return named[1] if named else ""


def _value(stored: Raw) -> Any:
    text = bytes(stored)
    return msgspec.json.decode(text) if 0 < len(text) <= _MOST_BYTES else None


def _devices(listed: object) -> list[dict[str, Any]]:
    """What is stated of each GPU in texts and in integers that fit 64 bits."""
    known = [of for of in listed if isinstance(of, dict)] if isinstance(listed, list) else []
    return [
        {name: value for name, value in of.items() if isinstance(value, str) or _fits(value)} for of in known
    ]


def _fits(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


_DEVICES: Final = "deviceProperties"
_NAMES: Final = {of.name: of.encode_name for of in msgspec.structs.fields(_Outside)}
