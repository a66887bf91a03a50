"""A training with a cause beside one without it: timed in turns, profiled and judged, in any framework."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from demo.capture_gpu.causes import Cause
from demo.capture_gpu.table import Pair
from tfperf_plugin.api import analyze
from tfperf_plugin.errors import TfperfError

WARM_UP = 3


class Runs(Protocol):
    """A training in some framework."""

    def plant(self, step_s: float) -> None:
        """Puts the cause in; ``step_s``: how long a healthy step takes."""

    def run(self, steps: int) -> None:
        """So many steps, until the device has done them."""

    def profile(self, folder: Path, steps: int) -> None:
        """Records so many steps into a log directory, as users do."""


def fitting(work: Callable[[], object], seconds: float) -> int:
    """How many calls of ``work`` take so long; at least one."""
    work()
    begin, calls = time.perf_counter(), 0
    while time.perf_counter() - begin < 0.01:
        work()
        calls += 1
    return max(1, round(seconds * calls / (time.perf_counter() - begin)))


def attempt(cause: Cause, make: Callable[[], Runs], out: Path, steps: int, times_count: int) -> Pair:
    """Times and profiles a training with its cause and without it; ``make``: the healthy one.

    What goes wrong is a row of its own, and the others still come.
    """
    try:
        return _capture(cause, make, out, steps, times_count)
    except (RuntimeError, OSError, TfperfError) as error:
        return Pair(cause, failure=str(error).partition("\n")[0] or type(error).__name__)


def _capture(cause: Cause, make: Callable[[], Runs], out: Path, steps: int, times_count: int) -> Pair:
    healthy, planted = make(), make()
    healthy.run(WARM_UP)
    planted.run(WARM_UP)
    planted.plant(_step_ns(healthy, steps) / 1e9)
    planted.run(WARM_UP)
    # In turns, so that a GPU that gets warm slows both.
    times = [(_step_ns(planted, steps), _step_ns(healthy, steps)) for _ in range(times_count)]
    folders = {name: out / cause.folder / name for name in ("planted", "healthy")}
    planted.profile(folders["planted"], steps)
    healthy.profile(folders["healthy"], steps)
    return Pair(
        cause,
        round(statistics.median(t for t, _ in times)),
        round(statistics.median(t for _, t in times)),
        analyze(folders["planted"], cache=False),
        analyze(folders["healthy"], cache=False),
    )


def _step_ns(training: Runs, steps: int) -> float:
    begin = time.perf_counter_ns()
    training.run(steps)
    return (time.perf_counter_ns() - begin) / steps
