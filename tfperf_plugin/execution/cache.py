"""Caches finished reports as compressed JSON, and their arrays as messages, in the user's cache folder.

The cache checks everything it reads. The folder must belong to the user, and others must not be able to write
to it. A file ends with a checksum of its key and content, so a truncated, changed or renamed file is not
used. No file larger than the whole cache's limit is read. An error in the cache costs time, never a report.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import time
import typing
from collections.abc import Callable, Sequence
from pathlib import Path

from tfperf_plugin.execution.codec import decode, encode
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.serialize import from_bytes, to_bytes
from tfperf_plugin.report.timeline.arrays import Arrays

MAX_CACHE_BYTES = 256 << 20
"""Size limit for all files; the least recently used files are deleted first."""
LEFTOVER_S = 3600
"""An unfinished file of this age is deleted: the process that wrote it was killed."""

_NEW = ".new-"
_CHECKSUM_BYTES = 65
_REPORT, _ARRAYS = ".gz", ".arrays"
_SUFFIXES = (_REPORT, _ARRAYS, ".npz")  # the last one is of earlier versions
# Refuses links and does not wait for pipes; systems without these flags have neither.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_log = logging.getLogger(__name__)
_T = typing.TypeVar("_T")


class Analysis(Record, frozen=True):
    """A report, and the arrays from which timelines are made later."""

    report: model.Report
    arrays: Arrays


class ReportCache:
    """Reports and their arrays in one directory; see the module's description."""

    def __init__(self, directory: Path | None = None, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._directory = directory or default_cache_directory()
        self._max_bytes = max_bytes
        self._warned = False

    def get(self, key: str) -> model.Report | None:
        """The report stored under ``key``; None if it is missing or fails a check."""
        return self._read(key, _REPORT, from_bytes)

    def content(self, key: str) -> bytes | None:
        """The stored bytes of the report, which ``from_bytes`` decodes; None as for ``get``."""
        return self._read(key, _REPORT, _checked_report)

    def arrays(self, key: str) -> Arrays | None:
        """The arrays stored under ``key``; None as for ``get``."""
        return self._read(key, _ARRAYS, lambda content: decode(content, Arrays))

    def put(self, key: str, analysis: Analysis) -> None:
        """Stores the report, and its arrays if there are any. Each file appears only when complete, and only
        the user can read it."""
        self._write(key, _REPORT, lambda: [to_bytes(analysis.report)])
        if analysis.arrays:
            self._write(key, _ARRAYS, lambda: encode(analysis.arrays))
        self._shrink()

    def _read(self, key: str, suffix: str, parse: Callable[[bytes], _T]) -> _T | None:
        if self._directory is None or not self._trusted(self._directory):
            return None
        path = self._directory / f"{key}{suffix}"
        try:
            found = parse(_unsealed(_read_own(path, self._max_bytes), key))
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever zlib and its like raise for damaged bytes
            _log.info("The cached file %s is not used: %s", path, error)
            return None
        with contextlib.suppress(OSError):  # a read-only cache can still be used
            os.utime(path)
        return found

    def _write(self, key: str, suffix: str, make: Callable[[], Sequence[bytes | memoryview]]) -> None:
        if self._directory is None:
            return
        import tempfile

        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._trusted(self._directory):
                return
            handle, temporary = tempfile.mkstemp(dir=self._directory, prefix=_NEW)  # mode 0600, a new file
            try:
                with os.fdopen(handle, "wb") as file:
                    pieces = make()
                    file.writelines([*pieces, _checksum(key, *pieces)])
                Path(temporary).replace(self._directory / f"{key}{suffix}")
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except (OSError, TypeError, ValueError, MemoryError) as error:
            _log.info("%s%s could not be cached in %s: %s", key, suffix, self._directory, error)

    def _shrink(self) -> None:
        if self._directory is None or not self._trusted(self._directory):
            return
        files: list[tuple[Path, os.stat_result]] = []
        with contextlib.suppress(OSError):
            for path in self._directory.iterdir():
                with contextlib.suppress(OSError):  # another process may delete files as well
                    if path.suffix in _SUFFIXES:
                        files.append((path, path.lstat()))
                    elif path.name.startswith(_NEW) and path.lstat().st_mtime < time.time() - LEFTOVER_S:
                        path.unlink()
        total = sum(status.st_size for _, status in files)
        for path, status in sorted(files, key=lambda item: item[1].st_mtime):
            if total <= self._max_bytes:
                return
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
                total -= status.st_size

    def _trusted(self, directory: Path) -> bool:
        """Whether only this user can write to the directory. Logs one warning if not."""
        problem = _permission_problem(directory)
        if problem and not self._warned:
            self._warned = True
            _log.warning("Reports are not cached in %s: %s", directory, problem)
        return not problem


def default_cache_directory() -> Path | None:
    """``$XDG_CACHE_HOME/tfperf``, else ``~/.cache/tfperf``; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / "tfperf"
    try:
        return Path.home() / ".cache" / "tfperf"
    except RuntimeError:
        return None


def _permission_problem(directory: Path) -> str:
    """Why the folder is not used, as a sentence; "" if it can be used or does not exist yet."""
    if not hasattr(os, "geteuid"):
        return ""
    try:
        link, status = directory.lstat(), directory.stat()
    except OSError:  # missing, or below a file: reading or writing will raise an error
        return ""
    if os.geteuid() not in {link.st_uid} & {status.st_uid}:
        return "it belongs to another user."
    if status.st_mode & 0o022:
        return f"others may write there; chmod 700 {directory} closes it, once it is empty."
    return ""


def _read_own(path: Path, most: int) -> bytes:
    """Reads a regular file of this user of at most ``most`` bytes. Raises OSError, ValueError."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        status = os.fstat(file.fileno())
        foreign = hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o022)
        if foreign or not stat.S_ISREG(status.st_mode) or status.st_size > most:
            raise ValueError("it is too large, no file of this user alone, or no file at all")
        return file.read()


def _checksum(key: str, *pieces: bytes | memoryview) -> bytes:
    """What stands at the end of a file: a hash of the key and all before."""
    digest = hashlib.sha256(f"{key}\n".encode())
    for piece in pieces:
        digest.update(piece)
    return b"\n" + digest.hexdigest().encode()


def _unsealed(stored: bytes, key: str) -> bytes:
    """A stored file without its checksum. Raises ValueError if that is wrong."""
    content = stored[:-_CHECKSUM_BYTES]
    if stored[-_CHECKSUM_BYTES:] != _checksum(key, content):
        raise ValueError("it is damaged, or another report's")
    return content


def _checked_report(content: bytes) -> bytes:
    from_bytes(content)  # raises if it is none, whatever the checksum says
    return content
