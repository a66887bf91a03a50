"""The launches of a trial as they are kept: what each measured of itself, and what was seen around it, of the
machine and of how busy others kept it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.proof import files
from tfperf_plugin.proof.effect import level
from tfperf_plugin.proof.plan import Plan
from tfperf_plugin.recording.launch import Launch
from tfperf_plugin.recording.write import host_name
from tfperf_plugin.records import Record

if sys.platform != "win32":
    import resource

EFFECT: Final = 0.05
"""How large a change is for which texts say how many launches it needs."""
_STAT: Final = Path("/proc/stat")
_GPUS: Final = Path("/proc/driver/nvidia/gpus")
_REMEDY: Final = "Delete it, and the same command measures that launch again."


class Measured(Record, frozen=True):
    """A launch as it is kept."""

    number: int  # from 1 on, in the order of the plan
    side: Literal["A", "B"]
    exit_code: int
    ended: bool  # by tfperf, because it hung at its exit
    seconds: float
    others: float | None  # processors that other programs kept busy
    #: The files that it imported or was given by name, and did not write, with the hashes of their contents.
    sources: dict[str, str]
    changed: str  # the first file that it imported and that changed while it ran
    machine: str  # its name and how many processors were free to use
    gpus: tuple[str, ...]  # their models
    launch: Launch


def launches(plan: Plan, folder: Path) -> list[Measured]:
    """The launches that were measured, in their order. Raises UnreadableInput if a file is damaged."""
    found = []
    for number in range(1, len(plan.order) + 1):
        path = launch_file(folder, number)
        measured = files.read(path, Measured, _REMEDY)
        if measured is None:
            continue
        if (measured.number, measured.side) != (number, plan.order[number - 1]):
            raise UnreadableInput(f"{path} holds another launch. {_REMEDY}")
        found.append(measured)
    return found


def launch_file(folder: Path, number: int) -> Path:
    """Where launch ``number``, from 1 on, is kept."""
    return folder / f"launch-{number:03}.json"


def levels(plan: Plan, done: Sequence[Measured], *, mean: bool = False) -> list[float]:
    """x of each launch, by the plan's statistic or by the mean."""
    rare = mean or plan.statistic == "mean"
    return [level([window.ns / window.steps for window in each.launch.windows], rare) for each in done]


# --------------------------------------------------------------------------------- the machine


def machine() -> str:
    """This machine's name, and how many processors this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{host_name()}, {usable} processors"


def gpus() -> tuple[str, ...]:
    """The models of this machine's NVIDIA GPUs, as far as the driver says."""
    try:
        told = [path.read_text(encoding="utf-8") for path in sorted(_GPUS.glob("*/information"))]
    except (OSError, UnicodeDecodeError):
        return ()
    lines = [line.partition(":") for text in told for line in text.splitlines()]
    return tuple(value.strip() for name, _, value in lines if name == "Model")


class Clock:
    """Starts at once. Its durations do not depend on the time of day."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._busy, self._own = _busy_s(), _own_s()

    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self._began

    def others(self) -> float | None:
        """Processors that neither this process nor its ended children kept busy, on average; None if
        the system does not say."""
        busy, seconds = _busy_s(), self.seconds()
        if busy is None or self._busy is None or not seconds:
            return None
        return max(0.0, (busy - self._busy - (_own_s() - self._own)) / seconds)


def _own_s() -> float:
    if sys.platform == "win32":
        return 0.0
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _busy_s() -> float | None:
    """Seconds that all processors together have been busy: "cpu user nice system idle iowait irq softirq"."""
    try:
        fields = _STAT.read_text(encoding="ascii").split(maxsplit=8)[1:8]
        user, nice, system, _, _, irq, softirq = map(int, fields)
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return None
