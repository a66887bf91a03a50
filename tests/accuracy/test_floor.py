"""The rules hold the floor on a sample of the corpus; ``python -m demo.accuracy`` measures all of it."""

from __future__ import annotations

import pytest

from demo.accuracy.corpus import corpus
from demo.accuracy.measure import Measured, measure
from demo.accuracy.score import (
    Share,
    fires,
    first_share,
    justified,
    precision,
    ranks_first,
    rows,
    strongest,
    warned,
)

pytestmark = pytest.mark.slow

EVERY = 18
"""One run in so many is tried, half a second each. Of fewer, two misses by chance would be a failure."""
FLOOR = 0.95


@pytest.fixture(scope="module")
def runs() -> list[Measured]:
    return [measure(case, predictions=False) for case in corpus()[::EVERY]]


def told(run: Measured) -> str:
    said = ", ".join(f"{f.rule} {f.severity}{f' under {f.under}' if f.under else ''}" for f in rows(run))
    strengths = ", ".join(f"{name} {strength:.1%}" for name, strength in run.strengths)
    return f"{run.case.name}: true {strengths or 'nothing'}; said {said or 'nothing'}"


def holds(share: Share, wrong: list[str]) -> bool:
    assert share.count, "the sample shows nothing"
    return share.ratio >= FLOOR or pytest.fail("\n".join([f"{share.hits} of {share.count}", *wrong]))


def test_what_fires_is_there(runs: list[Measured]) -> None:
    wrong = [
        told(run)
        for run in runs
        if any(fires(run, f.rule) and not justified(run, f.rule) for f in rows(run) if not f.under)
    ]
    assert holds(precision(runs), wrong)


def test_the_strongest_cause_comes_first(runs: list[Measured]) -> None:
    wrong = [told(run) for run in runs if strongest(run) and not ranks_first(run, strongest(run))]
    assert holds(first_share(runs), wrong)


def test_healthy_trainings_get_no_warning(runs: list[Measured]) -> None:
    assert any(not run.case.causes for run in runs)
    assert [f"{run.case.name}: {found.summary}" for run, found in warned(runs)] == []


def test_no_rule_fails(runs: list[Measured]) -> None:
    assert [(run.case.name, run.errors) for run in runs if run.errors] == []
