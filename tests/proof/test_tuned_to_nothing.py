"""Trainings in which no switch that one would keep brings anything are tuned to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proof.test_tuned_trainings import needed
from tests.proof.tuned.__main__ import tune, verdict


@pytest.mark.slow
def test_a_probe_shows_what_a_slow_generator_costs(tmp_path: Path) -> None:
    needed("keras:generator")

    found = tune("keras:generator", tmp_path)

    look = verdict(tmp_path / "tuned" / "one-batch")
    assert look, found.said
    assert look.effect
    assert look.effect.ratio < 0.75
    assert "cache" not in found.kept


@pytest.mark.slow
@pytest.mark.parametrize("case", ["keras:none", "torch:none"])
def test_where_nothing_is_to_be_gained_nothing_is_claimed(case: str, tmp_path: Path) -> None:
    needed(case)

    found = tune(case, tmp_path)

    assert not found.proven or found.proven.verdict != "better", found.said
