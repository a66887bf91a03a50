"""Makes names from a profile safe for terminal, Markdown, HTML, agents and names of files."""

from __future__ import annotations

import re
from typing import Final

_LONGEST_NAME: Final = 120
_LINKING: Final = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
"""What a link or a mention in GitHub's Markdown begins with."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:/+-]+")


def safe(text: str) -> str:
    """Text on one line, without control characters and escape sequences."""
    return clean(text, color=False)


def clean(line: str, color: bool) -> str:
    """A line without control characters; escape sequences stay if ``color``."""
    kept = {"\x1b"} if color else set()
    return "".join(c if c.isprintable() or c in kept else "�" for c in line)


def in_file_name(text: str) -> str:
    """What a file system and an HTTP header allow in the name of a file; may be empty."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:_LONGEST_NAME]


def escape(text: str) -> str:
    """Text on one line, with the special characters of Markdown and HTML escaped.

    Nothing in it becomes a link or mentions anybody: neither "@name", "#12" and "GH-12" nor addresses, which
    GitHub looks for in what is displayed. So a space of no width is between their signs.
    """
    escaped = "".join("\\" + c if c in "\\`*_[]#|~$" else c for c in safe(text))
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _LINKING.sub(r"\g<0>&#8203;", escaped)


def short(text: str, most: int) -> str:
    """Text on one line of at most ``most`` bytes in UTF-8; "…" stands for what is cut off."""
    line = safe(text)
    if len(line.encode()) <= most:
        return line
    return line.encode()[: most - len("…".encode())].decode(errors="ignore") + "…"


def quoted(name: str, most: int = 60) -> str:
    """A name from a profile as one word: in quotes, unless it is plain, and of at most ``most`` bytes."""
    if _PLAIN.fullmatch(name) and len(name) <= most:
        return name
    return '"' + short(name, most - 2).replace('"', "'") + '"'
