"""Steps, and which of them are usual: neither warm-ups nor rare long ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.evidence import PLACES_COUNT, Place, Places
from tfperf_plugin.analysis.startup import starting, tracing_or_compiling
from tfperf_plugin.arrays.columns import Numbers, median
from tfperf_plugin.arrays.intervals import EMPTY, Bools, Intervals, Ints, covered_within, merge, searchsorted
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, HostEvents, HostTrace

StepSource = Literal[
    "markers",
    "function_runs",
    "steps_line",
    "jit_calls",
    "modules",
    "period",
    "host_period",
    "recording",
    "none",
]

# A step is a warm-up step if compiling, tracing or start-up takes this share of it, unlike most later ones.
# Guide: the first steps trace and compile; they say nothing about training.
WARM_UP_RATIO = 0.05
# The first one or two steps are also warm-up if they take this many times as long as the slowest later one:
# choosing algorithms, filling buffers or starting the profiler says nothing about training. Fewer later steps
# than this must be clearer; with fewer than two it is unknown what is usual.
SLOW_BEGIN_FACTOR = 1.5
SLOW_BEGIN_LATER_COUNT = 4
SLOW_BEGIN_COUNT = 2
FEW_FACTOR = 3.0
# A step is a rare long one if it exceeds the median by ``RARE_DEVIATIONS`` standard deviations, estimated
# from the median absolute deviation, and by ``RARE_FACTOR``; by ``FEW_FACTOR`` if fewer whole steps than
# ``RARE_ENOUGH_COUNT`` were recorded. If more than ``RARE_RATIO`` of the steps are long, they are usual. So
# are long steps that no gap of ``APART_FACTOR`` separates from shorter ones.
RARE_DEVIATIONS = 3.0
MAD_TO_SIGMA = 1.4826
RARE_FACTOR = 1.5
RARE_LEAST_COUNT = 4
RARE_ENOUGH_COUNT = 8
RARE_RATIO = 0.25
# Of few steps, a single long one is told more surely where no other takes ``ALIKE_FACTOR`` of the shortest.
ALIKE_FACTOR = 1.05
ALONE_FACTOR = 1.2
APART_FACTOR = 1.15
# A step that takes this many times the median may hold the next one, too.
HOLDS_FACTOR = 1.5
# A recording that counts as one step begins late if this share of it comes before.
LATE_RATIO = 0.02
# Steps are uneven if, but for a tenth at either end, the longest takes this many times the shortest.
UNEVEN_FACTOR = 3


class HostSteps(Record, frozen=True):
    """The steps of one host, in time order; arrays are per step."""

    host: str
    source: StepSource  #: What the steps were found by.
    number: Ints  #: Number of each step.
    begin_ns: Ints  #: Begin of each step's window.
    end_ns: Ints  #: End of each step's window.
    host_begin_ns: Ints  #: Begin of the host's marker.
    host_end_ns: Ints  #: End of the host's marker.
    #: Whether the recording holds the start of the step and of the next one, and the kernels of the step.
    complete: Bools
    #: Whether the host did other work of at least a step's length between these two begins, such as an
    #: evaluation.
    interrupted: Bools
    #: Whether the step traces or compiles, or is a first step that takes far longer than any later one.
    warm_up: Bools
    rare: Bools  #: Whether the step is whole and takes far longer than most.
    body: Intervals  #: Time in which the host is inside the step's function.
    marker_name: str  #: Name of the events that mark steps.
    marker_thread: int  #: Code of the thread that marks steps, −1 if the host does not.
    device_step: tuple[Codes, ...]  #: For each GPU the step index of each of its events, −1 if none.
    #: Number of steps that were recorded after these and are not judged (``MAX_GPU_STEPS``).
    later_count: int = 0

    @property
    def length_ns(self) -> Ints:
        """Length of each step."""
        return self.end_ns - self.begin_ns

    def without_events(self) -> HostSteps:
        """The steps without the fields whose size grows with the number of events."""
        return replace(self, device_step=(), body=EMPTY)

    def at(self, points_ns: Ints) -> Ints:
        """For each moment the index of the last step whose window has begun, −1 if none has."""
        return searchsorted(self.begin_ns, points_ns, "right") - 1

    def judged_at(self, points_ns: Ints) -> tuple[Ints, Ints]:
        """Indices of the moments that lie in judged steps, and the step of each."""
        if not len(self):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        step = self.at(points_ns)
        inside = np.flatnonzero((step >= 0) & (points_ns < self.end_ns[step]) & self.judged[step])
        return inside, step[inside]

    def judged_ranges(self, events: HostEvents) -> tuple[Ints, Ints]:
        """Begin and end of each judged step; of the whole recording if there is none."""
        if self.judged.any() or not len(events.start_ns):
            return self.begin_ns[self.judged], self.end_ns[self.judged]
        return events.start_ns.min(keepdims=True), events.end_ns.max(keepdims=True)

    def places(
        self, label: str | Callable[[int], str], begin_ns: Ints, end_ns: Ints, device: str | None = None,
        step: Numbers | None = None, weight: Ints | None = None,
    ) -> Places:  # fmt: skip
        """The worst of the given ranges.

        ``label``: of all ranges, or a function of the index of a range; ``step``: index of the step of each
        range, by default of the step in which it begins, if any; ``weight``: how bad each range is, by
        default its length.
        """
        weight = end_ns - begin_ns if weight is None else weight
        rows = np.argsort(-weight, kind="stable")[:PLACES_COUNT]
        at = self.at(begin_ns[rows]) if step is None else step[rows]
        columns = (rows, at, weight[rows], begin_ns[rows], end_ns[rows])
        return Places.of(
            (
                ns,
                Place(
                    self.host,
                    begin / 1e6,
                    end / 1e6,
                    label if isinstance(label, str) else label(row),
                    device,
                    step=int(self.number[at]) if at >= 0 else None,
                ),
            )
            for row, at, ns, begin, end in zip(*(column.tolist() for column in columns), strict=True)
        )

    def first(self, count: int) -> HostSteps:
        """The first ``count`` steps; events of later ones belong to none."""
        columns = (
            "number", "begin_ns", "end_ns", "host_begin_ns", "host_end_ns",
            "complete", "interrupted", "warm_up", "rare",
        )  # fmt: skip
        return replace(
            self,
            **{name: getattr(self, name)[:count] for name in columns},
            device_step=tuple(np.where(step < count, step, -1) for step in self.device_step),
            later_count=len(self) - count,
        )

    @property
    def judged(self) -> Bools:
        """The usual steps, which all averages are of: the whole ones, or else the longest but warm-ups."""
        usable = self._whole
        if usable.any() or not (~self.warm_up).any():
            return usable
        length = np.where(self.warm_up, -1, self.end_ns - self.begin_ns)
        return np.asarray(np.arange(len(length)) == int(np.argmax(length)))

    @property
    def lead_ns(self) -> int:
        """How long after its first launch a recording that counts as one step begins; 0 if not late."""
        if self.source != "recording":
            return 0
        lead = int(self.begin_ns[0] - self.host_begin_ns[0])
        return lead if lead >= LATE_RATIO * int(self.end_ns[0] - self.host_begin_ns[0]) else 0

    @property
    def left_out(self) -> dict[str, int]:
        """How many steps are not judged, by their first reason."""
        left, found = ~self.judged, {}
        reasons = (self.warm_up, "warm-up"), (~self.complete, "incomplete"), (self.interrupted, "interrupted")
        for rows, name in (*reasons, (self.rare, "rare long")):
            found[name] = int((left & rows).sum())
            left = left & ~rows
        return found

    @property
    def partial(self) -> bool:
        """Whether no step is whole, so that a part of a step is judged."""
        return len(self.number) > 0 and not bool(self._whole.any())

    @property
    def whole_count(self) -> int:
        """Number of complete usual steps: neither interrupted, nor warm-ups, nor rare."""
        return int(self._whole.sum())

    @property
    def _whole(self) -> Bools:
        return self.complete & ~self.interrupted & ~self.warm_up & ~self.rare

    def __len__(self) -> int:
        return len(self.number)


class Steps(Record, frozen=True):
    """The steps of all hosts, in their order in the run."""

    hosts: tuple[HostSteps, ...]

    @property
    def source(self) -> StepSource:
        """The source of the steps on the first host that has any."""
        return next((h.source for h in self.hosts if len(h)), "none")

    @property
    def judged_count(self) -> int:
        """Number of judged steps on the host with the most."""
        return max((int(h.judged.sum()) for h in self.hosts), default=0)

    @property
    def lengths_ns(self) -> Ints:
        """Lengths of the judged steps of all hosts."""
        return np.concatenate([np.empty(0, np.int64), *(h.length_ns[h.judged] for h in self.hosts)])

    @property
    def uneven(self) -> bool:
        """Whether the longest tenth of the judged steps takes far longer than the shortest tenth."""
        lengths = np.sort(self.lengths_ns)
        tenth = len(lengths) // 10
        return bool(len(lengths) and lengths[-1 - tenth] >= UNEVEN_FACTOR * lengths[tenth])

    @property
    def rare_count(self) -> int:
        """Number of rare long steps on the host with the most."""
        return max((int(h.rare.sum()) for h in self.hosts), default=0)

    @property
    def complete_count(self) -> int:
        """Number of whole usual steps on the host with the most."""
        return max((h.whole_count for h in self.hosts), default=0)


def warm_up_steps(host: HostTrace, begin_ns: Ints, end_ns: Ints) -> Bools:
    """The leading steps that trace, compile or start up visibly, if most later ones do not.

    ``begin_ns``, ``end_ns``: begin and end of each step on the host.
    """
    until = np.append(begin_ns[1:], max(int(end_ns[-1]), int(begin_ns[-1])))
    busy = covered_within(merge(tracing_or_compiling(host.events), starting(host)), begin_ns, until)
    heavy = busy / np.maximum(1, until - begin_ns) >= WARM_UP_RATIO
    leading = np.logical_and.accumulate(heavy)
    later = heavy[~leading]
    return leading if len(later) and later.mean() < 0.5 else np.zeros_like(heavy)


def with_slow_begin(warm_up: Bools, length_ns: Ints, whole: Bools) -> Bools:
    """The warm-up steps, plus the first whole ones after them that take far longer than all later ones."""
    usable = np.flatnonzero(whole & ~warm_up)
    for count in range(SLOW_BEGIN_COUNT, 0, -1):
        first, later = usable[:count], usable[count:]
        factor = SLOW_BEGIN_FACTOR if len(later) >= SLOW_BEGIN_LATER_COUNT else FEW_FACTOR
        if len(later) >= 2 * count and length_ns[first].min() > factor * length_ns[later].max():
            return np.asarray(warm_up | (np.arange(len(warm_up)) <= first[-1]))
    return warm_up


def holding_others(number: Ints, length_ns: Ints) -> Bools:
    """For each step whether it holds the next one, too, whose mark is missing: their count skips it."""
    found, skipped = np.zeros(len(number), np.bool_), np.diff(number)
    if len(skipped) and np.mean(skipped == 1) > 0.5:
        found[:-1] = (skipped > 1) & (length_ns[:-1] > HOLDS_FACTOR * np.median(length_ns))
    return found


def rare_steps(length_ns: Ints, whole: Bools) -> Bools:
    """The few whole steps that take far longer than the median, with a gap to all other steps."""
    count = int(whole.sum())
    if count < RARE_LEAST_COUNT:
        return np.zeros_like(whole)
    usual = median(length_ns[whole])
    sigma = MAD_TO_SIGMA * median(np.abs(length_ns[whole] - usual))
    ordered = np.sort(length_ns[whole])
    alike = ordered[-2] <= ALIKE_FACTOR * ordered[0]
    factor = RARE_FACTOR if count >= RARE_ENOUGH_COUNT else ALONE_FACTOR if alike else FEW_FACTOR
    apart = (ordered[1:] >= APART_FACTOR * ordered[:-1]) & (ordered[1:] > factor * usual)
    least = ordered[1:][apart & (ordered[1:] > usual + RARE_DEVIATIONS * sigma)]
    long = whole & (length_ns >= least.min(initial=np.iinfo(np.int64).max))
    # Of 19 steps, every fourth one may be 5.
    return np.asarray(long if long.sum() <= RARE_RATIO * (count + 1) else np.zeros_like(long))
