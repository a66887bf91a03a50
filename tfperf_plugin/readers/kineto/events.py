"""Events of a trace as columns: what ran on GPUs, what ran on threads, and what the allocator did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Raw, field
from numpy.typing import NDArray

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.kineto.blocks import MOST_OUTSIDE, Text, one_by_one
from tfperf_plugin.trace.model import Codes

MAX_TIME_NS: Final = 1 << 61
"""73 years from zero. Within it, sums and differences of two times fit 64 bits."""
_BYTES_AN_EVENT: Final = 4
"""Real files take more than 20 bytes an event, inflated ones 200 and more."""
_EXACT_US: Final = 1 << 43
"""Above that, a float is no exact time in µs to three decimals."""

KERNEL, COPY, SET, OP, MARK, RUNTIME, PYTHON, MEMORY, OTHER, NAME, LEFT_OUT = range(11)
"""Kinds of events. A mark is what the program or PyTorch annotates, such as a step."""
# Today's categories, and those of 2021.
_KINDS: Final = {
    "kernel": KERNEL, "gpu_memcpy": COPY, "gpu_memset": SET, "cpu_op": OP, "user_annotation": MARK,
    "cuda_runtime": RUNTIME, "cuda_driver": RUNTIME, "hip_runtime": RUNTIME, "hip_driver": RUNTIME,
    "python_function": PYTHON, "cpu_instant_event": MEMORY,
    "Kernel": KERNEL, "Memcpy": COPY, "Memset": SET, "Operator": OP, "Runtime": RUNTIME, "": OP,
}  # fmt: skip
_NOTHING: Final = Raw(b"")


class Args(msgspec.Struct, gc=False):
    """The arguments of an event that are read, of whatever kind it is; numbers are −1 where absent."""

    correlation: Any = -1
    device: Any = -1
    stream: Any = -1
    bytes: Any = -1
    registers: Any = field(default=-1, name="registers per thread")
    shared: Any = field(default=-1, name="shared memory")
    grid: Raw = _NOTHING
    block: Raw = _NOTHING
    dims: Raw = field(default=_NOTHING, name="Input Dims")
    types: Raw = field(default=_NOTHING, name="Input type")
    values: Raw = field(default=_NOTHING, name="Concrete Inputs")
    sequence: Any = field(default=-1, name="Sequence number")
    collective: Any = field(default="", name="Collective name")
    output: Any = field(default=-1, name="Out msg nelems")
    input: Any = field(default=-1, name="In msg nelems")
    dtype: Any = ""
    group: Any = field(default=-1, name="Group size")
    change: Any = field(default=-1, name="Bytes")
    address: Any = field(default=-1, name="Addr")
    allocated: Any = field(default=-1, name="Total Allocated")
    reserved: Any = field(default=-1, name="Total Reserved")
    device_type: Any = field(default=-1, name="Device Type")
    device_id: Any = field(default=-1, name="Device Id")
    name: Any = ""


class Event(msgspec.Struct, gc=False):
    """An event as it is stored; times in µs."""

    ph: Any = ""
    cat: Any = ""
    name: Any = ""
    pid: Any = ""
    tid: Any = ""
    ts: Any = None
    dur: Any = 0
    args: Args = msgspec.field(default_factory=Args)


class Table:
    """Distinct values, by code in the order in which they were first seen."""

    def __init__(self) -> None:
        self.codes: dict[Any, int] = {}

    def add(self, values: Iterable[Any], count: int) -> Codes:
        """The code of each value."""
        codes = self.codes
        return np.fromiter((codes.setdefault(value, len(codes)) for value in values), np.int32, count)


class Rows:
    """The events of one group of kinds, as columns that grow block by block."""

    def __init__(self, **columns: str) -> None:
        self._getters = {name: attrgetter(source) for name, source in columns.items()}
        self._parts: dict[str, list[NDArray[Any]]] = {}
        self._done: dict[str, NDArray[Any]] = {}

    def put(self, name: str, values: NDArray[Any]) -> None:
        """Appends to a column."""
        self._parts.setdefault(name, []).append(values)

    def put_numbers(self, events: Sequence[Event]) -> None:
        """Appends the numbers of these events."""
        for name, getter in self._getters.items():
            self.put(name, numbers(map(getter, events), len(events)))

    def column(self, name: str) -> NDArray[Any]:
        """A whole column; empty if there is none."""
        if name not in self._done:
            parts = self._parts.pop(name, [])
            self._done[name] = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return self._done[name]

    def __len__(self) -> int:
        return len(self.column("start_ns"))


class Decoded:
    """A trace as columns; times in ns, as the trace counts them. Codes refer to the tables of the same name.

    ``whole_us``: all times are whole µs, so that an event may seem to end up to 1 µs after the one around it.
    ``begin_ns``: when the first event of any kind starts, which is time 0 in a viewer of traces.
    ``threads``: names of threads by (process, thread), as far as they are known.
    """

    def __init__(self) -> None:
        self.names, self.places, self.grids = Table(), Table(), Table()
        self.inputs, self.calls = Table(), Table()
        self.gpu = Rows(
            device="args.device", stream="args.stream", correlation="args.correlation", bytes="args.bytes",
            output="args.output", input="args.input", group="args.group",
        )  # fmt: skip
        self.host = Rows(
            correlation="args.correlation", input="args.input", output="args.output",
            sequence="args.sequence",
        )  # fmt: skip
        self.memory = Rows(
            change="args.change", address="args.address", allocated="args.allocated",
            reserved="args.reserved", device_type="args.device_type", device_id="args.device_id",
        )  # fmt: skip
        self.threads: dict[tuple[str, str], str] = {}
        self.outside: dict[str, object] = {}
        self.whole_us = True
        self.begin_ns = MAX_TIME_NS
        self.count = 0


def decode(data: Data, anomalies: Anomalies) -> Decoded:
    """The columns of a trace. Raises UnreadableInput if it holds no events, or more than any trace."""
    found, text, after = Decoded(), Text(data, anomalies), None
    for events, ended in _decoded(text, anomalies):
        _require_real(found, events, len(data))
        _add(found, events, anomalies)
        after = ended if ended is not None else after
    text.end(after or "")
    if not found.count:
        raise UnreadableInput("The file holds no events of PyTorch's profiler. Capture a new profile.")
    found.outside = text.outside
    return found


def _require_real(found: Decoded, events: Sequence[Event], size: int) -> None:
    found.count += len(events)
    if found.count > (size + (1 << 16)) // _BYTES_AN_EVENT:
        raise UnreadableInput("The file holds more events than its size allows, so it is no trace.")


def _decoded(text: Text, anomalies: Anomalies) -> Iterator[tuple[list[Event], str | None]]:
    """Events block by block; at the end what follows them, "" if nothing does."""
    decoder = msgspec.json.Decoder(list[Event])
    exact = msgspec.json.Decoder(list[Event], float_hook=_exact)
    after: str | None = None
    for block in text.blocks():
        if after:
            after += "," + block.decode("utf-8", "replace")[:MOST_OUTSIDE]
            continue
        try:
            events = decoder.decode(b"[" + block + b"]")
            if any(type(event.ts) is float and event.ts > _EXACT_US for event in events[:100]):
                events = exact.decode(b"[" + block + b"]")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            events = []
            for event, rest in one_by_one(block, anomalies):
                if event:
                    events += _one(event, exact)
                else:
                    after = rest
        yield events, None
    yield [], after or ""


def _one(event: str, decoder: msgspec.json.Decoder[list[Event]]) -> list[Event]:
    """An event whose arguments may have an unexpected form; nothing if it is none."""
    try:
        return decoder.decode(f"[{event}]")
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        plain = msgspec.json.decode(event)
        plain.pop("args", None)
        return [msgspec.convert(plain, Event, strict=False)]
    except (msgspec.MsgspecError, AttributeError, RecursionError):
        return []


def _exact(number: str) -> float | int:
    """A time in µs as a negative number of ns, if a float does not hold it exactly."""
    whole, _, part = number.partition(".")
    if len(whole) < 13 or not (whole.isdigit() and part.isdigit()):
        return float(number)
    return -(int(whole) * 1000 + int(part[:3].ljust(3, "0")))


def _add(found: Decoded, events: Sequence[Event], anomalies: Anomalies) -> None:
    kinds = np.fromiter(map(_kind, events), np.int8, len(events))
    for event in (events[i] for i in np.flatnonzero(kinds == NAME).tolist()):
        found.threads[str(event.pid), str(event.tid)] = str(event.args.name)
    timed = np.flatnonzero(kinds < NAME)
    start_ns, start_whole = times(map(_TS, (events[i] for i in timed.tolist())), len(timed))
    length_ns, length_whole = times(map(_DUR, (events[i] for i in timed.tolist())), len(timed))
    found.whole_us &= start_whole and length_whole
    bad = (start_ns == -1) | (np.abs(start_ns) > MAX_TIME_NS) | (length_ns > MAX_TIME_NS)
    sentence = "Events without a possible time were left out."
    anomalies.add("impossible-time", sentence, int(bad.sum()), "data_loss")
    sentence = "Events that end before they start were given no duration."
    anomalies.add("negative-duration", sentence, int((length_ns < 0).sum()), "error")
    found.begin_ns = min(found.begin_ns, int(start_ns[~bad].min(initial=found.begin_ns)))
    end_ns = start_ns + np.clip(length_ns, 0, MAX_TIME_NS)
    for rows, low, high in (
        (found.gpu, KERNEL, SET),
        (found.host, OP, PYTHON),
        (found.memory, MEMORY, MEMORY),
    ):
        kind = kinds[timed]
        wanted = np.flatnonzero((kind >= low) & (kind <= high) & ~bad)
        if not len(wanted):
            continue
        chosen = [events[i] for i in timed[wanted].tolist()]
        rows.put("kind", kind[wanted])
        rows.put("start_ns", start_ns[wanted])
        rows.put("end_ns", end_ns[wanted])
        rows.put("name", found.names.add((str(event.name) for event in chosen), len(chosen)))
        rows.put_numbers(chosen)
        if rows is not found.memory:
            _add_texts(found, rows, chosen)


def _add_texts(found: Decoded, rows: Rows, events: Sequence[Event]) -> None:
    count, args = len(events), [event.args for event in events]
    if rows is found.gpu:
        rows.put("grid", found.grids.add(map(_grid_of, args), count))
    else:
        rows.put("place", found.places.add(((str(event.pid), str(event.tid)) for event in events), count))
        rows.put("inputs", found.inputs.add(map(_inputs_of, events), count))
    rows.put("call", found.calls.add(((str(arg.collective), str(arg.dtype)) for arg in args), count))


_TS, _DUR = attrgetter("ts"), attrgetter("dur")


def _kind(event: Event) -> int:
    if event.ph == "X":
        return _KINDS.get(event.cat, OTHER) if type(event.cat) is str else OTHER
    if event.ph == "M" and event.name == "thread_name":
        return NAME
    return MEMORY if event.ph == "i" and event.name == "[memory]" else LEFT_OUT


def _grid_of(args: Args) -> tuple[Any, ...]:
    return str(args.registers), str(args.shared), bytes(args.grid), bytes(args.block)


def _inputs_of(event: Event) -> tuple[bytes, bytes, bytes]:
    """Sizes and types of an op's inputs; of convolutions also numbers, such as strides."""
    args = event.args
    values = bytes(args.values) if type(event.name) is str and "conv" in event.name else b""
    return bytes(args.dims), bytes(args.types), values


def numbers(values: Iterable[Any], count: int) -> Ints:
    """Integers, as numbers or texts; −1 for what is none."""
    kept = list(values)
    try:
        return np.fromiter(kept, np.int64, count)
    except (TypeError, ValueError, OverflowError):
        return np.fromiter(map(_number, kept), np.int64, count)


def _number(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return -1
    return number if abs(number) < 1 << 62 else -1


def times(values: Iterable[Any], count: int) -> tuple[Ints, bool]:
    """Times in ns of numbers in µs, −1 for what is none; and whether all are whole µs.

    A negative integer is a time in ns that a float does not hold: see ``_exact``.
    """
    kept = list(values)
    try:
        whole = np.fromiter(kept, np.int64, count) if all(type(value) is int for value in kept) else None
    except OverflowError:
        whole = None
    if whole is not None:
        exact: Bools = whole < -(1 << 42)
        fits = np.abs(whole) < MAX_TIME_NS // 1000
        return np.where(exact, -whole, np.where(fits, whole * 1000, -1)), not exact.any()
    try:
        number = np.fromiter(kept, np.float64, count)
    except (TypeError, ValueError, OverflowError):
        number = np.full(count, np.nan)
    if (np.abs(number) < _EXACT_US).all():
        floor = np.floor(number)
        return floor.astype(np.int64) * 1000 + np.rint((number - floor) * 1000).astype(np.int64), False
    return np.fromiter(map(_time, kept), np.int64, count), False


def _time(value: Any) -> int:
    try:
        if isinstance(value, int):
            return -value if value < -(1 << 42) else value * 1000 if abs(value) < MAX_TIME_NS // 1000 else -1
        number = float(value)
        whole = int(number)
        time = whole * 1000 + round((number - whole) * 1000)
    except (TypeError, ValueError, OverflowError):
        return -1
    return time if abs(time) <= MAX_TIME_NS else -1
