"""A training with a cause beside one without it: timed in turns, profiled and judged, in any framework."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from demo.capture_gpu.causes import Cause
from demo.capture_gpu.table import Pair
from tfperf_plugin.api import analyze
from tfperf_plugin.errors import TfperfError

NO_GPU = "No GPU: the rules cannot be judged. This only checks that each pair is recorded and analysed."
WARM_UP = 3
OUTPUTS, RATE = 16, 1e-3
# Batches on the device, which steps use in turns.
BATCHES = 4
# What the host does per healthy step. The device computes while the next batch is made, not in a callback.
INPUT_SHARE, CALLBACK_SHARE = 1.6, 0.6


class Runs(Protocol):
    """A training in some framework."""

    def plant(self, step_s: float) -> None:
        """Puts the cause in; ``step_s``: how long a healthy step takes."""

    def run(self, steps: int) -> None:
        """Makes ``steps`` steps; returns once the device has done them."""

    def profile(self, folder: Path, steps: int) -> None:
        """Records ``steps`` steps into a log directory, as users do."""


def arguments_of(module: str, causes: Sequence[Cause], steps: int) -> argparse.ArgumentParser:
    """What each of these programs takes; ``steps`` are in a profile of a GPU."""
    parser = argparse.ArgumentParser(
        prog=f"python -m demo.{module}",
        description="Train with and without planted causes, profile both, and say what is found.",
    )
    parser.add_argument("--out", type=Path, metavar="LOGDIR", help="keep the profiles there")
    parser.add_argument("--steps", type=int, metavar="N", help=f"in each profile; {steps} on a GPU")
    parser.add_argument("--only", nargs="+", metavar="CAUSE", choices=[cause.folder for cause in causes])
    return parser


def drawn(random: np.random.Generator, losses: npt.NDArray[np.float32]) -> float:
    """The mean of losses that are drawn with replacement: one round of a bootstrap."""
    return float(random.choice(losses, len(losses)).mean())


def fitting(work: Callable[[], object], seconds: float) -> int:
    """How many calls of ``work`` take ``seconds``; at least one."""
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
