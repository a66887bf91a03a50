"""Searches a log directory for its runs, and for what trials keep."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.base import Reader
from tfperf_plugin.readers.formats import READERS
from tfperf_plugin.readers.logdirs.files import Listing, head, is_remote, list_folder, path_of, time_of
from tfperf_plugin.readers.logdirs.runs import AnyPath, HostFile, Run, stamp_in, stamp_of
from tfperf_plugin.readers.logdirs.training import Kept, kept_in, with_kept
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

MAX_DIRECTORIES = 100_000
"""A scan visits at most this many directories, starting with those closest to the top."""
TOGETHER_S = 60
"""Profilers of one job that are started by hand or by one command begin within this time."""
MOST_BESIDE = 256
"""At most this many folders beside a run are looked into."""
MAX_DEPTH = 40
"""A scan does not go deeper than this below the log directory."""
NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"})
"""Large directories that never contain profiles."""
# Keras' TensorBoard callback stores profiles in these subdirectories of LOGDIR.
KERAS_RUNS = frozenset({"train", "validation"})


_log = logging.getLogger(__name__)


class Directory(Record, frozen=True):
    """A directory to visit. ``above`` identifies it and its ancestors, so that link cycles are detected."""

    path: AnyPath
    parts: tuple[str, ...]
    above: frozenset[tuple[int, int]]


# For remote log directories: listing a directory takes a request, and each poll for a report needs the runs.
_recently: remote.Recently[tuple[Run, ...]] = remote.Recently()


def find_runs(logdir: str, place: str | None = None) -> tuple[Run, ...]:
    """Returns all runs below ``logdir``, newest first; none if it does not exist (yet).

    The age of a run is the timestamp in the name of its directory (``2026_11_20_12_34_56``), or else the
    age of its newest file. Raises UnreadableInput if ``logdir`` exists but cannot be read; its sentence
    calls it ``place``, for who must not see its path.
    """

    def scan() -> tuple[Run, ...]:
        return newest_first(_walk(logdir, place))

    return _recently.get(logdir, scan) if is_remote(logdir) else scan()


def newest_first(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Sorts runs by when they were captured, and by name where that is the same."""
    return tuple(sorted(runs, key=lambda run: (-time_of(run), run.name)))


def has_runs(logdir: str) -> bool:
    """Whether there is a run below ``logdir``. Stops at the first one. Raises as ``find_runs`` does."""
    return next(_walk(logdir), None) is not None


def is_unchanged(run: Run) -> bool:
    """Whether a run still has the hosts and records it was listed with. Much faster than listing all runs.

    Always False for a remote run: remote listings are cached for a short time anyway.
    """
    if is_remote(str(run.path)) or not _has_just(run):
        return False
    now = with_kept(run, [kept_in(place, (), list_folder(place).files) for place in run.places])
    return [file.path for file in now.beside] == [file.path for file in run.beside]


def _has_just(run: Run) -> bool:
    """Whether the folder of a run still holds exactly the files of the run, as far as its format goes."""
    folder = Path(run.path).parts
    names = tuple(host.path.relative_to(run.path).as_posix() for host in run.hosts)
    listing = list_folder(run.path)
    return any(
        names == tuple(file for _, file in found.hosts)
        for reader in READERS
        for found in reader.runs_in(
            folder, _files_for(reader, run.path, listing), lambda file: head(run.path / file)
        )
    )


def beside(run: Run) -> tuple[str, ...]:
    """Profiles of hosts that a run lacks, in folders beside its own, captured within ``TOGETHER_S``.

    For each folder a pattern: "2026_11_20_12_34_56/*.xplane.pb".

    Each host of a job names its folder by its own clock, or each rank by its number. None of a remote run:
    listing takes requests there.
    """
    if is_remote(str(run.path)):
        return ()
    if _holds_rank(run.path.name):
        files_of = [{host.path for host in job.hosts} for job in loose(str(run.path.parent))]
        own_files = {host.path for host in run.hosts}
        others = next((paths - own_files for paths in files_of if own_files <= paths), set())
        return tuple(sorted(path.relative_to(run.path.parent).as_posix() for path in others))
    stamp, hosts = stamp_of(run), {host.path.name for host in run.hosts}
    if stamp is None:
        return ()
    near = [
        name
        for name, _ in list_folder(run.path.parent).directories
        if (other := stamp_in(name)) and 0 < abs((other - stamp).total_seconds()) <= TOGETHER_S
    ]
    files = {name: set(list_folder(run.path.parent / name).files) for name in near[:MOST_BESIDE]}
    own = run.hosts[0].path.name
    suffix = next((s for reader in READERS for s in reader.suffixes if own.endswith(s)), "")
    return tuple(f"{name}/*{suffix}" for name, found in files.items() if found and not found & hosts)


def loose(folder: str) -> tuple[Run, ...]:
    """The runs whose profiles lie in this folder itself, as after a copy; newest first."""
    path = path_of(folder)
    name = path.name if is_remote(folder) else Path(os.path.abspath(folder)).name  # noqa: PTH100
    inside = Directory(path, ("plugins", "profile", name or "run"), frozenset())
    found = _runs_in(inside, list_folder(path), {})
    return newest_first(
        replace(run, name=run.name.removeprefix("plugins/profile/"), places=()) for run in found
    )


def _walk(logdir: str, place: str | None = None) -> Iterator[Run]:
    kept: dict[tuple[str, ...], Kept] = {}
    joined: set[AnyPath] = set()
    for directory, listing in visited(logdir, place):
        if directory.parts[-2:] == ("plugins", "diagnostics"):
            kept[directory.parts[:-2]] = kept_in(directory.path, directory.parts, listing.files)
        # A trace of PyTorch lies above its records. (A look into a remote folder takes a request.)
        elif not is_remote(logdir):
            names = [name for name, _ in listing.directories]
            places: list[tuple[str, ...]] = [()] if "plugins" in names else []
            for below in (*places, *((name,) for name in names if _holds_rank(name))):
                inside = (*below, "plugins", "diagnostics")
                folder = directory.path.joinpath(*inside)
                found = kept_in(folder, (*directory.parts, *inside), list_folder(folder).files)
                kept[directory.parts + below] = found
        if joined:
            left = tuple(file for file in listing.files if directory.path / file not in joined)
            listing = replace(listing, files=left)
        for run in _runs_in(directory, listing, kept):
            joined.update(host.path for host in run.hosts if host.path.parent != directory.path)
            yield run


def _files_for(reader: Reader, path: AnyPath, listing: Listing) -> tuple[str, ...]:
    """The files of a folder, and those of the ranks in folders below it."""
    ranks = (name for name, _ in listing.directories if _holds_rank(name, (reader,)))
    return (*listing.files, *(f"{name}/{file}" for name in ranks for file in list_folder(path / name).files))


def _holds_rank(folder: str, readers: tuple[Reader, ...] = READERS) -> bool:
    return any(reader.is_rank_folder(folder) for reader in readers)


def visited(logdir: str, place: str | None = None) -> Iterator[tuple[Directory, Listing]]:
    """All directories from ``logdir`` down, the nearest first. Raises as ``find_runs`` does."""
    if sentence := remote.unsupported(logdir):
        raise UnreadableInput(sentence)
    root = path_of(logdir)
    if is_remote(logdir):
        remote.forget_listings(root)
    queue = deque([Directory(root, (), _identity_of(root))])
    looked_into = 0
    while queue:
        if looked_into == MAX_DIRECTORIES:
            _log.warning(
                "%s holds more than %d directories; only the nearest were searched.", logdir, looked_into
            )
            return
        directory = queue.popleft()
        looked_into += 1
        called = "" if directory.parts else place or f"the log directory {logdir}"
        listing = list_folder(directory.path, called)
        yield directory, listing
        if len(directory.parts) < MAX_DEPTH:
            queue.extend(
                Directory(
                    directory.path / name,
                    (*directory.parts, name),
                    directory.above | ({identity} if identity else frozenset()),
                )
                for name, identity in listing.directories
                if name not in NEVER_ENTERED and identity not in directory.above
            )


def _runs_in(folder: Directory, listing: Listing, kept: dict[tuple[str, ...], Kept]) -> Iterator[Run]:
    def head_of(file: str) -> bytes:
        return head(folder.path / file)

    for reader in READERS:
        files = _files_for(reader, folder.path, listing)
        for name, hosts, begin_ns in reader.runs_in(folder.parts, files, head_of):
            parts, top = name[:-1], _above(folder.path, len(folder.parts) - len(name) + 1)
            # If these folders exist, the walk has already visited them. Keras' record lies one folder up.
            known, tops = [kept.get(parts)], [top]
            if parts and parts[-1] in KERAS_RUNS:
                known.append(kept.get(parts[:-1]))
                tops.append(top.parent)
            for of_rank in sorted({file.rpartition("/")[0] for _, file in hosts} - {""}):
                known.append(kept.get((*folder.parts, of_rank)))
                tops.append(folder.path / of_rank)
            run = Run(
                readable("/".join(name)),
                folder.path,
                tuple(HostFile(readable(host), folder.path / file) for host, file in hosts),
                (),
                tuple(top / "plugins" / "diagnostics" for top in tops),
                begin_ns,
            )
            places = list(filter(None, known))
            yield with_kept(run, places) if places else run


def _above(path: epath.Path, levels: int) -> epath.Path:
    for _ in range(levels):
        path = path.parent
    return path


def _identity_of(root: epath.Path) -> frozenset[tuple[int, int]]:
    try:
        status = Path(root).stat()
    except OSError:  # remote, or missing: the listing decides
        return frozenset()
    return frozenset({(status.st_dev, status.st_ino)})


def readable(name: str) -> str:
    """Returns a file name as text that can be encoded, whatever its bytes are."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# -------------------------------------------------------------------------------------------- trials

VERDICT: Final = "verdict.json"
"""What a trial that came to an end has in its folder."""
TUNING: Final = "tune.json"
"""What a tuning has in its folder."""


class KeptTrial(Record, frozen=True):
    """The folder of a trial, or of a tuning with its trials. ``name``: as ``Run.name``, "." at the top."""

    name: str
    path: Path
    is_tuning: bool

    @property
    def file(self) -> Path:
        """What says how it ended, or how far it is."""
        return self.path / (TUNING if self.is_tuning else VERDICT)


def find_trials(logdir: str, place: str | None = None) -> Iterator[KeptTrial]:
    """The trials and tunings below ``logdir``, the nearest first; none if it is remote.

    Raises as ``finding.find_runs`` does.
    """
    tunings: set[tuple[str, ...]] = set()
    for folder, listing in () if is_remote(logdir) else visited(logdir, place):
        is_tuning = TUNING in listing.files
        if is_tuning:
            tunings.add(folder.parts)
        elif VERDICT not in listing.files or folder.parts[:-1] in tunings:  # a tuning tells of its trials
            continue
        yield KeptTrial(readable("/".join(folder.parts)) or ".", Path(folder.path), is_tuning)
