"""Lists a folder, local or remote."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.logdirs.files import is_remote, reason
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

_log = logging.getLogger(__name__)


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
