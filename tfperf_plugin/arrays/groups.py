"""Rows in groups: of the rows with equal values their number, sum, extremes, median, and which come first."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.arrays.unique import Numbers, largest_of, smallest_of, stable_order, unique_inverse

_WIDE = 1 << 32
"""A column whose values span more is numbered first, so that a key of several columns fits in 64 bits."""


class Groups:
    """The groups of rows that have equal values in each of ``columns``; they ascend by these values.

    Columns hold integers and are equally long. What a property or a method returns for each group is an
    int64[groups] in the order of the groups; ``result[groups.of_row]`` spreads it to the rows.
    """

    #: int64[rows]: the group of each row, from 0.
    of_row: Ints

    def __init__(self, *columns: Numbers) -> None:
        self._columns = columns
        values, key = unique_inverse(columns[0])
        span = len(values)
        for column in columns[1:]:
            low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
            if high - low >= _WIDE:
                column, low, high = unique_inverse(column)[1], 0, len(column) - 1
            width = high - low + 1
            if span * width > 8 * len(key):  # a table of all keys would be too large
                values, key = unique_inverse(key)
                span = len(values)
            key, span = key * width + (column.astype(np.int64) - low), span * width
        if len(columns) > 1:
            values, key = unique_inverse(key)
        self.of_row, self._count = key, len(values)

    def __len__(self) -> int:
        return self._count

    @cached_property
    def keys(self) -> Ints:
        """int64[groups, columns]: the values that the rows of each group share."""
        return np.stack([column[self.first].astype(np.int64) for column in self._columns], axis=1)

    @cached_property
    def count(self) -> Ints:
        """Rows of each group."""
        return np.bincount(self.of_row, minlength=len(self))

    @cached_property
    def first(self) -> Ints:
        """The first row of each group."""
        return self._first_of(np.arange(len(self.of_row)))

    @cached_property
    def last(self) -> Ints:
        """The last row of each group."""
        return largest_of(self.of_row, np.arange(len(self.of_row)))

    def sum(self, values: Numbers) -> Ints:
        """The sum of each group's values; of booleans the number that are true."""
        sums = np.zeros(len(self), np.int64)
        np.add.at(sums, self.of_row, values.astype(np.int64, copy=False))
        return sums

    def min(self, values: Numbers) -> Ints:
        """The smallest value of each group."""
        return smallest_of(self.of_row, values.astype(np.int64, copy=False))

    def max(self, values: Numbers) -> Ints:
        """The largest value of each group."""
        return largest_of(self.of_row, values.astype(np.int64, copy=False))

    def median(self, values: Numbers) -> Ints:
        """The median of each group's values, of two middle ones the lower."""
        middle = self._ordered(values)[self._begin + (self.count - 1) // 2]
        return np.asarray(values[middle], np.int64)

    def at_min(self, values: Ints) -> Ints:
        """The row with the smallest value of each group, of several the first."""
        return self._first_of(np.flatnonzero(values == self.min(values)[self.of_row]))

    def at_max(self, values: Ints) -> Ints:
        """The row with the largest value of each group, of several the first."""
        return self._first_of(np.flatnonzero(values == self.max(values)[self.of_row]))

    def distinct(self, values: Numbers) -> Ints:
        """The number of different values of each group."""
        return np.bincount(self.of_row[Groups(self.of_row, values).first], minlength=len(self))

    def position(self, values: Numbers) -> Ints:
        """int64[rows]: the position of each row, from 0, in its group by ascending ``values``."""
        found = np.empty(len(self.of_row), np.int64)
        found[self._ordered(values)] = np.arange(len(found)) - np.repeat(self._begin, self.count)
        return found

    def rows(self, group: int) -> Ints:
        """The rows of one group, ascending."""
        begin = int(self._begin[group])
        return self._order[begin : begin + int(self.count[group])]

    def _first_of(self, rows: Ints) -> Ints:
        """The first of ``rows``, which ascend, in each group."""
        found = np.empty(len(self), np.int64)
        found[self.of_row[rows[::-1]]] = rows[::-1]  # of several rows of a group the last one stays
        return found

    def _ordered(self, values: Numbers) -> Ints:
        """The rows by group, in each group by ascending value."""
        by_value = np.argsort(values, kind="stable")
        return by_value[stable_order(self.of_row[by_value])]

    @cached_property
    def _order(self) -> Ints:
        return stable_order(self.of_row)

    @cached_property
    def _begin(self) -> Ints:
        """The index at which each group begins among rows that are ordered by group."""
        return np.cumsum(self.count) - self.count
