"""Dynamic loss scaling as a profile shows it: checks for finite values, and an optimizer in a branch."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import First, View
from tfperf_plugin.analysis.artifacts.host.launch_gaps import Launches
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.arrays.unique import map_codes
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace
from tfperf_plugin.trace.roles import Role

# "cond_1/then/_10/cond_1/Adam/…": TensorFlow writes the branch of a conditional into the names of its ops.
_BRANCH: Final = re.compile(r"^(.*?(?:^|/)cond(?:_\d+)?/then/_\d+)/")
_OPTIMIZER: Final = re.compile(
    r"(?i)(^|/)((?=\w*adam)\w*|(sgd|momentum|rmsprop|adagrad|adadelta|adafactor|ftrl|lion|lamb|lars|\w*optimizer)"
    r"(_\d+)?)/"
)
_FINITE: Final = re.compile(r"(^|/)(IsFinite|is_finite)(_\d+)?(/|:|$)|:IsFinite$")
_ALL: Final = re.compile(r"(^|/)All(_\d+)?:All$")
# The answer to a check is one bool; TensorFlow may copy a flag or a count with it.
ANSWER_BYTES: Final = 64


class LossScaling(Record, frozen=True):
    """Signs that the loss is scaled dynamically."""

    #: Whether any ops test whether values are finite.
    checked: bool = False
    #: Name of an optimizer op in a conditional's branch, or "".
    branch: First = ""
    #: Whether kernels of that branch were recorded in judged steps.
    kernels: bool = False


def branches_of(ops: Iterable[str]) -> frozenset[str]:
    """Branches of conditionals in which an optimizer runs, by the names of ``ops``."""
    inside = (op for op in ops if "/then/" in op)
    matches = ((match[1], op[match.end() - 1 :]) for op in inside if (match := _BRANCH.match(op)))
    return frozenset(
        branch for branch, rest in matches if ":ResourceApply" in rest or _OPTIMIZER.search(rest)
    )


def first_in_branch(device: DeviceTrace, launches: Launches) -> tuple[Bools, Bools]:
    """For each event whether its step's optimizer branch begins with it, and whether it checks that values
    are finite."""
    work = launches.work
    none = np.zeros(len(work.row), np.bool_)
    branches = branches_of(device.ops)
    if not branches:
        return none, none
    op, ops = device.op[work.row], device.ops
    checks = map_codes(op, ops, lambda op: bool(_FINITE.search(op) or _ALL.search(op)), False)
    inside = map_codes(op, ops, lambda op: bool((m := _BRANCH.match(op)) and m[1] in branches), False)
    first = none.copy()
    ordered = launches.order[inside[launches.order]]
    step = work.step[ordered]
    first[ordered[np.concatenate([[True], step[1:] != step[:-1]]) if len(step) else slice(0)]] = True
    return first, checks & ~inside


def answers(device: DeviceTrace, launches: Launches, branch: Bools) -> Bools:
    """Small copies to the host launched last before the optimizer's branch: they bring the check's result."""
    found = np.zeros(len(branch), np.bool_)
    at = np.flatnonzero(branch[launches.order])
    before = launches.order[np.maximum(at - 1, 0)]
    row = launches.work.row[before]
    found[before[(device.role[row] == Role.D2H) & (device.copy_bytes[row] <= ANSWER_BYTES)]] = True
    return found & ~branch


def scaling_of(view: View) -> LossScaling:
    """The signs of dynamic loss scaling in a host's recording."""
    names, ops = view.trace.events.names, [gpu.source.ops for gpu in view.gpus]
    checked = any(_FINITE.search(name) for texts in (*ops, names) for name in texts)
    recorded = next(filter(None, map(branches_of, ops)), None)
    if recorded:
        return LossScaling(checked, min(recorded), True)
    return LossScaling(checked, min(branches_of(names), key=lambda b: (len(b), b), default=""), False)
