"""The folder of a trial: files that appear only when complete, and a lock."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tfperf_plugin.errors import BadOptionError, Busy, UnreadableInput
from tfperf_plugin.readers.logdirs.files import opened, reason
from tfperf_plugin.records import Record, known

if sys.platform != "win32":
    import fcntl

LOCK: Final = "lock"
# A launch of ten thousand windows takes less than 1 MB.
_MAX_BYTES: Final = 16 << 20
_HASH_LENGTH: Final = 16

_T = TypeVar("_T", bound=Record)


def make(folder: Path) -> None:
    """Makes the folder, which git ignores. Raises BadOptionError if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignored = folder / ".gitignore"
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise BadOptionError(
            f"{folder} cannot be written: {reason(error)}. Name another with --out."
        ) from error


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder; the system frees it when this process ends, however it ends. Raises Busy."""
    with (folder / LOCK).open("wb") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise Busy(
                    f"Another tfperf is at work in {folder}: wait until it ends, or name another folder "
                    "with --out."
                ) from error
        yield


def now() -> str:
    """This second, in UTC: "2026-11-21 06:21:58 UTC"."""
    return f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def encode(record: Record) -> bytes:
    """A record as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def write_new(path: Path, data: bytes) -> None:
    """As ``write``, a file that must not exist; to be called by who holds the folder."""
    if path.exists():
        raise BadOptionError(f"{path} cannot be written: it is there already.")
    write(path, data)


def write(path: Path, data: bytes) -> None:
    """Writes a file, all or nothing, also if the machine fails; to be called by who holds the folder.

    Raises BadOptionError.
    """
    try:
        temporary = path.with_name(f".new-{os.getpid()}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise BadOptionError(f"{path} cannot be written: {reason(error)}.") from error


def content(path: Path, most: int) -> bytes | None:
    """The content of a file of at most ``most`` bytes; None without the file. Raises UnreadableInput."""
    try:
        with opened(path) as file:
            data: bytes = file.read(most + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableInput(f"{path} cannot be read: {reason(error)}.") from error
    if len(data) > most:
        raise UnreadableInput(f"{path} is larger than anything tfperf writes there.")
    return data


def read(path: Path, kind: type[_T], remedy: str, most: int = _MAX_BYTES) -> _T | None:
    """The record in the file; None without the file. Raises UnreadableInput, which ends with ``remedy``."""
    data = content(path, most)
    try:
        return None if data is None else msgspec.json.decode(data, type=known(kind))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"{path} is damaged. {remedy}") from error


def hash_of(data: bytes) -> str:
    """The first 16 hexadecimal digits of SHA-256: against accidents, not against forging."""
    return hashlib.sha256(data).hexdigest()[:_HASH_LENGTH]
