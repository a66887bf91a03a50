"""Advice of the guides that a profile cannot judge, from ``by_hand.md``: to check by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tfperf_plugin.judging.engine.page import guide, sections
from tfperf_plugin.judging.verdicts import Guide, Row
from tfperf_plugin.records import Record

PAGE: Final = Path(__file__).with_suffix(".md")


class ByHand(Record, frozen=True):
    """One piece of advice: why (``row.reason``), how to check it (``row.how``), and where it is from."""

    row: Row
    guide: Guide


def _items() -> tuple[ByHand, ...]:
    """Below each heading of the page: id, reason, how to check, and the guide."""
    found = []
    for level, title, blocks in sections(PAGE.read_text(encoding="utf-8"), PAGE.name):
        if level == 2:
            id_, reason, how, source = (block.text for block in blocks)
            found.append(ByHand(Row(id_, title, reason, how), guide(source, PAGE.name)))
    return tuple(found)


ITEMS: Final = _items()
ROWS: Final = tuple(item.row for item in ITEMS)
