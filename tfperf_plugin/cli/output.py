"""The result of a command, and helpers for text in a terminal."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, TextIO

from tfperf_plugin.execution.stages import STAGES
from tfperf_plugin.records import Record

WIDTH: Final = 80
"""Of lines where the terminal's width is unknown, as in a file."""
LEAST_WIDTH: Final = 40
LONGEST_WORD: Final = 300
LONGEST_LINE: Final = 1000
"""Characters of a word, and of a line, that are shown: names of kernels have up to thousands."""

_ESCAPE: Final = re.compile("\x1b\\[[0-9;]*m")
_BEGUN_ESCAPE: Final = re.compile("\x1b[^m]*$")
_WORD: Final = re.compile(r"[^\s\x1b]+")
# Between a number and its unit, no line breaks. A NUL holds their place: texts for a terminal have none.
_UNIT: Final = re.compile(r"(?<=\d) (?=(?:%|[mnµ]?s|[KMGT]?i?B(?:/s)?|Gbit/s|TFLOP/s|GHz)(?![\w/]))")
# A severity's sign before its name is no bullet.
_BULLETS: Final = re.compile(r" *(?:(?:[→·✓!i-]|[●▲](?! critical| warning)|\d+\.) +)*")


class Output(Record, frozen=True):
    """The result of a command: ``text`` goes to stdout, a ``note`` as one line to stderr."""

    text: str
    exit_code: int = 0
    note: str = ""


def broken(error: Exception) -> str:
    """What to say of an error of tfperf itself."""
    return f"tfperf itself failed ({type(error).__name__}: {error}); TFPERF_TRACEBACK=1 shows where."


def one_line(text: str) -> str:
    """``text`` on one line, without the control characters that file names may hold."""
    harmless = (" " if unicodedata.category(char) in ("Cc", "Cf", "Cs") else char for char in text)
    return " ".join("".join(harmless).split())


def wants_color() -> bool:
    """Whether stdout is a terminal that shows colors."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width_of(stream: TextIO) -> int:
    """How many columns lines may take: what COLUMNS says, else the terminal's, else ``WIDTH``."""
    stated = os.environ.get("COLUMNS", "")
    columns = int(stated) if stated.isdecimal() else 0
    if not columns and stream.isatty():
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):  # it only looks like a terminal
            columns = 0
    return max(columns or WIDTH, LEAST_WIDTH)


def fit(text: str, widest: float = 0.4) -> str:
    """``text`` in lines that fit stdout. What follows a break is indented to where its text began.

    ``widest``: the share of a line that columns before the text may take; otherwise they count as text.
    Commands stay whole, and so do words, such as addresses, unless they or their line are so long that they
    would fill the screen; "…" stands for what is cut off.
    """
    width = width_of(sys.stdout)
    return "\n".join(_wrapped(_shortened(line), width, int(width * widest)) for line in text.split("\n"))


def _shortened(line: str) -> str:
    """The line, with the start of words and of the whole if they are too long for a terminal."""
    line = _WORD.sub(
        lambda word: word[0] if len(word[0]) <= LONGEST_WORD else f"{word[0][:LONGEST_WORD]}…", line
    )
    if len(line) <= LONGEST_LINE:
        return line
    return _BEGUN_ESCAPE.sub("", line[:LONGEST_LINE]) + "…" + ("\x1b[0m" if "\x1b" in line else "")


def _wrapped(line: str, width: int, limit: int) -> str:
    bare = _ESCAPE.sub("", line)
    if columns_of(bare) <= width or bare.lstrip().startswith("$ "):
        return line
    indent = " " * _indent(bare, limit)
    first, *words = _UNIT.sub("\0", line).split(" ")
    lines = [first]
    for word in words:
        if word and lines[-1].strip() and columns_of(f"{lines[-1]} {word}") > width:
            lines[-1:] = [lines[-1].rstrip(), indent + word]
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines).replace("\0", " ")


def _indent(line: str, limit: int) -> int:
    """Where the text of a line begins: after its bullet, or after the last gap up to column ``limit``."""
    bullets = _BULLETS.match(line)
    bullet = bullets.end() if bullets else 0
    gaps = [at for at in range(2, limit + 1) if line[at - 2 : at] == "  " and line[at : at + 1].strip()]
    return max([at for at in (bullet, *gaps) if at <= limit], default=0)


def cut(line: str, width: int, end: str = "…") -> str:
    """``line`` without what does not fit; ``end`` stands in its place."""
    if columns_of(line) <= width:
        return line
    while columns_of(line + end) > width:
        line = line[:-1]
    return line + end


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The texts of each row in columns. The last text of a row widens no column."""
    most = max(map(len, rows))
    widths = [max((len(row[i]) for row in rows if len(row) > i + 1), default=0) for i in range(most)]
    return ["  ".join(map(str.ljust, row, [*widths[: len(row) - 1], 0])) for row in rows]


def columns_of(text: str) -> int:
    """How many columns of a terminal ``text`` takes."""
    bare = _ESCAPE.sub("", text)
    return len(bare) if bare.isascii() else sum(map(_char_columns, bare))


def _char_columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


# ----------------------------------------------------------------------------------- progress

_shown = ""


def progress_of(name: str) -> Callable[..., None]:
    """What shows the progress of a run's analysis, as an analysis calls it."""

    most, latest, words, order = 0.0, 0, "", list(STAGES)

    def tell(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        nonlocal most, latest, words
        most = max(most, share)
        at = order.index(stage) if stage in order else latest
        if at >= latest:  # a second look at what was read goes unsaid
            which = f", host {min(hosts[0] + 1, hosts[1])} of {hosts[1]}" if hosts else ""
            latest, words = at, f"{STAGES.get(stage, stage)}{which}"
        show(f"{100 * most:.0f} % · {words} ({name})")

    return tell


def show(line: str) -> None:
    """Shows in one line what tfperf does, in place of the line before; only on a terminal."""
    global _shown
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return
    line = one_line(line)
    line = cut(line, width_of(sys.stderr) - 1, "")  # a line that wraps could not be replaced
    if line != _shown:
        _write_now(f"\r\x1b[K{line}")
        _shown = line


def tell(text: str) -> None:
    """Writes lines on stderr that stay, above the line of progress."""
    erase()
    _write_now("".join(f"{one_line(line)}\n" for line in text.splitlines()))


def erase() -> None:
    """Erases the line of progress, if there is one."""
    global _shown
    if _shown:
        _write_now("\r\x1b[K")
        _shown = ""


def _write_now(text: str) -> None:
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
    sys.stderr.flush()
