"""Columns of numbers: the distinct ones among them, the rows of each in groups, and medians.

Numbers that lie close together, as codes do, are found by a table: ``np.unique`` hashes or sorts them, which
takes several times as long. For floats ``np.median`` loads ``numpy.ma``, which takes longer than all medians.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tfperf_plugin.arrays.intervals import Ints, searchsorted

T = TypeVar("T")
Numbers = NDArray[Any]
"""Signed numbers of any size, or unsigned ones of less than 64 bits."""

EARLIEST: Final = int(np.iinfo(np.int64).min)
LATEST: Final = int(np.iinfo(np.int64).max)
_FEW: Final = 1 << 15
_WIDE: Final = 1 << 32
"""A column whose values span more is numbered first, so that a key of several columns fits in 64 bits."""


def smallest(numbers: Numbers) -> Numbers:
    """The numbers as int32 if all fit, else as int64; equal numbers become one number that is repeated."""
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    dtype = np.int32 if -(1 << 31) <= low <= high < 1 << 31 else np.int64
    if low == high:
        return np.broadcast_to(dtype(low), len(numbers))
    return numbers.astype(dtype)


def constant(numbers: Numbers) -> Numbers:
    """The numbers; if all are equal, one number that is repeated, which takes no memory and is read-only."""
    if len(numbers) and (numbers == numbers[0]).all():
        return np.broadcast_to(numbers[0], len(numbers))
    return numbers


class FirstPlaces:
    """The index at which each number of a column first occurs; negative numbers do not count."""

    def __init__(self, numbers: Numbers) -> None:
        places = np.flatnonzero(numbers >= 0).astype(np.int32)
        found = numbers[places]
        self._low = int(found.min()) if len(found) else 0
        span = int(found.max()) - self._low + 1 if len(found) else 0
        if span < 1024 + 8 * len(found):
            self._numbers = None
            self._places = np.full(span, -1, np.int32)
            self._places[found[::-1] - self._low] = places[::-1]  # of several the last one stays
        else:
            self._numbers, first = np.unique(found, return_index=True)
            self._places = places[first]

    def of(self, numbers: Numbers) -> NDArray[np.int32]:
        """int32: the index of each number, −1 if it does not occur."""
        if not len(self._places):
            return np.full(len(numbers), -1, np.int32)
        if self._numbers is None:
            at = np.subtract(numbers, self._low, dtype=np.int64)
            known = (numbers >= self._low) & (at < len(self._places))
            return np.where(known, self._places[np.where(known, at, 0)], np.int32(-1))
        at = np.minimum(searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        return np.where((self._numbers[at] == numbers) & (numbers >= 0), self._places[at], np.int32(-1))


def first_places(among: Ints, numbers: Ints) -> Ints:
    """The index at which each of ``numbers`` first occurs in ``among``, −1 if it does not. ``np.isin``, which
    tells as much, may load ``numpy.ma``."""
    known, first = np.unique(among, return_index=True)
    at = searchsorted(known, numbers)
    return np.where(np.append(known, 0)[at] == numbers, np.append(first, -1)[at], -1)


def value_at(values: NDArray[Any], index: Numbers, absent: Any = -1) -> NDArray[Any]:
    """The value at each index, ``absent`` for negative ones."""
    known = index >= 0
    found = np.full(len(index), absent, values.dtype)
    found[known] = values[index[known]]
    return found


def unique(numbers: Numbers) -> Ints:
    """The distinct numbers, ascending."""
    found = _seen(numbers)
    if found is not None:
        return np.asarray(np.flatnonzero(found[0]) + found[1])
    ordered = np.sort(numbers).astype(np.int64)
    return np.asarray(ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0])


def unique_inverse(numbers: Numbers) -> tuple[Ints, Ints]:
    """The distinct numbers, ascending, and the place of each number among them."""
    found = _seen(numbers)
    if found is None:
        values, place = np.unique(numbers.astype(np.int64), return_inverse=True)
        return values, place.reshape(-1)
    seen, low, at = found
    return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[at]


def smallest_of(group: Numbers, values: Ints, count: int = 0) -> Ints:
    """The smallest value of each group, ``LATEST`` for groups without values.

    ``group``: number of each value's group. There are ``count`` groups, or more if ``group`` has a higher
    number.
    """
    found = np.full(max(count, int(group.max(initial=-1)) + 1), LATEST)
    np.minimum.at(found, group, values)
    return found


def largest_of(group: Numbers, values: Ints, count: int = 0, absent: int = EARLIEST) -> Ints:
    """The largest value of each group, at least ``absent``, which groups without values get. Arguments are as
    in ``smallest_of``."""
    found = np.full(max(count, int(group.max(initial=-1)) + 1), absent)
    np.maximum.at(found, group, values)
    return found


def sums_by_name(names: Sequence[str], code: Numbers, values: Numbers) -> Counter[str]:
    """The sum of the values of each name; names whose sum is 0 are left out.

    ``code``: index into ``names`` of each value.
    """
    sums = np.bincount(code, values, len(names)).astype(np.int64)
    return Counter({names[at]: int(sums[at]) for at in np.flatnonzero(sums).tolist()})


def agreed(values: Iterable[T]) -> T | None:
    """The value that all share; ``None`` if they differ or there is none."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def map_codes(code: Numbers, texts: Sequence[str], judge: Callable[[str], Any], absent: Any) -> NDArray[Any]:
    """``judge(text)`` for the text of each code; ``absent``, which sets the type, for −1.

    Each text that occurs is judged once.
    """
    code, occurs = code.astype(np.int64), np.zeros(len(texts) + 1, np.bool_)
    occurs[code] = True  # the last entry is that of −1
    found = np.full(len(occurs), absent)
    for place in np.flatnonzero(occurs[:-1]).tolist():
        found[place] = judge(texts[place])
    return found[code]


def stable_order(numbers: Numbers) -> Ints:
    """The stable order of the numbers, as ``np.argsort`` gives it; in linear time if few are distinct."""
    values, place = unique_inverse(numbers)
    return np.argsort(place.astype(np.int16) if len(values) <= _FEW else place, kind="stable")


def _seen(numbers: Numbers) -> tuple[NDArray[np.bool_], int, Ints] | None:
    """A table with true for each number that occurs, the number of its first entry, and where in it each
    number is; ``None`` if the table would be larger than the numbers."""
    if not len(numbers):
        return np.zeros(0, np.bool_), 0, np.zeros(0, np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= 1024 + 8 * len(numbers):
        return None
    place = np.subtract(numbers, low, dtype=np.int64)  # each use as an index would convert other integers
    seen = np.zeros(high - low + 1, np.bool_)
    seen[place] = True
    return seen, low, place


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


def median(values: ArrayLike, axis: int | None = None) -> Any:
    """The result of ``np.median`` for values without NaN: a float, or an array of floats along the other
    axes.

    Raises IndexError if there are no values.
    """
    ordered = np.sort(np.asarray(values), axis=axis)
    along = 0 if axis is None else axis
    count = ordered.shape[along]
    low, high = np.moveaxis(ordered.take([(count - 1) // 2, count // 2], axis=along), along, 0)
    return (low + high) / 2
