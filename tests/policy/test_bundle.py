"""The built tab: which files, and how much a browser has to fetch before it can show anything."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable

from tests.conftest import REPOSITORY

STATIC = REPOSITORY / "tfperf_plugin" / "static"
ENTRY = "index.js"
FIRST_PAINT_LIMIT = 45_000  # bytes after gzip
TOTAL_LIMIT = 60_000
STATIC_IMPORT = re.compile(r"""(?:\bfrom|(?<![.\w])import) ?["'`]\./([\w.-]+)["'`]""")
LAZY_IMPORT = re.compile(r"""\bimport\(["'`]\./([\w.-]+)["'`]\)""")


def sources() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(STATIC.iterdir())}


def reached(start: str, files: dict[str, str], *patterns: re.Pattern[str]) -> set[str]:
    """The files that `start` needs, itself included."""
    found, open_ = set(), [start]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += [other for pattern in patterns for other in pattern.findall(files[name])]
    return found


def size(name: str) -> int:
    return len(gzip.compress((STATIC / name).read_bytes(), 9))


def test_every_file_is_used_and_named_after_its_module() -> None:
    files = sources()
    modules = {path.stem for path in (REPOSITORY / "frontend" / "src").rglob("*.ts")}

    assert reached(ENTRY, files, STATIC_IMPORT, LAZY_IMPORT) == set(files)
    assert {name.removesuffix(".js").rstrip("0123456789") for name in files} <= modules


def test_the_first_paint_needs_little(record_property: Callable[[str, object], None]) -> None:
    first = reached(ENTRY, sources(), STATIC_IMPORT)
    needed, total = sum(map(size, first)), sum(size(path.name) for path in STATIC.iterdir())
    record_property("bytes for the first paint", needed)
    record_property("bytes in all", total)
    print(f"{needed} bytes for the first paint ({', '.join(sorted(first))}), {total} in all, after gzip")

    assert needed < FIRST_PAINT_LIMIT
    assert total < TOTAL_LIMIT
