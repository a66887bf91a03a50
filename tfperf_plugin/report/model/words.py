"""What the report says in sentences and tables. All outputs print them; none makes them again.

What does not apply is "" or empty. Panels make the blocks of a section; writers and the page show them
without knowing their subject. Numbers stay numbers, with a unit in which a writer formats them.
"""

from __future__ import annotations

from typing import Any, Literal

from tfperf_plugin.records import Record
from tfperf_plugin.report.model.steps import Account

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


SectionId = Literal["communication", "hosts", "kernels", "input", "memory", "machine", "checks", "training"]


class Section(Record, frozen=True):
    """A section of the report that the run has."""

    id: SectionId
    answer: str  # what it says, in one sentence
    chip: str  # its one number
    note: str = ""  # what its numbers do not cover
    blocks: tuple[SectionBlock, ...] = ()


class TimeWords(Record, frozen=True):
    """How long a step takes."""

    time: str  # "14.4 ms"
    of: str  # which step, where steps differ: "on 3 hosts"


class Verdict(Record, frozen=True):
    """What the report says first."""

    unit: str = ""  # what ``now`` is, "Step time"
    now: tuple[TimeWords, ...] = ()
    note: str = ""  # the steps behind it, or why there is no time
    checked: str = ""  # how many checks passed
    compute: str = ""  # the share of compute, and MFU
    beside: str = ""  # the largest other accounts, for texts, which show no bar beside it


class AfterWords(Record, frozen=True):
    """The step once something is fixed."""

    of: str  # "After fix 1"
    time: str  # "22.1 ms"; "7.6 ms less" where steps differ, and no step is like the mean
    change: str  # "−27 %, 1.36×"
    likely: str  # "likely 20.4–23.3 ms"


class FindingWords(Record, frozen=True):
    """What the report says of a finding besides the finding's own words."""

    id: str
    asks: str = ""  # "Change" or "Look", if it is worth that
    most: str = ""  # else that it would bring most
    saving: str = ""  # "up to 8.0 ms per step (27 %)"
    beside: str = ""  # "alone it brings 4.2 ms", or "same cause as 1: scatter_fusion"
    after: AfterWords | None = None
    agent: str = ""  # what ``tfperf report --format agent`` says with this finding only


class Block(Record, frozen=True):
    """Time of one account in a bar."""

    account: str
    ns: int
    begin_ns: int  # from the left
    owner: int  # rank of the finding that claims it, 0 for none
    words: str  # all of that


class Division(Record, frozen=True):
    """A step and the accounts that divide it, without gaps."""

    name: str  # which step, "Mean GPU"
    basis: str  # the mean of which steps
    about: str  # what the division shows
    step_ns: int
    blocks: tuple[Block, ...]
    legend: tuple[Account, ...]  # its accounts, longest first
    rest: str  # the sum of those that are too small to list
    active_ratio: float  # of the step, in which a GPU works
    hidden: str  # what ran beside compute


class HostTime(Record, frozen=True):
    """Where the step of a model goes that ran on the CPU, averaged over hosts."""

    basis: str  # the mean of which steps
    about: str  # what it shows
    step_ns: int
    blocks: tuple[Block, ...]  # they add up to the step
    kinds: tuple[Account, ...]  # kinds of ops by the time while one runs, longest first


class Claim(Record, frozen=True):
    """The blocks of a finding, which lie beside each other."""

    id: str
    rank: int  # counts from 1
    ns: int
    begin_ns: int


class Budget(Record, frozen=True):
    """Which time of a step each finding claims, no nanosecond twice, and what is left."""

    heading: str
    #: The average step: first time that no finding claims, then the claims, the first finding's last. Where
    #: steps differ, one step of each group instead, without claims, which are averages over all steps.
    divisions: tuple[Division, ...]
    rare: Division | None  # a rare long step
    claims: tuple[Claim, ...]
    projected_ns: int  # the average step once all findings are fixed
    fixed: str  # the same in words
    bound: bool  # whether it is only a bound
    held: str  # that the input pipeline keeps it longer than what no finding claims
    stays: str  # the idle time that no finding counts as saved
