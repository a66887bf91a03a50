"""Whether both sides of a trial did the same work: facts that must be equal, and losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from tfperf_plugin.judging.engine.words import count
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.proof.plan import Plan
from tfperf_plugin.records import Record

State = Literal["holds", "differs", "unknown", "suspicious"]

SAME_LOSS: Final = 1e-3
"""By what share losses of seeded trainings may differ: another order of summation, as XLA's or another
kernel's, changes them in the first steps by less; other data or another model by more. Ours."""

_EQUAL: Final = "{name}: {value}."
_DIFFERS: Final = "{name}: {values}."
_UNKNOWN: Final = "{name}: not known of {where}."
_EXIT: Final = "Exit code: {code} in {where}."
_CHANGED: Final = "The source changed while {where} ran."
_CHANGED_BETWEEN: Final = "The source changed between launches of side {side}."
_FEWER: Final = "Side B processes fewer examples a step: {b:g} instead of {a:g}."
_NOT_FINITE: Final = "Losses: {loss} in {where}."
_SEEDED: Final = "First losses: seeded, and equal on both sides."
_SEEDED_OFF: Final = "The training is seeded, but the losses of side B differ: {b:.6g} instead of {a:.6g}."
_WITHIN: Final = "First losses: {b:.4g} on side B, within {low:.4g} to {high:.4g}."
_OUTSIDE: Final = "First losses: {b:.4g} on side B, outside of {low:.4g} to {high:.4g}."


class Guard(Record, frozen=True):
    """One thing that was held against all launches, and what came out in a sentence."""

    name: str
    state: State
    sentence: str


def guards(plan: Plan, done: Sequence[Measured]) -> tuple[Guard, ...]:
    """All guards; ``done``: launches of both sides."""
    return (*_facts(plan, done), _examples(done), _losses(done))


def stops(plan: Plan, done: Sequence[Measured]) -> bool:
    """Whether a fact already shows that the sides cannot be compared, whatever launches follow."""
    return any(guard.state != "holds" for guard in _facts(plan, done)) if done else False


def _facts(plan: Plan, done: Sequence[Measured]) -> tuple[Guard, ...]:
    given = {*plan.a.environment, *plan.b.environment}
    known: Mapping[str, Callable[[Measured], str | None]] = {
        "Steps": lambda m: str(min(sum(window.steps for window in m.launch.windows), plan.steps)),
        "Batch": lambda m: _text(m.launch.facts.batch_size),
        "Parameters": _parameters,
        "Number format": _dtype,
        "Devices": _devices,
        "Versions": lambda m: _pairs(m.launch.facts.versions or {}) or None,
        "Environment": lambda m: _environment(m, given),
    }
    return (
        _exits(done),
        *(_equal(name, of, done) for name, of in known.items()),
        _code(plan, done),
    )


def _text(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"


def _parameters(measured: Measured) -> str | None:
    facts = measured.launch.facts
    return _text(facts.trainable_parameters if facts.parameters is None else facts.parameters)


def _dtype(measured: Measured) -> str | None:
    facts = measured.launch.facts
    return ", ".join(dict.fromkeys(filter(None, [facts.policy, *sorted(facts.trainable or {})]))) or None


def _devices(measured: Measured) -> str:
    facts = measured.launch.facts
    return ", ".join(
        [measured.machine, *measured.gpus, *([count(facts.replicas, "replica")] if facts.replicas else [])]
    )


def _environment(measured: Measured, given: set[str]) -> str | None:
    found = measured.launch.facts.environment
    if found is None:
        return None
    return _pairs({name: value for name, value in found.items() if name not in given}) or "as by default"


def _pairs(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(values.items()))


def _equal(name: str, of: Callable[[Measured], str | None], done: Sequence[Measured]) -> Guard:
    values: dict[str | None, Measured] = {}
    for measured in done:
        values.setdefault(of(measured), measured)
    if None in values:
        return Guard(name, "unknown", _UNKNOWN.format(name=name, where=_where(values[None])))
    if len(values) > 1:
        said = "; ".join(f"{value} in {_where(first)}" for value, first in values.items())
        return Guard(name, "differs", _DIFFERS.format(name=name, values=said))
    return Guard(name, "holds", _EQUAL.format(name=name, value=next(iter(values))))


def _where(measured: Measured) -> str:
    return f"launch {measured.number} ({measured.side})"


def _exits(done: Sequence[Measured]) -> Guard:
    bad = next((m for m in done if m.exit_code and not m.ended), None)
    if bad:
        return Guard("Exit code", "differs", _EXIT.format(where=_where(bad), code=bad.exit_code))
    return Guard("Exit code", "holds", _EQUAL.format(name="Exit code", value=0))


def _code(plan: Plan, done: Sequence[Measured]) -> Guard:
    """With another revision as side A, the source is the same on each side; else on both."""
    bad = next((m for m in done if m.code != m.code_after), None)
    if bad:
        return Guard("Source", "differs", _CHANGED.format(where=_where(bad)))
    for side in "AB":
        digests = {m.code for m in done if m.side == side}
        if not plan.a.commit or side == "B":
            digests |= {plan.code.digest}
        if len(digests) > 1:
            return Guard("Source", "differs", _CHANGED_BETWEEN.format(side=side))
    return Guard("Source", "holds", _EQUAL.format(name="Source", value=f"hash {plan.code.digest}"))


def _examples(done: Sequence[Measured]) -> Guard:
    name = "Examples a step"
    sides: dict[str, list[float]] = {"A": [], "B": []}
    for measured in done:
        windows = measured.launch.windows
        counts = [window.examples for window in windows if window.examples is not None]
        if len(counts) < len(windows):
            return Guard(name, "unknown", _UNKNOWN.format(name=name, where=_where(measured)))
        sides[measured.side].append(sum(counts) / sum(window.steps for window in windows))
    values = {*sides["A"], *sides["B"]}
    if len(values) == 1:
        return Guard(name, "holds", _EQUAL.format(name=name, value=f"{values.pop():g}"))
    least = {side: min(found, default=math.inf) for side, found in sides.items()}
    if least["B"] < least["A"]:
        return Guard(name, "suspicious", _FEWER.format(a=least["A"], b=least["B"]))
    said = "; ".join(f"{value:g}" for value in sorted(values))
    return Guard(name, "differs", _DIFFERS.format(name=name, values=said))


def _losses(done: Sequence[Measured]) -> Guard:
    name = "Losses"
    for measured in done:
        losses = measured.launch.losses
        if not losses:
            return Guard(name, "unknown", _UNKNOWN.format(name="Losses", where=_where(measured)))
        off = next((loss for loss in losses if not math.isfinite(loss)), None)
        if off is not None:
            return Guard(name, "suspicious", _NOT_FINITE.format(where=_where(measured), loss=off))
    a, b = ([m.launch.losses for m in done if m.side == side] for side in "AB")
    if all(_first_off(a[0], other) is None for other in a):
        off_by = next(filter(None, (_first_off(a[0], other) for other in b)), None)
        if off_by:
            return Guard(name, "suspicious", _SEEDED_OFF.format(a=off_by[0], b=off_by[1]))
        return Guard(name, "holds", _SEEDED)
    return _unseeded(name, [sum(each) / len(each) for each in a], [sum(each) / len(each) for each in b])


def _first_off(one: Sequence[float], two: Sequence[float]) -> tuple[float, float] | None:
    """The first two losses that differ by more than ``SAME_LOSS``."""
    pairs = zip(one, two, strict=False)
    return next(((x, y) for x, y in pairs if abs(x - y) > SAME_LOSS * max(abs(x), abs(y))), None)


def _unseeded(name: str, a: Sequence[float], b: Sequence[float]) -> Guard:
    """The mean of B within the range of A's launches, widened by its width on both sides.

    The mean, since of six equal launches one would be outside in each fifteenth trial.
    """
    width = max(a) - min(a)
    low, high, mean = min(a) - width, max(a) + width, sum(b) / len(b)
    holds = low <= mean <= high
    words = (_WITHIN if holds else _OUTSIDE).format(b=mean, low=low, high=high)
    return Guard(name, "holds" if holds else "suspicious", words)
