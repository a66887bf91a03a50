"""Builds HTML: ``text`` escapes all text, and only ``tag`` makes markup."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Final, NewType

Markup = NewType("Markup", str)
"""Finished HTML. Any other string is text."""

LONGEST_NUMBER: Final = 40
"""Longer cells, in characters, may be broken into lines."""
_VOID: Final = {"input", "meta"}


def text(words: str) -> Markup:
    """Escapes text; replaces control characters and characters that change the direction of writing."""
    kept = "".join(c if c.isprintable() or c == "\n" else "�" for c in words)
    return Markup(html.escape(kept))


def tag(name: str, /, *content: Markup | Iterable[Markup], **attributes: str | None) -> Markup:
    """An element. ``class_`` means ``class``, underscores become dashes, ``None`` omits one."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    inner = "".join(part if isinstance(part, str) else "".join(part) for part in content)
    return Markup(f"<{name}{written}>{inner}</{name}>")


def link(words: str, url: str) -> Markup:
    """A link if ``url`` is a web address, else only the words."""
    if not url.startswith(("https://", "http://")):
        return text(words)
    return tag("a", text(words), href=url, rel="noopener noreferrer")


def table(heads: Iterable[str], rows: Iterable[Iterable[Markup]], numbers: Iterable[int] = ()) -> Markup:
    """A table, with right-aligned columns ``numbers``; empty without rows."""
    right = set(numbers)

    def cells(kind: str, row: Iterable[Markup]) -> Iterable[Markup]:
        for column, cell in enumerate(row):
            aligned = ("n" if len(cell) <= LONGEST_NUMBER else "words") if column in right else None
            yield tag(kind, cell, scope="col" if kind == "th" else None, class_=aligned)

    body = [tag("tr", cells("td", row)) for row in rows]
    head = tag("thead", tag("tr", cells("th", map(text, heads))))
    return tag("table", head, tag("tbody", body)) if body else Markup("")
