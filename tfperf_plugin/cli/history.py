"""List what was measured before, and by how much launches without a change differ."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Final

from tfperf_plugin.cli.output import Output, aligned, cut, one_line
from tfperf_plugin.judging.engine.words import count, ms, percent, signed_percent
from tfperf_plugin.proof.effect import LEAST_CHANGES, floor
from tfperf_plugin.proof.history import MAX_TEXT, Row, default_file, read
from tfperf_plugin.report.serialize import to_json

_HEADS: Final = (
    "Time", "Workload", "Revision", "A step", "Launches differ by", "Verdict", "Change", "Findings"
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf history`` takes."""
    parser.add_argument("--history", metavar="FILE", help="the history to list (default: the user's)")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="text (default), or json for programs"
    )


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf history``. Raises TfperfError."""
    place = Path(arguments.history) if arguments.history else default_file()
    found = read(place)
    note = f"{count(found.skipped, 'line')} of {place} could not be read." if found.skipped else ""
    equal: dict[str, list[float]] = {}
    for row in found.rows:
        equal.setdefault(row.workload, []).extend(row.equal)
    if arguments.format == "json":
        floors = {workload: _floor(changes) for workload, changes in equal.items()}
        listed = {"rows": [to_json(row) for row in found.rows], "floors": floors, "skipped": found.skipped}
        return Output(json.dumps(listed, indent=2) + "\n", note=note)
    if not found.rows:
        return Output("", note=note or f"{place} holds nothing yet.")
    table = "".join(f"{line.rstrip()}\n" for line in aligned([_HEADS, *map(_texts, found.rows)]))
    return Output(table + "".join(map(_words, equal, equal.values())), note=note)


def _floor(changes: list[float]) -> float | None:
    """The share up to which changes do not count; ``None`` with too few equal launches."""
    limit = floor(changes)
    return None if limit is None else math.expm1(limit)


def _texts(row: Row) -> tuple[str, ...]:
    return (
        _short(row.time),
        _short(row.workload),
        one_line(row.revision)[:12] or "–",
        "–" if row.ms is None else ms(row.ms * 1e6),
        "–" if row.sd is None else percent(row.sd),
        _short(row.verdict) or "–",
        "–" if row.change is None else signed_percent(row.change),
        _short(", ".join(row.findings)) or "–",
    )


def _short(text: str) -> str:
    return cut(one_line(text), MAX_TEXT)


def _words(workload: str, changes: list[float]) -> str:
    """A line on what equal launches of a workload differed by; "" if there were none."""
    if not changes:
        return ""
    pairs = f"{_short(workload)}: {count(len(changes), 'pair')} of equal launches"
    limit = _floor(changes)
    if limit is None:
        return f"{pairs}; {LEAST_CHANGES} tell which changes count.\n"
    return f"{pairs}; changes of up to {percent(limit)} do not count.\n"
