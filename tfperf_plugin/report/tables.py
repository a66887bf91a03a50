"""Makes rows and tables of the report from rows of artifacts: a column is described once, with its cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Cell, Column, Report, Table, Unit

T = TypeVar("T")
R = TypeVar("R", bound=Record)


def row_of(kind: type[R], source: Any, /, **more: Any) -> R:
    """A ``kind`` with the fields in ``more``; others are copied from ``source`` by name, if it has them."""
    names = (name for name in kind.__struct_fields__ if name not in more and hasattr(source, name))
    return kind(**{name: getattr(source, name) for name in names}, **more)


class Described(NamedTuple, Generic[T]):
    """A column, and its cell in each row."""

    column: Column
    cell: Callable[[T], Cell]


def column(
    id: str, heading: str, unit: Unit, cell: Callable[[T], Cell], under: bool = False, none: str = ""
) -> Described[T]:
    """Describes a column; see ``Column``."""
    return Described(Column(id, heading, unit, under=under, none=none), cell)


def wide(id: str, heading: str, unit: Unit, cell: Callable[[T], Cell], none: str = "") -> Described[T]:
    """Describes a column that is shown only where there is room."""
    return Described(Column(id, heading, unit, wide=True, none=none), cell)


def table(
    id: str,
    title: str,
    rows: Sequence[T],
    columns: Sequence[Described[T]],
    brief: int,
    total: int | None = None,
    note: str = "",
    chosen_by: str = "",
    meanings: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """The table of ``rows``, without columns in which no row says anything; see ``Table``.

    ``meanings``: id of a column → what its heading means, unless it is plain words.
    """
    kept = []
    for described, cell in columns:
        values = tuple(map(cell, rows))
        if any(value not in (None, "") for value in values):
            kept.append((replace(described, meaning=meanings.get(described.id, "")), values))
    return Table(
        id,
        title,
        tuple(described for described, _ in kept),
        tuple(zip(*(values for _, values in kept), strict=True)),
        len(rows) if total is None else total,
        brief,
        note,
        chosen_by if any(described.id == chosen_by for described, _ in kept) else "",
    )


def table_of(report: Report, id: str) -> Table | None:
    """The table of this id; ``None`` if the report has none."""
    blocks = (block for section in report.sections for block in section.blocks)
    return next((block for block in blocks if isinstance(block, Table) and block.id == id), None)
