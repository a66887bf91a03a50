"""The timeline of one step, from the arrays of a report, merged to the resolution of a screen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.analysis.collectives import KINDS
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import BadOptionError, milliseconds
from tfperf_plugin.report.panels.communication import collective_names
from tfperf_plugin.report.panels.steps import usual_step
from tfperf_plugin.report.panels.stragglers import LATE_RATIO
from tfperf_plugin.report.timeline.arrays import (
    CODES,
    Arrays,
    Pieces,
    StepLane,
    arrivals_of,
    first_work,
    kernel_texts,
    lanes_of,
    steps_of,
)
from tfperf_plugin.report.timeline.claims import Claimable, claimed

SPANS: Final = 5000
USUAL_SPANS: Final = 2000
"""Of a picture that stands in a file."""
MAX_SPANS: Final = 50_000
WIDTH: Final = 1200
MAX_WIDTH: Final = 10_000
# Hosts shown at once, unless the request names one.
HOSTS_CAP: Final = 8
# Rows of GPUs in the order of lateness; of more GPUs, five or fewer are shown.
GPUS_CAP: Final = 8
MAX_MS: Final = 1e9


class Window(Record, frozen=True):
    """The requested part of the timeline."""

    step: str  # id of a step
    host: str | None = None  # ``None``: all hosts
    begin_ns: int = 0  # from the start of the step on
    end_ns: int | None = None  # ``None``: the end of the step
    width: int = WIDTH  # in pixels
    spans: int = SPANS  # the most spans, though each row may have one
    late: bool = False  # GPUs by lateness, at most ``GPUS_CAP``
    keep: tuple[str, str] | None = None  # host and GPU that are among them in any case
    kernels: bool = False  # also the kernels of each GPU


def parse_window(given: Mapping[str, str]) -> Window:
    """Parses the arguments of a request. Raises BadOptionError."""
    if not given.get("step"):
        raise BadOptionError("The request names no step: timeline?run=RUN&step=NUMBER.")
    begin, end = _ms(given, "begin_ms"), _ms(given, "end_ms")
    if end is not None and end <= (begin or 0):
        raise BadOptionError("end_ms must be greater than begin_ms.")
    for name, only in (("order", "late"), ("lane", "kernels")):
        if given.get(name, "") not in ("", only):
            raise BadOptionError(f"{name} must be {only}, or left out.")
    host, gpu = given.get("keep_host"), given.get("keep_gpu")
    return Window(
        given["step"],
        given.get("host") or None,
        begin or 0,
        end,
        _count(given, "width", WIDTH, MAX_WIDTH),
        _count(given, "spans", SPANS, MAX_SPANS),
        late=bool(given.get("order")),
        keep=(host, gpu) if host and gpu else None,
        kernels=bool(given.get("lane")),
    )


def _ms(given: Mapping[str, str], name: str) -> int | None:
    """Parses milliseconds into ns."""
    if not given.get(name):
        return None
    ns = milliseconds(given[name], MAX_MS)
    if ns is None or ns < 0:
        raise BadOptionError(f"{name} must be a number of milliseconds from the start of the step on.")
    return ns


def _count(given: Mapping[str, str], name: str, usual: int, most: int) -> int:
    text = given.get(name)
    if not text:
        return usual
    if not text.isdecimal() or not 1 <= len(text) <= 6 or not 1 <= int(text) <= most:
        raise BadOptionError(f"{name} must be a whole number from 1 to {most}.")
    return int(text)


class TimelineRow(Record, frozen=True):
    """A GPU, the kernels of a GPU, or a part of a host. Times are ns from the start of the step."""

    host: str
    name: str  # of the GPU, or ``step``, ``launches``, ``input``
    is_gpu: bool
    origin_ms: float  # begin of the step, on the host's timeline
    length_ns: int
    sums_ns: dict[str, int]  # by account, empty for kernels
    pieces_count: int
    begin_ns: list[int]
    end_ns: list[int]
    code: list[int]  # indices into the ``codes`` of the answer, or into its ``names`` for kernels
    pieces: list[int]  # how many pieces each span is made of
    kernels: bool = False
    behind_ns: int | None = None  # see ``Straggler``: here, of this step alone
    #: Of kernels: indices into ``names`` of who launched them; −1 if not recorded, or for several kernels.
    thread: tuple[int, ...] = ()
    launched_ns: tuple[int, ...] = ()  # when that was


class ClaimedTime(Record, frozen=True):
    """Time of a row that a finding claims. Of an account of which it claims only a part, this is the longest
    of what lies in its kernels or places, up to its share. No time has two owners."""

    finding: str
    row: int
    begin_ns: int
    end_ns: int


class Arrow(Record, frozen=True):
    """From the first launch of a step for a GPU to the first kernel on it."""

    from_row: int  # the launches of the host
    at_ns: int  # negative if the host had launched before the step began
    to_row: int
    kernel_ns: int


class Wait(Record, frozen=True):
    """A GPU waits in a collective until the last GPU arrives."""

    row: int
    begin_ns: int
    end_ns: int
    call: str  # "AllReduce"
    host: str  # of the GPU that arrives last
    device: str
    arrives_ns: int  # when that is, from the start of the step on that host


class Others(Record, frozen=True):
    """GPUs without a row, and how late the first and the last of them are."""

    count: int
    low_ns: int
    high_ns: int


class StepTimeline(Record, frozen=True):
    """The rows of one step inside a window."""

    step: str
    length_ns: int
    begin_ns: int
    end_ns: int
    merged_below_ns: int  # shorter pieces are merged; 0 if none are
    hosts: list[str]
    hosts_cap: int
    left_out: list[str]  # hosts that have this step, but whose timeline was too large to keep
    codes: tuple[str, ...]
    rows: list[TimelineRow]
    names: list[str]  # of kernels, and of threads that launched them
    claims: list[ClaimedTime]  # of these rows inside the window, in the order of findings
    arrows: list[Arrow]  # also those outside
    others: Others | None  # GPUs that the order by lateness leaves out
    waits: list[Wait]  # of these rows inside the window, those of at least a pixel


class _Row(NamedTuple):
    """A row to show, and its pieces inside the window."""

    lane: StepLane
    kernels: bool
    pieces: Pieces


def timeline(arrays: Arrays, window: Window, report: Report | None = None) -> StepTimeline:
    """The rows of a step inside a window, as the route ``timeline`` returns them.

    Each host has its own clock; rows are aligned at the start of the step. Neighboring pieces shorter than a
    pixel become one span with the code that holds most of it; sums per account are exact. Without the
    ``report``, there are no claims.

    Raises BadOptionError if the step or host does not exist.
    """
    steps = steps_of(arrays, window.step)
    hosts = [step.host for step in steps.values()]
    if window.host is not None and window.host not in hosts:
        raise BadOptionError(f"Step {window.step} was not recorded on host '{window.host}'.")
    longest = max(step.end_ns - step.begin_ns for step in steps.values())
    begin = min(window.begin_ns, longest)
    end = longest if window.end_ns is None else min(window.end_ns, longest)
    lanes = lanes_of(arrays, steps)
    late = _behind(arrays, lanes)
    chosen, others = _chosen(lanes, window, hosts, late, longest)
    rows = []
    for lane in chosen:
        rows.append(_Row(lane, False, lane.pieces(arrays, begin, end)))
        if window.kernels and lane.is_gpu:
            kernels = lane.pieces(arrays, begin, end, kernels=True)
            rows += [_Row(lane, True, kernels)] if len(kernels.code) else []
    pixel, spans = _fit([row.pieces for row in rows], max(1, end - begin), window)
    used = [codes for row in rows if row.kernels for codes in (row.pieces.code, row.pieces.thread)]
    named = np.unique(np.concatenate([np.empty(0, np.int64), *used]))
    named, texts = named[named >= 0], kernel_texts(arrays)
    # What a finding owns of a step does not depend on the window.
    claimable = [
        Claimable(row.lane, *(row.lane.pieces(arrays, 0, longest, kernels) for kernels in (False, True)))
        if row.lane.is_gpu and not row.kernels
        else None
        for row in rows
    ]
    return StepTimeline(
        step=window.step,
        length_ns=longest,
        begin_ns=begin,
        end_ns=end,
        merged_below_ns=pixel,
        hosts=hosts,
        hosts_cap=HOSTS_CAP,
        left_out=[step.host for step in steps.values() if step.left_out],
        codes=CODES,
        rows=[_shown(row, s, named, late) for row, s in zip(rows, spans, strict=True)],
        names=[texts[code] for code in named.tolist()],
        claims=[
            ClaimedTime(finding, i, max(first, begin), min(last, end))
            for finding, i, first, last in claimed(report, claimable, texts, pixel)
            if first < end and last > begin
        ],
        arrows=_arrows(arrays, rows),
        others=others,
        waits=list(_waits(arrays, rows, {lane.index: lane for lane in lanes}, begin, end, window.width)),
    )


def usual_timeline(report: Report, arrays: Arrays) -> StepTimeline | None:
    """The usual step with its latest GPUs first; ``None`` if the arrays do not hold it."""
    usual = usual_step(report.steps)
    with contextlib.suppress(BadOptionError):
        return timeline(arrays, Window(usual.id, late=True, spans=USUAL_SPANS), report) if usual else None
    return None


def _behind(arrays: Arrays, lanes: Sequence[StepLane]) -> dict[int, int]:
    """How late each GPU is in this step, by the index of its row; see ``Straggler``."""
    gpus = [lane for lane in lanes if lane.is_gpu]
    first = {lane.index: first_work(arrays, lane)[1] for lane in gpus}
    begins: dict[str, int] = {}
    for lane in gpus:
        if first[lane.index] >= 0:
            begins[lane.step.host] = min(first[lane.index], begins.get(lane.step.host, first[lane.index]))
    late = {}
    for lane in gpus:
        calls, own = arrivals_of(arrays, lane), first[lane.index]
        begin = own - begins[lane.step.host] if own >= 0 else 0
        late[lane.index] = max(begin, int((calls.begin_ns - calls.first_ns).max(initial=0)))
    return late


def _waits(
    arrays: Arrays, rows: Sequence[_Row], lanes: Mapping[int, StepLane], begin: int, end: int, width: int
) -> Iterator[Wait]:
    for i, (lane, kernels, _) in enumerate(rows):
        if not lane.is_gpu or kernels:
            continue
        calls, origin = arrivals_of(arrays, lane), lane.step.begin_ns
        from_ns = np.maximum(calls.begin_ns - origin, begin)
        to_ns = np.minimum(calls.ready_ns - origin, end)
        for k in np.flatnonzero(
            (calls.last >= 0) & (to_ns - from_ns >= max(1, (end - begin) // width))
        ).tolist():
            if last := lanes.get(int(calls.last[k])):
                name = collective_names([KINDS[int(calls.kind[k])]])
                arrives = int(calls.last_ns[k]) - last.step.begin_ns
                yield Wait(i, int(from_ns[k]), int(to_ns[k]), name, last.step.host, last.name, arrives)


def _chosen(
    lanes: Sequence[StepLane], window: Window, hosts: Sequence[str], late: Mapping[int, int], step_ns: int
) -> tuple[list[StepLane], Others | None]:
    """The rows to show, from the top, and the GPUs among the others. GPUs that are late come first."""
    hosts = [host for host in hosts if window.host in (None, host)]
    if not window.late:
        return [lane for lane in lanes if lane.step.host in hosts[:HOSTS_CAP]], None

    def order(lane: StepLane) -> int:
        return -late[lane.index] if late[lane.index] >= LATE_RATIO * step_ns else 0

    lanes = [lane for lane in lanes if lane.step.host in hosts]
    gpus = sorted((lane for lane in lanes if lane.is_gpu), key=order)
    shown = gpus
    if len(gpus) > GPUS_CAP:
        few = (0, 1, len(gpus) // 2, len(gpus) - 1)
        shown = [g for i, g in enumerate(gpus) if i in few or (g.step.host, g.name) == window.keep]
    hidden = [late[lane.index] for lane in gpus if lane not in shown]
    # The work of the hosts that the first GPU and the locked one belong to, above all GPUs.
    first = [lane.step.host for lane in (gpus or lanes)[:1]]
    about = dict.fromkeys(first + ([window.keep[0]] if window.keep else []))
    work = [lane for host in about for lane in lanes if not lane.is_gpu and lane.step.host == host]
    return [*work, *shown], Others(len(hidden), min(hidden), max(hidden)) if hidden else None


def _arrows(arrays: Arrays, rows: Sequence[_Row]) -> list[Arrow]:
    """From launches to the first kernels of the GPUs among the rows."""
    launches = {
        row.lane.step.host: i
        for i, row in enumerate(rows)
        if not row.lane.is_gpu and row.lane.name == "launches"
    }
    found = []
    for to, (lane, kernels, _) in enumerate(rows):
        if not lane.is_gpu or kernels or lane.step.host not in launches:
            continue
        launch, kernel = first_work(arrays, lane)
        if launch >= 0 and kernel >= 0:
            origin = lane.step.begin_ns
            found.append(Arrow(launches[lane.step.host], launch - origin, to, kernel - origin))
    return found


class Spans(Record, frozen=True):
    """The drawn spans of a row."""

    begin_ns: Ints
    end_ns: Ints
    code: Ints
    pieces: Ints  # how many pieces each is made of
    first: Ints  # the first of them


def _fit(rows: Sequence[Pieces], length_ns: int, window: Window) -> tuple[int, list[Spans]]:
    """Merges pieces just enough to meet the limit. Returns the width of a pixel in ns (0: no merging) and the
    spans of each row."""
    if sum(len(row.code) for row in rows) <= window.spans:
        every = [np.arange(len(row.code)) for row in rows]
        return 0, [
            Spans(row.begin_ns, row.end_ns, row.code, np.ones_like(at), at)
            for row, at in zip(rows, every, strict=True)
        ]
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
        return Spans(begin_ns, end_ns, code, code, code)
    length = end_ns - begin_ns
    short = length < pixel_ns
    pixel = begin_ns // pixel_ns
    fresh = np.ones(len(code), np.bool_)
    fresh[1:] = ~short[1:] | ~short[:-1] | (pixel[1:] != pixel[:-1])
    first = np.flatnonzero(fresh)
    group = np.cumsum(fresh) - 1
    # The time of each code in each group, and of each group the code with the most; the first of several.
    each = Groups(group, code)
    of_group, kind = each.keys.T
    most = kind[Groups(of_group).at_max(each.sum(length))]
    pieces = np.diff(np.append(first, len(code)))
    alone = pieces == 1
    fresh = np.ones(len(first), np.bool_)
    ends = end_ns[np.append(first[1:], len(code)) - 1]
    # Kernels may lie far apart; other pieces never do.
    apart = begin_ns[first[1:]] - ends[:-1] >= pixel_ns
    fresh[1:] = alone[1:] | alone[:-1] | (most[1:] != most[:-1]) | apart
    again = np.flatnonzero(fresh)
    last = np.append(first[again][1:], len(code)) - 1
    return Spans(
        begin_ns[first[again]], end_ns[last], most[again], np.add.reduceat(pieces, again), first[again]
    )


def _shown(row: _Row, spans: Spans, named: Ints, late: Mapping[int, int]) -> TimelineRow:
    """``named``: the codes of the names in the answer."""
    lane, pieces, step = row.lane, row.pieces, row.lane.step
    known = pieces.code >= 0
    sums = np.zeros(len(CODES), np.int64)
    if not row.kernels:
        np.add.at(sums, pieces.code[known], (pieces.end_ns - pieces.begin_ns)[known])
    shown = spans.code >= 0
    code = spans.code[shown]
    thread = launched_ns = np.empty(0, np.int64)
    if row.kernels:
        first = spans.first[shown]
        thread = np.where(spans.pieces[shown] == 1, pieces.thread[first], -1)
        launched_ns = np.where(thread < 0, -1, pieces.launched_ns[first])
    return TimelineRow(
        host=step.host,
        name=lane.name,
        is_gpu=lane.is_gpu,
        origin_ms=step.begin_ns / 1e6,
        length_ns=step.end_ns - step.begin_ns,
        sums_ns={CODES[i]: int(sums[i]) for i in np.flatnonzero(sums).tolist()},
        pieces_count=int(known.sum()),
        begin_ns=spans.begin_ns[shown].tolist(),
        end_ns=spans.end_ns[shown].tolist(),
        code=(np.searchsorted(named, code) if row.kernels else code).tolist(),
        pieces=spans.pieces[shown].tolist(),
        kernels=row.kernels,
        behind_ns=late.get(lane.index),
        thread=tuple(np.where(thread < 0, -1, np.searchsorted(named, thread)).tolist()),
        launched_ns=tuple(launched_ns.tolist()),
    )
