"""The launches of a trial as they are kept: what each measured of itself, and what was seen around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.proof import files
from tfperf_plugin.proof.effect import level
from tfperf_plugin.proof.plan import Plan
from tfperf_plugin.recording.launch import Launch
from tfperf_plugin.records import Record

EFFECT: Final = 0.05
"""How large a change is for which texts say how many launches it needs."""
_REMEDY: Final = "Delete it, and the same command measures that launch again."


class Measured(Record, frozen=True):
    """A launch as it is kept."""

    number: int  # from 1 on, in the order of the plan
    side: Literal["A", "B"]
    exit_code: int
    ended: bool  # by tfperf, because it hung at its exit
    seconds: float
    others: float | None  # processors that other programs kept busy
    code: str  # hash of the source before
    code_after: str
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
