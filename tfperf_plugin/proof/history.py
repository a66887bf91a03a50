"""What was measured before, a line a trial or comparison, in a file that only grows.

Each line is a JSON object of at most 1 kB, written at once, so that several processes may add to one file.
Whatever a file holds beside such lines is skipped, and counted.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.proof.files import content
from tfperf_plugin.readers.logdirs.files import reason
from tfperf_plugin.records import Record, known

MAX_BYTES: Final = 1024
"""Of a line, with its end."""
MAX_FILE_BYTES: Final = 16 << 20
"""Larger files are no histories."""
MAX_LN: Final = 10.0
MAX_MS: Final = 1e9
"""No measurement has larger changes, in ln, or longer steps: 11 days."""
MAX_TEXT: Final = 64
"""Longer texts are cut."""

_LISTS: Final = ("accounts", "environment", "equal", "findings", "versions")
"""Of a line that would be too long, the longest of these loses its end."""
_NOT_PLAIN: Final = re.compile(r'[^ -~]|["\\\\]')
"""What takes more than a byte in JSON."""


def now() -> str:
    """The time of a new row."""
    return f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


class Row(Record, frozen=True):
    """One measurement."""

    time: str  # in UTC, "2026-11-21T06:21:58Z"
    workload: str  # see ``workload``
    revision: str = ""  # of the code
    versions: Mapping[str, str] = {}
    environment: Mapping[str, str] = {}  # variables that matter and were set
    ms: float | None = None  # a step, from the levels of the launches (``effect.level``)
    sd: float | None = None  # of launches within a side, in ln
    accounts: Mapping[str, float] = {}  # ms of a step
    findings: tuple[str, ...] = ()  # ids
    verdict: str = ""  # "" without a change
    change: float | None = None  # the effect, as a share
    equal: tuple[float, ...] = ()  # what equal launches differed by (``effect.equal_changes``)
    load: float | None = None  # processors that other work kept busy


class History(Record, frozen=True):
    """The rows of a file, the oldest first. ``skipped``: lines that are none."""

    rows: tuple[Row, ...]
    skipped: int


def workload(
    layers: Mapping[str, int] | None = None,
    parameters: int | None = None,
    dtype: str | None = None,
    batch: int | None = None,
    devices: Sequence[str] = (),
) -> str:
    """A short hash of what is trained and on what; equal for runs whose times can be compared.

    ``layers``: numbers of ops by type. They count only where ``parameters`` is not known, because compiled
    layers have no names.
    """
    counted = None if parameters is not None or layers is None else sorted(layers.items())
    said = json.dumps([counted, parameters, dtype, batch, sorted(devices)])
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def default_file() -> Path:
    """``$XDG_STATE_HOME/tfperf/history.jsonl``, else in ``~/.local/state``.

    Raises UnreadableInput for a user without a home.
    """
    base = os.environ.get("XDG_STATE_HOME", "")
    try:
        state = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise UnreadableInput("This user has no home folder; name a file with --history.") from error
    return state / "tfperf" / "history.jsonl"


def append(row: Row, file: Path | None = None) -> None:
    """Adds a line to ``file``, or to the user's history. Raises UnreadableInput if it cannot be written.

    Of a row that is too long, texts are cut and the longest lists lose their end.
    """
    place, line = file or default_file(), _line(row)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            # What another process did not finish must not swallow this line.
            line = line if _ends_whole(handle) else b"\n" + line
            if os.write(handle, line) != len(line):
                raise OSError(errno.ENOSPC, "no space is left")
        finally:
            os.close(handle)
    except OSError as error:
        raise UnreadableInput(f"{place} cannot be written: {reason(error)}.") from error


def read(file: Path | None = None) -> History:
    """All rows of ``file``, or of the user's history; none if it does not exist.

    Raises UnreadableInput if it cannot be read, or is too large.
    """
    data = content(file or default_file(), MAX_FILE_BYTES) or b""
    rows: list[Row] = []
    lines = [line for line in data.split(b"\n") if line.strip()]
    for line in lines:
        with contextlib.suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
            row = msgspec.json.decode(line, type=known(Row))
            if len(line) < MAX_BYTES and _is_measured(row):
                rows.append(row)
    return History(tuple(rows), len(lines) - len(rows))


def _is_measured(row: Row) -> bool:
    """Whether a measurement can have such numbers."""
    sizes = (row.ms or 0.0, row.load or 0.0, *row.accounts.values())
    return (
        all(0 <= size <= MAX_MS for size in sizes)
        and all(abs(ln) <= MAX_LN for ln in (row.sd or 0.0, *row.equal))
        and -1 < (row.change or 0.0) <= math.exp(MAX_LN)
    )


def floor_of(workload: str, file: Path | None = None) -> tuple[float, ...]:
    """What equal launches of a workload differed by, for ``effect.floor``. Raises as ``read``."""
    return tuple(change for row in read(file).rows if row.workload == workload for change in row.equal)


def _line(row: Row) -> bytes:
    short = {name: _short(value) for name, value in asdict(row).items()}
    while len(line := msgspec.json.encode(short) + b"\n") > MAX_BYTES:
        name = max(_LISTS, key=lambda each: len(msgspec.json.encode(short[each])))
        items: Any = short[name]
        short[name] = dict([*items.items()][:-1]) if isinstance(items, dict) else items[:-1]
    return line


def _short(value: object) -> object:
    if isinstance(value, str):
        return _NOT_PLAIN.sub("?", value)[:MAX_TEXT]
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {str(_short(key)): _short(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_short, value))
    return value


def _ends_whole(handle: int) -> bool:
    length = os.lseek(handle, 0, os.SEEK_END)
    if not length:
        return True
    os.lseek(handle, -1, os.SEEK_END)
    return os.read(handle, 1) == b"\n"
