"""Which files of a folder are exports. TensorBoard imports this module at startup: no NumPy here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.readers.base import Head, RunFiles

SUFFIXES: Final = (".sqlite", ".sqlite3")
_SIGNATURE: Final = b"SQLite format 3\0"
_TABLES: Final = (b"StringIds", b"TARGET_INFO", b"CUPTI_ACTIVITY")
_TYPE_AT, _LIST_CONTINUES = 100, b"\5"


def runs_in(folder: tuple[str, ...], files: tuple[str, ...], head: Head) -> Iterator[RunFiles]:
    """A run for each file that may be an export, named as the file."""
    *above, plugins, profile, run = ("", "", "", *folder)
    for file in files:
        if file.endswith(SUFFIXES) and _may_be_export(head(file)):
            host = file.rpartition(".")[0]
            inside = (*filter(None, above), f"{run}/{host}")
            name = inside if (plugins, profile) == ("plugins", "profile") else (*folder, host)
            yield RunFiles(name, ((host, file),))


def is_sqlite(head: bytes) -> bool:
    """Whether SQLite wrote a file that begins with these bytes."""
    return head.startswith(_SIGNATURE)


def _may_be_export(head: bytes) -> bool:
    """Whether the first pages name a table of Nsight Systems, or no table at all.

    SQLite's list of tables begins on the first page, and a long one goes on wherever there was room. Its
    names stay behind on the first page, but not in each build of SQLite.
    """
    elsewhere = head[_TYPE_AT : _TYPE_AT + 1] == _LIST_CONTINUES and b"CREATE TABLE" not in head
    return is_sqlite(head) and (elsewhere or any(table in head for table in _TABLES))
