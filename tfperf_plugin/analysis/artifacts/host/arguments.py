"""Arguments of a compiled JAX function that each call copies, because they lie on other GPUs."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import PerStep, View, averaged
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import covered_within
from tfperf_plugin.records import Record

_PLACES: Final = re.compile(r"^(cpp_pjit_shard_arg_fallback|shard_args)$|\bbatched_device_put$")
_COPIES: Final = re.compile(r"CopyToDeviceHelper::async_copy_to_device$")
_CALL: Final = re.compile(r"^PjitFunction\(")


class Arguments(Record, frozen=True):
    """Calls of compiled functions that place or copy arguments."""

    #: Idle time of an average step and GPU in which the host launches or runs ops while arguments of a call
    #: are placed or copied.
    idle_ns: PerStep
    #: Part of ``idle_ns`` while the calling thread places arguments, before it executes anything.
    placing_ns: PerStep
    steps_count: int  #: Number of judged steps with such a call.
    judged_count: int  #: Number of judged steps.

    @property
    def steps_ratio(self) -> float:
        """Share of judged steps with such a call."""
        return self.steps_count / max(1, self.judged_count)


def part(view: View) -> Arguments:
    """The arguments on one host."""
    host, events = view.ledger, view.trace.events
    if host is None:
        return Arguments(0, 0, 0, 0)
    places = np.flatnonzero(events.named(_PLACES.search))
    places = places[events.enclosing(places, events.named(_CALL.search)) >= 0]
    copies = np.flatnonzero(events.named(_COPIES.search))
    rows = np.concatenate([places, copies])
    steps = host.steps
    if not len(rows):
        return Arguments(0, 0, 0, int(steps.judged.sum()))
    step = steps.at(events.start_ns[rows])
    both = np.zeros((2, len(steps)), np.bool_)
    both[0, step[: len(places)]], both[1, step[len(places) :]] = True, True
    does = both.all(axis=0) & steps.judged
    keep = does[step] & (step >= 0)
    idle = [host.judged_time(device, "idle.launch", "idle.dispatch") for device in host.devices]
    covered, placing = (
        sum(int(covered_within(events.spans(chosen), i.begin_ns, i.end_ns).sum()) for i in idle)
        for chosen in (rows[keep], places[keep[: len(places)]])
    )
    return Arguments(covered, placing, int(does.sum()), int(steps.judged.sum()))


def finish(found: Arguments, ledger: Ledger) -> Arguments:
    """The arguments of an average step and GPU."""
    return averaged(found, ledger.windows)
