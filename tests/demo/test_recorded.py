"""The recorded answers that the page's tests show hold what the plugin answers today.

If the model of the report changed: ``make recorded``.
"""

from __future__ import annotations

import json

import msgspec
import pytest

from demo.recorded import (
    COMPARISONS,
    RUNS,
    RUNS_FOLDER,
    TRIALS,
    Recorded,
    record,
    recorded_trials,
    text_of,
)
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.records import known
from tfperf_plugin.report.serialize import to_json


def test_there_is_a_file_for_each_run_and_no_other() -> None:
    assert {path.stem for path in RUNS_FOLDER.iterdir()} == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_holds_each_field_of_the_model_and_no_other(name: str) -> None:
    text = (RUNS_FOLDER / f"{name}.json").read_text(encoding="utf-8")

    assert to_json(msgspec.json.decode(text, type=known(Recorded))) == json.loads(text)


def test_recorded_comparisons_hold_each_field_of_the_model_and_no_other() -> None:
    text = COMPARISONS.read_text(encoding="utf-8")
    decoded = msgspec.json.decode(text, type=known(dict[str, Comparison]))

    assert {kind: to_json(one) for kind, one in decoded.items()} == json.loads(text)
    assert {one.verdict for one in decoded.values()} == {
        "better",
        "worse",
        "same",
        "unproven",
        "cannot_compare",
    }


def test_recorded_trials_are_those_of_today() -> None:
    assert text_of(to_json(recorded_trials())) == TRIALS.read_text(encoding="utf-8")


def test_a_run_is_recorded_to_the_same_text() -> None:
    assert text_of(to_json(record("no-steps"))) == text_of(to_json(record("no-steps")))
