"""Which run a user means by a path: that of a log directory, of a run, or of a file."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.errors import RunNotFound
from tfperf_plugin.readers.formats import READERS
from tfperf_plugin.readers.logdirs.files import head, is_remote, path_of
from tfperf_plugin.readers.logdirs.finding import KERAS_RUNS, find_runs, loose, newest_first, readable
from tfperf_plugin.readers.logdirs.runs import HostFile, Run, choose, fitting, known_as
from tfperf_plugin.readers.logdirs.training import names_of

_SUFFIXES: Final = tuple(suffix for reader in READERS for suffix in reader.suffixes)
EXPECTED: Final = "HOST.xplane.pb, a trace of PyTorch, or an SQLite export of Nsight Systems"


def resolve(place: str, name: str | None = None) -> Run:
    """Returns the run at ``place``, see ``runs_at``, that is called ``name`` or alone has it in its name.

    Without ``name``: the newest. Raises RunNotFound, UnreadableInput.
    """
    found = runs_at(place)
    if not found and (broken := _named_as_profile(place)):
        raise RunNotFound(_no_profile(broken))
    return choose(found, name if name is None else fitting(found, name, place), place)


def together(places: Sequence[str], name: str | None = None) -> Run:
    """Returns the run at the only place, see ``resolve``; of several, one run with the hosts of all.

    Raises RunNotFound, UnreadableInput.
    """
    first, *others = (resolve(place, name) for place in places)
    if not others:
        return first
    hosts: dict[str, HostFile] = {}
    for host in (host for run in (first, *others) for host in run.hosts):
        number = sum(known.rpartition("-")[0] == host.host or known == host.host for known in hosts)
        unique = f"{host.host}-{number}" if number else host.host
        hosts[unique] = replace(host, host=unique)
    return replace(first, hosts=tuple(hosts[key] for key in sorted(hosts)), records=())


def runs_at(place: str) -> tuple[Run, ...]:
    """Returns the runs below a log directory, newest first, or the run that is a folder or a file.

    A folder is a run if it is ``…/plugins/profile/RUN``, or if it holds profiles and has no runs below it.
    Of a file, the run holds just that host. Raises RunNotFound, UnreadableInput.
    """
    above, file = os.path.split(place)
    if file.endswith(_SUFFIXES) and not Path(place).is_dir():
        require(above or ".")
        return (_with_only(file, place, (at(above or "."), *loose(above or "."))),)
    require(place)
    run = at(place)
    found = (run,) if run else find_runs(place)
    return found or loose(place)


def at(folder: str) -> Run | None:
    """Returns the run stored in this folder, ``…/plugins/profile/RUN``; None if the path has another form.

    Raises RunNotFound, UnreadableInput.
    """
    if not is_remote(folder) and Path(folder).parts[-3:-1] != ("plugins", "profile"):
        folder = Path(os.path.abspath(folder)).as_posix()  # noqa: PTH100 - resolve() would leave links
    *above, last = folder.rstrip("/").split("/")
    if above[-2:] != ["plugins", "profile"]:
        return None
    root = above[:-2]
    # Keras stores the profile one folder below the record of the training run.
    inner = [root.pop()] if root and root[-1] in KERAS_RUNS else []
    top = "/".join(root) or ("/" if folder.startswith("/") else ".")
    require(folder)
    return choose(find_runs(top), readable("/".join((*inner, last))), top)


def hosts_beside(run: Run) -> int:
    """How many more hosts than ``run`` its folder holds: ``runs_at`` takes one of them if a file is named."""
    files = {host.path for host in run.hosts}
    whole = [other for other in loose(str(run.path)) if files <= {host.path for host in other.hosts}]
    return max((len(other.hosts) for other in whole), default=len(files)) - len(files)


def find_runs_of_spec(spec: str, place: str) -> tuple[Run, ...]:
    """Returns all runs below the directories in TensorBoard's ``--logdir_spec``, newest first.

    Runs in a named directory are called ``NAME/RUN``, as in TensorBoard. Raises UnreadableInput if a
    directory cannot be read; its sentence calls it ``place`` and NAME.
    """
    runs = [
        replace(run, name=f"{name}/{run.name}" if name else run.name)
        for name, logdir in parse_spec(spec)
        for run in find_runs(logdir, f"{place} {name}" if name else place)
    ]
    return newest_first(runs)


def parse_spec(spec: str) -> tuple[tuple[str, str], ...]:
    """Parses ``name:/dir,/other`` into (name or "", directory) pairs, as TensorBoard does."""
    pairs = []
    for part in filter(None, spec.split(",")):
        named = not (is_remote(part) or part.startswith("/") or os.path.splitdrive(part)[0]) and ":" in part
        name, _, path = part.partition(":") if named else ("", "", part)
        pairs.append((name, path if is_remote(path) else str(Path(path).expanduser())))
    return tuple(pairs)


def _with_only(file: str, place: str, runs: Iterable[Run | None]) -> Run:
    """The run among these that has this file, with just its host and what is kept of it."""
    for run in filter(None, runs):
        if hosts := tuple(host for host in run.hosts if host.path.name == file):
            one = replace(run, hosts=hosts)
            named = names_of(one)
            records, resources = (
                tuple(kept for kept in files if kept.host in named) for files in (run.records, run.resources)
            )
            return replace(one, records=records, resources=resources)
    if is_remote(place) or not os.path.lexists(place):
        raise RunNotFound(f"There is no file {place}.")
    raise RunNotFound(_no_profile(place))


def _named_as_profile(folder: str) -> str:
    """The first file in a local folder that has the name of a profile, not of any JSON; "" if none has."""
    if is_remote(folder) or not Path(folder).is_dir():
        return ""
    files = sorted(path for path in Path(folder).iterdir() if path.is_file())
    names = [file for file in files if file.name.endswith(_SUFFIXES)]
    return next((str(file) for file in names if ".json" not in file.name or "trace" in file.name), "")


def _no_profile(place: str) -> str:
    """What is wrong with a file that has the name of a profile."""
    begin = head(path_of(place))
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        said = "is a text in UTF-16, and profiles are in UTF-8. Convert it: iconv -f UTF-16 -t UTF-8"
    elif not begin and not Path(place).stat().st_size:
        said = "is empty: the job ended before it was written, or the disk was full. Capture a new profile"
    else:
        said = f"is not a profile: expected {EXPECTED}"
    return f"{place} {said}.{known_as(place)}"


def require(logdir: str) -> None:
    """Raises RunNotFound if ``logdir`` is not a directory. Remote ones pass: listing them will tell."""
    if is_remote(logdir):
        return
    if not os.path.lexists(logdir):
        raise RunNotFound(f"There is no log directory {logdir or repr(logdir)}.")
    if Path(logdir).is_file():
        said = f"{logdir} is a file, but neither a log directory nor a profile ({EXPECTED})."
        raise RunNotFound(said + known_as(logdir))
