"""Work that steps do only at the start: tuning cuDNN, loading code, compiling, allocating buffers."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import PerStepByName, Rate, View, averaged
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.startup import causes, compiling, trials
from tfperf_plugin.arrays.columns import sums_by_name
from tfperf_plugin.arrays.intervals import covered_within, intersect, merge
from tfperf_plugin.records import Record

# From this share of a step on, the step is not like later ones; from the second on, it says nothing of them.
MARKED_RATIO: Final = 0.05
MOSTLY_RATIO: Final = 0.5
_ACCOUNT: Final = "idle.startup"


class Startup(Record, frozen=True):
    """Start-up in an average step: the account ``idle.startup``."""

    #: Cause → ns of it: while algorithms are tried out ("trying"), or as in ``analysis.startup.causes``.
    by_cause: PerStepByName
    trials_count: Rate  #: Kernels that try out algorithms or check what these wrote.
    #: Function of PyTorch → ns of its calls in which it compiles, in all steps.
    ns_by_function: dict[str, int]
    ns: int = 0  #: Time of the account.
    ratio: float = 0.0  #: Share of the step.

    @property
    def compiled(self) -> tuple[str, ...]:
        """Functions of PyTorch that compile, by the time that takes, longest first."""
        return tuple(name for name, _ in Counter(self.ns_by_function).most_common())

    @property
    def marked(self) -> bool:
        """Whether the average step is not like later ones, so that its shares say little about them."""
        return self.ratio >= MARKED_RATIO

    @property
    def mostly(self) -> bool:
        """Whether most of the average step is start-up."""
        return self.ratio >= MOSTLY_RATIO


def part(view: View) -> Startup:
    """The start-up of one host."""
    found, compiled, count = Counter[str](), Counter[str](), 0
    calls, compiles = compiling(view.trace)
    events = view.trace.events
    for gpu in view.gpus:
        spent = gpu.judged_time(_ACCOUNT)
        if not len(spent):
            continue
        tried, trying = trials(gpu.source, gpu.step)
        rows = np.flatnonzero(tried & gpu.source.is_kernel() & (gpu.step >= 0))
        count += int(gpu.host.steps.judged[gpu.step[rows]].sum())
        if (compiling_here := intersect(spent, compiles)).total_ns:
            time = covered_within(compiling_here, events.start_ns[calls], events.end_ns[calls])
            compiled.update(sums_by_name(events.names, events.name[calls], time))
        times = dict(causes(view.trace))
        times["trying"] = merge(times["trying"], trying)
        found.update({cause: intersect(spent, time).total_ns for cause, time in times.items()})
    return Startup({cause: ns for cause, ns in found.items() if ns}, count, dict(compiled))


def finish(found: Startup, ledger: Ledger) -> Startup:
    """The start-up of an average step."""
    ns = ledger.average()[_ACCOUNT]
    return replace(averaged(found, ledger.windows), ns=ns, ratio=ns / max(1, ledger.step_ns))
