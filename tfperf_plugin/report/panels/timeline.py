"""The timeline of one step, from the arrays of a report, merged to the resolution of a screen."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tfperf_plugin.analysis.artifacts.timeline_rows import HOST_WORK, NOTHING, Lanes
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.records import Record
from tfperf_plugin.report.options import BadOptionError

Arrays = Mapping[str, npt.NDArray[Any]]
"""The arrays of a report by name, such as ``timeline/begin_ns``. Stored without pickle, so no objects."""

SPANS: Final = 5000
MAX_SPANS: Final = 50_000
WIDTH: Final = 1200
MAX_WIDTH: Final = 10_000
# Hosts shown at once, unless the request names one.
HOSTS_CAP: Final = 8
MAX_MS: Final = 1e9
# What the codes of pieces stand for: accounts, then kinds of host work.
CODES: Final = (*ACCOUNTS, *HOST_WORK)
_STEP_ID = re.compile(r"(-?[0-9]{1,18})(?:~([0-9]{1,6}))?")


class Window(Record, frozen=True):
    """The requested part of the timeline.

    ``step``: id of a step; ``host``: one host, ``None`` for all; ``begin_ns``/``end_ns``: relative to the
    begin of the step, ``None`` for its end; ``width``: in pixels; ``spans``: limit for the number of spans,
    though each row may have one.
    """

    step: str
    host: str | None = None
    begin_ns: int = 0
    end_ns: int | None = None
    width: int = WIDTH
    spans: int = SPANS


def step_id(number: int, nth: int) -> str:
    """The id of a step: its number, and for repeated numbers ``~2``, ``~3`` and so on."""
    return f"{number}~{nth + 1}" if nth else str(number)


def parse_window(given: Mapping[str, str]) -> Window:
    """Parses the arguments of a request. Raises BadOptionError."""
    if not given.get("step"):
        raise BadOptionError("The request names no step: timeline?run=RUN&step=NUMBER.")
    begin, end = _ms(given, "begin_ms"), _ms(given, "end_ms")
    if end is not None and end <= (begin or 0):
        raise BadOptionError("end_ms must be greater than begin_ms.")
    return Window(
        given["step"],
        given.get("host") or None,
        begin or 0,
        end,
        _count(given, "width", WIDTH, MAX_WIDTH),
        _count(given, "spans", SPANS, MAX_SPANS),
    )


def _ms(given: Mapping[str, str], name: str) -> int | None:
    """Parses milliseconds into ns."""
    text = given.get(name)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= MAX_MS:
        raise BadOptionError(f"{name} must be a number of milliseconds from the begin of the step on.")
    return round(value * 1e6)


def _count(given: Mapping[str, str], name: str, usual: int, most: int) -> int:
    text = given.get(name)
    if not text:
        return usual
    if not text.isdecimal() or not 1 <= len(text) <= 6 or not 1 <= int(text) <= most:
        raise BadOptionError(f"{name} must be a whole number from 1 to {most}.")
    return int(text)


def timeline_arrays(lanes: Lanes) -> dict[str, npt.NDArray[Any]]:
    """``lanes`` as flat arrays.

    ``timeline/begin_ns``, ``end_ns``, ``code``: the pieces of all rows; a code is an index into ``CODES`` or
    ``NOTHING``. Row ``i`` has the pieces from ``timeline/row_first[i]`` up to ``row_first[i + 1]``.
    ``timeline/row_host``, ``row_name``, ``row_gpu``: one value a row. ``timeline/step_*``: one value a step
    of each host, in time order. ``timeline/hosts``: names, to which other arrays refer by index;
    ``left_out``: whether the host has no rows.
    """
    rows, steps = lanes.lanes, lanes.steps
    codes = [r.code if r.is_gpu else np.where(r.code < 0, NOTHING, r.code + len(ACCOUNTS)) for r in rows]
    return {
        "timeline/begin_ns": _joined([r.begin_ns for r in rows], np.int64),
        "timeline/end_ns": _joined([r.end_ns for r in rows], np.int64),
        "timeline/code": _joined(codes, np.int16),
        "timeline/row_first": np.cumsum([0, *(len(r.code) for r in rows)]),
        "timeline/row_host": np.array([r.host for r in rows], np.int64),
        "timeline/row_name": np.array([r.name for r in rows], np.str_),
        "timeline/row_gpu": np.array([r.is_gpu for r in rows], np.bool_),
        "timeline/hosts": np.array([s.host for s in steps], np.str_),
        "timeline/left_out": np.array([s.host in lanes.left_out for s in steps], np.bool_),
        "timeline/step_host": np.repeat(np.arange(len(steps)), [len(s) for s in steps]),
        "timeline/step_shared": _joined(lanes.shared, np.int64),
        "timeline/step_nth": _joined(lanes.nth, np.int64),
        "timeline/step_begin_ns": _joined([s.begin_ns for s in steps], np.int64),
        "timeline/step_end_ns": _joined([s.end_ns for s in steps], np.int64),
    }


def _joined(parts: Sequence[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)


class _Row(Record, frozen=True):
    """The pieces of one row inside the window; times are relative to the begin of the host's step."""

    host: int
    name: str
    is_gpu: bool
    origin_ns: int
    length_ns: int
    begin_ns: Ints
    end_ns: Ints
    code: Ints


class TimelineRow(Record, frozen=True):
    """A GPU or a part of a host. Times are ns from the begin of the step, which is at ``origin_ms`` on the
    host's timeline.

    ``name``: of the GPU, or ``step``, ``launches``, ``input``; ``sums_ns``: by account; ``code``: indices
    into the ``codes`` of the answer; ``pieces``: how many pieces each span is made of.
    """

    host: str
    name: str
    is_gpu: bool
    origin_ms: float
    length_ns: int
    sums_ns: dict[str, int]
    pieces_count: int
    begin_ns: list[int]
    end_ns: list[int]
    code: list[int]
    pieces: list[int]


class StepTimeline(Record, frozen=True):
    """The rows of one step inside a window. ``merged_below_ns``: shorter pieces are merged, 0 if none are;
    ``left_out``: hosts that have this step, but whose timeline was too large to keep."""

    step: str
    length_ns: int
    begin_ns: int
    end_ns: int
    merged_below_ns: int
    hosts: list[str]
    hosts_cap: int
    left_out: list[str]
    codes: tuple[str, ...]
    rows: list[TimelineRow]


def timeline(arrays: Arrays, window: Window) -> StepTimeline:
    """The rows of a step inside a window, as the route ``timeline`` returns them.

    Each host has its own clock; rows are aligned at the begin of the step. Neighboring pieces shorter than a
    pixel become one span with the code that holds most of it; sums per account are exact.

    Raises BadOptionError if the step or host does not exist.
    """
    steps = _steps_of(arrays, window.step)
    names = [str(arrays["timeline/hosts"][host]) for host in steps]
    if window.host is not None and window.host not in names:
        raise BadOptionError(f"Step {window.step} was not recorded on host '{window.host}'.")
    longest = max(end - begin for begin, end in steps.values())
    chosen = [h for h, name in zip(steps, names, strict=True) if window.host in (None, name)][:HOSTS_CAP]
    begin = min(window.begin_ns, longest)
    end = longest if window.end_ns is None else min(window.end_ns, longest)
    rows = [row for host in chosen for row in _rows(arrays, host, *steps[host], begin, end)]
    pixel, spans = _fit(rows, max(1, end - begin), window)
    return StepTimeline(
        step=window.step,
        length_ns=longest,
        begin_ns=begin,
        end_ns=end,
        merged_below_ns=pixel,
        hosts=names,
        hosts_cap=HOSTS_CAP,
        left_out=[name for h, name in zip(steps, names, strict=True) if arrays["timeline/left_out"][h]],
        codes=CODES,
        rows=[_shown(row, names[list(steps).index(row.host)], s) for row, s in zip(rows, spans, strict=True)],
    )


def _steps_of(arrays: Arrays, name: str) -> dict[int, tuple[int, int]]:
    """Index of a host → begin and end of the step there."""
    shared, nth = arrays["timeline/step_shared"], arrays["timeline/step_nth"]
    if not len(shared):
        raise BadOptionError("The profile does not tell where a step begins and ends.")
    match = _STEP_ID.fullmatch(name)
    at = np.empty(0, np.int64)
    if match:
        at = np.flatnonzero((shared == int(match[1])) & (nth == int(match[2] or 1) - 1))
    if not len(at):
        raise BadOptionError(f"There is no step {name!r:.40}; there are {shared.min()} to {shared.max()}.")
    hosts, begin, end = (arrays[f"timeline/step_{what}"][at] for what in ("host", "begin_ns", "end_ns"))
    return {h: (b, e) for h, b, e in zip(hosts.tolist(), begin.tolist(), end.tolist(), strict=True)}


def _rows(arrays: Arrays, host: int, step_begin: int, step_end: int, begin: int, end: int) -> list[_Row]:
    found = []
    low, high = min(step_begin + begin, step_end), min(step_begin + end, step_end)
    for index in np.flatnonzero(arrays["timeline/row_host"] == host).tolist():
        first, last = arrays["timeline/row_first"][index : index + 2].tolist()
        begins, ends = arrays["timeline/begin_ns"][first:last], arrays["timeline/end_ns"][first:last]
        part = slice(np.searchsorted(ends, low, "right"), np.searchsorted(begins, high, "left"))
        found.append(
            _Row(
                host,
                str(arrays["timeline/row_name"][index]),
                bool(arrays["timeline/row_gpu"][index]),
                step_begin,
                step_end - step_begin,
                np.maximum(begins[part], low) - step_begin,
                np.minimum(ends[part], high) - step_begin,
                arrays["timeline/code"][first:last][part].astype(np.int64),
            )
        )
    return found


class Spans(Record, frozen=True):
    """The drawn spans of a row; ``pieces``: the number of pieces in each span."""

    begin_ns: Ints
    end_ns: Ints
    code: Ints
    pieces: Ints


def _fit(rows: Sequence[_Row], length_ns: int, window: Window) -> tuple[int, list[Spans]]:
    """Merges pieces just enough to meet the limit. Returns the width of a pixel in ns (0: no merging) and the
    spans of each row."""
    if sum(len(row.code) for row in rows) <= window.spans:
        return 0, [Spans(r.begin_ns, r.end_ns, r.code, np.ones(len(r.code), np.int64)) for r in rows]
    pixels = window.width
    while True:
        pixel = -(-length_ns // pixels)
        spans = [merged(r.begin_ns, r.end_ns, r.code, pixel) for r in rows]
        count = sum(len(s.code) for s in spans)
        if count <= window.spans or pixels == 1:
            return pixel, spans
        pixels = max(1, min(pixels - 1, int(pixels * window.spans / count)))


def merged(begin_ns: Ints, end_ns: Ints, code: Ints, pixel_ns: int) -> Spans:
    """Merges consecutive pieces that are shorter than a pixel and begin in the same pixel.

    A merged span has the code that holds most of it. Neighboring merged spans of the same code become one.
    """
    if not len(code):
        return Spans(begin_ns, end_ns, code, code)
    length = end_ns - begin_ns
    short = length < pixel_ns
    pixel = begin_ns // pixel_ns
    fresh = np.ones(len(code), np.bool_)
    fresh[1:] = ~short[1:] | ~short[:-1] | (pixel[1:] != pixel[:-1])
    first = np.flatnonzero(fresh)
    group = np.cumsum(fresh) - 1
    kinds = len(CODES) + 1
    sums = np.bincount(group * kinds + code % kinds, weights=length, minlength=len(first) * kinds)
    most = sums.reshape(-1, kinds).argmax(axis=1)
    most[most == kinds - 1] = NOTHING
    pieces = np.diff(np.append(first, len(code)))
    alone = pieces == 1
    fresh = np.ones(len(first), np.bool_)
    fresh[1:] = alone[1:] | alone[:-1] | (most[1:] != most[:-1])
    again = np.flatnonzero(fresh)
    last = np.append(first[again][1:], len(code)) - 1
    return Spans(begin_ns[first[again]], end_ns[last], most[again], np.add.reduceat(pieces, again))


def _shown(row: _Row, host: str, spans: Spans) -> TimelineRow:
    known = row.code >= 0
    length = (row.end_ns - row.begin_ns)[known]
    sums = np.zeros(len(CODES), np.int64)
    np.add.at(sums, row.code[known], length)
    shown = spans.code >= 0
    return TimelineRow(
        host=host,
        name=row.name,
        is_gpu=row.is_gpu,
        origin_ms=row.origin_ns / 1e6,
        length_ns=row.length_ns,
        sums_ns={CODES[i]: int(sums[i]) for i in np.flatnonzero(sums).tolist()},
        pieces_count=int(known.sum()),
        begin_ns=spans.begin_ns[shown].tolist(),
        end_ns=spans.end_ns[shown].tolist(),
        code=spans.code[shown].tolist(),
        pieces=spans.pieces[shown].tolist(),
    )
