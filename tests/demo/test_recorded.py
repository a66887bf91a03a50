"""The recorded answers that the page's tests show hold what the plugin answers today.

If an answer changed: ``make recorded``.
"""

from __future__ import annotations

import pytest

from demo.recorded import (
    COMPARISONS,
    RUNS,
    RUNS_FOLDER,
    TRIALS,
    comparisons,
    record,
    recorded_trials,
    text_of,
)
from tfperf_plugin.report.serialize import to_json


def test_there_is_a_file_for_each_run_and_no_other() -> None:
    assert {path.stem for path in RUNS_FOLDER.iterdir()} == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_recorded_runs_are_those_of_today(name: str) -> None:
    assert text_of(to_json(record(name))) == (RUNS_FOLDER / f"{name}.json").read_text(encoding="utf-8")


def test_recorded_comparisons_are_those_of_today() -> None:
    found = comparisons()

    assert text_of({kind: to_json(one) for kind, one in found.items()}) == COMPARISONS.read_text(
        encoding="utf-8"
    )
    assert {one.verdict for one in found.values()} == {
        "better",
        "worse",
        "same",
        "unproven",
        "cannot_compare",
    }


def test_recorded_trials_are_those_of_today() -> None:
    assert text_of(to_json(recorded_trials())) == TRIALS.read_text(encoding="utf-8")
