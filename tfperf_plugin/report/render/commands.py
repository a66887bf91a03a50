"""The commands that texts for agents end with. Each parses, whatever names the profile holds."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from tfperf_plugin.judging.verdicts import LOOKS_ONLY, Finding
from tfperf_plugin.recording.switches import SWITCHES, parts
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.panels.quality import is_thin

PLACE: Final = "LOGDIR"
"""Stands for the log directory where it is not known, as in the tab."""
LINK: Final = "LINK"
"""Stands for what joins the GPUs, such as 'NVLink 3' or 'PCIe 4 x16'."""
_NEED_LINK: Final = frozenset(
    {"communication-bound", "allreduce-exposed", "tensor-parallel-exposed", "all-to-all-exposed"}
)
"""Findings that depend on what the link between GPUs carries."""
_MOST_BYTES: Final = 240
_START: Final = re.compile(
    r"(?:env )?(?P<set>(?:-u [A-Z][A-Z0-9_]* |[A-Z][A-Z0-9_]*=[\w=.,:+/-]+ )+)"
    r"python train\.py(?:  # (?P<note>.+))?"
)
_SWITCH: Final = re.compile(r"tfperf try --switch (\S+) -- python train\.py")
# With other GPUs, a training is another one: `tfperf try` would compare what is not comparable.
_OTHER_GPUS: Final = "CUDA_VISIBLE_DEVICES"


class At(Record, frozen=True):
    """How a command names a run; as a text, its arguments."""

    arguments: str  # "logs --run resnet"
    of: str = ""  # the same in one word, "logs/resnet"; "" if the log directory is not known

    def __str__(self) -> str:
        return self.arguments


def at(run: str | None, places: Sequence[str] = (PLACE,)) -> At:
    """Names a run; of a name that cannot be typed, the longest part that can."""
    where = " ".join(map(shlex.quote, places))
    # Names must be words of one line that no parser takes for options.
    if not where.isprintable() or len(where.encode()) > _MOST_BYTES or any(p.startswith("-") for p in places):
        where = PLACE
    name = max(re.findall(r"[^\W_][\w./+-]*", run or "", re.ASCII), key=len, default="")[:_MOST_BYTES]
    if run and run.isprintable() and not run.startswith("-") and len(run.encode()) <= _MOST_BYTES:
        name = run
    if not name:
        return At(where)
    known = where != PLACE and len(places) == 1
    of = shlex.quote(f"{places[0].rstrip('/')}/{name}") if known else ""
    return At(f"{where} --run {shlex.quote(name)}", of)


def environment_of(finding: Finding) -> tuple[tuple[str, str], ...]:
    """Names and values of the environment variables that are a fix of the finding, or stand in for it.

    The rule's page declares them: code for a shell that starts ``python train.py`` with them. A value of ""
    means that the variable is to be unset. Empty if the finding's advice has no such code, or several.
    """
    start = _start(finding)
    if start is None or _OTHER_GPUS in start["set"]:
        return ()
    words = start["set"].replace("-u ", "").split()
    return tuple((name, value) for name, _, value in (word.partition("=") for word in words))


def environment_note(finding: Finding) -> str:
    """What the page says of these variables, "stands in for the fix"; "" for nothing."""
    start = _start(finding)
    return (start["note"] or "") if start else ""


def _start(finding: Finding) -> re.Match[str] | None:
    shell = (snippet.code for snippet in finding.fix.snippets if snippet.framework == "shell")
    found = {match[0]: match for match in map(_START.fullmatch, shell) if match}
    return next(iter(found.values())) if len(found) == 1 else None


def advised(report: Report, finding: Finding) -> tuple[tuple[str, str], ...]:
    """``environment_of`` the finding, unless the training recorded that such a variable is set already."""
    known = {fact.label for training in report.training for fact in training.facts}
    pairs = environment_of(finding)
    return () if any(value and name in known for name, value in pairs) else pairs


def switches_of(finding: Finding) -> tuple[str, ...]:
    """The switches of ``tfperf try`` that the advice names, or whose variables it names."""
    advised = {*environment_of(finding)}
    by_variable = (switch.id for switch in SWITCHES if advised & switch.sets(switch.value).items())
    return (*_named(finding), *by_variable)


def _named(finding: Finding) -> tuple[str, ...]:
    return tuple(match[1] for match in map(_SWITCH.search, finding.fix.actions) if match)


def change_of(report: Report, finding: Finding) -> str:
    """The options of ``tfperf try`` for the finding's fix: variables, else a switch, else what is edited."""
    if pairs := advised(report, finding):
        return " ".join(f"--env {shlex.quote(f'{name}={value}')}" for name, value in pairs)
    named = ((text, parts(text)[0]) for text in _named(finding))
    kept = [text for text, switch in named if switch.keep and switch.alters != "training"]
    return f"--switch {kept[0]}" if kept else "--base HEAD"


def next_of(report: Report, finding: Finding | None, where: At) -> str:
    """The command that brings most now: record again, measure, name the link that decides, or try the change.

    A finding that only says where to look is shown; without a finding, the account that takes most.
    """
    if is_blocked(report):
        return report.record
    if report.measure:
        return report.measure
    if finding and advised(report, finding):
        return try_of(report, finding, where)
    if finding and finding.id in _NEED_LINK and report.allreduce and report.allreduce.bandwidth_gbps is None:
        return f"tfperf report {where} --format agent --bandwidth {LINK}"
    if finding and finding.saving and finding.id not in LOOKS_ONLY and not report.settled:
        return try_of(report, finding, where)
    if finding:
        return f"tfperf show {finding.id} {where}"
    if report.ledger is None:
        return report.record
    most = max(report.ledger.accounts, key=lambda account: account.ns)
    return f"tfperf show {most.id} {where}"


def try_of(report: Report, finding: Finding, where: At) -> str:
    """Tries a change that a finding led to. A program without Python is recorded again."""
    _, python, program = report.record.partition("-- ")
    if not python:
        return report.record
    of = f"--of {where.of} " if where.of else ""
    return f"tfperf try --finding {finding.id} {of}{change_of(report, finding)} -- {program}"


def is_blocked(report: Report) -> bool:
    """Whether the capture is in such doubt, or so short, that another one comes first."""
    return is_thin(report) or any(note.severity == "critical" for note in report.trust)


def leading(report: Report) -> Finding | None:
    """The first finding with a saving; the first one if none has any."""
    saving = (finding for finding in report.findings if finding.saving)
    return next(saving, next(iter(report.findings), None))
