"""Lists log directories in remote storage, ``gs://…`` and ``s3://…``, and explains why that failed.

As in the profile plugin, etils does the reading: with TensorFlow if it is installed (unless the environment
says ``EPATH_USE_TF=false``), otherwise with fsspec and its package for the scheme. Two habits of fsspec
would lead to wrong answers: it caches listings forever, and treats a directory that it may not list as empty.
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
"""The supported schemes, and the fsspec package for each."""
COPIES: Final = {"gs": "gcloud storage cp -r", "s3": "aws s3 cp --recursive"}
"""The commands that copy a folder from remote storage."""
FRESH_S: Final = 3.0
"""A listing is reused for this many seconds: a client that waits for a report asks every second."""

_SCHEME: Final = re.compile(r"([a-zA-Z][0-9a-zA-Z.+-]*)://")
_UNREACHED: Final = re.compile(
    r"(?i)could ?n[o']t (resolve|connect)|cannot connect|name resolution|"
    r"name or service not known|unreachable"
)
_MOST_REMEMBERED: Final = 16
_LONGEST_REASON: Final = 300
T = TypeVar("T")


def scheme_of(path: str) -> str | None:
    """Returns ``gs`` for ``gs://bucket/logs``; None for a local path."""
    found = _SCHEME.match(path)
    return found[1] if found else None


def list_directory(path: epath.Path) -> tuple[list[str], list[str]]:
    """Returns the names of the directories and of the files in ``path``.

    Raises whatever the file system raises, such as FileNotFoundError.
    """
    files = _file_system(path)
    return _listed_by_tensorflow(path) if files is None else _listed_by_fsspec(files, str(path))


def _listed_by_fsspec(file_system: Any, path: str) -> tuple[list[str], list[str]]:
    # etils' walk does not work with s3fs.
    own = path.partition("://")[2].strip("/")
    names: dict[str, list[str]] = {"directory": [], "file": []}
    for row in file_system.ls(path, detail=True):
        name = str(row["name"]).strip("/")
        if name != own:  # this object represents the directory itself
            names.setdefault(row["type"], []).append(name.rpartition("/")[2])
    return names["directory"], names["file"]


def _listed_by_tensorflow(path: epath.Path) -> tuple[list[str], list[str]]:
    try:
        # The first step of the walk takes a single request.
        for _, directories, files in path.walk(on_error=_raise):
            return [name.rstrip("/") for name in directories], list(files)
    except Exception as error:  # TensorFlow has its own errors
        if type(error).__name__ != "NotFoundError":
            raise
        # TensorFlow raises this for anything it cannot read. A look at the directory itself raises the cause.
        path.stat()
    return [], []


def forget_listings(path: epath.Path) -> None:
    """Clears fsspec's cache of listings, so that new runs and grown files are seen."""
    # If a package is missing or storage cannot be reached, the listing will say so.
    with contextlib.suppress(Exception):
        if invalidate := getattr(_file_system(path), "invalidate_cache", None):
            invalidate()


def modified_s(path: epath.Path, known: int | None) -> int:
    """Returns when a file was last modified, in seconds since the epoch; 0 if unknown.

    ``known`` is the answer from etils, which has one only for Google Cloud Storage.
    """
    modified = None if known else getattr(_file_system(path), "modified", None)
    return int(modified(str(path)).timestamp()) if modified else int(known or 0)


def unsupported(path: str) -> str:
    """Returns the message for an address with an unsupported scheme; "" if the scheme is supported."""
    scheme = scheme_of(path)
    if scheme is None or scheme in PACKAGES:
        return ""
    known = ", ".join(f"{name}://" for name in PACKAGES)
    return f"Addresses with {scheme}:// cannot be read, only {known} and local directories."


def reason(path: str, error: Exception) -> str:
    """Says in one line why an address cannot be read, and what to install if that helps."""
    said = " ".join(str(error).split()) or type(error).__name__
    scheme = scheme_of(path) or ""
    package = PACKAGES.get(scheme)
    if package and isinstance(error, ImportError):
        return f"{scheme}:// needs the package {package}; pip install {package}."
    if package and f"scheme '{scheme}' not implemented" in said:  # TensorFlow's wording
        return (
            f"TensorFlow reads {scheme}:// only with tensorflow-io; pip install tensorflow-io, "
            f"or set EPATH_USE_TF=false and pip install {package}."
        )
    if scheme in COPIES and _UNREACHED.search(said):
        return (
            f"this machine does not reach {scheme}://. Check its network, or copy the folder here from a "
            f"machine that does, and give the copy: {COPIES[scheme]} {path} COPY."
        )
    return said if len(said) <= _LONGEST_REASON else f"{said[:_LONGEST_REASON]}…"


class Recently(Generic[T]):
    """Caches expensive answers for ``FRESH_S`` seconds. Concurrent callers wait for the same answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._found: dict[str, tuple[float, T]] = {}

    def get(self, key: str, find: Callable[[], T]) -> T:
        """Returns the result of ``find``, or a recent one for the same ``key``. Errors are not cached."""
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
        """Empties the cache."""
        with self._lock:
            self._found.clear()


def _file_system(path: epath.Path) -> Any:
    """Returns the fsspec file system behind a path; None if TensorFlow reads it."""
    # etils has no public interface for this. Without it, listings may come from fsspec's cache.
    find = getattr(getattr(path, "_backend", None), "fs", None)
    return find(str(path)) if find else None


def _raise(error: Exception) -> None:
    raise error
