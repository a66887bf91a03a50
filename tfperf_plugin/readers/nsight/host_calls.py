"""What threads of the host did: functions of CUDA, and NVTX ranges."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.arrays.unique import unique_inverse
from tfperf_plugin.readers.nsight.database import LONGEST_TEXT, Database, decoded
from tfperf_plugin.readers.nsight.gpu_work import correlation_and, with_correlation
from tfperf_plugin.readers.nsight.ranges import Meaning, meaning

CALLS: Final = "CUPTI_ACTIVITY_KIND_RUNTIME"
"""Functions of CUDA's driver, too."""
RANGES: Final = "NVTX_EVENTS"
_PUSH_POP, _START_END = 59, 60
_OPEN: Final = int(np.iinfo(np.int64).max)
_VERSION: Final = re.compile(r"_v\d{4,5}$")
# PyTorch adds numbers to each name, as in "aten::mm, seq = 45, op_id = 990": without them, names are few.
# But that there is a "seq" is kept.
_SEQ, _OP_ID = ", seq = ", ", op_id = "
_CUT: Final = (
    f"min(ifnull(nullif(instr(text, '{_SEQ}'), 0) + {len(_SEQ) - 1}, {LONGEST_TEXT}), "
    f"ifnull(nullif(instr(text, '{_OP_ID}'), 0) - 1, {LONGEST_TEXT}))"
)


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
    start, end, thread, packed = database.numbers(CALLS, ('"start"', '"end"', "globalTid", both))
    number, named = correlation_and(packed)
    ids, code = unique_inverse(named)
    strings = database.strings(ids.tolist())
    names = tuple(_VERSION.sub("", strings.get(number, "unknown function")) for number in ids.tolist())
    return Calls(start, end, thread, number, code, names)


def ranges(database: Database) -> Ranges:
    """The ranges with a thread that began them. Raises UnreadableInput."""
    database.require(RANGES, ("start", "end", "eventType", "globalTid"))
    known = database.columns(RANGES)
    wanted = f"eventType in ({_PUSH_POP}, {_START_END}) and globalTid is not null"
    start, end, thread = database.numbers(RANGES, ('"start"', f'ifnull("end", {_OPEN})', "globalTid"), wanted)
    text = f"substr(text, 1, {_CUT})" if "text" in known else "null"
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
