"""Trainings that are slow for one cause are tuned to what the fix by hand brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proof.tuned.__main__ import MENDS, by_hand, tune

MODULES = {"keras": "tensorflow", "torch": "torch"}


def needed(case: str) -> None:
    pytest.importorskip(MODULES[case.split(":")[0]])


@pytest.mark.slow
@pytest.mark.alone
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
