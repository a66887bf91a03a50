"""What if: a GPU's work again, with some of it launched earlier or left out."""

from __future__ import annotations

import numpy as np
import pytest

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


def gain(of: Work, earlier_us: list[int], left_out: list[bool] | None = None) -> list[int]:
    out = np.array(left_out or [False] * len(of.row), np.bool_)
    shift = np.array(earlier_us, np.int64) * 1_000
    return [int(g) // 1_000 for g in gained_ns(of, shift, out, int(of.step.max()) + 1)]


LATE = (0, 5, 100), (200, 205, 300), (210, 300, 400)


@pytest.mark.parametrize(("earlier", "gained"), [(0, 0), (50, 50), (105, 105), (150, 105)])
def test_work_moves_up_to_the_work_before_it(earlier: int, gained: int) -> None:
    assert gain(work(*LATE), [0, earlier, earlier]) == [gained]


def test_what_was_launched_late_behind_it_holds_it_up() -> None:
    assert gain(work(*LATE), [0, 150, 0]) == [90]  # the last one still launched at 210


def test_what_is_left_out_takes_no_time() -> None:
    assert gain(work(*LATE), [0, 105, 105], [False, True, False]) == [195]  # the last one is launched at 105


def test_waiting_for_something_else_stays() -> None:
    assert gain(work(*LATE, movable=(True, False, True)), [0, 150, 150]) == [0]


def test_a_pause_long_after_the_launch_stays() -> None:
    rows = (0, 5, 100), (10, 205, 300), (400, 405, 500)  # the second waits on the GPU, not for its launch
    assert gain(work(*rows), [0, 0, 100]) == [100]
    assert gain(work(*rows), [0, 300, 300]) == [105]


def test_each_step_gains_for_itself() -> None:
    rows = (*LATE, (395, 400, 500), (700, 705, 800))
    assert gain(work(*rows, steps=(0, 0, 0, 1, 1)), [0, 105, 105, 0, 205]) == [105, 205]


def test_nothing_gains_nothing() -> None:
    empty = np.empty(0, np.int64)
    none = Work(empty, empty, empty, empty, empty, empty, np.empty(0, np.bool_), empty)
    assert gained_ns(none, empty, np.empty(0, np.bool_), 2).tolist() == [0, 0]
