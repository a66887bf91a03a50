"""Whether both sides of a trial did the same work: facts that must be equal, and losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from tfperf_plugin.judging.engine.words import count
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.proof.plan import Plan
from tfperf_plugin.recording.switches import parts
from tfperf_plugin.records import Record

State = Literal["holds", "unsaid", "differs", "unknown", "suspicious"]
"""``unsaid``: no launch says it, and nothing shows that it differs; ``unknown``: a launch does not say it."""

SAME_LOSS: Final = 1e-3
"""By what share losses of seeded trainings may differ: another order of summation, as XLA's or another
kernel's, changes them in the first steps by less; other data or another model by more. Ours."""
_BATCH: Final = "Batch"


class Guard(Record, frozen=True):
    """One thing that was held against all launches, and what came out in a sentence."""

    name: str
    state: State
    sentence: str


def guards(plan: Plan, done: Sequence[Measured]) -> tuple[Guard, ...]:
    """All guards; ``done``: launches of both sides, or of one if a fact stopped the trial."""
    return (*_facts(plan, done), _examples(plan, done), _losses(plan, done))


def stops(plan: Plan, done: Sequence[Measured]) -> bool:
    """Whether a fact already shows that the sides cannot be compared, whatever launches follow."""
    return any(guard.state not in ("holds", "unsaid") for guard in _facts(plan, done)) if done else False


def _facts(plan: Plan, done: Sequence[Measured]) -> tuple[Guard, ...]:
    known = [_known(plan, measured) for measured in done]
    names = dict.fromkeys(name for facts in known for name in facts)
    return (
        _exits(done),
        *(_on_purpose(plan, _equal(name, [facts[name] for facts in known], done)) for name in names),
        _code(plan, done),
    )


def _on_purpose(plan: Plan, guard: Guard) -> Guard:
    """``guard``, which is only told where a switch changes what it guards."""
    if guard.name not in plan.differs or guard.state == "holds":
        return guard
    by = ", ".join(text for text in plan.b.switches if guard.name in parts(text)[0].differs)
    return Guard(guard.name, "unsaid", f"{guard.sentence} {by} changes that on purpose.")


def _known(plan: Plan, measured: Measured) -> dict[str, str | None]:
    """What must be equal in all launches, by name; ``None`` if a launch does not say."""
    facts = measured.launch.facts
    set_by = (parts(text)[0].variables for text in plan.b.switches)
    given = {*plan.a.environment, *plan.b.environment}.union(*set_by)
    parameters = facts.trainable_parameters if facts.parameters is None else facts.parameters
    batch = facts.batch_size or plan.batch
    formats = dict.fromkeys(filter(None, [facts.policy, *sorted(facts.trainable or {})]))
    environment = facts.environment
    if environment is not None:
        environment = {name: value for name, value in environment.items() if name not in given}
    return {
        "Steps": str(min(sum(window.steps for window in measured.launch.windows), plan.steps)),
        _BATCH: f"{batch:,}" if batch else None,
        "Parameters": None if parameters is None else f"{parameters:,}",
        "Number format": ", ".join(formats) or None,
        "Devices": ", ".join(
            [
                measured.machine,
                *measured.gpus,
                *([count(facts.replicas, "replica")] if facts.replicas else []),
            ]
        ),
        "Versions": _pairs(facts.versions or {}) or None,
        "Environment": None if environment is None else _pairs(environment) or "as by default",
    }


def _pairs(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(values.items()))


def _equal(name: str, values: Sequence[str | None], done: Sequence[Measured]) -> Guard:
    """``values``: one for each launch in ``done``."""
    first: dict[str | None, Measured] = {}
    for value, measured in zip(values, done, strict=True):
        first.setdefault(value, measured)
    if name == _BATCH and first.keys() == {None}:
        taken = f"{name}: no launch says it, so it is taken to be the same; --batch states it."
        return Guard(name, "unsaid", taken)
    if None in first:
        return _unknown(name, first[None])
    if len(first) > 1:
        said = "; ".join(f"{value} in {_where(measured)}" for value, measured in first.items())
        return Guard(name, "differs", f"{name}: {said}.")
    return Guard(name, "holds", f"{name}: {values[0]}.")


def _unknown(name: str, measured: Measured) -> Guard:
    return Guard(name, "unknown", f"{name}: not known of {_where(measured)}.")


def _where(measured: Measured) -> str:
    return f"launch {measured.number} ({measured.side})"


def _exits(done: Sequence[Measured]) -> Guard:
    name = "Exit code"
    bad = next((m for m in done if m.exit_code and not m.ended), None)
    if bad:
        return Guard(name, "differs", f"{name}: {bad.exit_code} in {_where(bad)}.")
    return Guard(name, "holds", f"{name}: 0.")


def _code(plan: Plan, done: Sequence[Measured]) -> Guard:
    """With another revision as side A, files are the same on each side; else on both."""
    name, seen = "Source", dict[tuple[str, str], tuple[str, Measured]]()
    for measured in done:
        if measured.changed:
            return Guard(name, "differs", f"{measured.changed} changed while {_where(measured)} ran.")
        side = measured.side if plan.a.commit else ""
        for file, content in measured.sources.items():
            first, earlier = seen.setdefault((side, file), (content, measured))
            if first != content:
                said = f"{file} changed between {_where(earlier)} and {_where(measured)}."
                return Guard(name, "differs", said)
    return Guard(name, "holds", f"{name}: {count(len({file for _, file in seen}), 'file')}.")


def _examples(plan: Plan, done: Sequence[Measured]) -> Guard:
    name = "Examples a step"
    if all(window.examples is None for measured in done for window in measured.launch.windows):
        if plan.batch:
            return Guard(name, "holds", f"{name}: {plan.batch:,}, as --batch states.")
        return Guard(name, "unsaid", f"{name}: no launch counts them.")
    sides: dict[str, list[float]] = {"A": [], "B": []}
    for measured in done:
        windows = measured.launch.windows
        counts = [window.examples for window in windows if window.examples is not None]
        if len(counts) < len(windows):
            return _unknown(name, measured)
        sides[measured.side].append(sum(counts) / sum(window.steps for window in windows))
    values = sorted({*sides["A"], *sides["B"]})
    if len(values) == 1:
        return Guard(name, "holds", f"{name}: {values[0]:g}.")
    a, b = (min(side, default=math.inf) for side in sides.values())
    if b < a:
        return Guard(name, "suspicious", f"Side B processes fewer examples a step: {b:g} instead of {a:g}.")
    return Guard(name, "differs", f"{name}: {'; '.join(f'{value:g}' for value in values)}.")


def _losses(plan: Plan, done: Sequence[Measured]) -> Guard:
    name = "Losses"
    for measured in done:
        losses = measured.launch.losses
        if not losses:
            return _unknown(name, measured)
        off = next((loss for loss in losses if not math.isfinite(loss)), None)
        if off is not None:
            return Guard(name, "suspicious", f"{name}: {off} in {_where(measured)}.")
    return _on_purpose(plan, _compared(name, done))


def _compared(name: str, done: Sequence[Measured]) -> Guard:
    """``done``: launches whose losses are known, and numbers."""
    a, b = ([m.launch.losses for m in done if m.side == side] for side in "AB")
    if not a or not b:
        return Guard(name, "unknown", f"{name}: only one side ran.")
    every = {m.side: m.launch.facts.steps_per_execution or 1 for m in done}
    if every["A"] != every["B"]:
        apart = " and ".join(
            f"{count(steps, 'step')} on side {side}" for side, steps in sorted(every.items())
        )
        return Guard(name, "unsaid", f"{name}: read after {apart}, so they were not compared.")
    if any(_first_off(a[0], other) for other in a):
        return _unseeded(name, [sum(each) / len(each) for each in a], [sum(each) / len(each) for each in b])
    off_by = next(filter(None, (_first_off(a[0], other) for other in b)), None)
    if off_by:
        words = f"the losses of side B differ: {off_by[1]:.6g} instead of {off_by[0]:.6g}."
        return Guard(name, "suspicious", f"The training is seeded, but {words}")
    return Guard(name, "holds", "First losses: seeded, and equal on both sides.")


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
    where = f"{'within' if holds else 'outside of'} {low:.4g} to {high:.4g}"
    return Guard(name, "holds" if holds else "suspicious", f"First losses: {mean:.4g} on side B, {where}.")
