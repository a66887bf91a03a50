"""Work that steps do only at the start: tuning cuDNN, loading code, compiling, allocating buffers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.starting import causes, compiling, trials
from tfperf_plugin.arrays.intervals import covered_within, intersect
from tfperf_plugin.arrays.unique import sums_by_name
from tfperf_plugin.records import Record

# From this share of a step on, the step is not like later ones; from the second on, it says nothing of them.
MARKED_RATIO: Final = 0.05
MOSTLY_RATIO: Final = 0.5
_ACCOUNT: Final = "idle.startup"


class Startup(Record, frozen=True):
    """Start-up in an average step: the account ``idle.startup``."""

    #: Time of the account.
    ns: int
    #: Cause → ns of it: while algorithms are tried out ("trying"), or as in ``starting.causes``.
    by_cause: Mapping[str, int]
    #: Share of the step.
    ratio: float
    #: Kernels that try out algorithms or check what these wrote, of a step and GPU.
    trials_count: int
    #: Functions of PyTorch that compile, by the time that takes, longest first.
    compiled: tuple[str, ...]

    @property
    def marked(self) -> bool:
        """Whether the average step is not like later ones, so that its shares say little about them."""
        return self.ratio >= MARKED_RATIO

    @property
    def mostly(self) -> bool:
        """Whether most of the average step is start-up."""
        return self.ratio >= MOSTLY_RATIO


class Part(Record, frozen=True):
    """``Startup`` summed over judged steps and GPUs of some hosts."""

    by_cause: dict[str, int]
    trials_count: int
    #: Function → ns of its calls in which it compiles.
    compiled: dict[str, int]


def part(view: View) -> Part:
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
        times = {"trying": trying, **causes(view.trace)}
        found.update({cause: intersect(spent, time).total_ns for cause, time in times.items()})
    return Part(dict(found), count, dict(compiled))


def finish(found: Part, ledger: Ledger) -> Startup:
    """The start-up of an average step."""
    windows, ns = ledger.windows, ledger.average()[_ACCOUNT]
    return Startup(
        ns,
        {cause: total // windows for cause, total in found.by_cause.items() if total},
        ns / max(1, ledger.step_ns),
        round(found.trials_count / windows),
        tuple(name for name, _ in Counter(found.compiled).most_common()),
    )
