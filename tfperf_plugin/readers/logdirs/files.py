"""Lists a folder, and reads a file and notices if it changes meanwhile; both local or remote."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import logging
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar, cast

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.content import HEAD_BYTES, MAX_BYTES, TOO_LARGE, Content
from tfperf_plugin.readers.logdirs.runs import HostFile, RecordFile, Run, stamp_of
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

FRESH_S = 10
"""A file that was modified less than this many seconds ago may still be incomplete."""
_URI = re.compile(r"[a-zA-Z][0-9a-zA-Z.]*://")
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
T = TypeVar("T")
State = tuple[int, int, int]
"""Size, modification time and inode change time of a file, as ``state_of`` gives them."""
if TYPE_CHECKING:
    from etils import epath

_log = logging.getLogger(__name__)


def size_and_time(path: epath.Path) -> tuple[int, int]:
    """Returns a file's size in bytes and its modification time in ns (whole seconds if remote)."""
    if is_remote(str(path)):
        status = path.stat()
        return int(status.length), remote.modified_s(path, status.mtime) * 10**9
    local = Path(path).stat()
    return local.st_size, local.st_mtime_ns


def state_of(path: epath.Path) -> State:
    """Returns values that change whenever a file does: its size, modification time and inode change time.

    Times are ns since the epoch. The inode change time is 0 if remote. Unlike the modification time, nobody
    can set it.
    """
    if is_remote(str(path)):
        return (*size_and_time(path), 0)
    # No new Path here: each report asks several times for each of up to hundreds of hosts.
    local = os.stat(path)  # noqa: PTH116
    return local.st_size, local.st_mtime_ns, local.st_ctime_ns


def ends(file: HostFile | RecordFile, length: int) -> bytes:
    """Returns the first and the last ``length`` bytes of a file. Raises whatever its file system raises."""
    size = state_of(file.path)[0]
    with opened(file.path) as content:
        head: bytes = content.read(length)
        content.seek(max(0, size - length))
        return head + bytes(content.read(length))


def head(path: epath.Path) -> bytes:
    """The first bytes of a file, which tell its format; none if it cannot be read."""
    try:
        return _head(path, state_of(path))
    except Exception:  # it has vanished, or a remote file system raised its own error
        return b""


@functools.lru_cache(1 << 12)
def _head(path: epath.Path, _: State) -> bytes:
    with opened(path) as content:
        return bytes(content.read(HEAD_BYTES))


def read(file: HostFile, use: Callable[[Content], T]) -> tuple[T, State]:
    """Returns what ``use`` makes of the content of a profile at one point in time, and the file's state then.

    Calls ``use`` once more if the file changes meanwhile. Raises UnreadableInput if the file is too large,
    has vanished, is no longer a file, or keeps changing, and what ``use`` raises for one that does not.
    """
    for _ in range(2):
        with contextlib.ExitStack() as stack:
            with _told():
                state = state_of(file.path)
                if state[0] > MAX_BYTES:
                    raise UnreadableInput(TOO_LARGE)
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

    with opened(path) as stored:
        file = io.BytesIO(stored.read(size)) if is_remote(str(path)) else stored  # remote: in one request
        yield Content(size, part, "" if is_remote(str(path)) else str(path))


def opened(path: epath.Path) -> IO[bytes]:
    """A file for reading. Raises OSError, or what the remote file system raises."""
    if is_remote(str(path)):
        remote_file: IO[bytes] = path.open("rb")
        return remote_file
    # The file may have been replaced by a pipe; opening that could block forever.
    handle = os.open(path, os.O_RDONLY | _NEVER_WAIT)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no file any more")
    return os.fdopen(handle, "rb")


def time_of(run: Run) -> float:
    """Returns when the run was captured, in seconds since the epoch, as far as is known."""
    if run.begin_ns is not None:
        return run.begin_ns / 1e9
    stamp = stamp_of(run)
    return stamp.timestamp() if stamp else written_s(run)


def written_s(run: Run) -> float:
    """When the newest profile of a run was modified, in seconds since the epoch."""
    return max(_modified_s(host.path) for host in run.hosts)


def _modified_s(path: epath.Path) -> float:
    try:
        return size_and_time(path)[1] / 1e9
    except Exception:  # it has vanished, or a remote file system raised its own error
        return 0.0


def is_remote(path: str) -> bool:
    """Whether this is a URI, such as ``gs://bucket/logs``."""
    return _URI.match(path) is not None


def path_of(place: str) -> epath.Path:
    """Returns a path that can be read. The libraries for remote storage are loaded only if it is remote."""
    if not is_remote(place):
        return cast("epath.Path", Path(place))
    from etils import epath

    return epath.Path(place)


class Listing(Record, frozen=True):
    """The contents of a directory. Identities are None if the file system has none."""

    directories: tuple[tuple[str, tuple[int, int] | None], ...]
    files: tuple[str, ...]


def list_folder(path: epath.Path, required: str = "") -> Listing:
    """Lists ``path``, sorted. Nothing if it has vanished or cannot be read.

    ``required``: what to call it in an UnreadableInput, which is then raised if it cannot be read.
    """
    try:
        return _list_remote(path) if is_remote(str(path)) else _list_local(path)
    except (FileNotFoundError, NotADirectoryError):
        return Listing((), ())
    except Exception as error:  # each remote file system has its own errors
        if required:
            place = str(path)
            why = remote.reason(place, error) if is_remote(place) else f"{reason(error)}."
            raise UnreadableInput(f"{required[0].upper()}{required[1:]} cannot be read: {why}") from error
        _log.info("%s cannot be read: %s", path, error)
        return Listing((), ())


def _list_local(path: epath.Path) -> Listing:
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
    return Listing(tuple(sorted(directories)), tuple(sorted(files)))


def _ends(entry: os.DirEntry[str]) -> bool:
    """False for pipes and devices, which may never end. Broken links are kept, to be reported as errors."""
    try:
        return entry.is_file() or not Path(entry.path).exists()
    except OSError:  # a link to itself
        return True


def _list_remote(path: epath.Path) -> Listing:
    directories, files = remote.list_directory(path)
    return Listing(tuple((name, None) for name in sorted(directories)), tuple(sorted(files)))
