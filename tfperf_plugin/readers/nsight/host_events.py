"""What threads of the host did: functions of CUDA and NVTX ranges → ``HostEvents``, nested as called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.columns import Groups, map_codes, unique_inverse
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.nsight.database import LONGEST_TEXT, Database, decoded, short
from tfperf_plugin.readers.nsight.gpu_work import PROCESS_SHIFT, correlation_and, with_correlation
from tfperf_plugin.readers.nsight.ranges import Marker, Meaning, find_marker, meaning
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

_THREAD_BITS: Final = (1 << PROCESS_SHIFT) - 1
_LAUNCHES: Final = re.compile(r"^cu(da)?(Launch|GraphLaunch|Mem(cpy|set|Prefetch)\w*Async)")
"""Calls that launch work even if the recording lacks it."""
_RETURNED: Final = "returnValue"
"""Column with CUDA's error code of a call, 0 for success."""
CALLS: Final = "CUPTI_ACTIVITY_KIND_RUNTIME"
"""Functions of CUDA's driver, too."""
RANGES: Final = "NVTX_EVENTS"
_PUSH_POP, _START_END = 59, 60
_OPEN: Final = int(np.iinfo(np.int64).max)
_VERSION: Final = re.compile(r"_v\d{4,5}$")
# PyTorch adds numbers to each name, as in "aten::mm, seq = 45, op_id = 990, sizes = [[8, 512]]". Without
# them, names are few; but that there is a "seq" is kept, and so are sizes.
_SEQ, _OP_ID, _SIZES, _INPUTS = ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "
_CUT: Final = (
    f"min(ifnull(nullif(instr(text, '{_SEQ}'), 0) + {len(_SEQ) - 1}, {LONGEST_TEXT}), "
    f"ifnull(nullif(instr(text, '{_OP_ID}'), 0) - 1, {LONGEST_TEXT}))"
)
_BEGIN: Final = short("text")
_CUT_SIZES: Final = (
    f"ifnull(substr({_BEGIN}, nullif(instr({_BEGIN}, '{_SIZES}'), 0), "
    f"max(0, instr({_BEGIN} || '{_INPUTS}', '{_INPUTS}') - instr({_BEGIN}, '{_SIZES}'))), '')"
)


class Host(NamedTuple):
    """``call_row``: where each call stands among the events; ``meaning``: code into ``meanings`` of each
    event that is a range, else −1."""

    events: HostEvents
    call_row: Ints
    meaning: Ints
    meanings: tuple[Meaning, ...]


def host_events(
    called: Calls,
    spans: Ranges,
    launched: Bools,
    waits: Bools,
    threads: Mapping[int, str],
    anomalies: Anomalies,
) -> Host:
    """All events of the host.

    Args:
        called: functions of CUDA.
        spans: NVTX ranges.
        launched: whether any work names each call.
        waits: whether each call returns when its work is done.
        threads: their names by their global ids.
        anomalies: receives what had to be guessed.
    """
    # Ranges come first: of two events of the same times, a range is the one around a call.
    count, no_flags = len(spans.start_ns), np.zeros(len(spans.start_ns), np.bool_)
    start = np.concatenate([spans.start_ns, called.start_ns])
    end = np.maximum(np.concatenate([spans.end_ns, called.end_ns]), start)
    ids, thread = unique_inverse(np.concatenate([spans.thread, called.thread]))
    meaning = np.concatenate([spans.meaning, np.full(len(called.start_ns), -1)])
    launching = map_codes(called.name, called.names, lambda name: bool(_LAUNCHES.match(name)), False)
    launches = np.concatenate([no_flags, launched | launching])
    names, of_meaning = _with_names(called.names, spans.meanings)
    name = np.concatenate([of_meaning[spans.meaning], called.name])
    order = tables.nested_order(thread, start, end)
    start, end, thread, meaning, name = (column[order] for column in (start, end, thread, meaning, name))
    launches, waiting = launches[order], np.concatenate([no_flags, waits])[order]
    step_num = np.full(len(order), -1)
    if marker := _marker(start, end, thread, meaning, spans.meanings, launches, ids >> PROCESS_SHIFT):
        step_num[marker.rows], name[marker.rows] = marker.number, len(names)
        names = (*names, marker.name)
    role = map_codes(name, names, roles.host_role, np.int8(HostRole.OTHER))
    role[launches & (role != HostRole.SYNC)] = HostRole.LAUNCH
    role[waiting] = HostRole.SYNC
    line = thread.astype(np.int32)
    events = tables.host_events(
        threads=tuple(f"{threads.get(number, 'thread')}/{number & _THREAD_BITS}" for number in ids.tolist()),
        thread=line,
        names=names,
        name=name.astype(np.int32),
        start_ns=start,
        end_ns=end,
        role=role,
        launches=launches,
        step_num=step_num,
        parent=tables.bounded(tables.parents(line, start, end), anomalies),
    )
    row = np.empty(len(order), np.int64)
    row[order] = np.arange(len(order))
    return Host(events, row[count:], meaning, spans.meanings)


def _with_names(names: tuple[str, ...], meanings: tuple[Meaning, ...]) -> tuple[tuple[str, ...], Ints]:
    """Adds names of ranges to ``names``; returns both and the code of each meaning: several may share one."""
    codes = {text: len(names) + i for i, text in enumerate(dict.fromkeys(m.name for m in meanings))}
    return (*names, *codes), np.array([codes[m.name] for m in meanings], np.int64)


def _marker(
    start: Ints, end: Ints, thread: Ints, meaning: Ints, meanings: tuple[Meaning, ...], launches: Bools,
    process: Ints,
) -> Marker | None:  # fmt: skip
    rows = np.flatnonzero((meaning >= 0) & (end > start))  # what takes no time is no step
    rows = rows[np.argsort(start[rows], kind="stable")]
    found = find_marker(
        start[rows], end[rows], thread[rows], meaning[rows], meanings, process,
        start[launches], thread[launches],
    )  # fmt: skip
    return found and found._replace(rows=rows[found.rows])


class Calls(NamedTuple):
    """Functions of CUDA; ``thread``: its global id; ``name``: code into ``names``."""

    start_ns: Ints
    end_ns: Ints
    thread: Ints
    correlation: Ints
    name: Ints
    names: tuple[str, ...]


class Ranges(NamedTuple):
    """NVTX ranges; ``meaning``: code into ``meanings``; ``never_ended``: they end as ``closed`` says."""

    start_ns: Ints
    end_ns: Ints
    thread: Ints
    meaning: Ints
    never_ended: Bools
    meanings: tuple[Meaning, ...]


def calls(database: Database) -> Calls:
    """The functions of CUDA that were called. Raises UnreadableInput."""
    database.require(CALLS, ("start", "end", "globalTid", "nameId"))
    correlation = "correlationId" if "correlationId" in database.columns(CALLS) else "null"
    both = with_correlation("nameId", f"ifnull({correlation}, -1)")
    returned = f"ifnull({_RETURNED}, 0)" if _RETURNED in database.columns(CALLS) else "0"
    wanted = ('"start"', '"end"', "globalTid", both, returned)
    start, end, thread, packed, error = database.numbers(CALLS, wanted)
    number, named = correlation_and(packed)
    groups = Groups(named, error)
    strings = database.strings(groups.keys[:, 0].tolist())
    names = tuple(_called(strings.get(name, "unknown function"), code) for name, code in groups.keys.tolist())
    return Calls(start, end, thread, number, groups.of_row, names)


def _called(name: str, error: int) -> str:
    """The name of a call; one of a launch that failed says so, as it launched nothing."""
    plain = _VERSION.sub("", name)
    return roles.FAILED_CALL.format(error=error, call=plain) if error and _LAUNCHES.match(plain) else plain


def ranges(database: Database) -> Ranges:
    """The ranges with a thread that began them. Raises UnreadableInput."""
    database.require(RANGES, ("start", "end", "eventType", "globalTid"))
    known = database.columns(RANGES)
    wanted = f"eventType in ({_PUSH_POP}, {_START_END}) and globalTid is not null"
    start, end, thread = database.numbers(RANGES, ('"start"', f'ifnull("end", {_OPEN})', "globalTid"), wanted)
    text = f"substr(text, 1, {_CUT}) || {_CUT_SIZES}" if "text" in known else "null"
    text_id = "textId" if "textId" in known else "null"
    codes = _Codes(database)
    code = np.fromiter(
        map(codes.__getitem__, database.values(RANGES, f"ifnull({text}, {text_id})", wanted)), np.int64
    )
    is_open = end == _OPEN
    return Ranges(start, np.where(is_open, start, end), thread, code, is_open, codes.meanings())


def closed(spans: Ranges) -> Ranges:
    """The same ranges; those that never ended end with the last one."""
    last = max(int(spans.start_ns.max(initial=0)), int(spans.end_ns.max(initial=0)))
    return spans._replace(end_ns=np.where(spans.never_ended, last, spans.end_ns))


class _Codes(dict[object, int]):
    """A code for each distinct name: bytes of the text, or its number among the file's texts, or None."""

    def __init__(self, database: Database) -> None:
        self._database, self._length = database, 0

    def __missing__(self, name: object) -> int:
        if isinstance(name, bytes):
            self._length += len(name)
            self._database.require_text(self._length)
        self[name] = len(self)
        return self[name]

    def meanings(self) -> tuple[Meaning, ...]:
        """The meaning of each code."""
        strings = self._database.strings(name for name in self if isinstance(name, int))
        texts = (
            decoded(name) if isinstance(name, bytes) else isinstance(name, int) and strings.get(name)
            for name in self
        )
        return tuple(meaning(text or "") for text in texts)
