"""No promise is much higher than what removing the cause really brings."""

from __future__ import annotations

import pytest

from demo.accuracy.pairs import MOST_RATIO, NOTHING_PROMISED, REMOVALS, Pair, measured, summary, table
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


def test_the_table_begins_with_what_is_most_too_high() -> None:
    pairs = [
        Pair("a", "step-gaps", 100, promised=0.10, gained=0.12),
        Pair("b", "step-gaps", 100, promised=0.10, gained=0.05),
        Pair("c", "step-gaps", 100, promised=None, gained=0.05),
        Pair("d", "step-gaps", 100, promised=0.10, gained=0.10),
    ]

    assert summary(pairs) == (
        "Promises: 3. More than 2.0 % of the step too high: 1. "
        "Promised less gained: median +0.0 %, highest +5.0 %."
    )
    rows = table(pairs).splitlines()
    assert [row[2] for row in rows if row.startswith(("| a", "| b", "| c", "| d"))] == ["b", "c", "d", "a"]
    assert "| b | step-gaps | 10.0 % | 5.0 % | +5.0 % |" in rows
    assert "| c | step-gaps | – | 5.0 % | – |" in rows
