"""The rows of a timeline as flat arrays, which are stored without pickle, and the parts of a step in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tfperf_plugin.analysis.artifacts.timeline_rows import HOST_WORK, NOTHING, Arrivals, Lanes
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.arrays.intervals import EMPTY, Ints
from tfperf_plugin.judging.engine.inputs import NO_STEPS
from tfperf_plugin.records import Record
from tfperf_plugin.report.options import BadOptionError

Arrays = Mapping[str, npt.NDArray[Any]]
"""The arrays of a report by name, such as ``timeline/begin_ns``."""
CODES: Final = (*ACCOUNTS, *HOST_WORK)
"""What the codes of pieces stand for."""
_STEP_ID: Final = re.compile(r"(-?[0-9]{1,18})(?:~([0-9]{1,6}))?")


def timeline_arrays(lanes: Lanes) -> dict[str, npt.NDArray[Any]]:
    """``lanes`` as flat arrays."""
    rows, steps = lanes.lanes, lanes.steps
    works = [r.work for r in rows if r.work]
    texts: dict[str, int] = {}
    for work in works:
        for name in (*work.names, *work.threads):
            texts.setdefault(name.replace("\0", " "), len(texts))
    codes = [r.code if r.is_gpu else np.where(r.code < 0, NOTHING, r.code + len(ACCOUNTS)) for r in rows]
    arrays = {
        # The pieces of all rows, with indices into ``CODES`` or ``NOTHING``.
        "begin_ns": _joined([r.begin_ns for r in rows], np.int64),
        "end_ns": _joined([r.end_ns for r in rows], np.int64),
        "code": _joined(codes, np.int16),
        # A value a row. Row ``i`` has the pieces from ``row_first[i]`` up to ``row_first[i + 1]``.
        "row_first": np.cumsum([0, *(len(r.code) for r in rows)]),
        "row_host": np.array([r.host for r in rows], np.int64),
        "row_name": np.array([r.name for r in rows], np.str_),
        "row_gpu": np.array([r.is_gpu for r in rows], np.bool_),
        # Of each GPU's row (in this order) the steps of its host.
        "first_launch_ns": _joined([w.launch_ns for w in works], np.int64),
        "first_kernel_ns": _joined([w.kernel_ns for w in works], np.int64),
        # The kernels of all GPUs; row ``i`` has those from ``kernel_first[i]`` on. Name and thread, which
        # launched it, are indices into ``kernel_names``; −1 if not recorded.
        "kernel_begin_ns": _joined([w.begin_ns for w in works], np.int64),
        "kernel_end_ns": _joined([w.end_ns for w in works], np.int64),
        "kernel_name": _joined([_texts(texts, w.names)[w.name] for w in works], np.int32),
        "kernel_thread": _joined([_texts(texts, w.threads)[w.thread] for w in works], np.int32),
        "kernel_launched_ns": _joined([w.launched_ns for w in works], np.int64),
        "kernel_first": np.cumsum([0, *(len(r.work.name) if r.work else 0 for r in rows)]),
        # Texts as UTF-8, with a zero byte after each.
        "kernel_names": np.frombuffer(
            "".join(f"{one}\0" for one in texts).encode("utf-8", "replace"), np.uint8
        ),
        # See ``Arrivals``.
        **{f"call_{name}": getattr(lanes.arrivals, name) for name in Arrivals.__struct_fields__},
        # Names, to which other arrays refer by index, and whether the host has no rows.
        "hosts": np.array([s.host for s in steps], np.str_),
        "left_out": np.array([s.host in lanes.left_out for s in steps], np.bool_),
        # A value a step of each host, in time order.
        "step_host": np.repeat(np.arange(len(steps)), [len(s) for s in steps]),
        "step_shared": _joined(lanes.shared, np.int64),
        "step_nth": _joined(lanes.nth, np.int64),
        "step_begin_ns": _joined([s.begin_ns for s in steps], np.int64),
        "step_end_ns": _joined([s.end_ns for s in steps], np.int64),
    }
    return {f"timeline/{name}": array for name, array in arrays.items()}


def _texts(known: Mapping[str, int], names: Sequence[str]) -> Ints:
    """The number of each of these texts, and at the end, so that the code −1 stands for it, −1."""
    return np.array([*(known[name.replace("\0", " ")] for name in names), -1], np.int64)


def _joined(parts: Sequence[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)


def step_id(number: int, nth: int) -> str:
    """The id of a step: its number, and for repeated numbers ``~2``, ``~3`` and so on."""
    return f"{number}~{nth + 1}" if nth else str(number)


class TimelineStep(Record, frozen=True):
    """A step on one host."""

    host: str
    nth: int  # of the steps of the host
    begin_ns: int
    end_ns: int
    left_out: bool  # the host has no rows


def steps_of(arrays: Arrays, id: str) -> dict[int, TimelineStep]:
    """The step on each host that recorded it, by the host's index. Raises BadOptionError if there is none."""
    columns = ("host", "begin_ns", "end_ns", "shared", "nth")
    hosts, begin_ns, end_ns, shared, nth = (arrays[f"timeline/step_{column}"] for column in columns)
    if not len(shared):
        raise BadOptionError(NO_STEPS)
    match = _STEP_ID.fullmatch(id)
    number, repeat = (int(match[1]), int(match[2] or 1) - 1) if match else (0, -1)
    at = np.flatnonzero((shared == number) & (nth == repeat)).tolist()
    if not at:
        raise BadOptionError(f"There is no step {id!r:.40}; there are {shared.min()} to {shared.max()}.")
    names, left_out = arrays["timeline/hosts"], arrays["timeline/left_out"]
    found = {}
    for i in at:
        host = int(hosts[i])
        before = int(np.searchsorted(hosts, host))
        times = int(begin_ns[i]), int(end_ns[i])
        found[host] = TimelineStep(str(names[host]), i - before, *times, bool(left_out[host]))
    return found


class Pieces(NamedTuple):
    """Pieces of a row, or the kernels of a GPU; times count from the start of the host's step."""

    begin_ns: Ints
    end_ns: Ints
    code: Ints  # index into ``CODES``; of kernels: into ``kernel_texts``
    thread: Ints = (
        EMPTY.begin_ns
    )  # of kernels: the thread that launched each, as ``code``; −1 if not recorded
    launched_ns: Ints = EMPTY.begin_ns  # of kernels


class StepLane(Record, frozen=True):
    """A row in one step."""

    index: int  # in the arrays
    name: str  # of the GPU, or ``step``, ``launches``, ``input``
    is_gpu: bool
    step: TimelineStep

    def pieces(self, arrays: Arrays, begin_ns: int, end_ns: int, kernels: bool = False) -> Pieces:
        """The row's pieces or ``kernels`` between these times after the start of the step, cut there."""
        origin = self.step.begin_ns
        low, high = min(origin + begin_ns, self.step.end_ns), min(origin + end_ns, self.step.end_ns)
        of = "kernel" if kernels else "row"
        first, last = arrays[f"timeline/{of}_first"][self.index : self.index + 2].tolist()
        columns = (
            ("kernel_begin_ns", "kernel_end_ns", "kernel_name") if kernels else ("begin_ns", "end_ns", "code")
        )
        begins, ends, code = (arrays[f"timeline/{column}"][first:last] for column in columns)
        # An empty window, as of a step without length, lies inside a piece but shows nothing of it.
        part = slice(np.searchsorted(ends, low, "right"), np.searchsorted(begins, high) if low < high else 0)
        found = Pieces(
            np.maximum(begins[part], low) - origin,
            np.minimum(ends[part], high) - origin,
            code[part].astype(np.int64),
        )
        if not kernels:
            return found
        thread, launched_ns = (
            arrays[f"timeline/kernel_{name}"][first:last][part].astype(np.int64)
            for name in ("thread", "launched_ns")
        )
        return found._replace(thread=thread, launched_ns=launched_ns - origin)


def lanes_of(arrays: Arrays, steps: Mapping[int, TimelineStep]) -> list[StepLane]:
    """The rows of these hosts."""
    columns = (arrays[f"timeline/row_{column}"].tolist() for column in ("host", "name", "gpu"))
    rows = enumerate(zip(*columns, strict=True))
    return [StepLane(i, name, is_gpu, steps[host]) for i, (host, name, is_gpu) in rows if host in steps]


def first_work(arrays: Arrays, gpu: StepLane) -> tuple[int, int]:
    """When the host first launched for a GPU in the step, and when its first kernel began; −1 if unknown."""
    is_gpu = arrays["timeline/row_gpu"][: gpu.index]
    # Each GPU has a value for each step of its host.
    counts = np.bincount(arrays["timeline/step_host"], minlength=len(arrays["timeline/hosts"]))
    at = int(counts[arrays["timeline/row_host"][: gpu.index][is_gpu]].sum()) + gpu.step.nth
    launch, kernel = (int(arrays[f"timeline/first_{what}_ns"][at]) for what in ("launch", "kernel"))
    return launch, kernel


def arrivals_of(arrays: Arrays, gpu: StepLane) -> Arrivals:
    """The calls of a GPU that begin in the step."""
    found = Arrivals(*(arrays[f"timeline/call_{name}"] for name in Arrivals.__struct_fields__))
    step = (found.begin_ns >= gpu.step.begin_ns) & (found.begin_ns < gpu.step.end_ns)
    at = np.flatnonzero((found.lane == gpu.index) & step)
    return Arrivals(*(getattr(found, name)[at] for name in Arrivals.__struct_fields__))


def kernel_texts(arrays: Arrays) -> list[str]:
    """Names of kernels and threads."""
    return bytes(arrays["timeline/kernel_names"]).decode("utf-8", "replace").split("\0")
