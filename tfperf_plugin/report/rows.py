"""Makes rows of the report from rows of artifacts."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def row_of(kind: type[T], source: Any, **more: Any) -> T:
    """A ``kind`` with the fields in ``more``; all others are copied from ``source`` by name."""
    return kind(**{name: getattr(source, name) for name in kind.__annotations__ if name not in more}, **more)
