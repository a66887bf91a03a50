"""Interval algebra against sets of integers, one integer per nanosecond."""

from __future__ import annotations

from typing import Literal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import INSTANTS, RANGES
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Intervals,
    Ints,
    alone,
    clip,
    contains,
    covered_before,
    covered_within,
    gaps,
    intersect,
    merge,
    partition_by_precedence,
    searchsorted,
    subtract,
    union,
)


def _ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)


def _union(ranges: list[tuple[int, int]]) -> Intervals:
    return union(_ints([b for b, _ in ranges]), _ints([e for _, e in ranges]))


def _instants(intervals: Intervals) -> set[int]:
    pairs = zip(intervals.begin_ns.tolist(), intervals.end_ns.tolist(), strict=True)
    return {t for b, e in pairs for t in range(b, e)}


def _brute(ranges: list[tuple[int, int]]) -> set[int]:
    return {t for b, e in ranges for t in range(b, e)}


@given(RANGES)
def test_union_is_normalised_and_covers_the_same_instants(ranges: list[tuple[int, int]]) -> None:
    made = _union(ranges)

    assert _instants(made) == _brute(ranges)
    assert made.total_ns == len(_brute(ranges))
    assert (made.end_ns > made.begin_ns).all()
    assert (made.begin_ns[1:] > made.end_ns[:-1]).all()


@given(RANGES, RANGES)
def test_set_operations_are_those_of_sets(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    one, two = _union(a), _union(b)

    assert _instants(intersect(one, two)) == _brute(a) & _brute(b)
    assert _instants(subtract(one, two)) == _brute(a) - _brute(b)
    assert _instants(merge(one, two)) == _brute(a) | _brute(b)
    for made in (intersect(one, two), subtract(one, two), merge(one, two)):
        assert (made.begin_ns[1:] > made.end_ns[:-1]).all()


@given(RANGES)
def test_what_a_range_has_for_itself(ranges: list[tuple[int, int]]) -> None:
    ranges = [(min(r), max(r)) for r in ranges]
    instants = [set(range(*r)) for r in ranges]
    others = [set().union(*instants[:i], *instants[i + 1 :]) for i in range(len(ranges))]
    found = alone(_ints([b for b, _ in ranges]), _ints([e for _, e in ranges]))

    assert found.tolist() == [len(a - b) for a, b in zip(instants, others, strict=True)]


@given(RANGES, INSTANTS, INSTANTS)
def test_clip_and_gaps_share_a_window(ranges: list[tuple[int, int]], begin: int, end: int) -> None:
    window = set(range(begin, end))

    assert _instants(clip(_union(ranges), begin, end)) == _brute(ranges) & window
    assert _instants(gaps(_union(ranges), begin, end)) == window - _brute(ranges)


@given(RANGES, st.lists(INSTANTS, min_size=1, max_size=6))
def test_points_are_looked_up(ranges: list[tuple[int, int]], points: list[int]) -> None:
    made = _union(ranges)

    assert contains(made, _ints(points)).tolist() == [p in _brute(ranges) for p in points]
    before = [len([t for t in _brute(ranges) if t < p]) for p in points]
    assert covered_before(made, _ints(points)).tolist() == before


@given(RANGES, st.lists(st.tuples(INSTANTS, INSTANTS).map(sorted), max_size=6))
def test_covered_time_of_windows(ranges: list[tuple[int, int]], windows: list[list[int]]) -> None:
    covered = covered_within(_union(ranges), _ints([w[0] for w in windows]), _ints([w[1] for w in windows]))

    assert covered.tolist() == [len(_brute(ranges) & set(range(*w))) for w in windows]


@given(st.lists(RANGES, max_size=4), st.sets(INSTANTS, min_size=2, max_size=6).map(sorted))
def test_every_instant_is_owned_once_by_the_first_layer_that_covers_it(
    layers: list[list[tuple[int, int]]], cuts: list[int]
) -> None:
    pieces = partition_by_precedence([_union(layer) for layer in layers], _ints(cuts))

    assert pieces.begin_ns[0] == cuts[0]
    assert pieces.end_ns[-1] == cuts[-1]
    assert (pieces.begin_ns[1:] == pieces.end_ns[:-1]).all()
    assert set(cuts[:-1]) <= set(pieces.begin_ns.tolist())
    for begin, end, owner in zip(
        *(c.tolist() for c in (pieces.begin_ns, pieces.end_ns, pieces.owner)), strict=True
    ):
        for t in range(begin, end):
            first = next((i for i, layer in enumerate(layers) if t in _brute(layer)), len(layers))
            assert owner == first


def test_nothing_is_owned_without_a_window() -> None:
    assert len(partition_by_precedence([_union([(0, 4)])], _ints([3])).begin_ns) == 0
    assert len(partition_by_precedence([], EMPTY.begin_ns).begin_ns) == 0


def test_ranges_at_the_ends_of_time_and_columns_with_gaps() -> None:
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    pairs = np.array([[5, 9], [least, 0], [9, most], [3, 3], [1, 2], [7, 6]])

    found = union(pairs[:, 0], pairs[:, 1])

    assert found.begin_ns.tolist() == [least, 1, 5]
    assert found.end_ns.tolist() == [0, 2, most]


@given(
    st.lists(INSTANTS, max_size=40).map(sorted),
    st.lists(INSTANTS, max_size=40),
    st.sampled_from(["left", "right"]),
)
def test_ranks_are_those_of_searchsorted(
    values: list[int], points: list[int], side: Literal["left", "right"]
) -> None:
    for asked in (points, sorted(points), sorted(points, reverse=True)):
        found = searchsorted(_ints(values), _ints(asked), side)
        assert found.tolist() == np.searchsorted(_ints(values), _ints(asked), side).tolist()
