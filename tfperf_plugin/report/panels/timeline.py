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
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import BadOptionError
from tfperf_plugin.report.panels.claims import Claimable, claimed

Arrays = Mapping[str, npt.NDArray[Any]]
"""The arrays of a report by name, such as ``timeline/begin_ns``. Stored without pickle, so no objects."""

SPANS: Final = 5000
MAX_SPANS: Final = 50_000
WIDTH: Final = 1200
MAX_WIDTH: Final = 10_000
# Hosts shown at once, unless the request names one.
HOSTS_CAP: Final = 8
# Rows of GPUs in the order of lateness; of more GPUs, five or fewer are shown.
GPUS_CAP: Final = 8
MAX_MS: Final = 1e9
# What the codes of pieces stand for: accounts, then kinds of host work.
CODES: Final = (*ACCOUNTS, *HOST_WORK)
_STEP_ID = re.compile(r"(-?[0-9]{1,18})(?:~([0-9]{1,6}))?")


class Window(Record, frozen=True):
    """The requested part of the timeline.

    ``step``: id of a step; ``host``: one host, ``None`` for all; ``begin_ns``/``end_ns``: relative to the
    begin of the step, ``None`` for its end; ``width``: in pixels; ``spans``: limit for the number of spans,
    though each row may have one; ``late``: GPUs by lateness, at most ``GPUS_CAP``; ``keep``: host and GPU
    that are among them in any case; ``kernels``: also the kernels of each GPU.
    """

    step: str
    host: str | None = None
    begin_ns: int = 0
    end_ns: int | None = None
    width: int = WIDTH
    spans: int = SPANS
    late: bool = False
    keep: tuple[str, str] | None = None
    kernels: bool = False


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
        _one_of(given, "order", "late"),
        (given["keep_host"], given["keep_gpu"]) if given.get("keep_host") and given.get("keep_gpu") else None,
        _one_of(given, "lane", "kernels"),
    )


def _one_of(given: Mapping[str, str], name: str, only: str) -> bool:
    """Whether the argument has its only value."""
    if given.get(name, "") not in ("", only):
        raise BadOptionError(f"{name} must be {only}, or left out.")
    return bool(given.get(name))


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
    ``timeline/row_host``, ``row_name``, ``row_gpu``: one value a row. ``timeline/first_launch_ns``,
    ``first_kernel_ns``: of each GPU's row (in this order) the steps of its host. ``timeline/kernel_*``: the
    kernels of all GPUs; row ``i`` has those from ``kernel_first[i]`` on; ``name``: index into the texts that
    ``kernel_names`` holds as UTF-8 with a zero byte after each; ``thread``: into the same texts, the thread
    that launched it at ``launched_ns``, −1 if not recorded. ``timeline/step_*``: one value a step
    of each host, in time order. ``timeline/hosts``: names, to which other arrays refer by index;
    ``left_out``: whether the host has no rows.
    """
    rows, steps = lanes.lanes, lanes.steps
    works = [r.work for r in rows if r.work]
    known: dict[str, int] = {}
    for work in works:
        for name in (*work.names, *work.threads):
            known.setdefault(name.replace("\0", " "), len(known))
    named = [_texts(known, w.names)[w.name] for w in works]
    threads = [_texts(known, w.threads)[w.thread] for w in works]
    codes = [r.code if r.is_gpu else np.where(r.code < 0, NOTHING, r.code + len(ACCOUNTS)) for r in rows]
    return {
        "timeline/begin_ns": _joined([r.begin_ns for r in rows], np.int64),
        "timeline/end_ns": _joined([r.end_ns for r in rows], np.int64),
        "timeline/code": _joined(codes, np.int16),
        "timeline/row_first": np.cumsum([0, *(len(r.code) for r in rows)]),
        "timeline/row_host": np.array([r.host for r in rows], np.int64),
        "timeline/row_name": np.array([r.name for r in rows], np.str_),
        "timeline/row_gpu": np.array([r.is_gpu for r in rows], np.bool_),
        "timeline/first_launch_ns": _joined([w.launch_ns for w in works], np.int64),
        "timeline/first_kernel_ns": _joined([w.kernel_ns for w in works], np.int64),
        "timeline/kernel_begin_ns": _joined([w.begin_ns for w in works], np.int64),
        "timeline/kernel_end_ns": _joined([w.end_ns for w in works], np.int64),
        "timeline/kernel_name": _joined(named, np.int32),
        "timeline/kernel_thread": _joined(threads, np.int32),
        "timeline/kernel_launched_ns": _joined([w.launched_ns for w in works], np.int64),
        "timeline/kernel_first": np.cumsum([0, *(len(r.work.name) if r.work else 0 for r in rows)]),
        "timeline/kernel_names": np.frombuffer(
            "".join(f"{name}\0" for name in known).encode("utf-8", "replace"), np.uint8
        ),
        "timeline/hosts": np.array([s.host for s in steps], np.str_),
        "timeline/left_out": np.array([s.host in lanes.left_out for s in steps], np.bool_),
        "timeline/step_host": np.repeat(np.arange(len(steps)), [len(s) for s in steps]),
        "timeline/step_shared": _joined(lanes.shared, np.int64),
        "timeline/step_nth": _joined(lanes.nth, np.int64),
        "timeline/step_begin_ns": _joined([s.begin_ns for s in steps], np.int64),
        "timeline/step_end_ns": _joined([s.end_ns for s in steps], np.int64),
    }


def _texts(known: Mapping[str, int], names: Sequence[str]) -> Ints:
    """The number of each of these texts, and at the end, so that the code −1 stands for it, −1."""
    return np.array([*(known[name.replace("\0", " ")] for name in names), -1], np.int64)


def _joined(parts: Sequence[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)


class _Row(Record, frozen=True):
    """The pieces of one row inside the window; times are relative to the begin of the host's step. ``index``:
    of the row in the arrays; ``kernels``: pieces are kernels, codes are names, and ``thread`` launched each
    at ``launched_ns``, else both are empty; ``behind_ns``: how late the GPU is, ``None`` if not known."""

    index: int
    host: int
    name: str
    is_gpu: bool
    kernels: bool
    behind_ns: int | None
    origin_ns: int
    length_ns: int
    begin_ns: Ints
    end_ns: Ints
    code: Ints
    thread: Ints
    launched_ns: Ints


class TimelineRow(Record, frozen=True):
    """A GPU, the kernels of a GPU, or a part of a host. Times are ns from the begin of the step, which is at
    ``origin_ms`` on the host's timeline.

    ``name``: of the GPU, or ``step``, ``launches``, ``input``; ``sums_ns``: by account, empty for kernels;
    ``code``: indices into the ``codes`` of the answer, or into its ``names`` for kernels; ``pieces``: how
    many pieces each span is made of; ``behind_ns``: see ``Straggler``; ``thread``: of kernels, indices into
    ``names`` of who launched them, at ``launched_ns``; −1 if not recorded, or for several kernels.
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
    kernels: bool = False
    behind_ns: int | None = None
    thread: tuple[int, ...] = ()
    launched_ns: tuple[int, ...] = ()


class Claim(Record, frozen=True):
    """Time of a row that a finding claims. Of an account of which it claims only a part, this is the longest
    of what lies in its kernels or places, up to its share. No time has two owners."""

    finding: str
    row: int
    begin_ns: int
    end_ns: int


class Arrow(Record, frozen=True):
    """From the first launch of a step for a GPU to the first kernel on it. ``from_row``: the launches of the
    host; ``at_ns``: negative if the host had launched before the step began."""

    from_row: int
    at_ns: int
    to_row: int
    kernel_ns: int


class Others(Record, frozen=True):
    """GPUs without a row, and how late the first and the last of them are."""

    count: int
    low_ns: int
    high_ns: int


class StepTimeline(Record, frozen=True):
    """The rows of one step inside a window. ``merged_below_ns``: shorter pieces are merged, 0 if none are;
    ``left_out``: hosts that have this step, but whose timeline was too large to keep; ``names``: of kernels,
    and of threads that launched them;
    ``claims``: what findings claim of these rows inside the window, in the order of findings; ``arrows``:
    also those outside; ``others``: GPUs that the order by lateness leaves out."""

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
    names: list[str]
    claims: list[Claim]
    arrows: list[Arrow]
    others: Others | None


def timeline(arrays: Arrays, window: Window, report: Report | None = None) -> StepTimeline:
    """The rows of a step inside a window, as the route ``timeline`` returns them.

    Each host has its own clock; rows are aligned at the begin of the step. Neighboring pieces shorter than a
    pixel become one span with the code that holds most of it; sums per account are exact. Without the
    ``report``, there are no claims, and no GPU is late.

    Raises BadOptionError if the step or host does not exist.
    """
    steps = _steps_of(arrays, window.step)
    names = {host: str(arrays["timeline/hosts"][host]) for host in steps}
    if window.host is not None and window.host not in names.values():
        raise BadOptionError(f"Step {window.step} was not recorded on host '{window.host}'.")
    longest = max(end - begin for begin, end in steps.values())
    begin = min(window.begin_ns, longest)
    end = longest if window.end_ns is None else min(window.end_ns, longest)
    late = {(s.host, s.device): s.behind_ns for s in report.stragglers} if report else {}
    chosen, others = _chosen(arrays, window, names, late)
    rows = []
    for index in chosen:
        host = int(arrays["timeline/row_host"][index])
        behind = late.get((names[host], str(arrays["timeline/row_name"][index])))
        rows.append(_row(arrays, index, *steps[host], begin, end, behind))
        if window.kernels and rows[-1].is_gpu:
            kernels = _row(arrays, index, *steps[host], begin, end, behind, kernels=True)
            rows += [kernels] if len(kernels.code) else []
    pixel, spans = _fit(rows, max(1, end - begin), window)
    texts = [text for row in rows if row.kernels for text in (row.code, row.thread)]
    used = np.unique(np.concatenate([np.empty(0, np.int64), *texts]))
    used = used[used >= 0]
    claims = [
        Claim(finding, i, max(first, begin), min(last, end))
        for finding, i, first, last in claimed(
            report,
            [
                _claimable(arrays, r, names[r.host], longest) if r.is_gpu and not r.kernels else None
                for r in rows
            ],
            _every_kernel_name(arrays),
            pixel,
        )
        if first < end and last > begin
    ]
    return StepTimeline(
        step=window.step,
        length_ns=longest,
        begin_ns=begin,
        end_ns=end,
        merged_below_ns=pixel,
        hosts=list(names.values()),
        hosts_cap=HOSTS_CAP,
        left_out=[name for h, name in names.items() if arrays["timeline/left_out"][h]],
        codes=CODES,
        rows=[_shown(row, names[row.host], s, used) for row, s in zip(rows, spans, strict=True)],
        names=_kernel_names(arrays, used),
        claims=claims,
        arrows=_arrows(arrays, window.step, rows),
        others=others,
    )


def _claimable(arrays: Arrays, row: _Row, host: str, longest: int) -> Claimable:
    """All of the row's step, whatever the window: what a finding owns does not depend on it."""
    step = row.origin_ns, row.origin_ns + row.length_ns, 0, longest, None
    whole, work = (_row(arrays, row.index, *step, kernels=kernels) for kernels in (False, True))
    return Claimable(
        host, row.name, row.origin_ns,
        whole.begin_ns, whole.end_ns, whole.code, work.begin_ns, work.end_ns, work.code,
    )  # fmt: skip


def _every_kernel_name(arrays: Arrays) -> list[str]:
    return bytes(arrays["timeline/kernel_names"]).decode("utf-8", "replace").split("\0")


def _kernel_names(arrays: Arrays, used: Ints) -> list[str]:
    names = _every_kernel_name(arrays)
    return [names[code] for code in used.tolist()]


def _steps_of(arrays: Arrays, name: str) -> dict[int, tuple[int, int]]:
    """Index of a host → begin and end of the step there."""
    at = _step_rows(arrays, name)
    hosts, begin, end = (arrays[f"timeline/step_{what}"][at] for what in ("host", "begin_ns", "end_ns"))
    return {h: (b, e) for h, b, e in zip(hosts.tolist(), begin.tolist(), end.tolist(), strict=True)}


def _step_rows(arrays: Arrays, name: str) -> Ints:
    """Where the step of each host is among the steps of all hosts."""
    shared, nth = arrays["timeline/step_shared"], arrays["timeline/step_nth"]
    if not len(shared):
        raise BadOptionError("The profile does not tell where a step begins and ends.")
    match = _STEP_ID.fullmatch(name)
    at = np.empty(0, np.int64)
    if match:
        at = np.flatnonzero((shared == int(match[1])) & (nth == int(match[2] or 1) - 1))
    if not len(at):
        raise BadOptionError(f"There is no step {name!r:.40}; there are {shared.min()} to {shared.max()}.")
    return at


def _chosen(
    arrays: Arrays, window: Window, names: Mapping[int, str], late: Mapping[tuple[str, str], int]
) -> tuple[list[int], Others | None]:
    """The rows to show, from the top, and the GPUs among the others."""
    hosts = [h for h, name in names.items() if window.host in (None, name)]
    if not window.late:
        kept = {h: i for i, h in enumerate(hosts[:HOSTS_CAP])}
        at = [i for i, h in enumerate(arrays["timeline/row_host"].tolist()) if h in kept]
        return sorted(at, key=lambda i: kept[int(arrays["timeline/row_host"][i])]), None
    ours = set(hosts)
    rows = [
        (i, names[h], name, gpu)
        for i, (h, name, gpu) in enumerate(
            zip(*(arrays[f"timeline/row_{what}"].tolist() for what in ("host", "name", "gpu")), strict=True)
        )
        if h in ours
    ]
    gpus = sorted((r for r in rows if r[3]), key=lambda r: -late.get((r[1], r[2]), 0))
    shown = gpus
    if len(gpus) > GPUS_CAP:
        locked = [r for r in gpus if r[1:3] == window.keep]
        picked = {gpus[0], *locked, gpus[1], gpus[len(gpus) // 2], gpus[-1]}
        shown = [r for r in gpus if r in picked]
    hidden = [late.get((r[1], r[2]), 0) for r in gpus if r not in shown]
    # The work of the hosts that the first GPU and the locked one belong to, above all GPUs.
    about = dict.fromkeys([r[1] for r in (gpus or rows)[:1]] + ([window.keep[0]] if window.keep else []))
    work = [r for host in about for r in rows if not r[3] and r[1] == host]
    others = Others(len(hidden), min(hidden), max(hidden)) if hidden else None
    return [r[0] for r in (*work, *shown)], others


def _row(
    arrays: Arrays, index: int, step_begin: int, step_end: int, begin: int, end: int, behind: int | None,
    kernels: bool = False,
) -> _Row:  # fmt: skip
    low, high = min(step_begin + begin, step_end), min(step_begin + end, step_end)
    of = "kernel" if kernels else "row"
    first, last = arrays[f"timeline/{of}_first"][index : index + 2].tolist()
    begins, ends, code = (
        arrays[f"timeline/{name}"][first:last]
        for name in (
            ("kernel_begin_ns", "kernel_end_ns", "kernel_name") if kernels else ("begin_ns", "end_ns", "code")
        )
    )
    # An empty window, as of a step without length, lies inside a piece but shows nothing of it.
    part = slice(np.searchsorted(ends, low, "right"), np.searchsorted(begins, high) if low < high else 0)
    none = np.empty(0, np.int64)
    thread, launched_ns = (
        arrays[f"timeline/kernel_{name}"][first:last][part].astype(np.int64) if kernels else none
        for name in ("thread", "launched_ns")
    )
    return _Row(
        index,
        int(arrays["timeline/row_host"][index]),
        str(arrays["timeline/row_name"][index]),
        bool(arrays["timeline/row_gpu"][index]),
        kernels,
        behind,
        step_begin,
        step_end - step_begin,
        np.maximum(begins[part], low) - step_begin,
        np.minimum(ends[part], high) - step_begin,
        code[part].astype(np.int64),
        thread,
        launched_ns - step_begin,
    )


def _arrows(arrays: Arrays, step: str, rows: Sequence[_Row]) -> list[Arrow]:
    """From launches to the first kernels of the GPUs among the rows."""
    host_of, gpu = arrays["timeline/step_host"], arrays["timeline/row_gpu"]
    counts = np.bincount(host_of, minlength=len(arrays["timeline/hosts"]))
    # Each GPU has a value for each step of its host.
    offset = np.cumsum([0, *counts[arrays["timeline/row_host"][gpu]].tolist()])
    launches = {r.host: i for i, r in enumerate(rows) if not r.is_gpu and r.name == "launches"}
    begin = np.searchsorted(host_of, np.arange(len(counts)))
    nth = {int(host_of[at]): int(at - begin[host_of[at]]) for at in _step_rows(arrays, step)}
    found = []
    for to, row in enumerate(rows):
        if not row.is_gpu or row.kernels or row.host not in launches:
            continue
        at = int(offset[np.count_nonzero(gpu[: row.index])]) + nth[row.host]
        launch, kernel = (int(arrays[f"timeline/first_{what}_ns"][at]) for what in ("launch", "kernel"))
        if launch >= 0 and kernel >= 0:
            found.append(Arrow(launches[row.host], launch - row.origin_ns, to, kernel - row.origin_ns))
    return found


class Spans(Record, frozen=True):
    """The drawn spans of a row; ``pieces``: how many pieces each is made of; ``first``: the first of them."""

    begin_ns: Ints
    end_ns: Ints
    code: Ints
    pieces: Ints
    first: Ints


def _fit(rows: Sequence[_Row], length_ns: int, window: Window) -> tuple[int, list[Spans]]:
    """Merges pieces just enough to meet the limit. Returns the width of a pixel in ns (0: no merging) and the
    spans of each row."""
    if sum(len(row.code) for row in rows) <= window.spans:
        return 0, [_unmerged(row) for row in rows]
    pixels = window.width
    while True:
        pixel = -(-length_ns // pixels)
        spans = [merged(r.begin_ns, r.end_ns, r.code, pixel) for r in rows]
        count = sum(len(s.code) for s in spans)
        if count <= window.spans or pixels == 1:
            return pixel, spans
        pixels = max(1, min(pixels - 1, int(pixels * window.spans / count)))


def _unmerged(row: _Row) -> Spans:
    count = len(row.code)
    return Spans(row.begin_ns, row.end_ns, row.code, np.ones(count, np.int64), np.arange(count))


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


def _shown(row: _Row, host: str, spans: Spans, names: Ints) -> TimelineRow:
    known = row.code >= 0
    length = (row.end_ns - row.begin_ns)[known]
    sums = np.zeros(len(CODES), np.int64)
    if not row.kernels:
        np.add.at(sums, row.code[known], length)
    shown = spans.code >= 0
    code = spans.code[shown]
    thread = launched_ns = np.empty(0, np.int64)
    if row.kernels:
        first = spans.first[shown]
        thread = np.where(spans.pieces[shown] == 1, row.thread[first], -1)
        launched_ns = np.where(thread < 0, -1, row.launched_ns[first])
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
        code=(np.searchsorted(names, code) if row.kernels else code).tolist(),
        pieces=spans.pieces[shown].tolist(),
        kernels=row.kernels,
        behind_ns=row.behind_ns if row.is_gpu else None,
        thread=tuple(np.where(thread < 0, -1, np.searchsorted(names, thread)).tolist()),
        launched_ns=tuple(launched_ns.tolist()),
    )
