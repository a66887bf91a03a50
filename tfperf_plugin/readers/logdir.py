"""Finds the profiles in a log directory and gives them their names.

A profile is a directory ``plugins/profile/RUN``, at any depth, with one ``HOST.xplane.pb`` per host.
Runs and hosts have the same names as in TensorBoard's profile plugin, because links to its trace viewer
contain those names. A training run stores a record of itself next to its profiles, as
``plugins/diagnostics/HOST.START.training.json``. Nothing is ever written to the log directory.
"""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import os
import re
import stat
import threading
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from tfperf_plugin.errors import RunNotFound, UnreadableInput, did_you_mean
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.content import Content
from tfperf_plugin.readers.formats import READERS
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

    AnyPath: TypeAlias = epath.Path
else:  # what reads remote file systems is loaded only where it is needed
    AnyPath = PurePath

RECORD_SUFFIX = ".training.json"
RECORD_TIME = "%Y%m%dT%H%M%S.%f%z"
"""The start time of the training in the name of its record: local time with its UTC offset. The name of a
profile's directory holds local time too, but without the offset."""
MAX_DIRECTORIES = 100_000
"""A scan visits at most this many directories, starting with those closest to the top."""
MAX_DEPTH = 40
"""A scan does not go deeper than this below the log directory."""
MAX_PROFILE_BYTES = (1 << 31) - 1
"""The size limit of the profile format."""
FRESH_S = 10
"""A file that was modified less than this many seconds ago may still be incomplete."""
MAX_RECORD_AGE_S = 24 * 3600
"""If a profile does not name its host, a record belongs to it only if it is at most this much older."""
MOST_NAMED = 10
"""An error names at most this many runs."""
NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules"})
"""Large directories that never contain profiles."""

# Keras' TensorBoard callback stores profiles in these subdirectories of LOGDIR.
_KERAS_RUNS = frozenset({"train", "validation"})
# The host in a profile that was captured over the network: its name or address, and the port.
_WITH_PORT = re.compile(r"(.+)[:_]\d+")
# The name of a record: host and RECORD_TIME.
_RECORD = re.compile(r"(.+)\.(\d{8}T\d{6}\.\d{6}[+-]\d{4})" + re.escape(RECORD_SUFFIX))
_ADDRESS = re.compile(r"localhost|\d+(\.\d+){3}")
_TIMESTAMP = re.compile(r"\d{4}(_\d\d){5}")
_URI = re.compile(r"[a-zA-Z][0-9a-zA-Z.]*://")
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_log = logging.getLogger(__name__)

T = TypeVar("T")
State = tuple[int, int, int]
"""See ``state_of``."""


class HostFile(Record, frozen=True):
    """The profile of one host. ``host`` is the file name without ``.xplane.pb``."""

    host: str
    path: AnyPath


class RecordFile(Record, frozen=True):
    """The record that a training run on ``host`` wrote when it began, at ``start``.

    ``name`` is the file's path relative to the log directory, with ``/`` as separator.
    """

    host: str
    path: AnyPath
    name: str
    start: datetime


class Run(Record, frozen=True):
    """One capture: all hosts that were profiled together, sorted by name.

    ``records``: for each host, the latest record of a training run that began before the capture;
    ``places``: the folders that hold these records, or would if there were any.
    """

    name: str
    path: AnyPath
    hosts: tuple[HostFile, ...]
    records: tuple[RecordFile, ...] = ()
    places: tuple[AnyPath, ...] = ()


class _Directory(Record, frozen=True):
    """A directory to visit. ``above`` identifies it and its ancestors, so that link cycles are detected."""

    path: AnyPath
    parts: tuple[str, ...]
    above: frozenset[tuple[int, int]]


class _Listing(Record, frozen=True):
    """The contents of a directory. Identities are None if the file system has none."""

    directories: tuple[tuple[str, tuple[int, int] | None], ...]
    files: tuple[str, ...]


_Records = dict[str, list[RecordFile]]
"""Host → its records, oldest first."""

# For remote log directories: listing a directory takes a request, and each poll for a report needs the runs.
_recently: remote.Recently[tuple[Run, ...]] = remote.Recently()


def find_runs(logdir: str, place: str | None = None) -> tuple[Run, ...]:
    """Returns all runs below ``logdir``, newest first; none if it does not exist (yet).

    The age of a run is the timestamp in the name of its directory (``2026_11_20_12_34_56``), or else the
    age of its newest file. Raises UnreadableInput if ``logdir`` exists but cannot be read; its sentence
    calls it ``place``, for who must not see its path.
    """
    if _is_remote(logdir):
        return _recently.get(logdir, lambda: _newest_first(logdir, place))
    return _newest_first(logdir, place)


def _newest_first(logdir: str, place: str | None) -> tuple[Run, ...]:
    return tuple(sorted(_walk(logdir, place), key=lambda run: (-_time_of(run), run.name)))


def find_runs_of_spec(spec: str, place: str) -> tuple[Run, ...]:
    """Returns all runs below the directories in TensorBoard's ``--logdir_spec``, newest first.

    Runs in a named directory are called ``NAME/RUN``, as in TensorBoard. Raises UnreadableInput if a
    directory cannot be read; its sentence calls it ``place`` and NAME.
    """
    runs = [
        replace(run, name=f"{name}/{run.name}" if name else run.name)
        for name, logdir in _parse_spec(spec)
        for run in find_runs(logdir, f"{place} {name}" if name else place)
    ]
    return tuple(sorted(runs, key=lambda run: (-_time_of(run), run.name)))


def has_runs(logdir: str) -> bool:
    """Whether there is a run below ``logdir``. Stops at the first one. Raises as ``find_runs`` does."""
    return next(_walk(logdir), None) is not None


def listing(found: tuple[Run, ...]) -> dict[str, list[dict[str, object]]]:
    """The runs in the JSON form that the command line and the ``runs`` route share."""
    return {"runs": [{"name": run.name, "hosts": [host.host for host in run.hosts]} for run in found]}


def choose(runs: tuple[Run, ...], name: str | None, place: str) -> Run:
    """Returns the run called ``name``, or the newest run if no name is given.

    Only listed names are accepted; ``name`` never becomes part of a path. Raises RunNotFound with a
    sentence that mentions ``place``.
    """
    if not runs:
        expected = " or ".join(reader.expected for reader in READERS)
        raise RunNotFound(f"No profiles below {place}: expected {expected}." + _better_place(place))
    if name is None:
        return runs[0]
    for run in runs:
        if run.name == name:
            return run
    parts = {part: run.name for run in reversed(runs) for part in (*run.name.split("/"), run.name)}
    if hint := did_you_mean(name, parts, parts):
        raise RunNotFound(f"No run is called {name!r:.100} below {place}; {hint}")
    raise RunNotFound(f"No run is called {name!r:.100} below {place}; there are: {_names(runs)}.")


def _names(runs: Sequence[Run]) -> str:
    others = len(runs) - MOST_NAMED
    return ", ".join(run.name for run in runs[:MOST_NAMED]) + (f" and {others} others" if others > 0 else "")


def _fitting(runs: tuple[Run, ...], typed: str, place: str) -> str:
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
            raise RunNotFound(
                f"{len(found)} runs below {place} fit {typed!r:.100}; give more of the name: {_names(found)}."
            )
    return typed


def recorded(run: Run) -> str:
    """When a run was captured, as its name says, in local time: "2026-11-20 12:34:56", or ""."""
    stamp = _stamp_of(run)
    return stamp.isoformat(" ") if stamp else ""


def is_unchanged(run: Run) -> bool:
    """Whether a run still has the hosts and records it was listed with. Much faster than listing all runs.

    Always False for a remote run: remote listings are cached for a short time anyway.
    """
    if _is_remote(str(run.path)) or not _has_just(run):
        return False
    places = [_records_in(place, (), _list(place).files) for place in run.places]
    now = _records_of(run, list(filter(None, places)))
    return [record.path for record in now] == [record.path for record in run.records]


def _has_just(run: Run) -> bool:
    """Whether the folder of a run still holds exactly the files of the run, as far as its format goes."""
    folder = Path(run.path).parts
    names = tuple(host.path.name for host in run.hosts)
    files = _list(run.path).files
    return any(
        names == tuple(file for _, file in found.hosts)
        for reader in READERS
        for found in reader.runs_in(folder, files)
    )


def resolve(place: str, name: str | None = None) -> Run:
    """Returns the run at ``place``, see ``runs_at``, that is called ``name`` or alone has it in its name.

    Without ``name``: the newest. Raises RunNotFound, UnreadableInput.
    """
    found = runs_at(place)
    return choose(found, name if name is None else _fitting(found, name, place), place)


def runs_at(place: str) -> tuple[Run, ...]:
    """Returns the runs below a log directory, newest first, or the run that is a folder or a file.

    A folder is a run if it is ``…/plugins/profile/RUN``, or if it holds profiles and has no runs below it.
    Of a file, the run holds just that host. Raises RunNotFound, UnreadableInput.
    """
    above, file = os.path.split(place)
    if _is_profile(file) and not Path(place).is_dir():
        require(above or ".")
        return (_with_only(at(above or ".") or _loose(above or "."), file, place),)
    require(place)
    run = at(place)
    found = (run,) if run else find_runs(place)
    return found or tuple(filter(None, [_loose(place)]))


def at(folder: str) -> Run | None:
    """Returns the run stored in this folder, ``…/plugins/profile/RUN``; None if the path has another form.

    Raises RunNotFound, UnreadableInput.
    """
    if not _is_remote(folder) and Path(folder).parts[-3:-1] != ("plugins", "profile"):
        folder = Path(os.path.abspath(folder)).as_posix()  # noqa: PTH100 - resolve() would leave links
    *above, last = folder.rstrip("/").split("/")
    if above[-2:] != ["plugins", "profile"]:
        return None
    root = above[:-2]
    # Keras stores the profile one folder below the record of the training run.
    inner = [root.pop()] if root and root[-1] in _KERAS_RUNS else []
    top = "/".join(root) or ("/" if folder.startswith("/") else ".")
    require(folder)
    return choose(find_runs(top), _readable("/".join((*inner, last))), top)


def hosts_beside(run: Run) -> int:
    """How many more hosts than ``run`` its folder holds: ``runs_at`` takes one of them if a file is named."""
    return sum(map(_is_profile, _list(run.path).files)) - len(run.hosts)


def _is_profile(file: str) -> bool:
    """Whether a reader takes a file of this name for the profile of a host."""
    return any(True for reader in READERS for _ in reader.runs_in(("plugins", "profile", "run"), (file,)))


def _with_only(run: Run | None, file: str, place: str) -> Run:
    """The run with just the host of this file, and with its record."""
    hosts = tuple(host for host in run.hosts if host.path.name == file) if run else ()
    if run is None or not hosts:
        raise RunNotFound(f"There is no file {place}.")
    one = replace(run, hosts=hosts)
    return replace(one, records=tuple(record for record in run.records if _is_of(one, record.host)))


def _loose(folder: str) -> Run | None:
    """The run whose profiles lie in this folder itself, as after a copy; None if it holds no profiles."""
    path = path_of(folder)
    name = path.name if _is_remote(folder) else Path(os.path.abspath(folder)).name  # noqa: PTH100
    inside = _Directory(path, ("plugins", "profile", name or "run"), frozenset())
    found = next(_runs_in(inside, _list(path).files, {}), None)
    return found and replace(found, places=())


def require(logdir: str) -> None:
    """Raises RunNotFound if ``logdir`` is not a directory. Remote ones pass: listing them will tell."""
    if _is_remote(logdir):
        return
    if not os.path.lexists(logdir):
        raise RunNotFound(f"There is no log directory {logdir or repr(logdir)}.")
    if Path(logdir).is_file():
        raise RunNotFound(f"{logdir} is a file, but neither a log directory nor a profile (HOST.xplane.pb).")


def size_and_time(path: epath.Path) -> tuple[int, int]:
    """Returns a file's size in bytes and its modification time in ns (whole seconds if remote)."""
    if _is_remote(str(path)):
        status = path.stat()
        return int(status.length), remote.modified_s(path, status.mtime) * 10**9
    local = Path(path).stat()
    return local.st_size, local.st_mtime_ns


def state_of(path: epath.Path) -> State:
    """Returns values that change whenever a file does: its size, modification time and inode change time.

    Times are ns since the epoch. The inode change time is 0 if remote. Unlike the modification time, nobody
    can set it.
    """
    if _is_remote(str(path)):
        return (*size_and_time(path), 0)
    # No new Path here: each report asks several times for each of up to hundreds of hosts.
    local = os.stat(path)  # noqa: PTH116
    return local.st_size, local.st_mtime_ns, local.st_ctime_ns


def ends(file: HostFile | RecordFile, length: int) -> bytes:
    """Returns the first and the last ``length`` bytes of a file. Raises whatever its file system raises."""
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


def read(file: HostFile, use: Callable[[Content], T]) -> tuple[T, State]:
    """Returns what ``use`` makes of the content of a profile at one point in time, and the file's state then.

    Calls ``use`` once more if the file changes meanwhile. Raises UnreadableInput if the file is too large,
    has vanished, is no longer a file, or keeps changing, and what ``use`` raises for one that does not.
    """
    for _ in range(2):
        with contextlib.ExitStack() as stack:
            with _told():
                state = state_of(file.path)
                if state[0] > MAX_PROFILE_BYTES:
                    raise UnreadableInput(
                        "The file is larger than 2 GiB, the limit of its format. Capture fewer steps."
                    )
                content = stack.enter_context(_content_of(file.path, state[0]))
            try:
                found = use(content)
            except UnreadableInput:
                with _told():
                    if state_of(file.path) == state:
                        raise
                continue
            with _told():
                if state_of(file.path) == state:
                    return found, state
    raise _changes()


def _changes() -> UnreadableInput:
    return UnreadableInput(
        "The file changes while it is read: it is still being written. Ask again when it is complete."
    )


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Says of what reading raises that the file cannot be read, and why. Raises UnreadableInput."""
    try:
        yield
    except UnreadableInput:
        raise
    except MemoryError as error:
        raise UnreadableInput("The file does not fit into memory. Capture fewer steps.") from error
    except Exception as error:  # each remote file system raises errors of its own
        raise UnreadableInput(f"The file cannot be read: {reason(error)}.") from error


def is_fresh(file: HostFile) -> bool:
    """Whether the file was modified just now: if it is damaged, it may simply be incomplete."""
    return abs(time.time() - _modified_s(file.path)) < FRESH_S


def reason(error: Exception) -> str:
    """Says in a few words, without the path, why a file cannot be read."""
    return error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__


@contextlib.contextmanager
def _content_of(path: epath.Path, size: int) -> Iterator[Content]:
    """The content of a file that had this size; reading it raises UnreadableInput if it has another one."""
    lock = threading.Lock()

    def part(at: int, end: int) -> bytes:
        with _told(), lock:
            file.seek(at)
            data: bytes = file.read(end - at)
        if len(data) != end - at:
            raise _changes()
        return data

    if _is_remote(str(path)):  # in one request
        with path.open("rb") as remote:
            file: IO[bytes] = io.BytesIO(remote.read(size))
    else:
        file = os.fdopen(_opened(path)[0], "rb")
    with file:
        yield Content(size, part)


def _opened(path: epath.Path) -> tuple[int, int]:
    """A local file's handle and size. Raises OSError."""
    # The file may have been replaced by a pipe; opening that could block forever.
    handle = os.open(path, os.O_RDONLY | _NEVER_WAIT)
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no file any more")
    return handle, status.st_size


def _walk(logdir: str, place: str | None = None) -> Iterator[Run]:
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
        listing = _list(directory.path, "" if directory.parts else place or f"the log directory {logdir}")
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
            # If these folders exist, the walk has already visited them. Keras' record lies one folder up.
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
    """Returns the records in a folder, which lies at ``parts`` below the log directory."""
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
    except (ValueError, OverflowError):  # not a valid time, or not in UTC
        return None
    return start


def _records_of(run: Run, places: list[_Records]) -> tuple[RecordFile, ...]:
    """Returns, for each host of ``run``, its latest record from before the capture.

    The timestamp of the capture and the start of the training come from the same clock and are compared in
    local time. Without a timestamp, the modification time of the files decides.
    """
    stamp = _stamp_of(run)
    last: dict[str, RecordFile] = {}
    for place in places:
        for host, files in place.items():
            by_name = _is_of(run, host)
            if not by_name and not (len(place) == 1 and _has_address(run)):
                continue
            if stamp:  # in whole seconds: a training that began in that second may have begun earlier
                limit = stamp.replace(microsecond=999_999)
                before = bisect_right(files, limit, key=lambda file: file.start.replace(tzinfo=None))
            else:
                before = bisect_right(files, _written_s(run), key=lambda file: file.start.timestamp())
            if before and (by_name or _started_lately(run, files[before - 1])):
                last[host] = max((last.get(host, files[0]), files[before - 1]), key=lambda file: file.start)
    return tuple(last[host] for host in sorted(last))


def _is_of(run: Run, host: str) -> bool:
    """Whether ``run`` names ``host``. Profiles captured over the network add a port to the name."""
    return any(host in (profile.host, _without_port(profile.host)) for profile in run.hosts)


def _has_address(run: Run) -> bool:
    """Whether ``run`` has a single host that is identified only by its address."""
    return len(run.hosts) == 1 and bool(_ADDRESS.fullmatch(_without_port(run.hosts[0].host)))


def _started_lately(run: Run, record: RecordFile) -> bool:
    """Whether a training began so soon before the capture that only the host's name is in doubt."""
    return _time_of(run) - record.start.timestamp() <= MAX_RECORD_AGE_S


def _without_port(host: str) -> str:
    match = _WITH_PORT.fullmatch(host)
    return match[1] if match else host


def _list(path: epath.Path, required: str = "") -> _Listing:
    """Lists ``path``, sorted. Nothing if it has vanished or cannot be read.

    ``required``: what to call it in an UnreadableInput, which is then raised if it cannot be read.
    """
    try:
        return _list_remote(path) if _is_remote(str(path)) else _list_local(path)
    except (FileNotFoundError, NotADirectoryError):
        return _Listing((), ())
    except Exception as error:  # each remote file system has its own errors
        if required:
            place = str(path)
            why = remote.reason(place, error) if _is_remote(place) else f"{reason(error)}."
            raise UnreadableInput(f"{required[0].upper()}{required[1:]} cannot be read: {why}") from error
        _log.info("%s cannot be read: %s", path, error)
        return _Listing((), ())


def _list_local(path: epath.Path) -> _Listing:
    # One call returns all names and types; epath would need one call per name.
    directories, files = [], []
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                if entry.is_dir():
                    status = entry.stat()
                    directories.append((entry.name, (status.st_dev, status.st_ino)))
                    continue
            except OSError:  # it has just vanished, or is a link to itself
                if not entry.is_symlink():
                    continue
            if _ends(entry):
                files.append(entry.name)
    return _Listing(tuple(sorted(directories)), tuple(sorted(files)))


def _identity_of(root: epath.Path) -> frozenset[tuple[int, int]]:
    try:
        status = Path(root).stat()
    except OSError:  # remote, or missing: the listing decides
        return frozenset()
    return frozenset({(status.st_dev, status.st_ino)})


def _ends(entry: os.DirEntry[str]) -> bool:
    """False for pipes and devices, which may never end. Broken links are kept, to be reported as errors."""
    try:
        return entry.is_file() or not Path(entry.path).exists()
    except OSError:  # a link to itself
        return True


def _list_remote(path: epath.Path) -> _Listing:
    directories, files = remote.list_directory(path)
    return _Listing(tuple((name, None) for name in sorted(directories)), tuple(sorted(files)))


def _readable(name: str) -> str:
    """Returns a file name as text that can be encoded, whatever its bytes are."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _time_of(run: Run) -> float:
    """Returns when the run was captured, in seconds since the epoch, as far as is known."""
    stamp = _stamp_of(run)
    return stamp.timestamp() if stamp else _written_s(run)


def _stamp_of(run: Run) -> datetime | None:
    """Returns the time in the name of the run's directory, in local time of the machine that captured it."""
    if _TIMESTAMP.fullmatch(run.path.name):
        try:
            stamp = datetime.strptime(run.path.name, "%Y_%m_%d_%H_%M_%S")
            stamp.timestamp()
            return stamp
        # Not a valid time, such as 2026_13_01_…; Windows also rejects times before 1970.
        except (ValueError, OverflowError, OSError):
            pass
    return None


def _written_s(run: Run) -> float:
    return max(_modified_s(host.path) for host in run.hosts)


def _modified_s(path: epath.Path) -> float:
    try:
        return size_and_time(path)[1] / 1e9
    except Exception:  # it has vanished, or a remote file system raised its own error
        return 0.0


def _better_place(place: str) -> str:
    """Returns a hint for users who named a directory inside a log directory, such as that of a run."""
    above, inside, _ = f"{place}/".partition("plugins/profile/")
    if not inside and place.rstrip("/").split("/")[-1] == "plugins":
        above, inside = place.rstrip("/").removesuffix("plugins"), "plugins"
    return f" Give the directory above plugins: {above or '.'}" if inside else ""


def _parse_spec(spec: str) -> tuple[tuple[str, str], ...]:
    """Parses ``name:/dir,/other`` into (name or "", directory) pairs, as TensorBoard does."""
    pairs = []
    for part in filter(None, spec.split(",")):
        named = not (_URI.match(part) or part.startswith("/") or os.path.splitdrive(part)[0]) and ":" in part
        name, _, path = part.partition(":") if named else ("", "", part)
        pairs.append((name, path if _URI.match(path) else str(Path(path).expanduser())))
    return tuple(pairs)


def _is_remote(path: str) -> bool:
    return _URI.match(path) is not None


def path_of(place: str) -> epath.Path:
    """Returns a path that can be read. The libraries for remote storage are loaded only if it is remote."""
    if not _is_remote(place):
        return cast("epath.Path", Path(place))
    from etils import epath

    return epath.Path(place)
