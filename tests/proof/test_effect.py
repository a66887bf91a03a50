"""The test of an effect: rarely wrong whatever the data, and right where a change is large enough."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfperf_plugin.proof.effect import (
    LEAST_LAUNCHES,
    MOST_P,
    QUICK_LAUNCHES,
    Effect,
    in_rounds,
    judge,
    launches_needed,
    level,
    rounds,
    spread,
)

ROUNDS = tuple(sorted(set(itertools.permutations("AABB"))))
SIX = tuple(sorted(set(itertools.permutations("AAABBB"))))
ALL_ORDERS = [tuple(itertools.chain(*order)) for order in itertools.product(ROUNDS, repeat=3)]
ANY = st.floats(-50, 50)


def simulated(seed: int, effect: float, sd: float, launches: int = 6, drift: float = 0.0) -> tuple[
    tuple[str, ...], list[float]
]:  # fmt: skip
    """An order, and levels with normal noise, a change of B and a drift from the first launch to the last."""
    order, noise = rounds(launches, random.Random(seed)), np.random.default_rng(seed)
    levels = [
        16 + noise.normal(0, sd) + drift * i / len(order) + (math.log1p(effect) if side == "B" else 0)
        for i, side in enumerate(order)
    ]
    return order, levels


@settings(max_examples=25, deadline=None)
@given(
    st.lists(ANY, min_size=12, max_size=12)
    | st.lists(st.sampled_from([0.0, 1.0, 1.1]), min_size=12, max_size=12)
)
def test_at_most_two_of_all_orders_pass_whatever_the_data(levels: list[float]) -> None:
    assert sum(judge(order, levels).p <= MOST_P for order in ALL_ORDERS) <= 2


def test_all_orders_are_tried_as_the_definition_says() -> None:
    order, levels = simulated(1, 0.02, 0.01)

    def difference(signs: Sequence[str]) -> float:
        return sum(x if side == "B" else -x for side, x in zip(signs, levels, strict=True)) / 6

    found = judge(order, levels)
    larger = [o for o in ALL_ORDERS if abs(difference(o)) >= abs(difference(order)) - 1e-9]
    assert found.p == len(larger) / 216
    assert found.ratio == pytest.approx(math.exp(difference(order)))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=12, max_size=12), st.integers(0, 215))
def test_the_interval_holds_what_the_test_does_not_refute(levels: list[float], number: int) -> None:
    order = ALL_ORDERS[number]
    found = judge(order, levels)
    low, high = math.log(found.low), math.log(found.high)
    width = high - low

    def p(change: float) -> float:
        return judge(order, [x - change * (side == "B") for side, x in zip(order, levels, strict=True)]).p

    assert low - 1e-9 <= math.log(found.ratio) <= high + 1e-9
    if width > 1e-3:
        assert p(low + 1e-4 * width) > MOST_P >= p(low - 1e-4 * width)
        assert p(high - 1e-4 * width) > MOST_P >= p(high + 1e-4 * width)


@pytest.mark.parametrize("launches", [6, 8, 12])
def test_five_percent_are_found_where_launches_differ_by_one(launches: int) -> None:
    verdicts = [judge(*simulated(seed, -0.05, 0.01, launches)).verdict for seed in range(100)]

    assert verdicts.count("better") >= 95
    assert verdicts.count("worse") == 0


@pytest.mark.parametrize(("launches", "drift"), [(6, 0.0), (6, 0.2), (12, 0.2)])
def test_intervals_hold_the_truth_also_while_the_machine_drifts(launches: int, drift: float) -> None:
    found = [judge(*simulated(seed, 0.1, 0.02, launches, drift)) for seed in range(400)]

    assert sum(each.low <= 1.1 <= each.high for each in found) >= 0.98 * len(found)
    assert {each.verdict for each in found} <= {"worse", "unproven"}


def test_a_proven_change_of_less_than_a_percent_is_the_same() -> None:
    found = judge(*simulated(3, 0.005, 0.0001))

    assert found.p <= MOST_P
    assert found.verdict == "same"


def test_equal_launches_are_the_same() -> None:
    found = judge(tuple("ABBA") * 3, [16.0] * 12)

    assert (found.ratio, found.p, found.low, found.high, found.sd) == (1, 1, 1, 1, 0)
    assert found.verdict == "same"


def test_ties_count_as_equally_large() -> None:
    order = tuple("AABB") * 3
    found = judge(order, [0.0, 0.0, 0.0, 0.1] * 3)

    # In each round, three of the six orders have the long launch in B, as the real one does; or none has.
    assert found.p == 2 * 27 / 216


def test_drawn_orders_depend_on_the_data_only() -> None:
    order, levels = simulated(5, 0.01, 0.01, 14)

    assert judge(order, levels) == judge(order, levels)
    assert 0 < judge(order, levels).p < 1


def test_orders_come_in_rounds_and_by_chance() -> None:
    order = rounds(8, random.Random(1))

    assert len(order) == 16
    assert in_rounds(order)
    assert {rounds(6, random.Random(seed))[:4] for seed in range(99)} == set(ROUNDS)


@pytest.mark.parametrize("count", [0, 4, 7])
def test_there_are_no_half_rounds(count: int) -> None:
    with pytest.raises(ValueError, match=f"from {LEAST_LAUNCHES} on"):
        rounds(count, random.Random(1))


def quick(effect: float, sd: float) -> list[Effect]:
    return [judge(*simulated(seed, effect, sd, QUICK_LAUNCHES)) for seed in range(1000)]


def test_a_quick_trial_shows_large_effects_and_seldom_one_that_is_not_there() -> None:
    assert {rounds(QUICK_LAUNCHES, random.Random(seed)) for seed in range(200)} == set(SIX)
    large, equal = quick(-0.3, 0.03), quick(0, 0.05)

    assert {each.verdict for each in large} <= {"better", "unproven"}
    assert sum(each.verdict == "better" for each in large) >= 990
    assert sum(each.verdict in ("better", "worse") for each in equal) <= 25
    for true, found in ((0.7, large), (1.0, equal)):
        assert 860 <= sum(each.low <= true <= each.high for each in found) <= 940
    assert {each.verdict for each in quick(0, 0.001)} == {"same"}


@pytest.mark.parametrize(
    ("b", "verdict"),
    [
        ([2.3, 2.4, 2.35], "worse"),
        ([1.79, 1.7, 1.75], "better"),
        ([2.2, 2.25, 2.3], "unproven"),  # the gap is less wide than a side
        ([2.09, 2.2, 2.3], "unproven"),  # one launch lies among those of the other side
    ],
)
def test_the_sides_of_a_quick_trial_must_lie_apart(b: list[float], verdict: str) -> None:
    assert (
        judge("ABABAB", [x for pair in zip([1.95, 2.0, 2.1], b, strict=True) for x in pair]).verdict
        == verdict
    )


@pytest.mark.parametrize("order", ["AAAAAABBBBBB", "ABBA", "AABBAABBAAB", "CABBAABBAABB", "AABBBB", "AAABBC"])
def test_what_is_not_in_rounds_is_refused(order: str) -> None:
    assert not in_rounds(order)
    with pytest.raises(ValueError, match="rounds of 4"):
        judge(order, [16.0] * len(order))


def test_the_level_is_that_of_the_short_windows_unless_steps_are_rare() -> None:
    windows = [10.0] * 9 + [100.0]

    assert math.exp(level(windows)) == pytest.approx(10)
    assert math.exp(level(windows, rare=True)) == pytest.approx(19)


@pytest.mark.parametrize("windows", [[], [0.0], [-1.0, 2.0], [float("nan")], [float("inf")]])
def test_windows_without_time_have_no_level(windows: list[float]) -> None:
    with pytest.raises(ValueError, match="windows that took time"):
        level(windows)


@pytest.mark.parametrize(
    ("sd", "effect", "needed"),
    [(0.01, 0.05, 6), (0.01, 0.02, 10), (0.09, 0.05, 100), (0.02, -0.05, 8), (0.0, 0.0, 6), (0.03, 0.0, 272)],
)
def test_how_many_launches_are_needed(sd: float, effect: float, needed: int) -> None:
    assert launches_needed(sd, effect) == needed


def test_the_spread_is_that_within_the_sides() -> None:
    assert spread([[1.0, 3.0], [11.0, 13.0]]) == pytest.approx(math.sqrt(2))
    assert spread([[1.0], [5.0]]) == 0
