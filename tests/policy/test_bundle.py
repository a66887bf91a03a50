"""The built tab: one file, and how much a browser has to fetch before it can show anything."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from tests.conftest import REPOSITORY

STATIC = REPOSITORY / "tfperf_plugin" / "tensorboard" / "static"
LIMIT = 150_000
"""Bytes after gzip, of all that is served as code."""


def test_it_is_one_small_file(record_property: Callable[[str, object], None]) -> None:
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in STATIC.iterdir()}
    record_property("bytes after gzip", sizes)
    print(f"{sizes}, after gzip")

    assert sizes.keys() == {"index.js"}
    assert sum(sizes.values()) < LIMIT
