"""Trainings in which no switch that one would keep brings anything are tuned to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proof.test_tuned_trainings import needed
from tests.proof.tuned.__main__ import MENDS, tune, verdict

OTHERS = "steps-per-execution,jit-compile,no-callbacks"
"""Switches that a tuning tries in a training with Keras, too."""


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize(
    ("case", "skipped", "shown"),
    [("keras:generator", "", "what input costs"), ("keras:metrics", OTHERS, "what metrics cost")],
)
def test_a_probe_shows_what_takes_half_of_the_step(
    tmp_path: Path, case: str, skipped: str, shown: str
) -> None:
    """Switches are skipped that may help as well: their proof takes minutes."""
    needed(case)

    found = tune(case, tmp_path, "--skip", skipped)

    look = verdict(tmp_path / "tuned" / MENDS[case])
    assert look, found.said
    assert look.effect
    assert look.effect.ratio < 0.75
    assert f"It shows {shown}" in " ".join(found.said.split())
    assert "cache" not in found.kept


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("case", ["keras:none", "torch:none"])
def test_where_nothing_is_to_be_gained_nothing_is_claimed(case: str, tmp_path: Path) -> None:
    needed(case)

    found = tune(case, tmp_path)

    assert not found.proven or found.proven.verdict != "better", found.said
