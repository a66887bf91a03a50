"""The effect of a change on the times of launches: an exact test that needs no model of the noise.

Launches of one training differ far more than the steps within one, by other work on the machine, clocks and
memory. So the launches are the sample. They come in *rounds* of four, two before the change ("A") and two
after it ("B"), in an order that chance chose. If the change did nothing, each of the six orders of a round
was as likely to give what was measured. The test counts the orders that give an effect at least as large;
what drifts over several rounds is the same for all of them. A quick trial is a round of six.
"""

from __future__ import annotations

import itertools
import math
import random
import zlib
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.judging.engine.words import ms, percent, signed_percent
from tfperf_plugin.records import Record

ROUND: Final = 4
"""Launches in a round, half of them a side."""
LEAST_LAUNCHES: Final = 6
"""Launches a side. Three rounds have 216 orders; with fewer, no result is rare enough."""
QUICK_LAUNCHES: Final = 3
"""Launches a side of a quick trial. One in ten of its orders gives an effect as large by chance, so the sides
must lie apart, too, by more than the launches of a side."""
QUICK_P: Final = 0.1
"""Share of the orders whose effects the interval of a quick trial leaves out."""
MOST_P: Final = 0.01
"""An effect counts if chance gives one as large in at most this share of the orders."""
LEAST_EFFECT: Final = 0.01
"""Smaller effects never count."""
SAME_RATIO: Final = 0.03
"""Sides are the same if the whole interval of the effect is within this share. Our choice."""
PERCENTILE: Final = 10
"""Of a launch's windows: other work only makes windows longer, so the short ones vary least."""

LEAST_CHANGES: Final = 12
"""With fewer equal pairs, how far launches differ is not known."""

# Two-sided 99 % quantiles of Student's t by degrees of freedom.
_T: Final = (
    (12, 3.055), (13, 3.012), (14, 2.977), (15, 2.947), (17, 2.898), (20, 2.845), (25, 2.787), (30, 2.750),
    (40, 2.704), (60, 2.660), (120, 2.617),
)  # fmt: skip
_MOST_EXACT: Final = 5
"""Rounds of which all orders are tried; of more rounds, ``_DRAWN`` orders are drawn."""
_DRAWN: Final = 20_000
_ROUNDING: Final = 1e-9
"""Effects that differ by less, in ln, are ties: sums of the same numbers, rounded differently."""
# By the number of launches in a round.
_ORDERS: Final = {
    size: tuple(sorted(set(itertools.permutations("AB" * (size // 2)))))
    for size in (ROUND, 2 * QUICK_LAUNCHES)
}
_SIGNS: Final = {
    size: np.array([[1.0 if side == "B" else -1.0 for side in order] for order in orders])
    for size, orders in _ORDERS.items()
}

OPENINGS: Final = {
    "better": "Better",
    "worse": "Worse",
    "same": "Neither better nor worse",
    "unproven": "Unproven",
    "suspicious": "Suspicious",
}
"""How a sentence with a verdict begins."""
RARE: Final = frozenset({"step-outliers", "function-retracing", "xla-recompilation"})
"""Findings that only some steps show; for them the mean of a launch's steps counts."""

_APART: Final = "All launches of one side take less time, by more than the launches of a side differ."
_NOT_APART: Final = "The sides do not lie apart by more than their launches differ."

Floats = NDArray[np.float64]
Shown = Literal["better", "worse", "same", "unproven"]


class Effect(Record, frozen=True):
    """What launches in rounds show."""

    ratio: float  # time of B / time of A
    p: float  # share of the orders with an effect at least as large
    #: The interval of ``ratio``, all effects that the test does not refute.
    low: float
    high: float
    sd: float  # standard deviation of launches within a side, in ln
    verdict: Shown  # ``same``: the interval is within 3 %; ``unproven``: no verdict


def level(windows_ns_per_step: Sequence[float], rare: bool = False) -> float:
    """How slow a launch is: ln of the 10th percentile of its windows' means, in ns a step.

    ``rare``: of the mean, for a cause that only some steps show. Raises ValueError without windows, or if
    one took no time.
    """
    windows = np.asarray(windows_ns_per_step, float)
    if not len(windows) or not (windows > 0).all() or not np.isfinite(windows).all():
        raise ValueError("a launch needs windows that took time")
    return math.log(windows.mean() if rare else np.percentile(windows, PERCENTILE))


def rounds(count: int, rng: random.Random) -> tuple[str, ...]:
    """A random order of ``count`` launches a side, in rounds of four or, if quick, in one of six.

    Raises ValueError unless ``count`` is even and at least ``LEAST_LAUNCHES``, or ``QUICK_LAUNCHES``.
    """
    if count == QUICK_LAUNCHES:
        return rng.choice(_ORDERS[2 * count])
    if count % 2 or count < LEAST_LAUNCHES:
        raise ValueError(f"launches a side are an even number from {LEAST_LAUNCHES} on")
    return tuple(side for _ in range(2 * count // ROUND) for side in rng.choice(_ORDERS[ROUND]))


def in_rounds(order: Sequence[str]) -> bool:
    """Whether launches in this order are enough rounds of four, each with two of a side."""
    whole = len(order) % ROUND == 0 and len(order) >= 2 * LEAST_LAUNCHES
    return whole and all(each in _ORDERS[ROUND] for each in _cut(order, ROUND))


def judge(order: Sequence[str], levels: Sequence[float]) -> Effect:
    """The effect of B against A, from the ``level`` of each launch, both in the order of the launches.

    Raises ValueError if the order is neither one of ``in_rounds`` nor that of a quick trial.
    """
    quick = tuple(order) in _ORDERS[2 * QUICK_LAUNCHES]
    if not (quick or in_rounds(order)) or len(order) != len(levels):
        raise ValueError(f"launches stand in rounds of {ROUND}, {LEAST_LAUNCHES} or more a side")
    size = len(order) if quick else ROUND
    values = np.asarray(levels, float).reshape(-1, size)
    chosen = np.array([_ORDERS[size].index(each) for each in _cut(order, size)])
    signs = _SIGNS[size][chosen]
    tried = _tried(chosen, len(_ORDERS[size]), zlib.crc32(values.tobytes()))
    # Differences B - A under each order: of the levels, and of a change of 1 in what is B now.
    effects = _differences(values - values.mean(), tried)
    overlaps = _differences(signs / 2, tried)
    effect = float((signs * (values - values.mean())).sum() / (values.size / 2))
    p = float((np.abs(effects) >= abs(effect) - _ROUNDING).mean())
    low, high = _interval(effect, effects, overlaps, QUICK_P if quick else MOST_P)
    sides = values[signs < 0], values[signs > 0]
    is_shown = _apart(*sides) if quick else p <= MOST_P
    return Effect(
        ratio=math.exp(effect),
        p=p,
        low=math.exp(low),
        high=math.exp(high),
        sd=spread(sides),
        verdict=_verdict(effect, is_shown, low, high),
    )


def spread(sides: Sequence[Sequence[float] | Floats]) -> float:
    """The standard deviation of launches within a side, of both together; 0 with one launch a side."""
    squares = sum(float(((np.asarray(side) - np.mean(side)) ** 2).sum()) for side in sides)
    freedom = sum(len(side) - 1 for side in sides)
    return math.sqrt(squares / freedom) if freedom else 0.0


def launches_needed(sd: float, effect: float) -> int:
    """Launches a side that show an effect of this share, where launches differ by ``sd``; an even number.

    Effects of less than ``LEAST_EFFECT`` are taken as that, since no number of launches shows them.
    """
    needed = max(LEAST_LAUNCHES, 30 * (sd / max(abs(effect), LEAST_EFFECT)) ** 2 + 2)
    return 2 * math.ceil(round(needed, 6) / 2)


def _cut(order: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(order[i : i + size]) for i in range(0, len(order), size)]


def _apart(one: Floats, two: Floats) -> bool:
    """Whether one side lies below the other, by more than the launches of a side differ."""
    gap = max(one.min() - two.max(), two.min() - one.max())
    return bool(gap > max(np.ptp(one), np.ptp(two)))


def _tried(chosen: NDArray[Any], orders: int, seed: int) -> NDArray[Any]:
    """The orders that are tried, as a row of numbers of ``_ORDERS`` each: all, or the real one and drawn
    ones."""
    count = len(chosen)
    if count <= _MOST_EXACT:
        return np.stack(np.unravel_index(np.arange(orders**count), (orders,) * count), axis=1)
    drawn = np.random.default_rng(seed).integers(orders, size=(_DRAWN, count))
    return np.vstack((chosen, drawn))


def _differences(values: Floats, tried: NDArray[Any]) -> Floats:
    """Mean of B less mean of A for each order that is tried. ``values``: a row a round."""
    each = values @ _SIGNS[values.shape[1]].T / (values.size / 2)
    found: Floats = each[np.arange(len(values)), tried].sum(axis=1)
    return found


def _interval(effect: float, effects: Floats, overlaps: Floats, most_p: float) -> tuple[float, float]:
    """All δ that the test does not refute if δ is taken off the launches of B.

    Under an order with difference e and overlap c, what is left is e - cδ, and effect - δ for the real order.
    The first is at least as large for all δ between two numbers, on both sides of ``effect``. A δ is refuted
    if it lies between them for too few orders.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack(((effect - effects) / (1 - overlaps), (effect + effects) / (1 + overlaps)))
    always = np.abs(overlaps) > 1 - _ROUNDING
    low = np.sort(np.where(always, -np.inf, ends.min(axis=0)))
    high = np.sort(np.where(always, np.inf, ends.max(axis=0)))
    few = math.floor(most_p * len(effects))
    return float(low[few]), float(high[-1 - few])


def _verdict(effect: float, is_shown: bool, low: float, high: float) -> Shown:
    if is_shown and abs(math.expm1(effect)) >= LEAST_EFFECT:
        return "better" if effect < 0 else "worse"
    within = math.expm1(low) >= -SAME_RATIO and math.expm1(high) <= SAME_RATIO
    return "same" if within else "unproven"


def by_limit(change: float, limit: float, within: Shown) -> Shown:
    """The verdict on a change, negative for less time, of which only more than ``limit`` counts."""
    if abs(change) <= limit:
        return within
    return "better" if change < 0 else "worse"


def contradicts(verdict: str, mean_change: float) -> bool:
    """Whether the means of the steps changed the other way than a verdict on the short ones says."""
    return verdict == ("worse" if mean_change < 0 else "better")


def sentence(opening: str, what: str, base_ns: int, new_ns: int, more: str = "") -> str:
    """The verdict in a sentence. ``what`` takes the times; ``more``: see ``between``."""
    change = signed_percent((new_ns - base_ns) / base_ns)
    return f"{opening}: {what} takes {ms(new_ns)} instead of {ms(base_ns)} ({change}{more})."


def between(low: float | None, high: float | None) -> str:
    """The interval of a change, for ``sentence``; "" if it is not known."""
    if low is None or high is None:
        return ""
    return f", between {signed_percent(low)} and {signed_percent(high)}"


def reasons(effect: Effect, quick: bool = False) -> tuple[str, ...]:
    """Why launches in rounds have their verdict, in sentences. ``quick``: of a quick trial."""
    chance = (
        f"{percent(effect.p)} of the orders in which these launches could have run would give a difference "
        "as large by chance"
    )
    if effect.verdict in ("better", "worse"):
        return (_APART if quick else f"Only {chance}.",)
    if effect.verdict == "same":
        return (f"Whatever the difference is, it is within {percent(SAME_RATIO)}.",)
    change = effect.ratio - 1
    return (
        _NOT_APART if quick else f"{chance}; at most {percent(MOST_P)} may.",
        f"Launches of one side differ by {percent(effect.sd)}: to show a difference of "
        f"{percent(max(abs(change), LEAST_EFFECT))} takes about {launches_needed(effect.sd, change):,} "
        "launches a side, in a new trial.",
    )


# ------------------------------------------------------------------- launches without a change


def equal_changes(levels: Sequence[float]) -> tuple[float, ...]:
    """What equal launches differ by: the change from one to the next, each launch in one pair only.

    ``levels``: of launches without a change between them, in the order of their time.
    """
    pairs = zip(levels[::2], levels[1::2], strict=False)
    return tuple(second - first for first, second in pairs)


def floor(changes: Sequence[float]) -> float | None:
    """Effects up to this, in ln, do not count; ``None`` with fewer than ``LEAST_CHANGES`` equal changes.

    Launches that were not interleaved with those of another version may differ because the machine does. By
    how much, earlier *equal* launches show: an effect counts only far above all that they differed by.
    """
    if len(changes) < LEAST_CHANGES:
        return None
    quantile = next(t for least, t in reversed(_T) if least <= len(changes))
    rms = math.sqrt(sum(x * x for x in changes) / len(changes))
    return max(quantile * rms, 2 * max(map(abs, changes)))
