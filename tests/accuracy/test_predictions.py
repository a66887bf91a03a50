"""Predictions are held against the simulation without the causes."""

from __future__ import annotations

import json

import pytest

from demo.accuracy.bases import Setting
from demo.accuracy.corpus import DRAW, Case
from demo.accuracy.measure import Measured, measure
from tfperf_plugin.report.projection import ERRORS

pytestmark = pytest.mark.slow

PAIR = Case(Setting(steps=6), (("float32", 0.2), ("a silent callback", 0.2)))


@pytest.fixture(scope="module")
def run() -> Measured:
    return measure(PAIR)


def test_each_cause_and_both_together_are_predicted(run: Measured) -> None:
    one, other, both = run.trials

    assert (one.causes, other.causes) == (("float32",), ("a silent callback",))
    assert both.causes == ("float32", "a silent callback")
    assert both.gained > max(one.gained, other.gained) > 0.05
    for trial in run.trials:
        assert abs(trial.predicted - trial.gained) < 0.1


def test_the_numbers_beside_predictions_are_of_the_published_draw() -> None:
    numbers = json.loads(ERRORS.read_text(encoding="utf-8"))

    assert numbers["draw"] == DRAW
    assert numbers["prediction"]["runs"] > 100
    assert numbers["prediction"]["low_ratio"] <= numbers["prediction"]["high_ratio"]
