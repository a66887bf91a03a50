"""Which files of a folder are traces, and which of them are the ranks of one job.

A file is one process. Ranks of a job are profiled at the same time, so a run holds each rank once, and all
its files begin within some seconds. TensorBoard imports this module at startup: no NumPy here.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Final, NamedTuple

from tfperf_plugin.readers.base import Head, RunFiles

GZIP: Final = b"\x1f\x8b"
BOM: Final = b"\xef\xbb\xbf"
"""What some editors put before a text."""
SUFFIXES: Final = (".json", ".json.gz")
TOGETHER_US: Final = 10_000_000
"""Ranks of one job begin to record within this time. Two captures of one process lie further apart, mostly:
a rank that is seen twice begins another run in any case."""
_TOGETHER_NS: Final = 1000 * TOGETHER_US
_OVERLAPPING: Final = 16
"""A trace belongs to one of the captures that began last; this is their number."""
_HEADS: Final = 1 << 15, 1 << 18
"""How many bytes of the text are read; the second if the first event does not begin within the first."""

# Other programs write none of these: Kineto begins with its schema and the GPUs, PyTorch without Kineto
# writes a bare list of events of "CPU functions".
_KINETO: Final = re.compile(
    rb'"deviceProperties"|"baseTimeNanoseconds"|"ProfilerStep#|'
    rb'"cat"\s*:\s*"(cpu_op|cuda_runtime|hip_runtime|kernel|Operator|python_function|user_annotation)"|'
    rb'"pid"\s*:\s*"CPU functions"'
)
_BEGIN_AND_LIST: Final = (b'"schemaVersion"', b'"traceEvents"')
_BEGIN: Final = re.compile(b"(?:" + BOM + rb")?\s*[\[{]")
_RANK: Final = re.compile(rb'"rank"\s*:\s*(\d{1,6})')
_TIME: Final = re.compile(rb'"ts"\s*:\s*(\d{1,16})')
_EPOCH_US: Final = 10**15  # microseconds since the epoch have 16 digits, others count from a later time
# Names that PyTorch's handler, Lightning and others give: what was profiled, and when, in ms or ns.
_STAMPED: Final = re.compile(r"(.*?)[._](\d{13}|\d{16}|\d{19})(?:\.pt)?(?:\.trace)?")
_PLAIN: Final = re.compile(r"(.*?)(?:\.pt)?(?:[._-]?trace)?")
RANK_FOLDER: Final = re.compile(r"(?i)(|.*[^a-z])rank[_-]?\d{1,6}")
"""A folder for the files of one rank; what stands before is the same for all ranks of a job."""
_RANK_NAME: Final = re.compile(r"(?i)(?:^|[^a-z])(?:rank|profile|worker)[_-]?(\d{1,6})(?!\d)")


class _Head(NamedTuple):
    """What the start of a trace says; −1 if it does not."""

    rank: int
    begin_us: int  #: The first time in it.


class _File(NamedTuple):
    """A trace; numbers are −1 if unknown."""

    file: str
    name: str
    job: str  #: What its folder is called beside the rank.
    rank: int  #: In the job.
    begin_us: int
    written_ns: int


@functools.lru_cache(1 << 12)  # of each file, each time that TensorBoard asks for the runs
def head_of(head: bytes) -> _Head | None:
    """What a file that begins with these bytes says; None if it is no trace of PyTorch."""
    for most in _HEADS:
        text = inflated(head, most)
        if not _BEGIN.match(text):
            return None
        if time := _TIME.search(text):
            break
    if not (_KINETO.search(text) or all(word in text for word in _BEGIN_AND_LIST)):
        return None
    rank = _RANK.search(text)
    return _Head(int(rank[1]) if rank else -1, int(time[1]) if time else -1)


def inflated(head: bytes, most: int) -> bytes:
    """The start of the text of a file that begins with these bytes; none if it is damaged."""
    if not head.startswith(GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, most)
    except zlib.error:
        return b""


def runs_in(folder: tuple[str, ...], files: tuple[str, ...], head: Head) -> Iterator[RunFiles]:
    """The runs in a folder: ranks that were profiled together; a file without a rank is a run of its own.

    Files in a ``RANK_FOLDER`` are of a run in this folder only together with others that lie elsewhere.
    An empty file is of the run whose files were written at about the same time, as names say. Of several runs
    that would have one name, as those of one second, all but the first have a number.
    """
    heads = {file: head(file) for file in files if file.endswith(SUFFIXES)}
    found = [_file(file, begin) for file, text in heads.items() if (begin := head_of(text))]
    empty = defaultdict[int, list[_File]](list)
    for trace in (_file(file, _Head(-1, -1)) for file, text in heads.items() if not text):
        empty[trace.written_ns // _TOGETHER_NS].append(trace)
    alike = Counter[str]()
    for group in _together(found):
        folders = {_folder(trace.file) for trace in group}
        if len(folders) == 1 and "" not in folders:
            continue
        group.sort(key=lambda trace: (trace.rank, trace.file))
        # When the capture began; else when its first file was written.
        begins = [trace.begin_us * 1000 for trace in group if trace.begin_us >= _EPOCH_US]
        written = [trace.written_ns for trace in group if trace.written_ns >= 0]
        begin_ns = min(begins or written, default=None)
        label = group[0].name
        if begin_ns is not None and (len(group) > 1 or _STAMPED.fullmatch(_stem(group[0].file))):
            began = datetime.fromtimestamp(begin_ns // 10**9, timezone.utc)
            label = began.strftime("%Y_%m_%d_%H_%M_%S")
        alike[label] += 1
        number = f"_{alike[label]}" if alike[label] > 1 else ""
        hosts = [(f"rank-{trace.rank}" if len(group) > 1 else trace.name, trace.file) for trace in group]
        near = {ns // _TOGETHER_NS + more for ns in written for more in (-1, 0, 1)}
        hosts += [(trace.name, trace.file) for at in sorted(near) for trace in empty.pop(at, ())]
        yield RunFiles((*folder, label + number), tuple(hosts), begin_ns)


def _together(traces: list[_File]) -> list[list[_File]]:
    """Groups of traces of one capture: each holds a rank once, and all of it begin within some seconds."""
    groups: list[list[_File]] = []
    for trace in sorted(traces, key=lambda trace: (trace.begin_us, trace.file)):
        begin_us = trace.begin_us - TOGETHER_US
        recent = reversed(groups[-_OVERLAPPING:]) if trace.rank >= 0 and trace.begin_us >= 0 else ()
        fitting = (
            group
            for group in recent
            if group[0].begin_us >= begin_us
            and group[0].job == trace.job
            and all(other.rank >= 0 and other.rank != trace.rank for other in group)
        )
        if group := next(fitting, None):
            group.append(trace)
        else:
            groups.append([trace])
    return groups


def _file(file: str, begin: _Head) -> _File:
    stem, of_rank = _stem(file), RANK_FOLDER.fullmatch(_folder(file))
    stamped = _STAMPED.fullmatch(stem)
    # A folder may be named by another rank, as by that of a low-rank adapter: there, only the trace tells.
    in_name = None if of_rank else _RANK_NAME.search(stem)
    plain = stamped or _PLAIN.fullmatch(stem)
    return _File(
        file,
        (plain and plain[1]) or stem,
        of_rank[1] if of_rank else "",
        begin.rank if begin.rank >= 0 or not in_name else int(in_name[1]),
        begin.begin_us,
        int(stamped[2].ljust(19, "0")) if stamped else -1,
    )


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".gz").removesuffix(".json")
