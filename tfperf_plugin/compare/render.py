"""Renders a comparison as text for a terminal and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfperf_plugin.compare.model import AccountChange, Comparison, FindingChange, Side
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, listing, ms, number_text
from tfperf_plugin.records import Record
from tfperf_plugin.report.render.blocks import markdown_table
from tfperf_plugin.report.render.plain import clean, escape, safe

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_LOOK: Final = {
    "better": ("▼", "\x1b[32m"),
    "worse": ("▲", "\x1b[31m"),
    "same": ("=", ""),
    "unproven": ("≈", ""),
    "suspicious": ("!", "\x1b[33m"),
    "cannot_compare": ("?", "\x1b[33m"),
}
"""Verdict → its sign and its color."""
_WIDEST: Final = 20
"""Longest cell of a table in a terminal."""
_STATUS: Final = {
    "appeared": "New",
    "vanished": "Gone",
    "unchecked": "No longer checked",
    "changed": "Changed",
    "same": "As before",
}


class _Table(Record, frozen=True):
    """A name and numbers in each row."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = ()  # one for each row, or none
    folded: bool = False  # in Markdown


def to_text(result: Comparison, color: bool) -> str:
    """The comparison for a terminal; escape sequences only if ``color``."""
    return "\n".join(clean(line, color) for line in _text(result, color)) + "\n"


def _text(result: Comparison, color: bool) -> Iterator[str]:
    bold, dim, plain = (_BOLD, _DIM, _PLAIN) if color else ("", "", "")
    sign, tint = _LOOK[result.verdict]
    yield f"{tint if color else ''}{sign}{plain} {bold}{safe(result.sentence)}{plain}"
    yield from (f"  {safe(line)}" for line in _sentences(result))
    yield from (f"  {dim}note: {safe(caveat)}{plain}" for caveat in result.caveats)
    for table in _tables(result):
        yield ""
        yield f"{bold}{table.title}{plain}"
        yield from _text_rows(table, dim, plain)


def _text_rows(table: _Table, dim: str, plain: str) -> Iterator[str]:
    """The rows in columns; cells that are too wide stand in lines of their own, below the name of the row."""
    rows = [table.heads, *(tuple(map(safe, row)) for row in table.rows)]
    wide = [any(len(cell) > _WIDEST for cell in row[1:]) for row in rows]
    columns = zip(*(row for row, is_wide in zip(rows, wide, strict=True) if not is_wide), strict=True)
    width = [max(map(len, cells)) for cells in columns]
    notes = ("", *(table.notes or [""] * len(table.rows)))
    for number, (row, is_wide, note) in enumerate(zip(rows, wide, notes, strict=True)):
        if is_wide:
            yield f"  {row[0]}"
            yield from (f"    {head}: {cell}" for head, cell in zip(table.heads[1:], row[1:], strict=True))
            continue
        numbers = (f"{cell:>{most}}" for cell, most in zip(row[1:], width[1:], strict=True))
        line = f"  {row[0]:<{width[0]}}  {'  '.join(numbers)}".rstrip()
        yield line if number else f"{dim}{line}{plain}"
        if note:
            yield f"    {dim}{safe(note)}{plain}"


def to_markdown(result: Comparison) -> str:
    """The comparison for a pull request; names are escaped."""
    return "\n".join(_markdown(result)) + "\n"


def _markdown(result: Comparison) -> Iterator[str]:
    sign, _ = _LOOK[result.verdict]
    yield f"### {sign} {escape(result.sentence)}\n"
    yield from (f"{escape(line)}\n" for line in _sentences(result))
    yield from (f"> {escape(caveat)}\n" for caveat in result.caveats)
    for table in _tables(result):
        if table.folded:
            yield f"<details><summary>{table.title}</summary>\n"
        head, *numbers = table.heads
        rows = (
            (f"{row[0]} ({note})" if note else row[0], *row[1:])
            for row, note in zip(table.rows, table.notes or [""] * len(table.rows), strict=True)
        )
        yield markdown_table((head or table.title, *numbers), rows, range(1, len(table.heads)))
        yield "\n</details>\n" if table.folded else ""


def _sentences(result: Comparison) -> Iterator[str]:
    if result.changed:
        yield result.changed
    if result.prediction:
        yield result.prediction.sentence
    yield from result.reasons
    if result.scaling:
        yield result.scaling.sentence


def _tables(result: Comparison) -> Iterator[_Table]:
    sides = result.base, result.new
    title = "The launches in the middle" if result.launches else "The two runs"
    names = "run", "step", "standard error of the step", "steps", "GPUs", "hosts"
    yield _Table(title, ("", "base", "new"), [*zip(names, *map(_facts, sides), strict=True)])
    if result.launches:
        when = {"base": "before", "new": "now"}
        launches = [
            (item.run, when[item.side], item.recorded or "not known", ms(item.level_ns))
            for item in result.launches.items
        ]
        yield _Table("Each launch", ("", "side", "recorded", "a step"), launches, folded=True)
    if result.scaling:
        columns = "against the ideal, per step", "ideal", "real", "lost"
        yield _accounts("Where the rest of the GPUs' time goes", columns, result.scaling.accounts)
    elif result.accounts:
        what = "step" if result.basis == "step" else "step of the base run's examples"
        yield _accounts("Where the time goes", (f"per {what}", "base", "new", "change"), result.accounts)
    if changed := [f for f in result.findings if f.status != "same"]:
        yield _findings("Findings", changed)
    if same := [f for f in result.findings if f.status == "same"]:
        yield _findings(f"{count(len(same), 'finding')} as before", same, folded=True)
    if result.numbers:
        numbers = [(n.label, _number(n.base, n.unit), _number(n.new, n.unit)) for n in result.numbers]
        yield _Table("Key numbers", ("", "base", "new"), numbers, folded=True)
    if result.settings:
        settings = [(s.label, s.base, s.new) for s in result.settings]
        yield _Table("What the trainings recorded differently", ("", "base", "new"), settings, folded=True)


def _facts(side: Side) -> tuple[str, ...]:
    names = f" × {listing(side.devices)}" if side.devices else ""
    step, error = ("not told" if ns is None else ms(ns) for ns in (side.step_ns, side.error_ns))
    return side.run, step, error, str(side.steps_count), f"{side.gpus_count}{names}", str(side.hosts_count)


def _accounts(title: str, heads: tuple[str, ...], accounts: tuple[AccountChange, ...]) -> _Table:
    sums = map(sum, zip(*((a.base_ns, a.new_ns, a.delta_ns) for a in accounts), strict=True))
    rows = [
        (ACCOUNT_WORDS.get(a.id, a.id), ms(a.base_ns), ms(a.new_ns), number_text(a.delta_ns, "more_ns"))
        for a in (*accounts, AccountChange("total", *sums))
    ]
    return _Table(title, heads, rows)


def _findings(title: str, changes: Sequence[FindingChange], folded: bool = False) -> _Table:
    rows = [
        (
            f"{_STATUS[change.status]}: {change.title}",
            _saving(change.base_ns, change.base_severity),
            _saving(change.new_ns, change.new_severity),
        )
        for change in changes
    ]
    notes = [change.note for change in changes]
    return _Table(title, ("", "base saving", "new saving"), rows, notes, folded)


def _saving(ns: int | None, severity: str | None) -> str:
    return ", ".join([*([] if ns is None else [ms(ns)]), severity]) if severity else ""


def _number(value: float | None, unit: str) -> str:
    return "not recorded" if value is None else number_text(value, unit)
