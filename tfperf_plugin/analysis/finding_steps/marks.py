"""What each way to find steps says about them."""

from __future__ import annotations

from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.arrays.intervals import EMPTY, Intervals, Ints
from tfperf_plugin.arrays.unique import EARLIEST
from tfperf_plugin.records import Record

# Share of a device's kernel time whose names must recur with one period before the period counts.
PERIOD_RATIO = 0.8
PERIOD_STEPS_COUNT = 3
# A compiled function or XLA module marks the steps only if it takes this share of the kernel time.
DOMINANT_RATIO = 0.5


class Marks(Record, frozen=True):
    """Where the steps begin and end, and what else the source of the steps says about them; the GPUs alone
    say nothing else."""

    source: StepSource
    number: Ints
    begin_ns: Ints
    end_ns: Ints
    name: str = ""
    thread: int = -1
    step_ids: tuple[Ints, Ints] = (EMPTY.begin_ns, EMPTY.begin_ns)  # TensorFlow's, sorted, and their steps
    other: Intervals = EMPTY  # when the host ran other marked work or other functions
    body: Intervals = EMPTY  # when the host is inside the step's function outside of the marks
    runs: tuple[Ints, ...] = ()  # for each GPU when it begins each step, if that differs from the host
    earlier_ns: int = EARLIEST  # until when GPUs ran what was launched before the recording

    @property
    def by_host(self) -> bool:
        """Whether the host marks the steps; otherwise its clock says nothing about them."""
        return self.thread >= 0
