"""Renders a comparison as text for a terminal and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.compare.model import (
    AccountChange,
    Comparison,
    FindingChange,
    Launches,
    NumberChange,
)
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, gigabytes, listing, ms, percent
from tfperf_plugin.records import Record
from tfperf_plugin.report.render.plain import clean, escape, safe

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOR: Final = {
    "better": "\x1b[32m", "worse": "\x1b[31m", "same": "", "unproven": "", "suspicious": "\x1b[33m",
    "cannot_compare": "\x1b[33m",
}  # fmt: skip
_ICON: Final = {
    "better": "▼", "worse": "▲", "same": "=", "unproven": "≈", "suspicious": "!", "cannot_compare": "?",
}  # fmt: skip
_WIDEST: Final = 20
"""Longest cell of a table in a terminal."""
_STATUS: Final = {
    "appeared": "New", "vanished": "Gone", "unchecked": "No longer checked", "changed": "Changed",
    "same": "As before",
}  # fmt: skip


class _Table(Record, frozen=True):
    """Rows of names and numbers, and a note on each. Markdown folds a table unless it is ``open``."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    open: bool = False


def to_text(result: Comparison, color: bool) -> str:
    """The comparison for a terminal; escape sequences only if ``color``."""
    return "\n".join(clean(line, color) for line in _text(result, color)) + "\n"


def _text(result: Comparison, color: bool) -> Iterator[str]:
    bold, dim, plain = (_BOLD, _DIM, _PLAIN) if color else ("", "", "")
    tint = _COLOR[result.verdict] if color else ""
    yield f"{tint}{_ICON[result.verdict]}{plain} {bold}{safe(result.sentence)}{plain}"
    yield from (f"  {safe(line)}" for line in _sentences(result))
    for caveat in result.caveats:
        yield f"  {dim}note: {safe(caveat)}{plain}"
    for table in _tables(result):
        yield ""
        yield f"{bold}{table.title}{plain}"
        rows = [tuple(map(safe, row)) for row in table.rows]
        cells = [table.heads, *rows] if any(table.heads) else rows
        short = [row for row in cells if not _is_wide(row)]
        width = [max((len(row[i]) for row in short), default=0) for i in range(len(table.heads))]
        notes = ("",) * (len(cells) - len(rows)) + (table.notes or ("",) * len(rows))
        for number, (row, note) in enumerate(zip(cells, notes, strict=True)):
            if _is_wide(row):
                yield f"  {row[0]}"
                yield from (
                    f"    {head}: {cell}" for head, cell in zip(table.heads[1:], row[1:], strict=True)
                )
                continue
            numbers = "  ".join(f"{cell:>{width[i + 1]}}" for i, cell in enumerate(row[1:]))
            line = f"  {row[0]:<{width[0]}}  {numbers}".rstrip()
            yield f"{dim}{line}{plain}" if number == 0 and any(table.heads) else line
            if note:
                yield f"    {dim}{safe(note)}{plain}"


def _is_wide(row: tuple[str, ...]) -> bool:
    """Whether its cells stand in lines of their own, below its name."""
    return any(len(cell) > _WIDEST for cell in row[1:])


def to_markdown(result: Comparison) -> str:
    """The comparison for a pull request; names are escaped."""
    return "\n".join(_markdown(result)) + "\n"


def _markdown(result: Comparison) -> Iterator[str]:
    yield f"### {_ICON[result.verdict]} {escape(result.sentence)}"
    yield ""
    for line in _sentences(result):
        yield escape(line)
        yield ""
    for caveat in result.caveats:
        yield f"> {escape(caveat)}"
        yield ""
    for table in _tables(result):
        if not table.open:
            yield f"<details><summary>{table.title}</summary>"
            yield ""
        head, *numbers = table.heads
        yield f"| {escape(head) or table.title} | {' | '.join(map(escape, numbers))} |"
        yield f"|---|{'---:|' * len(numbers)}"
        for row, note in zip(table.rows, table.notes or ("",) * len(table.rows), strict=True):
            name = f"{row[0]} ({note})" if note else row[0]
            yield f"| {' | '.join(map(escape, (name, *row[1:])))} |"
        if not table.open:
            yield ""
            yield "</details>"
        yield ""


def _sentences(result: Comparison) -> Iterator[str]:
    yield from result.reasons
    if result.scaling:
        yield result.scaling.sentence
    if result.prediction:
        yield result.prediction.sentence


def _tables(result: Comparison) -> Iterator[_Table]:
    base, new = result.base, result.new
    yield _Table(
        "The launches in the middle" if result.launches else "The two runs",
        ("", "base", "new"),
        (
            ("run", base.run, new.run),
            ("step", *(_known(s.step_ns) for s in (base, new))),
            ("standard error of the step", *(_known(s.error_ns) for s in (base, new))),
            ("steps", str(base.steps_count), str(new.steps_count)),
            ("GPUs", *(_gpus(s.gpus_count, s.devices) for s in (base, new))),
            ("hosts", str(base.hosts_count), str(new.hosts_count)),
        ),
        open=True,
    )  # fmt: skip
    if result.launches:
        yield _launches(result.launches)
    if result.scaling:
        columns = ("against the ideal, per step", "ideal", "real", "lost")
        yield _accounts("Where the rest of the GPUs' time goes", columns, result.scaling.accounts)
    elif result.accounts:
        what = "step" if result.basis == "step" else "step of the base run's examples"
        yield _accounts("Where the time goes", (f"per {what}", "base", "new", "change"), result.accounts)
    heads = ("", "base saving", "new saving")
    if changed := [f for f in result.findings if f.status != "same"]:
        yield _Table("Findings", heads, *_finding_rows(changed), open=True)
    if same := [f for f in result.findings if f.status == "same"]:
        yield _Table(f"{count(len(same), 'finding')} as before", heads, *_finding_rows(same))
    if result.numbers:
        yield _Table("Key numbers", ("", "base", "new"), tuple(map(_number_row, result.numbers)))
    if result.settings:
        rows = tuple((s.label, s.base, s.new) for s in result.settings)
        yield _Table("What the trainings recorded differently", ("", "base", "new"), rows)


def _launches(launches: Launches) -> _Table:
    sides = {"base": "before", "new": "now"}
    rows = tuple(
        (item.run, sides[item.side], item.recorded or "not known", ms(item.level_ns))
        for item in launches.items
    )
    return _Table("Each launch", ("", "side", "recorded", "a step"), rows)


def _known(ns: int | None) -> str:
    return "not told" if ns is None else ms(ns)


def _gpus(number: int, names: tuple[str, ...]) -> str:
    return f"{number} × {listing(list(names))}" if names else str(number)


def _accounts(title: str, heads: tuple[str, ...], accounts: tuple[AccountChange, ...]) -> _Table:
    sums = map(sum, zip(*((a.base_ns, a.new_ns, a.delta_ns) for a in accounts), strict=True))
    rows = tuple(
        (ACCOUNT_WORDS.get(a.id, a.id), ms(a.base_ns), ms(a.new_ns), _signed(a.delta_ns))
        for a in (*accounts, AccountChange("total", *sums))
    )
    return _Table(title, heads, rows, open=True)


def _signed(ns: int) -> str:
    return f"+{ms(ns)}" if ns > 0 else f"−{ms(-ns)}" if ns else "0 ms"


def _finding_rows(changes: list[FindingChange]) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Their rows and notes."""
    return tuple(map(_finding_row, changes)), tuple(change.note for change in changes)


def _finding_row(change: FindingChange) -> tuple[str, ...]:
    return f"{_STATUS[change.status]}: {change.title}", *(_saving(ns, severity) for ns, severity in (
        (change.base_ns, change.base_severity), (change.new_ns, change.new_severity),
    ))  # fmt: skip


def _saving(ns: int | None, severity: str | None) -> str:
    if severity is None:
        return ""
    return f"{ms(ns)}, {severity}" if ns is not None else severity


def _number_row(change: NumberChange) -> tuple[str, ...]:
    return change.label, *(_number(value, change.unit) for value in (change.base, change.new))


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "not recorded"
    words = {"ratio": percent, "ns": ms, "bytes": gigabytes}
    return words[unit](value) if unit in words else f"{value:.3g} {unit}"
