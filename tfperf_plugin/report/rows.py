"""Rows of the report that say what an artifact's rows say."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def row_of(kind: type[T], source: Any, **more: Any) -> T:
    """A row of the report, with the values that ``source`` has by the same names, and ``more``."""
    return kind(**{name: getattr(source, name) for name in kind.__annotations__ if name not in more}, **more)
