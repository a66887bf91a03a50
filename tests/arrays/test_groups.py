"""Groups of rows, against the same in plain Python."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfperf_plugin.arrays.columns import Groups

# Codes and flags; steps with −1 for none; times since an epoch and hashes, which no table can hold.
KEYS = st.one_of(st.integers(-2, 3), st.sampled_from([-(1 << 63), -(1 << 40), 0, 1 << 33, (1 << 63) - 1]))
ROWS = st.lists(st.tuples(KEYS, KEYS, st.integers(-1, 1), st.integers(-5, 5)), max_size=30)


@given(ROWS, st.integers(1, 3))
def test_they_are_those_of_plain_python(table: list[tuple[int, int, int, int]], columns_count: int) -> None:
    found: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for row, keys in enumerate(table):
        found[keys[:columns_count]].append(row)
    rows = [found[key] for key in sorted(found)]
    one, two, three, value = np.array(table, np.int64).reshape(-1, 4).T
    amount = value.tolist()

    groups = Groups(*(one, two, three.astype(np.int8))[:columns_count])

    assert [groups.rows(group).tolist() for group in range(len(groups))] == rows
    assert [groups.of_row[mine].tolist() for mine in rows] == [[i] * len(mine) for i, mine in enumerate(rows)]
    assert groups.keys.tolist() == [list(key) for key in sorted(found)]
    assert groups.count.tolist() == [len(mine) for mine in rows]
    assert groups.first.tolist() == [mine[0] for mine in rows]
    assert groups.last.tolist() == [mine[-1] for mine in rows]
    assert groups.sum(value).tolist() == [sum(amount[row] for row in mine) for mine in rows]
    assert groups.sum(value > 0).tolist() == [sum(amount[row] > 0 for row in mine) for mine in rows]
    assert groups.min(value).tolist() == [min(amount[row] for row in mine) for mine in rows]
    assert groups.max(value).tolist() == [max(amount[row] for row in mine) for mine in rows]
    assert groups.at_min(value).tolist() == [min(mine, key=amount.__getitem__) for mine in rows]
    assert groups.at_max(value).tolist() == [max(mine, key=amount.__getitem__) for mine in rows]
    assert groups.distinct(value).tolist() == [len({amount[row] for row in mine}) for mine in rows]
    ordered = [sorted(mine, key=amount.__getitem__) for mine in rows]
    assert groups.median(value).tolist() == [amount[mine[(len(mine) - 1) // 2]] for mine in ordered]
    position = groups.position(value)
    assert [position[mine].tolist() for mine in ordered] == [list(range(len(mine))) for mine in rows]


def test_sums_are_exact_beyond_what_floats_hold() -> None:
    large = np.array([(1 << 60) + 1, 1, 2], np.int64)

    assert Groups(np.array([7, 7, 3])).sum(large).tolist() == [2, (1 << 60) + 2]
