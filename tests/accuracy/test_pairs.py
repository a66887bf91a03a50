"""No promise is much higher than what removing the cause really brings."""

from __future__ import annotations

import pytest

from demo.accuracy.pairs import MOST_RATIO, NOTHING_PROMISED, REMOVALS, measured
from demo.build import scenario_names
from tfperf_plugin.judging.rules import RULES


@pytest.mark.slow
@pytest.mark.parametrize("scenario", sorted(REMOVALS))
def test_a_promise_holds_without_the_cause(scenario: str) -> None:
    pair = measured(scenario)

    assert pair.promised is not None, "the rule promises nothing"
    assert pair.gained > 0, "removing the cause changes nothing"
    assert pair.excess <= MOST_RATIO, f"{pair.promised:.1%} for {pair.gained:.1%}"


def test_each_scenario_has_a_pair_or_promises_nothing() -> None:
    assert {*REMOVALS} | NOTHING_PROMISED == {*scenario_names()}
    assert not {*REMOVALS} & NOTHING_PROMISED
    assert {removal.rule for removal in REMOVALS.values()} <= {rule.id for rule in RULES}
