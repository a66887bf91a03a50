"""Puts events that overlap on lines of their own: viewers leave out what ends after another it began in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_LINES: Final = 32
"""Of one thread or stream. Real ones overlap on a few; each event tries all of them."""


def lines_of(start_ns: Sequence[int], end_ns: Sequence[int], nested: bool) -> list[int]:
    """The line of each event, the first on which it overlaps no other; −1 if ``MOST_LINES`` do not suffice.

    Events come by start and, if they may be ``nested`` in each other, the longest of several first.
    """
    found: list[int] = []
    going_on: list[list[int]] = []  # for each line the ends of the events that have begun, the innermost last
    for begin, end in zip(start_ns, end_ns, strict=True):
        fitting = (i for i, ends in enumerate(going_on) if _fits(ends, begin, end, nested))
        line = next(fitting, len(going_on))
        if line == MOST_LINES:
            found.append(-1)
            continue
        if line == len(going_on):
            going_on.append([])
        going_on[line].append(end)
        found.append(line)
    return found


def _fits(ends: list[int], begin: int, end: int, nested: bool) -> bool:
    """Whether the event overlaps none of its line; removes the ends of those that are over."""
    while ends and ends[-1] <= begin:
        ends.pop()
    return not ends or (nested and end <= ends[-1])
