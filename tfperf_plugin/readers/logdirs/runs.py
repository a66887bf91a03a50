"""What a run is, and how one of several is chosen by its name."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from tfperf_plugin.errors import RunNotFound, did_you_mean
from tfperf_plugin.readers.formats import READERS
from tfperf_plugin.readers.kineto.files import SUFFIXES, inflated
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

    AnyPath: TypeAlias = epath.Path
else:  # what reads remote file systems is loaded only where it is needed
    AnyPath = PurePath

MOST_NAMED = 10
"""An error names at most this many runs."""
_MOST_LOOKED_INTO = 1_000
"""Folders in which a hint is looked for."""
_TIMELINE = re.compile(rb'"name": "[^"]{0,200}/(device:)?[cCgG][pP][uU]:[^"]{0,200} (Compute|Tensors)"')
"""How a timeline of TensorFlow 1 names the devices with which it begins."""
_CHROME_EVENT = re.compile(rb'"ph"\s*:\s*"[A-Za-z]"')
_FOR_VIEWER = re.compile(rb'"name"\s*:\s*"/(device:|host:CPU)')
"""What TensorFlow and JAX write beside a profile for a trace viewer."""
_BEGIN_BYTES = 1 << 16
_TIMESTAMP = re.compile(r"\d{4}(_\d\d){5}")


class HostFile(Record, frozen=True):
    """The profile of one host, or of one process of a job."""

    host: str
    path: AnyPath


class RecordFile(Record, frozen=True):
    """What a training run on ``host``, which began at ``start``, recorded about itself or about the machine.

    ``name`` is the file's path relative to the log directory, with ``/`` as separator.
    """

    host: str
    path: AnyPath
    name: str
    start: datetime


class Run(Record, frozen=True):
    """One capture: all hosts that were profiled together, sorted by name.

    ``records``: for each host, the latest record of a training run that began before the capture;
    ``resources``: likewise what the machine did meanwhile; ``places``: the folders that hold both, or would
    if there were any; ``begin_ns``: when the capture began, in ns since the epoch, if its files say so.
    """

    name: str
    path: AnyPath
    hosts: tuple[HostFile, ...]
    records: tuple[RecordFile, ...] = ()
    places: tuple[AnyPath, ...] = ()
    begin_ns: int | None = None
    resources: tuple[RecordFile, ...] = ()

    @property
    def beside(self) -> tuple[RecordFile, ...]:
        """All that was recorded beside the profile."""
        return self.records + self.resources


def listing(found: tuple[Run, ...]) -> dict[str, list[dict[str, object]]]:
    """The runs in the JSON form that the command line and the ``runs`` route share."""
    return {"runs": [{"name": run.name, "hosts": [host.host for host in run.hosts]} for run in found]}


def choose(runs: tuple[Run, ...], name: str | None, place: str) -> Run:
    """Returns the run called ``name``, or the newest run if no name is given.

    Only listed names are accepted; ``name`` never becomes part of a path. Raises RunNotFound with a
    sentence that mentions ``place``.
    """
    if not runs:
        *firsts, last = (reader.expected for reader in reversed(READERS))
        expected = f"{', '.join(firsts)}, or {last}"
        hint = _better_place(place) or _unlisted(place)
        raise RunNotFound(f"No profiles below {place}. Expected one of these: {expected}.{hint}")
    if name is None:
        return runs[0]
    for run in runs:
        if run.name == name:
            return run
    parts = {part: run.name for run in reversed(runs) for part in (*run.name.split("/"), run.name)}
    hint = did_you_mean(name, parts, parts) or f"there are: {_names(runs)}."
    known = [run.name for run in runs[:MOST_NAMED]]
    raise RunNotFound(f"No run is called {name!r:.100} below {place}; {hint}", known)


def _names(runs: Sequence[Run]) -> str:
    others = len(runs) - MOST_NAMED
    return ", ".join(run.name for run in runs[:MOST_NAMED]) + (f" and {others} others" if others > 0 else "")


def fitting(runs: tuple[Run, ...], typed: str, place: str) -> str:
    """The name of the only run that has ``typed`` in its name, whole folders first; ``typed`` if none has.

    Raises RunNotFound if several have.
    """
    part = typed.strip("/").lower()
    if not part or any(run.name == typed for run in runs):
        return typed
    for found in (
        [run for run in runs if f"/{part}/" in f"/{run.name.lower()}/"],
        [run for run in runs if part in run.name.lower()],
    ):
        if len(found) == 1:
            return found[0].name
        if found:
            fit = f"{len(found)} runs below {place} fit {typed!r:.100}"
            known = [run.name for run in found[:MOST_NAMED]]
            raise RunNotFound(f"{fit}; give more of the name: {_names(found)}.", known)
    return typed


def recorded(run: Run) -> str:
    """When a run was captured, as its name says, in local time: "2026-11-20 12:34:56", or ""."""
    stamp = stamp_of(run)
    if run.begin_ns is not None:
        stamp = datetime.fromtimestamp(run.begin_ns // 10**9)
    return stamp.isoformat(" ") if stamp else ""


def stamp_of(run: Run) -> datetime | None:
    """Returns the time in the name of the run's directory, in local time of the machine that captured it."""
    return stamp_in(run.path.name)


def stamp_in(name: str) -> datetime | None:
    """Returns the time that is the name of a run's directory, as ``stamp_of``."""
    if _TIMESTAMP.fullmatch(name):
        try:
            stamp = datetime.strptime(name, "%Y_%m_%d_%H_%M_%S")
            stamp.timestamp()
            return stamp
        # Not a valid time, such as 2026_13_01_…; Windows also rejects times before 1970.
        except (ValueError, OverflowError, OSError):
            pass
    return None


def _unlisted(place: str) -> str:
    """The first file below a local folder that a further command makes readable, and that command."""
    for folder, _, files in islice(os.walk(place), _MOST_LOOKED_INTO):
        for name in sorted(files):
            if hint := known_as(os.path.join(folder, name)):  # noqa: PTH118 - as typed
                return hint
            if name.endswith(".xplane.pb"):
                return f" {name} lies in another folder: tfperf report {shlex.quote(folder)}"
    return ""


def known_as(file: str) -> str:
    """What a file of another profiler or format is, and how to get one that can be read; "" if not known."""
    name, said = os.path.basename(file), ""  # noqa: PTH119 - as typed
    if name.endswith((".nsys-rep", ".qdrep")):
        said = f"in a format of Nsight Systems alone: nsys export --type sqlite {shlex.quote(file)}"
    elif name.endswith(".overview_page.pb"):
        said = "a summary that lacks its profile: record with TensorFlow 2.3 or later."
    elif name.endswith(SUFFIXES) and os.path.isfile(file):  # noqa: PTH113 - as typed
        with suppress(OSError), open(file, "rb") as content:  # noqa: PTH123
            begin = inflated(content.read(_BEGIN_BYTES), _BEGIN_BYTES)
            if name.endswith(".gz") and _FOR_VIEWER.search(begin):
                said = "what TensorFlow or JAX writes for a trace viewer: give the .xplane.pb beside it."
            elif _TIMELINE.search(begin):
                said = "a timeline of TensorFlow 1: record with TensorFlow 2, or with nsys profile."
            elif _CHROME_EVENT.search(begin):
                why = "" if b'"cat"' in begin else ', whose events name a category ("cat")'
                said = f"a Chrome trace, but none of PyTorch's profiler{why}: record with torch.profiler."
    return f" {name} is {said}" if said else ""


def _better_place(place: str) -> str:
    """Returns a hint for users who named a directory inside a log directory, such as that of a run."""
    above, inside, _ = f"{place}/".partition("plugins/profile/")
    if not inside and place.rstrip("/").split("/")[-1] == "plugins":
        above, inside = place.rstrip("/").removesuffix("plugins"), "plugins"
    return f" Give the directory above plugins: {above or '.'}" if inside else ""
