"""The result of a command, and helpers for text in a terminal."""

from __future__ import annotations

import os
import sys
import unicodedata

from tfperf_plugin.records import Record


class Output(Record, frozen=True):
    """The result of a command: ``text`` goes to stdout, a ``note`` as one line to stderr."""

    text: str
    exit_code: int = 0
    note: str = ""


def one_line(text: str) -> str:
    """``text`` on one line, without the control characters that file names may hold."""
    harmless = (" " if unicodedata.category(char) in ("Cc", "Cf", "Cs") else char for char in text)
    return " ".join("".join(harmless).split())


def wants_color() -> bool:
    """Whether stdout is a terminal that shows colors."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
