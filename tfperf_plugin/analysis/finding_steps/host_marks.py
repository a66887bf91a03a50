"""Steps that the host marks: numbered events, or else runs of TensorFlow's step function."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.analysis.step_functions import step_function_runs
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, searchsorted
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

# PyTorch's profiler ends this mark where it begins the next one.
_PROFILER_STEP = "ProfilerStep"
# Step markers around inference or evaluation are used only where nothing else marks steps.
_EVALUATION = ("test", "predict", "eval", "validation")


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
