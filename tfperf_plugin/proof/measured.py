"""The launches of a trial as they are kept: what each measured of itself, and what was seen around it."""

from __future__ import annotations

import os
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

EFFECT: Final = 0.05
"""How large a change is for which texts say how many launches it needs."""
_REMEDY: Final = "Delete it, and the same command measures that launch again."
_GPUS: Final = Path("/proc/driver/nvidia/gpus")


class Measured(Record, frozen=True):
    """``number``: from 1 on, in the order of the plan; ``ended``: by tfperf, because it hung at its exit;
    ``others``: processors that other programs kept busy; ``code``, ``code_after``: hash of the source before
    and after; ``machine``: its name and how many processors were free to use; ``gpus``: their models."""

    number: int
    side: Literal["A", "B"]
    exit_code: int
    ended: bool
    seconds: float
    others: float | None
    code: str
    code_after: str
    machine: str
    gpus: tuple[str, ...]
    launch: Launch


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
