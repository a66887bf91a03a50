"""What encloses what, also where times are whole µs, so that an inner event may seem to end later."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.kineto.traces import OF_2022, Trace, read
from tfperf_plugin.readers.tables import parents

few = st.integers(0, 12)
rows = st.lists(st.tuples(st.integers(0, 2), few, few), min_size=1, max_size=40)


def naive_parent(rows: list[tuple[int, int, int]], row: int, slack: int) -> int:
    """The last row before this one, on its line, that encloses it."""
    line, begin, end = rows[row]
    for other in range(row - 1, -1, -1):
        its_line, _, its_end = rows[other]
        overlaps_a_little = begin < its_end and end <= its_end + slack
        if its_line == line and (end <= its_end or overlaps_a_little):
            return other
    return -1


@given(rows, st.sampled_from([0, 1, 3]))
def test_parents_are_those_that_a_plain_search_finds(spans: list[tuple[int, int, int]], slack: int) -> None:
    events = sorted(
        ((line, at, at + length) for line, at, length in spans), key=lambda e: (e[0], e[1], -e[2])
    )
    line, start, end = (np.array(column, np.int64) for column in zip(*events, strict=True))

    found = parents(line.astype(np.int32), start, end, slack)

    assert found.tolist() == [naive_parent(events, row, slack) for row in range(len(events))]


def test_in_whole_microseconds_an_event_may_end_after_what_encloses_it() -> None:
    trace = Trace(OF_2022)
    trace.op("aten::linear", 0, 10)
    trace.op("aten::addmm", 1, 11)
    trace.launch(1, 8, 11)
    trace.op("aten::relu", 11, 15)

    events = read(trace).events

    assert events.parent.tolist() == [-1, 0, 1, -1]
    assert events.end_ns.tolist() == [10_000, 10_000, 10_000, 15_000]


def test_one_time_with_decimals_makes_all_times_exact() -> None:
    trace = Trace(OF_2022)
    trace.op("aten::linear", 0, 10)
    trace.op("aten::addmm", 1, 11)
    trace.op("aten::relu", 20, 25)
    text = trace.text().replace('"dur": 5', '"dur": 5.5')

    assert read(text.encode()).events.parent.tolist() == [-1, -1, -1]
