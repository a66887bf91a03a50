"""The log directory: which profiles it holds, and under which names.

A profile is a directory ``plugins/profile/RUN`` at any depth with one ``HOST.xplane.pb`` per host.
Runs and hosts carry the names that TensorBoard's profile plugin gives them, because links into its
trace viewer are made of these names. What a training recorded about itself lies beside its profiles, as
``plugins/diagnostics/HOST.START.training.json``. The log directory is only ever read.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import stat
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeAlias, cast

from msgspec.structs import replace

from tfperf_plugin.errors import RunNotFound, UnreadableInput
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.formats import READERS
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

    AnyPath: TypeAlias = epath.Path
else:  # what reads remote file systems is loaded only where it is needed
    AnyPath = PurePath

RECORD_SUFFIX = ".training.json"
RECORD_TIME = "%Y%m%dT%H%M%S.%f%z"
"""When the training began, in the name of its record: on its own clock, with the distance from UTC. The
directory of a profile is stamped by that clock too, but without the distance."""
MAX_DIRECTORIES = 100_000
"""A scan looks into at most this many directories, nearest first."""
MAX_DEPTH = 40
"""Deeper below the log directory nothing is looked for."""
MAX_PROFILE_BYTES = (1 << 31) - 1
"""The limit of a profile's format."""
FRESH_S = 10
"""A file that was written this short ago may still be being written."""
MAX_RECORD_AGE_S = 24 * 3600
"""A record whose host's name the profile does not tell must be at most this much older."""
NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"})
"""Directories that are large and never hold profiles."""

# Keras' TensorBoard callback puts the profile of LOGDIR here.
_KERAS_RUNS = frozenset({"train", "validation"})
# A host of a profile that was asked for over the network: its name or address, and the port.
_WITH_PORT = re.compile(r"(.+)[:_]\d+")
# A name with RECORD_TIME in it.
_RECORD = re.compile(r"(.+)\.(\d{8}T\d{6}\.\d{6}[+-]\d{4})" + re.escape(RECORD_SUFFIX))
_ADDRESS = re.compile(r"localhost|\d+(\.\d+){3}")
_TIMESTAMP = re.compile(r"\d{4}(_\d\d){5}")
_URI = re.compile(r"[a-zA-Z][0-9a-zA-Z.]*://")
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_log = logging.getLogger(__name__)


class HostFile(Record, frozen=True):
    """The profile of one host. ``host`` is the file's name before ``.xplane.pb``."""

    host: str
    path: AnyPath


class RecordFile(Record, frozen=True):
    """What a training on ``host`` recorded about itself when it began, at ``start``.

    ``name`` is the file's path relative to the log directory, with ``/``.
    """

    host: str
    path: AnyPath
    name: str
    start: datetime


class Run(Record, frozen=True):
    """One capture: all hosts that were profiled together, sorted by name.

    ``records``: of each of these hosts the last record of a training that began before the capture;
    ``places``: the folders in which these lie, or could.
    """

    name: str
    path: AnyPath
    hosts: tuple[HostFile, ...]
    records: tuple[RecordFile, ...] = ()
    places: tuple[AnyPath, ...] = ()


class _Directory(Record, frozen=True):
    """A directory to look into; ``above`` identifies it and its ancestors, to notice link loops."""

    path: AnyPath
    parts: tuple[str, ...]
    above: frozenset[tuple[int, int]]


class _Listing(Record, frozen=True):
    """What a directory holds; identities are None where the file system has none."""

    directories: tuple[tuple[str, tuple[int, int] | None], ...]
    files: tuple[str, ...]


_Records = dict[str, list[RecordFile]]
"""Host → its records, in order of time."""

# Of remote log directories: each directory is a request, and each poll for a report asks for the runs.
_recently: remote.Recently[tuple[Run, ...]] = remote.Recently()


def find_runs(logdir: str) -> tuple[Run, ...]:
    """All runs below ``logdir``, newest first; none if it does not exist (yet).

    A run is as new as its directory's time stamp says (``2026_11_20_12_34_56``), else as new as its
    newest file. Raises UnreadableInput if ``logdir`` exists, but cannot be read.
    """
    if _is_remote(logdir):
        return _recently.get(logdir, lambda: _newest_first(logdir))
    return _newest_first(logdir)


def _newest_first(logdir: str) -> tuple[Run, ...]:
    return tuple(sorted(_walk(logdir), key=lambda run: (-_time_of(run), run.name)))


def find_runs_of_spec(spec: str) -> tuple[Run, ...]:
    """All runs below the directories of TensorBoard's ``--logdir_spec``, newest first.

    Runs of a named directory are called ``NAME/RUN``, as TensorBoard calls them.
    """
    runs = [
        replace(run, name=f"{name}/{run.name}" if name else run.name)
        for name, logdir in _parse_spec(spec)
        for run in find_runs(logdir)
    ]
    return tuple(sorted(runs, key=lambda run: (-_time_of(run), run.name)))


def has_runs(logdir: str) -> bool:
    """Whether there is any run below ``logdir``: stops at the first one."""
    return next(_walk(logdir), None) is not None


def listing(found: tuple[Run, ...]) -> dict[str, list[dict[str, object]]]:
    """The runs as the JSON that command line and route ``runs`` share."""
    return {"runs": [{"name": run.name, "hosts": [host.host for host in run.hosts]} for run in found]}


def choose(runs: tuple[Run, ...], name: str | None, place: str) -> Run:
    """The run called ``name``, or the newest one if no name is given.

    Only names that were listed are accepted: no path is ever made from ``name``. Raises RunNotFound
    with a sentence that mentions ``place``.
    """
    if not runs:
        expected = " or ".join(reader.expected for reader in READERS)
        raise RunNotFound(f"No profiles below {place}: expected {expected}." + _better_place(place))
    if name is None:
        return runs[0]
    for run in runs:
        if run.name == name:
            return run
    alike = sorted(runs, key=lambda run: name not in run.name)  # stable: else newest first
    listed = ", ".join(run.name for run in alike[:5]) + (" and others" if len(runs) > 5 else "")
    raise RunNotFound(f"No run is called {name!r:.100} below {place}; there are: {listed}.")


def is_unchanged(run: Run) -> bool:
    """Whether a run has the hosts and records that it was listed with: much sooner told than all runs.

    False of a remote run, all of which are remembered for a while anyway.
    """
    if _is_remote(str(run.path)) or not _has_just(run):
        return False
    places = [_records_in(place, (), _list(place).files) for place in run.places]
    now = _records_of(run, list(filter(None, places)))
    return [record.path for record in now] == [record.path for record in run.records]


def _has_just(run: Run) -> bool:
    """Whether the folder of a run still holds its files, and no more of its format."""
    folder = Path(run.path).parts
    names = tuple(host.path.name for host in run.hosts)
    files = _list(run.path).files
    return any(
        names == tuple(file for _, file in found.hosts)
        for reader in READERS
        for found in reader.runs_in(folder, files)
    )


def resolve(logdir: str, name: str | None = None) -> Run:
    """The run of ``logdir`` called ``name``, or its newest one. Raises RunNotFound, UnreadableInput."""
    require(logdir)
    return choose(find_runs(logdir), name, logdir)


def at(folder: str) -> Run | None:
    """The run whose own folder this is, ``…/plugins/profile/RUN``; ``None`` if the path is no such folder's.

    Raises RunNotFound, UnreadableInput.
    """
    *above, last = folder.rstrip("/").split("/")
    if above[-2:] != ["plugins", "profile"]:
        return None
    root = above[:-2]
    # Keras puts the profile one folder below what the training recorded of itself.
    inner = [root.pop()] if root and root[-1] in _KERAS_RUNS else []
    top = "/".join(root) or ("/" if folder.startswith("/") else ".")
    return resolve(top, "/".join((*inner, last)))


def require(logdir: str) -> None:
    """Raises RunNotFound if ``logdir`` is no directory. A remote one counts as there: listing it tells."""
    if _is_remote(logdir):
        return
    if not os.path.lexists(logdir):
        raise RunNotFound(f"There is no log directory {logdir or repr(logdir)}.")
    if Path(logdir).is_file():
        raise RunNotFound(f"{logdir} is a file, not a log directory." + _better_place(logdir))


def size_and_time(path: epath.Path) -> tuple[int, int]:
    """Bytes of a file, and when it was last written in ns since the epoch (whole seconds if remote)."""
    if _is_remote(str(path)):
        status = path.stat()
        return int(status.length), remote.modified_s(path, status.mtime) * 10**9
    local = Path(path).stat()
    return local.st_size, local.st_mtime_ns


def state_of(path: epath.Path) -> tuple[int, int, int]:
    """What changes whenever a file does: its size, when it was written, and when its inode was changed.

    Times are ns since the epoch; the last is 0 if remote. It cannot be set, unlike the time of writing.
    """
    if _is_remote(str(path)):
        return (*size_and_time(path), 0)
    # Not through another Path: of hundreds of hosts each is asked for several times a report.
    local = os.stat(path)  # noqa: PTH116
    return local.st_size, local.st_mtime_ns, local.st_ctime_ns


def ends(file: HostFile | RecordFile, length: int) -> bytes:
    """The first and the last ``length`` bytes of a file. Raises what its file system raises."""
    if _is_remote(str(file.path)):
        size = state_of(file.path)[0]
        with file.path.open("rb") as content:
            head: bytes = content.read(length)
            content.seek(max(0, size - length))
            tail: bytes = content.read(length)
            return head + tail
    handle, size = _opened(file.path)
    try:
        head = os.read(handle, length)
        os.lseek(handle, max(0, size - length), os.SEEK_SET)
        return head + os.read(handle, length)
    finally:
        os.close(handle)


def read(file: HostFile) -> bytes:
    """The content of a profile, as it was at one moment.

    Raises UnreadableInput if it is too large, vanished, no file any more, or does not keep still.
    """
    try:
        for _ in range(2):
            state = state_of(file.path)
            if state[0] > MAX_PROFILE_BYTES:
                raise UnreadableInput(
                    "The file is larger than 2 GiB, the limit of its format. Capture fewer steps."
                )
            data = _bytes_of(file.path)
            if len(data) == state[0] and state_of(file.path) == state:
                return data
    except UnreadableInput:
        raise
    except MemoryError as error:
        raise UnreadableInput("The file does not fit into memory. Capture fewer steps.") from error
    except Exception as error:  # each remote file system raises errors of its own
        raise UnreadableInput(f"The file cannot be read: {reason(error)}.") from error
    raise UnreadableInput(
        "The file changes while it is read: it is still being written. Ask again when it is complete."
    )


def is_fresh(file: HostFile) -> bool:
    """Whether the file was written just now, so that what is wrong with it may be that it is not complete."""
    return abs(time.time() - _modified_s(file.path)) < FRESH_S


def reason(error: Exception) -> str:
    """Why a file cannot be read, in a few words without its path."""
    return error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__


def _bytes_of(path: epath.Path) -> bytes:
    """The content of a file; of a growing one not more than one byte too many."""
    if _is_remote(str(path)):
        with path.open("rb") as remote:
            content: bytes = remote.read(MAX_PROFILE_BYTES + 1)
            return content
    handle, size = _opened(path)
    with os.fdopen(handle, "rb") as file:
        return file.read(min(size, MAX_PROFILE_BYTES) + 1)


def _opened(path: epath.Path) -> tuple[int, int]:
    """A local file's handle and size. Raises OSError."""
    # What was listed as a file may have become a pipe, which would be waited for without end.
    handle = os.open(path, os.O_RDONLY | _NEVER_WAIT)
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no file any more")
    return handle, status.st_size


def _walk(logdir: str) -> Iterator[Run]:
    if sentence := remote.unsupported(logdir):
        raise UnreadableInput(sentence)
    root = path_of(logdir)
    if _is_remote(logdir):
        remote.forget_listings(root)
    queue = deque([_Directory(root, (), _identity_of(root))])
    records: dict[tuple[str, ...], _Records] = {}
    looked_into = 0
    while queue:
        if looked_into == MAX_DIRECTORIES:
            _log.warning(
                "%s holds more than %d directories; only the nearest were searched.", logdir, looked_into
            )
            return
        directory = queue.popleft()
        looked_into += 1
        listing = _list(directory.path, required=not directory.parts)
        if directory.parts[-2:] == ("plugins", "diagnostics"):
            records[directory.parts[:-2]] = _records_in(directory.path, directory.parts, listing.files)
        yield from _runs_in(directory, listing.files, records)
        if len(directory.parts) < MAX_DEPTH:
            queue.extend(
                _Directory(
                    directory.path / name,
                    (*directory.parts, name),
                    directory.above | ({identity} if identity else frozenset()),
                )
                for name, identity in listing.directories
                if name not in NEVER_ENTERED and identity not in directory.above
            )


def _runs_in(
    folder: _Directory, files: tuple[str, ...], records: dict[tuple[str, ...], _Records]
) -> Iterator[Run]:
    for reader in READERS:
        for name, hosts in reader.runs_in(folder.parts, files):
            parts, top = name[:-1], _above(folder.path, len(folder.parts) - len(name) + 1)
            # The walk met these folders before, if they are there. Keras' record lies one folder above.
            known, tops = [records.get(parts)], [top]
            if parts and parts[-1] in _KERAS_RUNS:
                known.append(records.get(parts[:-1]))
                tops.append(top.parent)
            run = Run(
                _readable("/".join(name)),
                folder.path,
                tuple(HostFile(_readable(host), folder.path / file) for host, file in hosts),
                (),
                tuple(top / "plugins" / "diagnostics" for top in tops),
            )
            places = list(filter(None, known))
            yield replace(run, records=_records_of(run, places)) if places else run


def _above(path: epath.Path, levels: int) -> epath.Path:
    for _ in range(levels):
        path = path.parent
    return path


def _records_in(folder: epath.Path, parts: tuple[str, ...], files: tuple[str, ...]) -> _Records:
    """The records of a folder, which lies at ``parts`` below the log directory."""
    records: _Records = {}
    for file in files:
        match = _RECORD.fullmatch(file)
        if match and (start := _start_of(match[2])):
            record = RecordFile(match[1], folder / file, "/".join((*parts, file)), start)
            records.setdefault(match[1], []).append(record)
    for of_host in records.values():
        of_host.sort(key=lambda record: record.start)
    return records


def _start_of(text: str) -> datetime | None:
    try:
        start = datetime.strptime(text, RECORD_TIME)
        start.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # looks like a time, but is none, or none in UTC
        return None
    return start


def _records_of(run: Run, places: list[_Records]) -> tuple[RecordFile, ...]:
    """Of each host of ``run`` the last record from before the capture.

    The stamp of the capture and the start of the training are compared as the same clock showed them;
    without a stamp the files' time decides.
    """
    stamp = _stamp_of(run)
    last: dict[str, RecordFile] = {}
    for place in places:
        for host, files in place.items():
            by_name = _is_of(run, host)
            if not by_name and not (len(place) == 1 and _has_address(run)):
                continue
            if stamp:  # in whole seconds: what began in that second may have begun before
                limit = stamp.replace(microsecond=999_999)
                before = bisect_right(files, limit, key=lambda file: file.start.replace(tzinfo=None))
            else:
                before = bisect_right(files, _written_s(run), key=lambda file: file.start.timestamp())
            if before and (by_name or _started_lately(run, files[before - 1])):
                last[host] = max((last.get(host, files[0]), files[before - 1]), key=lambda file: file.start)
    return tuple(last[host] for host in sorted(last))


def _is_of(run: Run, host: str) -> bool:
    """Whether ``run`` shows ``host`` by name; profiles asked for over the network add a port to it."""
    return any(host in (profile.host, _without_port(profile.host)) for profile in run.hosts)


def _has_address(run: Run) -> bool:
    """Whether the only host of ``run`` is named by its address, which does not tell its name."""
    return len(run.hosts) == 1 and bool(_ADDRESS.fullmatch(_without_port(run.hosts[0].host)))


def _started_lately(run: Run, record: RecordFile) -> bool:
    """Whether a training began so short before the capture that nothing but its host's name is in doubt."""
    return _time_of(run) - record.start.timestamp() <= MAX_RECORD_AGE_S


def _without_port(host: str) -> str:
    match = _WITH_PORT.fullmatch(host)
    return match[1] if match else host


def _list(path: epath.Path, required: bool = False) -> _Listing:
    """What ``path`` holds, sorted; nothing if it vanished or, unless ``required``, is unreadable."""
    try:
        return _list_remote(path) if _is_remote(str(path)) else _list_local(path)
    except (FileNotFoundError, NotADirectoryError):
        return _Listing((), ())
    except Exception as error:  # each remote file system raises errors of its own
        if required:
            place = str(path)
            if _is_remote(place):
                why = remote.reason(place, error)
            else:  # by its name: the sentence may go to a browser
                place, why = path.name, f"{reason(error)}."
            raise UnreadableInput(f"The log directory {place} cannot be read: {why}") from error
        _log.info("%s cannot be read: %s", path, error)
        return _Listing((), ())


def _list_local(path: epath.Path) -> _Listing:
    # One call for a directory's names and kinds; the same through epath costs a call per name.
    directories, files = [], []
    with os.scandir(path) as entries:
        for entry in entries:
            if _is_directory(entry):
                status = entry.stat()
                directories.append((entry.name, (status.st_dev, status.st_ino)))
            elif _ends(entry):
                files.append(entry.name)
    return _Listing(tuple(sorted(directories)), tuple(sorted(files)))


def _identity_of(root: epath.Path) -> frozenset[tuple[int, int]]:
    try:
        status = Path(root).stat()
    except OSError:  # remote, or missing: the listing decides
        return frozenset()
    return frozenset({(status.st_dev, status.st_ino)})


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _ends(entry: os.DirEntry[str]) -> bool:
    """False for pipes and devices, which could be read for ever. A broken link is kept: an error to tell."""
    try:
        return entry.is_file() or not Path(entry.path).exists()
    except OSError:  # a link that leads to itself
        return True


def _list_remote(path: epath.Path) -> _Listing:
    directories, files = remote.list_directory(path)
    return _Listing(tuple((name, None) for name in sorted(directories)), tuple(sorted(files)))


def _readable(name: str) -> str:
    """A file's name as text that can be written and asked for, whatever its bytes are."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _time_of(run: Run) -> float:
    """Seconds since the epoch at which the run was captured, as far as is known."""
    stamp = _stamp_of(run)
    return stamp.timestamp() if stamp else _written_s(run)


def _stamp_of(run: Run) -> datetime | None:
    """The time in the name of the run's directory, on the clock of the machine that captured it."""
    if _TIMESTAMP.fullmatch(run.path.name):
        try:
            stamp = datetime.strptime(run.path.name, "%Y_%m_%d_%H_%M_%S")
            stamp.timestamp()
            return stamp
        except (ValueError, OverflowError):  # looks like a time, but is none: 2026_13_01_…
            pass
    return None


def _written_s(run: Run) -> float:
    return max(_modified_s(host.path) for host in run.hosts)


def _modified_s(path: epath.Path) -> float:
    try:
        return size_and_time(path)[1] / 1e9
    except Exception:  # vanished since it was listed, or a remote file system's own error
        return 0.0


def _better_place(place: str) -> str:
    """A sentence for those who name a directory inside a log directory, such as that of a run."""
    above, inside, _ = f"{place}/".partition("plugins/profile/")
    return f" Give the directory above plugins: {above or '.'}" if inside else ""


def _parse_spec(spec: str) -> tuple[tuple[str, str], ...]:
    """``name:/dir,/other`` → (name or "", directory) pairs, read as TensorBoard reads them."""
    pairs = []
    for part in filter(None, spec.split(",")):
        named = not _URI.match(part) and ":" in part and not part.startswith("/")
        name, _, path = part.partition(":") if named else ("", "", part)
        pairs.append((name, path if _URI.match(path) else str(Path(path).expanduser())))
    return tuple(pairs)


def _is_remote(path: str) -> bool:
    return _URI.match(path) is not None


def path_of(place: str) -> epath.Path:
    """A path that reads remote file systems where it is remote; else without their libraries."""
    if not _is_remote(place):
        return cast("epath.Path", Path(place))
    from etils import epath

    return epath.Path(place)
