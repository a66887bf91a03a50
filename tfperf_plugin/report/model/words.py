"""What the report says in sentences. All outputs print them; none makes them again."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.records import Record
from tfperf_plugin.report.model.blocks import SectionBlock
from tfperf_plugin.report.model.ledger import Account

SectionId = Literal["communication", "hosts", "kernels", "input", "memory", "checks", "training"]


class Section(Record, frozen=True):
    """A section of the report that the run has."""

    id: SectionId
    #: What it says, in one sentence.
    answer: str
    #: Its one number, "" if there is none.
    chip: str
    #: What its numbers do not cover.
    note: str = ""
    blocks: tuple[SectionBlock, ...] = ()


class TimeWords(Record, frozen=True):
    """How long a step takes, "14.4 ms", and where steps differ, which step: "on 3 hosts"."""

    time: str
    of: str


class Verdict(Record, frozen=True):
    """What the report says first; what does not apply is "" or empty.

    ``unit``: what ``now`` is, "Step time"; ``note``: the steps behind it, or why there is no time;
    ``checked``: how many checks passed; ``compute``: the share of compute, and MFU; ``beside``: the largest
    other accounts, for texts, which show no bar beside it.
    """

    unit: str = ""
    now: tuple[TimeWords, ...] = ()
    note: str = ""
    checked: str = ""
    compute: str = ""
    beside: str = ""


class AfterWords(Record, frozen=True):
    """The step once something is fixed: "After fix 1", "22.1 ms", "−27 %, 1.36×", "likely 20.4–23.3 ms".

    ``time`` ends with "less" where steps differ, and no step is like the mean.
    """

    of: str
    time: str
    change: str
    likely: str


class FindingWords(Record, frozen=True):
    """What the report says of the finding ``id`` besides the finding's own words; "" for what does not apply.

    ``asks``: "Change" or "Look", if it is worth that; else ``most``: that it would bring most. ``saving``:
    "up to 8.0 ms per step (27 %)"; ``beside``: how it depends on other findings, "alone it brings 4.2 ms" or
    "same cause as 1: scatter_fusion". ``agent``: what ``tfperf report --format agent`` says with this finding
    only.
    """

    id: str
    asks: str = ""
    most: str = ""
    saving: str = ""
    beside: str = ""
    after: AfterWords | None = None
    agent: str = ""


class Block(Record, frozen=True):
    """Time of one account in a bar, ``begin_ns`` from the left, and all of that in words.

    ``owner``: rank of the finding that claims it, 0 for none.
    """

    account: str
    ns: int
    begin_ns: int
    owner: int
    words: str


class Division(Record, frozen=True):
    """A step and the accounts that divide it, without gaps.

    ``name``: which step, "Mean GPU"; ``basis``: the mean of which steps; ``about``: what the division shows.
    ``legend``: its accounts, longest first; ``rest``: the sum of those that are too small to list;
    ``active_ratio``: share in which a GPU works; ``hidden``: what ran beside compute.
    """

    name: str
    basis: str
    about: str
    step_ns: int
    blocks: tuple[Block, ...]
    legend: tuple[Account, ...]
    rest: str
    active_ratio: float
    hidden: str


class Claim(Record, frozen=True):
    """The blocks of the finding ``id``, which lie beside each other. ``rank`` counts from 1."""

    id: str
    rank: int
    ns: int
    begin_ns: int


class Budget(Record, frozen=True):
    """Which time of a step each finding claims, no nanosecond twice, and what is left.

    ``divisions``: the average step: first time that no finding claims, then the claims, the first finding's
    last. Where steps differ, one step of each group instead, without claims, which are averages over all
    steps. ``rare``: a rare long step. ``projected_ns``: the average step once all findings are fixed;
    ``fixed``: the same in words; ``bound``: whether it is only a bound; ``held``: that the input pipeline
    keeps it longer than what no finding claims, "" if not. ``stays``: the idle time that no finding explains.
    """

    heading: str
    divisions: tuple[Division, ...]
    rare: Division | None
    claims: tuple[Claim, ...]
    projected_ns: int
    fixed: str
    bound: bool
    held: str
    stays: str
