"""Log directories that are addresses, ``gs://…`` and ``s3://…``: listing them, and what to say if that fails.

etils reads them, as for the profile plugin: with TensorFlow where it is installed (unless the environment
says ``EPATH_USE_TF=false``), else with fsspec and its package for the scheme. Two habits of fsspec would
make wrong answers: it keeps what it listed for ever, and takes a directory that it may not list for empty.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from etils import epath

PACKAGES: Final = {"gs": "gcsfs", "s3": "s3fs", "az": "adlfs"}
"""Schemes that can be read, and the fsspec package of each."""
FRESH_S: Final = 3.0
"""So long a listing is used again: who waits for a report asks every second."""

_SCHEME: Final = re.compile(r"([a-zA-Z][0-9a-zA-Z.+-]*)://")
_MOST_REMEMBERED: Final = 16
_LONGEST_REASON: Final = 300
T = TypeVar("T")


def scheme_of(path: str) -> str | None:
    """``gs`` of ``gs://bucket/logs``; None for a local path."""
    found = _SCHEME.match(path)
    return found[1] if found else None


def list_directory(path: epath.Path) -> tuple[list[str], list[str]]:
    """Names of the directories and of the files in ``path``.

    Raises whatever its file system raises if it may not be listed, FileNotFoundError if it says so.
    """
    files = _file_system(path)
    return _listed_by_tensorflow(path) if files is None else _listed_by_fsspec(files, str(path))


def _listed_by_fsspec(file_system: Any, path: str) -> tuple[list[str], list[str]]:
    # Not by etils' walk, which s3fs does not understand.
    own = path.partition("://")[2].strip("/")
    names: dict[str, list[str]] = {"directory": [], "file": []}
    for row in file_system.ls(path, detail=True):
        name = str(row["name"]).strip("/")
        if name != own:  # an object that stands for the directory itself
            names.setdefault(row["type"], []).append(name.rpartition("/")[2])
    return names["directory"], names["file"]


def _listed_by_tensorflow(path: epath.Path) -> tuple[list[str], list[str]]:
    try:
        # Only the first step of the walk: its names come from one request.
        for _, directories, files in path.walk(on_error=_raise):
            return [name.rstrip("/") for name in directories], list(files)
    except Exception as error:  # it has errors of its own
        if type(error).__name__ != "NotFoundError":
            raise
        # It says so of whatever it cannot read; asked for the directory itself, it says why.
        path.stat()
    return [], []


def forget_listings(path: epath.Path) -> None:
    """Lets fsspec list anew, so that new runs, and files that grew, are seen."""
    # What is not installed, or cannot be reached, the listing will tell.
    with contextlib.suppress(Exception):
        if invalidate := getattr(_file_system(path), "invalidate_cache", None):
            invalidate()


def modified_s(path: epath.Path, known: int | None) -> int:
    """When a file was last written, in seconds since the epoch; 0 if nobody knows.

    ``known`` is what etils says, which knows it of Google's storage only.
    """
    modified = None if known else getattr(_file_system(path), "modified", None)
    return int(modified(str(path)).timestamp()) if modified else int(known or 0)


def unsupported(path: str) -> str:
    """What to say of an address that nobody here can read; "" if the scheme is known."""
    scheme = scheme_of(path)
    if scheme is None or scheme in PACKAGES:
        return ""
    known = ", ".join(f"{name}://" for name in PACKAGES)
    return f"Addresses with {scheme}:// cannot be read, only {known} and local directories."


def reason(path: str, error: Exception) -> str:
    """Why an address cannot be read, in one line, with what to install if that helps."""
    said = " ".join(str(error).split()) or type(error).__name__
    scheme = scheme_of(path) or ""
    package = PACKAGES.get(scheme)
    if package and isinstance(error, ImportError):
        return f"{scheme}:// needs the package {package}; pip install {package}."
    if package and f"scheme '{scheme}' not implemented" in said:  # TensorFlow's words
        return (
            f"TensorFlow reads {scheme}:// only with tensorflow-io; pip install tensorflow-io, "
            f"or set EPATH_USE_TF=false and pip install {package}."
        )
    return said if len(said) <= _LONGEST_REASON else f"{said[:_LONGEST_REASON]}…"


class Recently(Generic[T]):
    """Answers that are expensive, used again for ``FRESH_S``; who asks meanwhile waits for the same one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._found: dict[str, tuple[float, T]] = {}

    def get(self, key: str, find: Callable[[], T]) -> T:
        """What ``find`` answers, or answered just now for the same ``key``; an error is not remembered."""
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            at, found = self._found.get(key, (0.0, None))
            if found is None or time.monotonic() - at >= FRESH_S:
                found = find()
                with self._lock:
                    self._found.pop(key, None)
                    self._found[key] = time.monotonic(), found
                    while len(self._found) > _MOST_REMEMBERED:
                        del self._found[next(iter(self._found))]
            return found

    def forget(self) -> None:
        """The next answer is a new one."""
        with self._lock:
            self._found.clear()


def _file_system(path: epath.Path) -> Any:
    """fsspec's object behind a path; None where TensorFlow reads it."""
    # etils offers no public way to it. Without it only the listings of fsspec are as old as fsspec likes.
    find = getattr(getattr(path, "_backend", None), "fs", None)
    return find(str(path)) if find else None


def _raise(error: Exception) -> None:
    raise error
