"""Advice of the guides that a profile cannot judge, from ``by_hand.md``: to check by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.page import AUDIENCES, guide, sections
from tfperf_plugin.judging.verdicts import Guide, Row
from tfperf_plugin.records import Record

PAGE: Final = Path(__file__).with_suffix(".md")


class ByHand(Record, frozen=True):
    """One piece of advice: why (``row.reason``), how to check it (``row.how``), and where it is from."""

    row: Row
    guide: Guide
    audience: str = "Any"


def _items() -> tuple[ByHand, ...]:
    """Below each heading of the page: id, reason, how to check, the guide, and whom it is for unless for all."""
    found = []
    for level, title, blocks in sections(PAGE.read_text(encoding="utf-8"), PAGE.name):
        if level == 2:
            id_, reason, how, source, *audience = (block.text for block in blocks)
            whom = [words.removeprefix("For ").removesuffix(".") for words in audience]
            found.append(ByHand(Row(id_, title, reason, how), guide(source, PAGE.name), *whom))
    return tuple(found)


ITEMS: Final = _items()


def rows(program: Program) -> tuple[Row, ...]:
    """What the owner of this program can check."""
    return tuple(item.row for item in ITEMS if AUDIENCES[item.audience](program))
