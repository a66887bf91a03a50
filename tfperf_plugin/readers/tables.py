"""From plain columns to the tables of a ``HostTrace``: what all formats have in common.

A reader has times, codes and names; here rows are nested, kernels get their classes, and what a format
lacks gets the value that says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.arrays.columns import Numbers, constant, map_codes, unique_inverse
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.errors import NotJudgeable
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import (
    Codes,
    DeviceTrace,
    HostEvents,
    IteratorEvents,
    MemoryEvents,
    PipelineFlow,
    Small,
)
from tfperf_plugin.trace.roles import Role

E = TypeVar("E", DeviceTrace, HostEvents)

# Events nested deeper are cut off from what encloses them: real ones nest some dozens deep, with the
# Python tracer some hundreds, and whoever follows an event outwards must come to an end.
MAX_NESTING = 512
MAX_GPUS = 64
"""Limit of one host; machines have up to 16."""
MAX_TIME_NS = 1 << 61
"""73 years from zero. Within it, sums and differences of two times fit 64 bits."""
MAX_SPAN_NS = 1 << 50
"""13 days: no recording is as long, and sums of such times over thousands of GPUs fit 64 bits."""
_TEXTS = ("name", "op", "shape", "collective_type", "scope", "detail", "module")
"""Columns of codes of a GPU; the table that a column refers to has its name and an "s"."""
_FAR_RATIO = 0.1
"""If more of the rows lie far from the others, the file holds several recordings."""
_DAY_NS = 24 * 3600 * 10**9


def require_one_recording(host: str, times: Sequence[tuple[int, int]]) -> None:
    """Raises NotJudgeable if events lie so far apart that sums over many GPUs would not fit 64 bits."""
    span_ns = max((end for _, end in times), default=0) - min((begin for begin, _ in times), default=0)
    if span_ns > MAX_SPAN_NS:
        raise NotJudgeable(
            f"Host {host}: events lie {span_ns // _DAY_NS:,} days apart, so their times are not those of one "
            "recording. Capture a new profile."
        )


def lean(trace: E) -> E:
    """The same columns; those in which all is equal take no memory."""
    columns = {name: getattr(trace, name) for name in trace.__struct_fields__}
    return replace(trace, **{name: constant(c) for name, c in columns.items() if isinstance(c, np.ndarray)})


def host_events(**columns: Any) -> HostEvents:
    """The events of a host, in the order of their table; what is not given was not recorded."""
    count, no_code = len(columns.get("start_ns", ())), np.empty(0, np.int32)
    unknown, no_flag = np.broadcast_to(np.int64(-1), count), np.broadcast_to(np.False_, count)
    absent: dict[str, Any] = {
        **dict.fromkeys(("start_ns", "end_ns"), np.empty(0, np.int64)),
        **dict.fromkeys(("thread", "name", "parent"), no_code),
        **dict.fromkeys(("threads", "names"), ()),
        **dict.fromkeys(("step_num", "tracing_count"), unknown),
        **dict.fromkeys(("launches", "function_call", "traced"), no_flag),
        "role": np.empty(0, np.int8),
        "step_id": np.broadcast_to(np.int64(0), count),
        "producer": np.broadcast_to(np.int32(-1), count),
    }
    return lean(HostEvents(**absent | columns))


def device_trace(ordinal: int, **columns: Any) -> DeviceTrace:
    """A GPU with these columns, in the order of their starts; what is not given was not recorded.

    Without ``role``, names of events tell it. Kernels of ops that are collectives are collectives.
    """
    count, none = len(columns.get("start_ns", ())), np.empty(0, np.int64)
    nothing = np.broadcast_to(np.int32(-1), count)
    absent: dict[str, Any] = {
        "device": f"GPU:{ordinal}", "name_text": "", "stats": {}, "step_line": (), "streams": (),
        "start_ns": none, "end_ns": none, "stream": none,
        **dict.fromkeys((f"{column}s" for column in _TEXTS), ()),
        **dict.fromkeys((*_TEXTS, "launch", "copy_bytes", "copy_pageable", "copy_destination"), nothing),
        "collective_bytes": nothing,
        "collective_output": np.broadcast_to(np.False_, count),
    }  # fmt: skip
    known = absent | columns
    for column in _TEXTS:
        known[column], known[f"{column}s"] = _own(known[column], known[f"{column}s"])
    name, op, shape = ((known[column], known[f"{column}s"]) for column in ("name", "op", "shape"))
    if "role" not in known:
        known["role"] = map_codes(*name, roles.device_role, np.int8(Role.KERNEL))
    role = known.pop("role")
    communicates = (role == Role.KERNEL) & map_codes(*op, roles.is_collective_op, False)
    kernel_class, precision = _classes(name, op, shape)
    return lean(
        DeviceTrace(
            ordinal=ordinal,
            role=np.where(communicates, np.int8(Role.COLLECTIVE), role),
            kernel_class=kernel_class,
            precision=precision,
            **known,
        )
    )


def _own(code: Numbers, texts: Sequence[str]) -> tuple[Codes, Sequence[str]]:
    """Codes of one GPU into texts of all GPUs → codes into its own texts, and these; −1 stays.

    So the GPUs of a host together hold no more texts than they have events, and going through the tables of
    all GPUs takes no longer than going through their rows.
    """
    if not texts:
        return code.astype(np.int32, copy=False), texts
    occurs = np.zeros(len(texts) + 1, np.bool_)
    occurs[code] = True
    occurs[-1] = False  # the entry of −1
    if occurs[:-1].all():
        return code.astype(np.int32, copy=False), texts
    own = np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32)
    return own[code], tuple(texts[at] for at in np.flatnonzero(occurs).tolist())


def first_gpus(ordinals: Ints, of: str, anomalies: Anomalies, most: int = MAX_GPUS) -> Ints:
    """The first GPUs of those with these numbers; ``of``: the host, the machine or the process."""
    sentence = f"Only the first {most} GPUs of the {of} are read; the recording has more."
    anomalies.add("gpus-left-out", sentence, len(ordinals) - most)
    return ordinals[:most]


def far_away(start_ns: Ints, end_ns: Ints) -> Bools | None:
    """The few rows whose times no recording has that holds the others; None if there are none.

    A damaged number must not cost the others. If there are many, nothing says which are right.
    """
    first, last = np.minimum(start_ns, end_ns), np.maximum(start_ns, end_ns)
    if not len(first):
        return None
    middle, most = int(np.partition(start_ns, len(first) // 2)[len(first) // 2]), MAX_SPAN_NS // 2
    far: Bools = (first < middle - most) | (last > middle + most)
    return far if 0 < far.sum() <= _FAR_RATIO * len(far) else None


def memory_events(**columns: Any) -> MemoryEvents:
    """What allocators did, in the order of time; what is not given was not recorded."""
    count = len(columns.get("time_ns", ()))
    texts = ("allocator", "op", "shape", "region")
    codes, numbers = np.full(count, -1, np.int32), np.full(count, -1, np.int64)
    absent: dict[str, Any] = {
        **dict.fromkeys((*texts, "data_type"), codes),
        **dict.fromkeys((f"{column}s" for column in texts), ()),
        **dict.fromkeys(("time_ns", "allocated_bytes", "available_bytes", "peak_bytes"), numbers),
        **dict.fromkeys(("size_bytes", "address"), numbers),
        "is_allocation": np.zeros(count, np.bool_),
        "fragmentation": np.full(count, np.nan),
    }
    return MemoryEvents(**absent | columns)


def no_iterators() -> IteratorEvents:
    """A host that runs no input pipeline."""
    none, codes = np.empty(0, np.int64), np.empty(0, np.int32)
    flow = PipelineFlow(*(none,) * 8, np.empty(0, np.bool_), *(none,) * 6)
    return IteratorEvents(*(none,) * 11, codes, codes, (), flow)


def nested_order(thread: Ints, start_ns: Ints, end_ns: Ints) -> Ints:
    """The order by (thread, start, −end), in which events of a host are kept."""
    order = np.lexsort((start_ns, thread))
    same = (np.diff(thread[order]) == 0) & (np.diff(start_ns[order]) == 0)
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    rows = order[tied]
    order[tied] = rows[np.lexsort((-end_ns[rows], start_ns[rows], thread[rows]))]
    return order


def parents(line: Codes, start_ns: Ints, end_ns: Ints, slack_ns: int = 0) -> Codes:
    """For each event the row of the innermost event of its line that encloses it, else −1.

    Rows are sorted by (line, start, −end). All rows follow their candidates at once: a candidate that
    ends too early hands on its own candidate, because everything between the two ends earlier still.
    ``slack_ns``: an event may seem to end up to this much later than the one in which it begins.
    """

    def ends_outside(ends: Ints, rows: Ints | slice) -> Bools:
        later: Bools = end_ns[rows] > ends
        return later & ((end_ns[rows] > ends + slack_ns) | (start_ns[rows] >= ends)) if slack_ns else later

    candidate = np.arange(-1, len(line) - 1, dtype=np.int32)
    outside = np.zeros(len(line), np.bool_)
    first = np.flatnonzero(np.diff(line, prepend=-1))
    for begin, end in pairwise([*first.tolist(), len(line)]):
        # Rows that nothing before them on their line reaches beyond: most launches lie in no other event.
        outside[begin] = True
        reach = np.maximum.accumulate(end_ns[begin:end])[:-1]
        outside[begin + 1 : end] = ends_outside(reach, slice(begin + 1, end))
    candidate[outside] = -1
    active = np.flatnonzero(~outside)
    while len(active):
        at = candidate[active]
        safe = np.maximum(at, 0)
        other_line = (at >= 0) & (line[safe] != line[active])
        candidate[active[other_line]] = -1
        too_early = (at >= 0) & ~other_line & ends_outside(end_ns[safe], active)
        active = active[too_early]
        candidate[active] = candidate[candidate[active]]
    return candidate


def bounded(parent: Codes, anomalies: Anomalies) -> Codes:
    """Parents; every ``MAX_NESTING``-th level has none."""
    depth, up = (parent >= 0).astype(np.int32), parent
    while (up >= 0).any():  # each round looks twice as far outwards as the one before
        known = np.maximum(up, 0)
        depth, up = depth + np.where(up >= 0, depth[known], 0), np.where(up >= 0, up[known], up)
    cut = (depth > 0) & (depth % MAX_NESTING == 0)
    anomalies.add("deep-nesting", "Events are nested too deep to follow.", int(cut.sum()))
    return np.where(cut, np.int32(-1), parent)


def _classes(*columns: tuple[Codes, Sequence[str]]) -> tuple[Small, Small]:
    """Kernel class and precision from codes of name, op and shape and their texts; each distinct combination
    is judged once."""
    sizes = [len(texts) + 1 for _, texts in columns]
    (name, _), (op, _), (shape, _) = columns
    # One key of three is three times as fast as Groups of three columns.
    key = (name.astype(np.int64) * sizes[1] + op + 1) * sizes[2] + shape + 1
    distinct, place = unique_inverse(key)
    kinds, formats = np.empty((2, len(distinct)), np.int8)
    for at, number in enumerate(distinct.tolist()):
        pair, shape_code = divmod(number, sizes[2])
        name_code, op_code = divmod(pair, sizes[1])
        codes = (name_code, op_code - 1, shape_code - 1)
        texts = [known[c] if c >= 0 else "" for c, (_, known) in zip(codes, columns, strict=True)]
        kinds[at] = roles.kernel_class(texts[0], texts[1])
        formats[at] = roles.precision(texts[0], texts[2])
    return kinds[place], formats[place]


def vendor(recorded: str, names: Sequence[str]) -> str:
    """The maker: recorded by new collectors, told from kernel names in older profiles."""
    if recorded:
        return {"nvidia": "NVIDIA", "amd": "AMD"}.get(recorded.lower(), recorded)
    if any(n.endswith(".kd") or "rocclr" in n or n.startswith("Cijk_") for n in names):
        return "AMD"
    return "NVIDIA"
