"""Trainings that are slow for one cause are tuned to what the fix by hand brings, others to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proof.tuned.__main__ import MENDS, by_hand, tune, verdict

pytestmark = [pytest.mark.slow, pytest.mark.alone]

OTHERS = "steps-per-execution,jit-compile,no-callbacks"
"""Switches that a tuning tries in a training with Keras, too."""
MODULES = {"keras": "tensorflow", "torch": "torch"}


def needed(case: str) -> None:
    pytest.importorskip(MODULES[case.split(":")[0]])


@pytest.mark.parametrize(
    "case", ["keras:map", "keras:callback", "keras:python", "keras:ops", "torch:optimizer"]
)
def test_a_cause_is_mended(case: str, tmp_path: Path) -> None:
    """Each cause takes about half of a step. Two more, an input that is read again and a loader without
    workers, are in the worked example."""
    needed(case)

    found, hand = tune(case, tmp_path), by_hand(case, tmp_path)

    assert MENDS[case] in found.kept, found.said
    assert found.proven
    assert found.proven.verdict in ("better", "unproven"), found.said
    assert found.proven.effect
    assert found.proven.effect.ratio < 0.75
    assert hand
    assert hand.effect, hand.sentence
    assert abs(found.proven.effect.ratio - hand.effect.ratio) < 0.2


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


@pytest.mark.parametrize("case", ["keras:none", "torch:none"])
def test_where_nothing_is_to_be_gained_nothing_is_claimed(case: str, tmp_path: Path) -> None:
    needed(case)

    found = tune(case, tmp_path)

    assert not found.proven or found.proven.verdict != "better", found.said
