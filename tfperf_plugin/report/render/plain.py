"""Plain text: whatever a profile calls things, it stays a name and becomes no markup."""

from __future__ import annotations


def safe(text: str) -> str:
    """Text from a profile on one line and without escape sequences."""
    return "".join(c if c.isprintable() else "�" for c in text)


def clean(line: str, color: bool) -> str:
    """Control characters in names from the profile must not reach the terminal."""
    kept = {"\x1b"} if color else set()
    return "".join(c if c.isprintable() or c in kept else "�" for c in line)


def escape(text: str) -> str:
    """Markdown's and HTML's special characters made plain, on one line."""
    escaped = "".join("\\" + c if c in "\\`*_[]#|~$" else c for c in safe(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
