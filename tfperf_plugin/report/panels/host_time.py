"""Where the step of a model goes that ran on the CPU."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.judging.engine.words import count, ms, percent
from tfperf_plugin.report.model import Account, Block, HostTime

KINDS_CAP: Final = 8
# Kinds of ops below this share of the step are not listed.
_KIND_RATIO: Final = 0.01
_PARTS: Final = (
    ("host.ops", "Ops on the CPU"),
    ("host.between", "Framework between ops"),
    ("idle.input", "Input wait"),
    ("host.rest", "Python, callbacks and the rest"),
)
_ABOUT: Final = (
    "Summed, not in time order. Below, how long any op of a kind runs; kinds run beside each other."
)


def host_time(compute: HostCompute, late: LateInput) -> HostTime | None:
    """The parts of the step, and the kinds of ops; ``None`` if the model did not run on the CPU."""
    step_ns = compute.step_ns
    if not compute.on_cpu or not compute.kinds or not step_ns:
        return None
    parts = compute.divided(late.lost_ns)
    begins = accumulate(parts, initial=0)
    return HostTime(
        basis=f"mean of {count(compute.steps_count, 'step')}" if compute.steps_count else "the recorded time",
        about=_ABOUT,
        step_ns=step_ns,
        blocks=tuple(
            Block(id_, ns, begin, 0, f"{words}: {ms(ns)}, {percent(ns / step_ns)} of the step")
            for (id_, words), ns, begin in zip(_PARTS, parts, begins, strict=False)
            if ns
        ),
        kinds=tuple(
            Account(kind, ns, ns / step_ns)
            for kind, ns in compute.kinds[:KINDS_CAP]
            if ns >= _KIND_RATIO * step_ns
        ),
    )
