"""Plain text and plain JSON: whatever a profile calls things, it stays a name and becomes no markup."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any


def as_json(result: Any) -> dict[str, Any]:
    """A dataclass as JSON values: tuples become lists, infinite or undefined numbers ``None``."""
    plain: dict[str, Any] = _plain(result)
    return plain


@functools.cache
def _names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass; none of another type."""
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or value is None:  # nearly all there is
        return value
    if names := _names(kind):  # type: ignore[arg-type]  # types are hashable
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def safe(text: str) -> str:
    """Text from a profile on one line and without escape sequences."""
    return "".join(c if c.isprintable() else "�" for c in text)


def clean(line: str, colour: bool) -> str:
    """Control characters in names from the profile must not reach the terminal."""
    kept = {"\x1b"} if colour else set()
    return "".join(c if c.isprintable() or c in kept else "�" for c in line)


def escape(text: str) -> str:
    """Markdown's and HTML's special characters made plain, on one line."""
    escaped = "".join("\\" + c if c in "\\`*_[]#|~$" else c for c in safe(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
