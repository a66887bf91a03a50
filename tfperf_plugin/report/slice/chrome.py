"""Writes a slice as Chrome's trace events in JSON: times in µs from the host's time 0, arrows from launches.

The form: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
Perfetto reads "ts" and "dur" as floating-point numbers and cuts them to whole ns. It joins an arrow to the
event that began last on its line, so in the file an arrow follows its event.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.judging.engine.words import gpu
from tfperf_plugin.records import Record
from tfperf_plugin.report.render.plain import in_file_name, safe
from tfperf_plugin.report.slice.choose import MOST_EVENTS, Chosen, Cut, choose
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import Role

LONGEST_TEXT: Final = 500
"""Longer names are cut."""
HOST_PID: Final = 1
FIRST_TID: Final = 1001
"""Numbers of lines: each its own, whatever the process, and none that of a process."""
_BATCH: Final = 5000
# Not the words of PyTorch's profiler, so that nobody takes a slice for one of its traces.
_WORK: Final = {
    Role.KERNEL: "compute",
    Role.COLLECTIVE: "collective",
    Role.H2D: "copy host to GPU",
    Role.D2H: "copy GPU to host",
    Role.D2D: "copy from GPU to GPU",
    Role.MEMSET: "fill memory",
    Role.NO_WORK: "no work",
    Role.MIGRATION_H2D: "pages host to GPU",
    Role.MIGRATION_D2H: "pages GPU to host",
    Role.MIGRATION_D2D: "pages from GPU to GPU",
}

Event = dict[str, Any]


class Slice(Record, frozen=True):
    """A file of JSON, compressed by gzip."""

    content: bytes
    note: str  # what was left out, "" if nothing


def write_slice(trace: HostTrace, steps: HostSteps, cut: Cut, about: Mapping[str, str]) -> Slice:
    """The slice of a host. ``about``: what else the file says of itself.

    Raises BadOptionError if the range holds nothing, or too much at its start.
    """
    chosen = choose(trace, cut)
    host = _placed(trace.events, chosen.host, trace.events.thread, nested=True)
    gpus = [
        _placed(device, rows, device.stream, nested=False)
        for device, rows in zip(trace.devices, chosen.gpus, strict=True)
    ]
    note = _note(cut, chosen, sum(int((one.line < 0).sum()) for one in (host, *gpus)))
    head = {
        **{name: _plain(text) for name, text in {**about, "host": trace.host}.items()},
        "begin_ms": cut.begin_ns / 1e6,
        "end_ms": chosen.end_ns / 1e6,
        "events_count": chosen.count,
        "events_cap": MOST_EVENTS,
        "note": note,
    }
    return Slice(_compressed(head, _events(trace, steps, cut, chosen, host, gpus)), note)


def file_name(run: str, cut: Cut) -> str:
    """A name that tells run, host and range, and is safe in every file system and HTTP header."""
    of = "-".join(filter(None, map(in_file_name, (run, cut.host))))
    return f"{of or 'trace'}-{cut.begin_ns / 1e6:.3f}-{cut.end_ns / 1e6:.3f}ms.json.gz"


def _note(cut: Cut, chosen: Chosen, left_out: int) -> str:
    """What the slice lacks, in a sentence or two."""
    said = []
    if chosen.end_ns < cut.end_ns:
        said.append(
            f"It ends at {chosen.end_ns / 1e6:.3f} ms: up to {cut.end_ns / 1e6:.3f} ms, there are more than "
            f"{MOST_EVENTS:,} events."
        )
    if left_out:
        said.append(f"{left_out:,} events overlap too many others and are left out.")
    return " ".join(said)


def _compressed(head: Mapping[str, Any], events: Iterable[Event]) -> bytes:
    """The file; of its text, only a part is in memory at any time."""
    encode = msgspec.json.Encoder().encode
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, mtime=0) as file:
        file.write(b'{"otherData":' + encode(head) + b',"traceEvents":[')
        between, left = b"\n", iter(events)
        while batch := list(islice(left, _BATCH)):
            file.write(between + b",\n".join(map(encode, batch)))
            between = b",\n"
        file.write(b"\n]}\n")
    return out.getvalue()


# ------------------------------------------------------------------------------------------ lines


class _Placed(Record, frozen=True):
    """Chosen events, by thread or stream, with their lines."""

    rows: Ints  # of the table, in the order of the file
    line: Ints  # index into ``lines``, −1 if left out
    lines: tuple[tuple[int, int], ...]  # (code of thread or stream, which of its lines)


def _placed(
    table: HostEvents | DeviceTrace, rows: Ints, group: npt.NDArray[np.int32], nested: bool
) -> _Placed:
    rows = rows[np.argsort(group[rows], kind="stable")]
    codes = group[rows]
    line = np.full(len(rows), -1, np.int64)
    lines: list[tuple[int, int]] = []
    for mine in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(codes)) + 1):
        if len(mine):
            times = table.start_ns[rows[mine]].tolist(), table.end_ns[rows[mine]].tolist()
            found = np.array(lines_of(*times, nested=nested), np.int64)
            line[mine] = np.where(found >= 0, found + len(lines), -1)
            lines += [(int(codes[mine[0]]), nth) for nth in range(int(found.max()) + 1)]
    return _Placed(rows, line, tuple(lines))


# ----------------------------------------------------------------------------------------- events


def _events(
    trace: HostTrace, steps: HostSteps, cut: Cut, chosen: Chosen, host: _Placed, gpus: Sequence[_Placed]
) -> Iterator[Event]:
    """All events of the file: processes with the names of their lines, then what lies on these."""
    yield from _named(HOST_PID, f"{trace.host}, threads", FIRST_TID, ["Steps"])
    yield from _steps(steps, cut.begin_ns, chosen.end_ns)
    tid = FIRST_TID + 1
    yield from _named(HOST_PID, "", tid, _line_names(host, trace.events.threads))
    arrows = [_arrows(trace.events, d, host, on) for d, on in zip(trace.devices, gpus, strict=True)]
    yield from _host(trace.events, host, tid, np.concatenate([np.empty(0, np.int64), *arrows]))
    tid, first = tid + len(host.lines), 0
    for pid, (device, placed, launch) in enumerate(
        zip(trace.devices, gpus, arrows, strict=True), HOST_PID + 1
    ):
        words = " ".join(filter(None, (trace.host, gpu(device.device), device.name_text)))
        yield from _named(pid, words, tid, _line_names(placed, device.streams))
        yield from _gpu(trace.events, device, placed, pid, tid, launch, first)
        tid, first = tid + len(placed.lines), first + len(launch)


def _named(pid: int, process: str, tid: int, lines: Sequence[str]) -> Iterator[Event]:
    if process:
        yield {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": _plain(process)}}
        yield {"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}}
    for at, name in enumerate(lines, tid):
        yield {"ph": "M", "pid": pid, "tid": at, "name": "thread_name", "args": {"name": _plain(name)}}
        yield {"ph": "M", "pid": pid, "tid": at, "name": "thread_sort_index", "args": {"sort_index": at}}


def _line_names(placed: _Placed, names: Sequence[str]) -> list[str]:
    return [f"{names[code]}, line {nth + 1}" if nth else names[code] for code, nth in placed.lines]


def _steps(steps: HostSteps, begin_ns: int, end_ns: int) -> Iterator[Event]:
    shown = (steps.begin_ns < end_ns) & (steps.end_ns > begin_ns)
    columns = (steps.number, _us(steps.begin_ns), _us(steps.end_ns - steps.begin_ns))
    for number, ts, dur in zip(*(column[shown].tolist() for column in columns), strict=True):
        yield {**_bar(ts, dur, HOST_PID, FIRST_TID, f"Step {number}"), "cat": "step"}


def _host(events: HostEvents, placed: _Placed, tid: int, launches: Ints) -> Iterator[Event]:
    """Events of threads, with the starts of arrows. ``launches``: the row of each arrow's start, or −1."""
    arrows: dict[int, list[int]] = {}
    for number, row in enumerate(launches.tolist()):
        arrows.setdefault(row, []).append(number)
    rows, steps = placed.rows.tolist(), events.step_num[placed.rows].tolist()
    for i, event in _drawn(events, placed, HOST_PID, tid):
        name = event["name"] if steps[i] < 0 else f"{event['name']} {steps[i]}"
        yield {**event, "name": name, "cat": "host"}
        for number in arrows.get(rows[i], ()):
            yield _arrow("s", number, event, event["ts"])


def _gpu(
    events: HostEvents,
    device: DeviceTrace,
    placed: _Placed,
    pid: int,
    tid: int,
    launches: Ints,
    first_arrow: int,
) -> Iterator[Event]:
    """Events of a GPU, with the ends of arrows, which are numbered from ``first_arrow`` on."""
    rows = placed.rows
    details = {
        "op": _column(device.ops, device.op[rows]),
        "shape": _column(device.shapes, device.shape[rows]),
        "size": _column(device.details, device.detail[rows]),
        "bytes": [size if size >= 0 else None for size in device.copy_bytes[rows].tolist()],
        "launched by": _column(events.threads, _of_launch(events.thread, launches, -1)),
    }
    # Clocks may say that a kernel began before its launch: its arrow ends at the earliest time that it can.
    arrives = _us(np.maximum(device.start_ns[rows], _of_launch(events.start_ns, launches, 0))).tolist()
    roles, from_launch = device.role[rows].tolist(), (launches >= 0).tolist()
    for i, event in _drawn(device, placed, pid, tid):
        args = {key: value for key, values in details.items() if (value := values[i]) is not None}
        yield {**event, "cat": _WORK[Role(roles[i])], "args": args}
        if from_launch[i]:
            yield _arrow("f", first_arrow + i, event, arrives[i])


def _drawn(
    table: HostEvents | DeviceTrace, placed: _Placed, pid: int, tid: int
) -> Iterator[tuple[int, Event]]:
    """Each event that has a line, and its index among the placed ones. ``tid``: of the first line."""
    rows = placed.rows
    names, start = _texts(table.names, table.name[rows]), table.start_ns[rows]
    columns = placed.line, _us(start), _us(table.end_ns[rows] - start), table.name[rows]
    for i, (line, ts, dur, name) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        if line >= 0:
            yield i, _bar(ts, dur, pid, tid + line, names[name])


def _bar(ts: float, dur: float, pid: int, tid: int, name: str) -> Event:
    return {"ph": "X", "ts": ts, "dur": dur, "pid": pid, "tid": tid, "name": name}


def _arrow(phase: Literal["s", "f"], number: int, event: Event, ts: float) -> Event:
    """The start ("s") or end ("f") of an arrow on an event; the end belongs to what encloses its time."""
    arrow = {"ph": phase, "id": number, "ts": ts, "pid": event["pid"], "tid": event["tid"]}
    return {**arrow, "name": "launch", "cat": "launch", **({"bp": "e"} if phase == "f" else {})}


def _arrows(events: HostEvents, device: DeviceTrace, host: _Placed, placed: _Placed) -> Ints:
    """For each placed event of a GPU the row of its launch, −1 if no arrow can be drawn from that."""
    drawn = events.marked(host.rows[host.line >= 0])
    launch = device.launch[placed.rows].astype(np.int64)
    begins = _of_launch(events.start_ns, launch, 0)
    fine = _of_launch(drawn, launch, 0).astype(np.bool_) & (placed.line >= 0)
    return np.where(fine & (begins < device.end_ns[placed.rows]), launch, -1)


def _of_launch(column: npt.NDArray[Any], launch: Ints, without: int) -> Ints:
    """The value of each launch in a column of the host's events, ``without`` where there is no launch."""
    found = np.full(len(launch), without, np.int64)
    found[launch >= 0] = column[launch[launch >= 0]]
    return found


# ------------------------------------------------------------------------------------ text and time


def _us(ns: Ints) -> npt.NDArray[np.float64]:
    """ns in µs that give the same ns again, also where the fraction is cut off."""
    us = np.asarray(ns / 1000)
    return np.where(np.trunc(us * 1000) == ns, us, np.nextafter(us, np.copysign(np.inf, us)))


def _texts(names: Sequence[str], codes: npt.NDArray[Any]) -> dict[int, str]:
    """What is written for each code that occurs."""
    return {code: _plain(names[code]) for code in np.unique(codes).tolist() if code >= 0}


def _column(names: Sequence[str], codes: npt.NDArray[Any]) -> list[str | None]:
    """The text of each code; None if it is −1 or stands for nothing."""
    texts = _texts(names, codes)
    return [texts.get(code) or None for code in codes.tolist()]


def _plain(text: str) -> str:
    """The text without control characters, which Perfetto refuses, and no longer than ``LONGEST_TEXT``."""
    return safe(text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…")


MOST_LINES: Final = 32
"""Of one thread or stream. Real ones overlap on a few; each event tries all of them."""


def lines_of(start_ns: Sequence[int], end_ns: Sequence[int], nested: bool) -> list[int]:
    """The line of each event, the first on which it overlaps no other; −1 if ``MOST_LINES`` do not suffice.

    Events come by start and, if they may be ``nested`` in each other, the longest of several first.
    """
    found: list[int] = []
    going_on: list[list[int]] = []  # for each line the ends of the events that have begun, the innermost last
    for begin, end in zip(start_ns, end_ns, strict=True):
        fitting = (i for i, ends in enumerate(going_on) if _fits(ends, begin, end, nested))
        line = next(fitting, len(going_on))
        if line == MOST_LINES:
            found.append(-1)
            continue
        if line == len(going_on):
            going_on.append([])
        going_on[line].append(end)
        found.append(line)
    return found


def _fits(ends: list[int], begin: int, end: int, nested: bool) -> bool:
    """Whether the event overlaps none of its line; removes the ends of those that are over."""
    while ends and ends[-1] <= begin:
        ends.pop()
    return not ends or (nested and end <= ends[-1])
