"""Equal launches that were measured: the test of an effect is seldom wrong on the noise of a real machine."""

from __future__ import annotations

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tfperf_plugin.proof.effect import Effect, judge, level, rounds
from tfperf_plugin.proof.tuning import Look, may_help

MEASURED: dict[str, Any] = json.loads((Path(__file__).parent / "launches.json").read_text(encoding="utf-8"))
"""Thirty launches of each training, of 24 windows."""
TRAININGS = ("keras", "jax", "input")
TRIALS = 600


def levels(training: str) -> list[float]:
    return [level(windows) for windows in MEASURED[training]["windows_us"]]


@pytest.mark.parametrize(
    ("launches", "least", "most"), [(6, 0, 0.017), (8, 0, 0.017), (3, 0.01, 0.03)], ids=["6", "8", "quick"]
)
def test_an_effect_that_is_not_there_is_seldom_shown(launches: int, least: float, most: float) -> None:
    """In at most one of a hundred trials, and three standard deviations; in about two of quick ones."""
    false = 0
    for seed in range(TRIALS):
        chance = random.Random(seed)
        for training in TRAININGS:
            known = levels(training)
            first = chance.randrange(len(known) - 2 * launches + 1)
            found = judge(rounds(launches, chance), known[first : first + 2 * launches])
            false += found.verdict in ("better", "worse")

    assert least <= false / (TRIALS * len(TRAININGS)) <= most


def test_tunings_that_change_nothing_seldom_have_a_winner() -> None:
    """Three first looks of six launches, and a proof of twelve where one of them may help."""
    winners = 0
    for seed in range(TRIALS):
        chance = random.Random(seed)
        for training in TRAININGS:
            known = levels(training)
            looks = [judge(rounds(3, chance), known[first : first + 6]) for first in (0, 6, 12)]
            if any(may_help("cache", look_of(look)) for look in looks):
                winners += judge(rounds(6, chance), known[18:]).verdict == "better"

    expected = 0.01 * TRIALS * len(TRAININGS)
    assert winners <= expected


def look_of(effect: Effect) -> Look:
    return cast("Look", SimpleNamespace(effect=effect, verdict=effect.verdict))
