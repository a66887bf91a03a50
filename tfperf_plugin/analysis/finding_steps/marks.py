"""The steps as a source of steps describes them."""

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
    """The steps as their source describes them."""

    source: StepSource
    number: Ints
    begin_ns: Ints
    end_ns: Ints
    #: Name of the events that mark steps, "" if the GPUs show them.
    name: str = ""
    #: Code of the thread that marks steps, −1 if the host does not.
    thread: int = -1
    #: TensorFlow's ids of steps, sorted, and the index of the step of each.
    step_ids: tuple[Ints, Ints] = (EMPTY.begin_ns, EMPTY.begin_ns)
    #: Time in which the host ran other marked work or other functions.
    other: Intervals = EMPTY
    #: Time in which the host is inside the step's function outside of the marks.
    body: Intervals = EMPTY
    #: For each GPU the begin of each step, if that differs from the host's; empty if it does not.
    runs: tuple[Ints, ...] = ()
    #: Moment until which GPUs ran work that was launched before the recording.
    earlier_ns: int = EARLIEST
    #: Whether each mark ends when its step does, so that the last step's end is known.
    ends_known: bool = False

    @property
    def by_host(self) -> bool:
        """Whether the host marks the steps; otherwise its clock does not show them."""
        return self.thread >= 0
