"""Trainings that are slow for one cause are tuned to what the fix by hand brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proof.tuned.__main__ import MENDS, by_hand, tune, verdict

MODULES = {"keras": "tensorflow", "torch": "torch"}


def needed(case: str) -> None:
    pytest.importorskip(MODULES[case.split(":")[0]])


@pytest.mark.slow
@pytest.mark.parametrize("case", ["keras:callback", "keras:python", "torch:optimizer"])
def test_a_cause_is_mended(case: str, tmp_path: Path) -> None:
    """Each cause takes about half of a step, so that it shows where other programs keep the processors busy.

    Switches that need a free processor (``parallel-map``, ``loader-workers``) are measured by ``make tuned``.
    """
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
