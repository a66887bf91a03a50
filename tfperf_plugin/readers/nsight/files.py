"""Which files of a folder are exports. TensorBoard imports this module at startup: no NumPy here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.readers.base import Head, RunFiles
from tfperf_plugin.readers.content import HEAD_BYTES

SUFFIXES: Final = (".sqlite", ".sqlite3")
_SIGNATURE: Final = b"SQLite format 3\0"
_TABLES: Final = ("StringIds", "TARGET_INFO", "CUPTI_ACTIVITY")
_64_KIB: Final = 1
"""How SQLite writes this size of a page."""
_ENCODINGS: Final = ("utf-8", "utf-16-le", "utf-16-be")
_PAGE_AT, _TYPE_AT, _LIST_CONTINUES = 16, 100, b"\5"


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

    SQLite's list of tables begins at the end of the first page, which may lie beyond these bytes, and a long
    one goes on wherever there was room. Its names stay behind on the first page, but not in each build of
    SQLite.
    """
    if not is_sqlite(head):
        return False
    page_bytes = int.from_bytes(head[_PAGE_AT : _PAGE_AT + 2], "big")
    large = page_bytes == _64_KIB or page_bytes > HEAD_BYTES
    elsewhere = large or head[_TYPE_AT : _TYPE_AT + 1] == _LIST_CONTINUES
    return (elsewhere and not _names(head, "CREATE TABLE")) or any(_names(head, table) for table in _TABLES)


def _names(head: bytes, text: str) -> bool:
    """Whether a text is in there, in one of SQLite's encodings."""
    return any(text.encode(encoding) in head for encoding in _ENCODINGS)
