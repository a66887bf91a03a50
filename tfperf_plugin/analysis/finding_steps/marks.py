"""The steps as any source of steps describes them, and those that are marked: by numbered events of the host,
else by runs of TensorFlow's step function, or by the stored steps line of GPUs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.launches import launching_ops
from tfperf_plugin.analysis.step_functions import step_function_runs
from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.arrays.columns import EARLIEST, Groups, unique
from tfperf_plugin.arrays.intervals import EMPTY, Bools, Intervals, Ints, searchsorted
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, HostEvents
from tfperf_plugin.trace.roles import HostRole

# Share of a device's kernel time whose names must recur with one period before the period counts.
PERIOD_RATIO = 0.8
PERIOD_STEPS_COUNT = 3
# A compiled function or XLA module marks the steps only if it takes this share of the kernel time.
DOMINANT_RATIO = 0.5
# PyTorch's profiler ends this mark where it begins the next one.
_PROFILER_STEP = "ProfilerStep"
# Step markers around inference or evaluation are used only where nothing else marks steps.
_EVALUATION = ("test", "predict", "eval", "validation")


class Marks(Record, frozen=True):
    """The steps as their source describes them."""

    source: StepSource
    number: Ints
    begin_ns: Ints
    end_ns: Ints
    name: str = ""  #: Name of the events that mark steps, "" if the GPUs show them.
    thread: int = -1  #: Code of the thread that marks steps, −1 if the host does not.
    #: TensorFlow's ids of steps, sorted, and the index of the step of each.
    step_ids: tuple[Ints, Ints] = (EMPTY.begin_ns, EMPTY.begin_ns)
    other: Intervals = EMPTY  #: Time in which the host ran other marked work or other functions.
    body: Intervals = EMPTY  #: Time in which the host is inside the step's function outside of the marks.
    #: For each GPU the start of each step, if that differs from the host's; empty if it does not.
    runs: tuple[Ints, ...] = ()
    earlier_ns: int = EARLIEST  #: Moment until which GPUs ran work that was launched before the recording.
    #: Whether each mark ends when its step does, so that the last step's end is known.
    ends_known: bool = False

    @property
    def by_host(self) -> bool:
        """Whether the host marks the steps; otherwise its clock does not show them."""
        return self.thread >= 0


def from_markers(events: HostEvents) -> Marks | None:
    """Host events with a step number: Keras' ``train`` and ``Profiled batch``, a user's Trace, JAX."""
    rows = np.flatnonzero(events.step_num >= 0)
    if not len(rows):
        return None
    is_main = _main_group(events, rows)
    others = np.concatenate([rows[~is_main], _calls_of(events, step_function_runs(events))])
    rows = rows[is_main]
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    # A marker inside a marker of the same name (nested Trace blocks) is no step of its own.
    reach = np.maximum.accumulate(events.end_ns[rows])
    rows = rows[np.concatenate([[True], events.start_ns[rows][1:] >= reach[:-1]])]
    begin, end, name = events.start_ns[rows], events.end_ns[rows], events.names[events.name[rows[0]]]
    # The only one is no step if the profiler's step() was called at its end, so that it begins there.
    before = events.start_ns[launching_ops(events)] < begin[0]
    if name == _PROFILER_STEP and len(rows) == 1 and before.sum() > (~before).sum():
        return None
    return Marks(
        "markers", events.step_num[rows].astype(np.int64), begin, end,
        name, int(events.thread[rows[0]]), _ids_inside(events, begin),
        _other_work(events, others, begin), ends_known=name == _PROFILER_STEP,
    )  # fmt: skip


def _main_group(events: HostEvents, rows: Ints) -> Bools:
    """Whether each marker has the name that marks steps: the name whose markers cover most time.

    Names that recur come first, because a marker around an epoch is no step. Evaluation counts only if there
    is nothing else.
    """
    codes = events.name[rows]
    names = unique(codes).tolist()
    candidates = [n for n in names if not events.names[n].lower().startswith(_EVALUATION)] or names
    duration = events.end_ns[rows] - events.start_ns[rows]

    def weight(name: int) -> tuple[bool, int]:
        mine = codes == name
        return int(mine.sum()) >= PERIOD_STEPS_COUNT, int(duration[mine].sum())

    return np.asarray(codes == max(candidates, key=weight))


def _ids_inside(events: HostEvents, begin_ns: Ints) -> tuple[Ints, Ints]:
    """TensorFlow's ids of the FunctionRuns that begin inside each step."""
    runs = step_function_runs(events)
    index = searchsorted(begin_ns, events.start_ns[runs], "right") - 1
    inside = index >= 0
    ids, first = np.unique(events.step_id[runs][inside], return_index=True)
    return ids, index[inside][first]


def from_function_runs(events: HostEvents) -> Marks | None:
    """One step per TensorFlow step id: the component functions of one step share the id."""
    rows = step_function_runs(events)
    if not len(rows):
        return None
    caller = events.enclosing(rows, events.function_call)
    names = np.where(caller >= 0, events.name[np.maximum(caller, 0)], -1).astype(np.int32)
    others = np.empty(0, np.int64)
    if len(unique(names)) > 1:
        covered = events.end_ns - events.start_ns
        weight = {n: int(covered[np.maximum(caller[names == n], 0)].sum()) for n in unique(names).tolist()}
        keep = names == max(weight, key=lambda n: (n >= 0, weight[n]))
        others = _calls_of(events, rows[~keep])
        rows, caller = rows[keep], caller[keep]
    steps, span = Groups(events.step_id[rows]), np.where(caller >= 0, caller, rows)
    begin, end = steps.min(events.start_ns[span]), steps.max(events.end_ns[span])
    ids = steps.keys[:, 0]
    executor = np.flatnonzero(events.role == HostRole.EXECUTOR)
    at = np.minimum(searchsorted(ids, events.step_id[executor]), len(ids) - 1)
    known = ids[at] == events.step_id[executor]
    np.maximum.at(end, at[known], events.end_ns[executor][known])
    order = np.argsort(begin, kind="stable")
    rank = np.empty(len(ids), np.int64)
    rank[order] = np.arange(len(ids))
    name = events.names[events.name[span[0]]]
    return Marks(
        "function_runs", np.arange(len(ids), dtype=np.int64), begin[order], end[order],
        name, int(events.thread[rows[steps.first[0]]]), (ids, rank),
        _other_work(events, others, begin[order]),
    )  # fmt: skip


def _other_work(events: HostEvents, rows: Ints, begin_ns: Ints) -> Intervals:
    """The time of the rows in which no step begins: an event that encloses steps is no other work."""
    begin, end = events.start_ns[rows], events.end_ns[rows]
    return events.spans(rows[searchsorted(begin_ns, begin) == searchsorted(begin_ns, end)])


def _calls_of(events: HostEvents, runs: Ints) -> Ints:
    """The call around each FunctionRun, or the run itself where no call encloses it."""
    caller = events.enclosing(runs, events.function_call)
    return np.where(caller >= 0, caller, runs)


def from_steps_line(devices: Sequence[DeviceTrace]) -> Marks | None:
    """The stored line "Steps" of the GPUs; steps of several GPUs with one name are one step."""
    spans: dict[str, tuple[int, int]] = {}
    for device in devices:
        for begin, end, name in device.step_line:
            old = spans.get(name, (begin, end))
            spans[name] = (min(begin, old[0]), max(end, old[1]))
    if not spans:
        return None
    items = sorted(spans.items(), key=lambda item: item[1])
    numbers = [int(name) if name.isdecimal() and len(name) < 18 else i for i, (name, _) in enumerate(items)]
    begins, ends = (np.array([span[k] for _, span in items], np.int64) for k in (0, 1))
    return Marks("steps_line", np.array(numbers, np.int64), begins, ends)
