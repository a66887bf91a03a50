"""What a command hands back, and how text becomes fit for a terminal."""

from __future__ import annotations

import os
import sys
import unicodedata

from tfperf_plugin.records import Record


class Output(Record, frozen=True):
    """``text`` goes to stdout, ``note``, if any, as one line to stderr."""

    text: str
    exit_code: int = 0
    note: str = ""


def one_line(text: str) -> str:
    """``text`` without line breaks and control characters, whatever names of files it mentions."""
    return " ".join(_harmless(text).split())


def wants_color() -> bool:
    """Whether stdout is a terminal that may be written to in color."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _harmless(text: str) -> str:
    return "".join(" " if unicodedata.category(char) in ("Cc", "Cf", "Cs") else char for char in text)
