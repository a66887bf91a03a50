"""Makes rows of the report from rows of artifacts."""

from __future__ import annotations

from typing import Any, TypeVar

from tfperf_plugin.records import Record

T = TypeVar("T", bound=Record)


def row_of(kind: type[T], source: Any, **more: Any) -> T:
    """A ``kind`` with the fields in ``more``; all others are copied from ``source`` by name."""
    copied = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in more}
    return kind(**copied, **more)
