"""What if: a GPU's work again, with some of it launched earlier or left out."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.host.launch_gaps import Work, gained_ns
from tfperf_plugin.arrays.columns import EARLIEST


def work(*rows: tuple[int, int, int], steps: tuple[int, ...] = (), movable: tuple[bool, ...] = ()) -> Work:
    """Rows are (launched, start, end) in µs, all in one step unless ``steps`` says otherwise."""
    launched, start, end = (np.array(column, np.int64) * 1_000 for column in zip(*rows, strict=True))
    count = len(rows)
    return Work(
        np.arange(count), np.array(steps or [0] * count, np.int64), start, end, np.arange(count), launched,
        np.array(movable or [True] * count, np.bool_), np.full(count, EARLIEST),
    )  # fmt: skip


def test_nothing_gains_nothing() -> None:
    empty = np.empty(0, np.int64)
    none = Work(empty, empty, empty, empty, empty, empty, np.empty(0, np.bool_), empty)
    assert gained_ns(none, empty, np.empty(0, np.bool_), 2).tolist() == [0, 0]
