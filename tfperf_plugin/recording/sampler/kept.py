"""The rows that were seen, few enough for their file: neighbors merge, and keep lowest, mean and highest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from tfperf_plugin.recording.resources import MAX_BYTES, Resources, Series, to_json
from tfperf_plugin.recording.sampler.sources import Key, Values

FULL_RATIO: Final = 0.75
"""Merged rows take at most this part of the bytes, so that merging does not come with each row."""
_FIRST_NS: Final = 100_000_000
_GROWS: Final = 1024
_MOST: Final = 1e18


class Kept:
    """Rows of the values of ``keys``.

    Some values come later than their row: what is dear to ask is asked less often. It then holds for all rows
    since the last time, and rows for which it is yet to come are not written.
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        self.keys = tuple(keys)
        self._place = {key: place for place, key in enumerate(self.keys)}
        self._end_ns = np.zeros(_GROWS, np.int64)
        #: Lowest, mean and highest values: 3 × rows × keys.
        self._values = np.zeros((3, _GROWS, len(self.keys)), np.float64)
        self._rows = self._whole = 0
        self._merged_ns = _FIRST_NS  # rows that end in the same stretch of this length merge

    def __len__(self) -> int:
        return self._whole

    def add(self, end_ns: int, values: Mapping[Key, float]) -> None:
        """A row that ends now, ``end_ns`` after the first one began."""
        if self._rows and end_ns <= self._end_ns[self._rows - 1]:
            return
        if self._rows == len(self._end_ns):
            more = len(self._end_ns)
            self._end_ns = np.concatenate([self._end_ns, np.zeros(more, np.int64)])
            self._values = np.concatenate([self._values, np.zeros((3, more, len(self.keys)))], axis=1)
        self._end_ns[self._rows] = end_ns
        for key, value in values.items():
            if (place := self._place.get(key)) is not None:
                self._values[:, self._rows, place] = min(max(0.0, value), _MOST)
        self._rows += 1

    def fill(self, values: Mapping[Key, float]) -> None:
        """What has come for all rows since the last time."""
        for key, value in values.items():
            if (place := self._place.get(key)) is not None:
                self._values[:, self._whole : self._rows, place] = min(max(0.0, value), _MOST)
        self._whole = self._rows

    def file(
        self, host: str, begin_ns: int, limits: Values, missing: Sequence[str], without: Sequence[Key] = ()
    ) -> bytes:
        """The content of the file; merges rows until it is small enough."""
        while True:
            data = to_json(self.resources(host, begin_ns, limits, missing, without))
            if len(data) <= MAX_BYTES or self._whole < 2:
                return data
            self._merge(len(data) / self._whole)

    def resources(
        self, host: str, begin_ns: int, limits: Values, missing: Sequence[str], without: Sequence[Key]
    ) -> Resources:
        """The rows that are whole, without the series of the keys ``without``."""
        low, mean, high = self._values[:, : self._whole]
        series = tuple(
            Series(name, mean[:, place], low[:, place], high[:, place], of, limits.get((name, of)))
            for place, (name, of) in enumerate(self.keys)
            if (name, of) not in without
        )
        return Resources(host, begin_ns, self._end_ns[: self._whole], series, tuple(missing))

    def _merge(self, row_bytes: float) -> None:
        """Rows that end in the same stretch become one; stretches grow until few enough are left."""
        end_ns = self._end_ns[: self._whole]
        while True:
            starts = np.flatnonzero(np.diff((end_ns - 1) // self._merged_ns, prepend=-1))
            if len(starts) * row_bytes <= FULL_RATIO * MAX_BYTES or len(starts) < 2:
                break
            self._merged_ns *= 2
        took = np.diff(end_ns, prepend=0)[:, None].astype(np.float64)
        low, mean, high = self._values[:, : self._whole]
        ends = np.append(starts[1:], self._whole) - 1
        merged_mean = np.add.reduceat(mean * took, starts) / np.add.reduceat(took, starts)
        merged_low, merged_high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        later = self._rows - self._whole
        for into, found in zip(
            self._values,
            (merged_low, np.clip(merged_mean, merged_low, merged_high), merged_high),
            strict=True,
        ):
            into[len(starts) : len(starts) + later] = into[self._whole : self._rows]
            into[: len(starts)] = found
        self._end_ns[len(starts) : len(starts) + later] = self._end_ns[self._whole : self._rows]
        self._end_ns[: len(starts)] = end_ns[ends]
        self._whole, self._rows = len(starts), len(starts) + later
