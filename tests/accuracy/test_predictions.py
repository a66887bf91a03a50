"""Predictions are held against the simulation without the causes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from demo.accuracy.bases import Setting
from demo.accuracy.corpus import DRAW, Case
from demo.accuracy.measure import Measured, Trial, measure
from demo.accuracy.page import page
from demo.accuracy.score import prediction_errors, prediction_summary, trials
from tfperf_plugin.report.panels.projection import ERRORS

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


def test_errors_are_the_predicted_less_the_simulated_step(run: Measured) -> None:
    short = Trial(("float32",), predicted=0.3, gained=0.25)
    long = Trial(("a silent callback",), predicted=0.1, gained=0.3)
    both = Trial(("float32", "a silent callback"), predicted=0.5, gained=0.5)
    made = replace(run, trials=(short, long, both))
    single = replace(made, case=Case(PAIR.setting, PAIR.causes[:1]), trials=(short,))
    runs = [made, single]

    assert trials(runs, causes=2, together=True) == [both]
    assert trials(runs, causes=2, together=False) == [short, long]
    assert trials(runs, causes=1, together=True) == [short]
    assert prediction_errors([short, long]) == pytest.approx([-0.05, 0.2])
    summary = prediction_summary(runs)
    assert (summary["runs"], summary["predictions"]) == (2, 4)
    assert (summary["low_ratio"], summary["high_ratio"]) == (-0.05, 0.2)
    row = "| both causes together | 1 | +0.0 % (+0.0 to +0.0 %) | 0.0 % |"
    assert row in page(runs, DRAW)


def test_the_numbers_beside_predictions_are_of_the_published_draw() -> None:
    numbers = json.loads(ERRORS.read_text(encoding="utf-8"))

    assert numbers["draw"] == DRAW
    assert numbers["prediction"]["runs"] > 100
    assert numbers["prediction"]["low_ratio"] <= numbers["prediction"]["high_ratio"]
