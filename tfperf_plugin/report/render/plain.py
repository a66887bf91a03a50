"""Makes names from a profile safe for terminal, Markdown and HTML."""

from __future__ import annotations


def safe(text: str) -> str:
    """Text on one line, without control characters and escape sequences."""
    return clean(text, color=False)


def clean(line: str, color: bool) -> str:
    """A line without control characters; escape sequences stay if ``color``."""
    kept = {"\x1b"} if color else set()
    return "".join(c if c.isprintable() or c in kept else "�" for c in line)


def escape(text: str) -> str:
    """Text on one line, with the special characters of Markdown and HTML escaped."""
    escaped = "".join("\\" + c if c in "\\`*_[]#|~$" else c for c in safe(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
