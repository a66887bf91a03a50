"""What the host's events are called in sentences: with the op, and the place in the program, around them."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.launches import launching_ops
from tfperf_plugin.arrays.columns import Groups, Numbers
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents, among
from tfperf_plugin.trace.roles import HostRole

# An op inside an op is named with it if it lasts this share of it: it is what takes the time.
_MOST_RATIO: Final = 0.8
# It is looked for on this number of levels below the op.
_MOST_LEVELS: Final = 64
# A function of Python with its file and line, and those of libraries.
_LINE: Final = re.compile(r"\.py:\d")
_OF_LIBRARY: Final = re.compile(r"^\$?(torch|numpy)/|/(site|dist)-packages/")


class Described(Record, frozen=True):
    """Events and their texts; arrays are per event."""

    carrier: Ints  #: Rows of the ops that the events are, or lie in; of those in no op, the events.
    code: Numbers  #: Index of the event's text.
    texts: tuple[str, ...]


def described(events: HostEvents, rows: Ints) -> Described:
    """The events with what lies around them: "aten::normal_ in aten::randn at train.py:7 batch".

    Of TensorFlow's ops the innermost one counts. Of PyTorch's it is the outermost one; if that is among the
    events itself, the op inside it that takes the time is named, too. What the program marks stands in for
    its line where that was not recorded.
    """
    carrier = _outermost(events, rows)
    inner = np.where(carrier == rows, _longest_inside(events)[carrier], carrier)
    line, mark = events.enclosing(carrier, _lines(events)), events.enclosing(carrier, marks(events))
    place = np.where(line >= 0, line, mark)
    found = Groups(*(np.where(of >= 0, events.name[of], -1) for of in (inner, carrier, place)), line >= 0)
    texts = tuple(_text(events, *key) for key in found.keys.tolist())
    return Described(carrier, found.of_row, texts)


def _text(events: HostEvents, inner: int, outer: int, place: int, is_line: int) -> str:
    parts = [events.names[code] for code in dict.fromkeys((inner, outer)) if code >= 0]
    around = (" at " if is_line else " in ") + events.names[place].lstrip("$") if place >= 0 else ""
    return " in ".join(parts) + around


def _outermost(events: HostEvents, rows: Ints) -> Ints:
    """The op of each event: TensorFlow's innermost, else PyTorch's outermost one, else the event."""
    of_torch = launching_ops(events)
    is_op = among(events.role, HostRole.OP, HostRole.PASSIVE_OP) | of_torch
    found = np.where(is_op[rows], rows, events.enclosing(rows, is_op))
    found = np.where(found >= 0, found, rows)
    above = events.enclosing(found, _outermost_of_torch(events))
    return np.where(above >= 0, above, found)


@memoized
def _outermost_of_torch(events: HostEvents) -> Bools:
    """Whether each event is an op of PyTorch that no other encloses."""
    rows = np.flatnonzero(launching_ops(events))
    return events.marked(rows[events.enclosing(rows, launching_ops(events)) < 0])


@memoized
def _longest_inside(events: HostEvents) -> Ints:
    """For each event the innermost op of PyTorch in it that takes most of it, itself if there is none."""
    found, length = np.arange(len(events.start_ns)), events.end_ns - events.start_ns
    rows = np.flatnonzero(launching_ops(events))
    outer = rows
    for _ in range(_MOST_LEVELS):
        parent = events.parent[outer]
        longer = (parent >= 0) & (length[rows] >= _MOST_RATIO * length[np.maximum(parent, 0)])
        rows, outer = rows[longer], parent[longer]
        np.maximum.at(found, outer, rows)  # rows of one thread are sorted by start
    return found


@memoized
def _lines(events: HostEvents) -> Bools:
    """Whether each event is a function of the program itself."""
    own = events.named(lambda name: _LINE.search(name) and not _OF_LIBRARY.search(name))
    return np.asarray((events.role == HostRole.PYTHON) & own)


@memoized
def marks(events: HostEvents) -> Bools:
    """Whether each event is a part of the step that a program of PyTorch marks."""
    of_torch = launching_ops(events).any()
    return np.asarray((events.role == HostRole.OTHER) & (events.step_num < 0) & of_torch)
