"""Writes blocks as text, Markdown, HTML and lines for agents, without knowing their subject.

These outputs show the first rows of a table and its narrow columns; JSON and the tab show all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.judging.engine.words import number_text
from tfperf_plugin.report.model import Cell, Column, Facts, Report, SectionBlock, Sentence, Table
from tfperf_plugin.report.render.markup import Markup, tag
from tfperf_plugin.report.render.markup import table as html_table
from tfperf_plugin.report.render.markup import text as words_of
from tfperf_plugin.report.render.plain import escape, quoted, safe, short

NAME_BYTES: Final = 80
"""Longer names are cut in text and Markdown."""
_WORDS: Final = {"name", "text", "mark"}
"""Units of what is no number."""


def shown(report: Report) -> Iterator[SectionBlock]:
    """The blocks of all sections that these outputs show, with the rows and columns that they show."""
    for section in report.sections:
        for block in section.blocks:
            if not isinstance(block, Table):
                yield block
            elif block.brief:
                yield _brief(block)


def _brief(block: Table) -> Table:
    """The table with its first rows, and the narrow columns in which they say anything."""
    rows = block.rows[: block.brief]
    kept = [
        place
        for place, column in enumerate(block.columns)
        if not column.wide and any(row[place] not in (None, "") for row in rows)
    ]
    some = f", {len(rows)} of {block.total:,}" if len(rows) < block.total else ""
    return replace(
        block,
        title=block.title + some,
        columns=tuple(block.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in rows),
    )


def cell_text(value: Cell, column: Column) -> str:
    """A cell of a table as text, a long name cut."""
    said = _written(value, column.unit, column.none)
    return short(said, NAME_BYTES) if column.unit == "name" else said


def _written(value: Cell, unit: str, none: str = "not known") -> str:
    return none if value is None or value == "" else number_text(value, unit)


# -------------------------------------------------------------------------------------- text


def text_lines(block: SectionBlock, bold: str, dim: str, plain: str) -> Iterator[str]:
    """A block for a terminal; ``bold``, ``dim`` and ``plain`` switch between looks."""
    if block.title:
        yield ""
        yield f"{bold}{safe(block.title)}{plain}"
    if isinstance(block, Sentence):
        yield f"  {safe(block.words)}"
    elif isinstance(block, Facts):
        for one in block.numbers:
            note = f"  {safe(one.note)}" if one.note else ""
            yield f"  {_written(one.value, one.unit):>9}  {safe(one.label)}{dim}{note}{plain}"
    else:
        yield from _columns(block, dim, plain)


def _columns(block: Table, dim: str, plain: str) -> Iterator[str]:
    """Numbers first, then words; the name last, as it may be long, and without what tells more of it."""
    there = [column for column in block.columns if not column.under]
    order = sorted(there, key=lambda column: (column.unit == "name", column.unit in _WORDS))
    places = [block.columns.index(column) for column in order]
    rows = [[safe(cell_text(row[place], block.columns[place])) for place in places] for row in block.rows]
    lines = [[column.heading for column in order], *rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        cells = (
            f"{cell:<{width}}" if column.unit in _WORDS else f"{cell:>{width}}"
            for cell, width, column in zip(line, widths, order, strict=True)
        )
        written = f"  {'  '.join(cells)}".rstrip()
        yield f"{dim}{written}{plain}" if number == 0 else written


# ---------------------------------------------------------------------------------- Markdown


def markdown_paragraphs(block: SectionBlock) -> Iterator[str]:
    """A block as paragraphs of Markdown."""
    if block.title:
        yield f"## {escape(block.title)}"
    if isinstance(block, Sentence):
        yield escape(block.words)
    elif isinstance(block, Facts):
        facts = ((one.label, _written(one.value, one.unit), one.note) for one in block.numbers)
        yield markdown_table(("", "", ""), facts, numbers=(1,))
    else:
        numbers = [i for i, column in enumerate(block.columns) if column.unit not in _WORDS]
        rows = (map(cell_text, row, block.columns) for row in block.rows)
        yield markdown_table([column.heading for column in block.columns], rows, numbers)


def markdown_table(heads: Sequence[str], rows: Iterable[Iterable[str]], numbers: Collection[int]) -> str:
    """A table in Markdown; its cells are escaped. ``numbers``: columns that are aligned to the right."""
    head = "".join(f"| {escape(text)} " if text else "| " for text in heads)
    aligned = "|".join("---:" if i in numbers else "---" for i in range(len(heads)))
    lines = (f"| {' | '.join(map(escape, row))} |" for row in rows)
    return "\n".join((f"{head}|", f"|{aligned}|", *lines))


# -------------------------------------------------------------------------------------- HTML


def html_sections(report: Report) -> Iterator[Markup]:
    """The blocks under their titles, each as a section."""
    parts: list[Markup] = []
    for block in shown(report):
        if block.title and parts:
            yield tag("section", parts)
            parts = []
        if block.title:
            parts.append(tag("h2", words_of(block.title)))
        parts.append(html_block(block))
    if parts:
        yield tag("section", parts)


def html_block(block: SectionBlock) -> Markup:
    """A block without its title."""
    if isinstance(block, Sentence):
        return tag("p", words_of(block.words))
    if isinstance(block, Facts):
        rows = [map(words_of, (one.label, _written(one.value, one.unit), one.note)) for one in block.numbers]
        return html_table(("What", "Value", "Note"), rows, (1,))
    cells = [
        [words_of(_written(value, of.unit, of.none)) for value, of in zip(row, block.columns, strict=True)]
        for row in block.rows
    ]
    numbers = [place for place, column in enumerate(block.columns) if column.unit not in _WORDS]
    return html_table([column.heading for column in block.columns], cells, numbers)


# ------------------------------------------------------------------------------------ agents


def agent_rows(table: Table, wide: bool = False) -> Iterator[str]:
    """Each row in one line, names last and in quotes unless they are plain; ``wide``: with all columns."""
    for row in table.rows:
        said, names = [], []
        for value, column in zip(row, table.columns, strict=True):
            if value is None or value == "" or (column.wide and not wide):
                continue
            if column.unit == "name":
                names.append(quoted(str(value), 100))
            else:
                said.append(f"{column.heading.lower()} {short(number_text(value, column.unit), 60)}")
        yield f"{', '.join(said)} {' '.join(names)}"
