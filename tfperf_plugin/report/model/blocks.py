"""The blocks of a section. Panels make them; writers and the page show them without knowing their subject.

Numbers stay numbers, with a unit in which a writer formats them.
"""

from __future__ import annotations

from typing import Any, Literal

from tfperf_plugin.records import Record

Unit = Literal["name", "text", "mark", "ns", "more_ns", "ratio", "count", "bytes", "GB/s", "FLOP/s"]
"""``name``: of something in the profile, which may be long; ``mark``: a word that makes its row stand out;
``more_ns``: a difference of times, with its sign. All others but ``text`` are numbers."""

Cell = int | float | str | None


class Column(Record, frozen=True):
    """One column of a table."""

    id: str  # names the column for programs; stays as it is when the heading changes
    heading: str
    unit: Unit
    wide: bool = False  # whether it is shown only where there is room: in JSON, and in the tab on demand
    under: bool = False  # whether it tells more about the first column, below which the tab writes it
    none: str = ""  # what stands in place of a value that is not known
    meaning: str = ""  # what the heading means, "" if it is plain words


class Table(Record, frozen=True, tag_field="kind", tag="table"):
    """Rows of equal things, the most important first."""

    id: str  # names the table for programs, uniquely in a report
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]  # a cell for each column
    total: int  # how many rows there are, of which ``rows`` lists the first
    brief: int  # how many rows a text shows; 0 leaves the table to JSON and the tab
    note: str = ""  # what to know of all rows listed
    #: The column by whose words rows are chosen in the tab, separated by commas in a cell; "" for none.
    chosen_by: str = ""

    def records(self) -> tuple[dict[str, Any], ...]:
        """The rows, each as its cells by column; columns in which no row says anything are left out."""
        ids = [column.id for column in self.columns]
        return tuple(dict(zip(ids, row, strict=True)) for row in self.rows)


class Number(Record, frozen=True):
    """One number or word."""

    label: str
    value: Cell  # ``None`` if it is not known
    unit: Unit
    note: str = ""  # what to know of it


class Facts(Record, frozen=True, tag_field="kind", tag="facts"):
    """Numbers of different kinds under one title."""

    title: str
    numbers: tuple[Number, ...]


class Sentence(Record, frozen=True, tag_field="kind", tag="sentence"):
    """Words under a title, or without one about the block before."""

    words: str
    title: str = ""


SectionBlock = Table | Facts | Sentence
