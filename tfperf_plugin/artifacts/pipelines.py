"""The tf.data input pipelines of a run, rebuilt from iterator events, and their bottleneck.

An iterator's name is its path, ``Iterator::Prefetch::Map``: the last part is its kind, the parts before
are downstream. Self time is the time of its calls without the calls of the iterators upstream.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.intervals import Ints
from tfperf_plugin.trace.model import HostTrace, Trace

# XProf's limit for a slow call of an iterator.
SLOW_CALL_NS = 50_000

_READING = (
    "TFRecord",
    "TextLine",
    "FixedLengthRecord",
    "SSTable",
    "RecordIO",
    "ArrayRecord",
    "File",
    "Csv",
)
_PYTHON = ("Generator", "PyFunc", "FromGenerator")
_READ_AHEAD = ("MemoryReader", "MemoryWriter", "MemoryCache", "Interleave", "ParallelInterleave")
_BATCHING = ("Batch", "PaddedBatch", "ParallelBatch")
_PASSING = (
    "Prefetch", "Root", "Repeat", "ForeverRepeat", "FiniteRepeat", "Take", "Shuffle", "Model",
    "MaxIntraOpParallelism", "PrivateThreadPool", "Options", "AssertCardinality", "Shard", "TensorSlice",
    "Tensor", "Range",
)  # fmt: skip
# "Repeat[2]" is the third run of what Repeat repeats: the same iterator in the user's program.
_RUN = re.compile(r"\[\d+\]")
_VERSION = re.compile(r"V\d+$")


@dataclass(frozen=True)
class IteratorRow:
    """One iterator of one host. Times are summed over the recording; counts are calls.

    ``kind``: the transformation (``Map``, ``TFRecord`` …); ``stage``: what it does (reading on demand,
    reading ahead, preprocessing, Python, batching, passing on). ``parallelism``, ``buffered_elements`` (mean)
    and ``buffer_limit`` are ``None`` where not recorded.
    """

    host: str
    name: str
    kind: str
    stage: str
    depth: int
    calls_count: int
    slow_calls_count: int
    total_ns: int
    self_ns: int
    parallelism: int | None
    autotune: bool | None
    buffered_elements: int | None
    buffer_limit: int | None


@dataclass(frozen=True)
class Pipelines:
    """``rows``: iterators by host and name; ``bottleneck``: the one with the largest self time per batch
    (time divided by its parallelism), ``None`` if no iterator was recorded; ``path``: names from the
    bottleneck down to the step."""

    rows: tuple[IteratorRow, ...]
    bottleneck: IteratorRow | None
    path: tuple[str, ...]


def find_pipelines(trace: Trace, steps: Steps) -> Pipelines:
    """The pipelines of all hosts. Device-side prefetching (``Iterator::Prefetch::Generator``) is no stage."""
    rows = tuple(row for host in trace.hosts for row in _host(host))
    working = [r for r in rows if r.stage != "passing on"]
    bottleneck = max(working, key=lambda r: (r.self_ns // max(1, r.parallelism or 1), r.name), default=None)
    path: tuple[str, ...] = ()
    if bottleneck:
        path = tuple(
            r.name
            for r in rows
            if r.host == bottleneck.host and (bottleneck.name + "::").startswith(r.name + "::")
        )
    return Pipelines(rows, bottleneck, path)


def _host(host: HostTrace) -> list[IteratorRow]:
    events, calls = host.events, host.iterators
    if not len(calls.row):
        return []
    duration = events.end_ns[calls.row] - events.start_ns[calls.row]
    own = duration - _children(host)
    codes, name = np.unique(events.name[calls.row], return_inverse=True)
    texts = [_RUN.sub("", events.names[code]) for code in codes.tolist()]
    found = []
    for text in sorted(set(texts)):
        mine = np.array([t == text for t in texts])[name]
        if text.endswith("::Prefetch::Generator") and text.count("::") == 2:
            continue
        kind = text.rsplit("::", 1)[-1]
        found.append(
            IteratorRow(
                host=host.host,
                name=text,
                kind=kind,
                stage=stage_of(kind),
                depth=text.count("::"),
                calls_count=int(mine.sum()),
                slow_calls_count=int((duration[mine] > SLOW_CALL_NS).sum()),
                total_ns=int(duration[mine].sum()),
                self_ns=int(own[mine].sum()),
                parallelism=_largest(calls.parallelism[mine]),
                autotune=_flag(calls.autotune[mine]),
                buffered_elements=_mean(calls.buffered_elements[mine]),
                buffer_limit=_largest(calls.buffer_limit[mine]),
            )
        )
    return sorted(found, key=lambda r: (r.depth, r.name))


def _children(host: HostTrace) -> Ints:
    """For each iterator call the time of the iterator calls directly below it on its thread."""
    events, calls = host.events, host.iterators
    is_call = np.zeros(len(events.start_ns), np.bool_)
    is_call[calls.row] = True
    parent = events.parent[calls.row]
    while True:
        up = (parent >= 0) & ~is_call[np.maximum(parent, 0)]
        if not up.any():
            break
        parent = np.where(up, events.parent[np.maximum(parent, 0)], parent)
    time = np.zeros(len(events.start_ns), np.int64)
    inner = parent >= 0
    np.add.at(time, parent[inner], (events.end_ns - events.start_ns)[calls.row][inner])
    return time[calls.row]


def stage_of(kind: str) -> str:
    """What an iterator of this kind does, in the guide's words; ``ParallelMapV2`` is a ``ParallelMap``."""
    kind = _VERSION.sub("", kind)
    if kind in _PYTHON:
        return "Python"
    if kind in _READING:
        return "reading"
    if kind in _READ_AHEAD:
        return "reading ahead"
    if kind in _BATCHING:
        return "batching"
    if kind in _PASSING:
        return "passing on"
    return "preprocessing"


def _largest(values: Ints) -> int | None:
    known = values[values >= 0]
    return int(known.max()) if len(known) else None


def _mean(values: Ints) -> int | None:
    known = values[values >= 0]
    return int(known.mean()) if len(known) else None


def _flag(values: Ints) -> bool | None:
    known = values[values >= 0]
    return bool(known.max()) if len(known) else None
