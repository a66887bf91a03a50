"""Reports on incomplete recordings say what is missing, and their measurement notices if they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from demo.accuracy.incomplete import measured, wrong
from demo.accuracy.recordings import FORMATS, NSYS, TORCH, XLA, Recording, recordings
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "tfperf_plugin" / "docs" / "accuracy.md"
ALL = list(recordings())
QUICK = ("the middle kernels lost, input-bound", "kernels at time 0", "nothing missing")


def rows() -> Iterator[object]:
    for one in ALL:
        for name in one.formats:
            marks = () if one.name in QUICK else pytest.mark.slow
            yield pytest.param(one, name, id=f"{one.name}, {name}", marks=marks)


@pytest.mark.parametrize(("recording", "name"), list(rows()))
def test_the_report_says_what_is_missing_and_no_more(recording: Recording, name: str) -> None:
    assert list(wrong(recording, name)) == []


def of(name: str) -> Recording:
    return next(one for one in ALL if one.name == name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_that_is_wrong_is_noticed(name: str) -> None:
    lost, healthy = of("the middle kernels lost, input-bound"), of("nothing missing")

    assert list(wrong(replace(lost, says=(), finds=()), name)) == [
        "claims events-dropped",
        "claims input-bound",
    ]
    assert list(wrong(replace(healthy, says=("cut-off",), finds=("step-gaps",)), name)) == [
        "silent on cut-off",
        "misses step-gaps",
    ]


def test_other_steps_than_the_trainings_are_noticed() -> None:
    (step,) = wrong(replace(of("four updates in a marked step"), stepped=True), XLA)

    assert step.startswith("step 156.")


def test_what_cannot_be_read_is_noticed() -> None:
    assert list(wrong(replace(of("an empty file"), says=()), TORCH)) == ["not read"]
    assert [one.wrong for one in measured([replace(of("an empty file"), formats=(NSYS,))])] == [()]


def test_the_page_holds_each_recording() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert [one.name for one in ALL if f"| {one.name} | " not in page] == []
