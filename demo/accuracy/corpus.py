"""The cases: every cause under many circumstances, pairs of causes, and healthy controls.

Each cause meets each level of each factor about equally often, and over all causes each two levels meet: a
covering design in place of the full product. The same code gives the same cases.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from random import Random
from typing import Final, TypeVar

from demo.accuracy.bases import (
    HEALTHY_GROWTH,
    ONE_BATCH,
    STEPS,
    Setting,
    fits,
    healthy,
    with_memory,
    work_ns,
)
from demo.accuracy.causes import BY_NAME, CAUSES, KERAS, ONE, Cause, Dose, Scope
from demo.accuracy.controls import HARMLESS, IN_ONE_BATCH
from demo.simulator.training import Training
from tfperf_plugin.report.options import Options

T = TypeVar("T")
# Draws 1 and 2 were looked at while rules and cases were improved. Whoever changes them after seeing a draw
# takes the next one.
DRAW: Final = 10
RUNS_PER_CAUSE: Final = 10
PARTNERS_PER_CAUSE: Final = 5
CONTROLS: Final = 64
# Of captures of one batch: runs of each cause that shows there, and healthy ones.
ONE_BATCH_RUNS: Final = 3
ONE_BATCH_CONTROLS: Final = 16
CONTROL_LAYOUTS: Final = ((1, 1), (1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (2, 2), (2, 4))


@dataclass(frozen=True)
class Case:
    """One run of the corpus: ``causes`` are pairs of a cause's name and the share of the step it aims at."""

    setting: Setting
    causes: tuple[tuple[str, float], ...] = ()
    control: str = ""

    @property
    def name(self) -> str:
        causes = (
            " + ".join(f"{name} {share:.0%}" for name, share in self.causes) or f"healthy: {self.control}"
        )
        where = self.setting
        steps = "one batch" if where.steps == ONE_BATCH else f"{where.steps} steps"
        return (
            f"{causes} | {where.device.name}, {where.model}, {where.generation}, {where.hosts} × "
            f"{where.gpus} GPUs, {steps}, jitter {where.jitter:.1%}, seed {where.seed}"
        )

    def options(self) -> Options:
        """What the user states about the training."""
        if not any(BY_NAME[name].stated for name, _ in self.causes):
            return Options()
        training = self.training()
        return Options(training.model.parameters, training.device.bus_gbps)

    def training(self, without: Collection[str] = ()) -> Training:
        """The training; ``without``: these causes removed, or cured where their work must still be done."""
        if self.control:
            controls = IN_ONE_BATCH if self.setting.steps == ONE_BATCH else HARMLESS
            return with_memory(controls[self.control](healthy(self.setting)), HEALTHY_GROWTH)
        return compose(self.setting, [(BY_NAME[name], share) for name, share in self.causes], without)


def compose(
    setting: Setting, causes: Sequence[tuple[Cause, float]], without: Collection[str] = ()
) -> Training:
    """A healthy training with ``causes`` put in, each strong enough to cost a share of the step."""
    training = healthy(setting)
    for cause, share in causes:
        training = cause.setting(training, Dose(share, work_ns(training)))
    work = work_ns(training)
    changes = [(c, c.cure if c.name in without else c.inject, Dose(share, work)) for c, share in causes]
    for cause, change, dose in changes:
        if not cause.last:
            training = change(training, dose)
    training = with_memory(training, HEALTHY_GROWTH)
    for cause, change, dose in changes:
        if cause.last:
            training = change(training, dose)
    return training


def _column(name: str, levels: Sequence[T], count: int) -> list[T]:
    """Each of ``levels`` about equally often, in an order of its own."""
    random = Random(name)
    column: list[T] = []
    while len(column) < count:
        column += random.sample(list(levels), len(levels))
    column = column[:count]
    random.shuffle(column)
    return column


def _settings(name: str, scope: Scope, count: int, draw: int) -> list[Setting]:
    """Settings that meet each level of each factor about equally often."""
    rows = zip(
        _column(f"{name}/device", scope.devices, count),
        _column(f"{name}/generation", scope.generations, count),
        _column(f"{name}/layout", scope.layouts, count),
        _column(f"{name}/steps", scope.steps, count),
        _column(f"{name}/jitter", scope.jitters, count),
        _column(f"{name}/model", scope.models, count),
        strict=True,
    )
    return [
        Setting(device, generation, gpus, hosts, steps, jitter, model, seed=1000 * draw + number)
        for number, (device, generation, (gpus, hosts), steps, jitter, model) in enumerate(rows)
    ]


@cache
def singles(draw: int = DRAW) -> tuple[Case, ...]:
    """Each cause alone."""
    return tuple(
        Case(setting, ((cause.name, share),))
        for cause in CAUSES
        for setting, share in zip(
            _settings(f"{draw}/{cause.name}", cause, RUNS_PER_CAUSE, draw),
            _column(f"{draw}/{cause.name}/share", cause.shares, RUNS_PER_CAUSE),
            strict=True,
        )
    )


def in_one_batch(cause: Cause) -> Scope | None:
    """Where a capture of one batch of one GPU shows a cause that longer ones show; ``None`` if nowhere."""
    if not cause.in_one_batch or "trust" in cause.kind or cause.steps != STEPS:
        return None
    scope = cause.common(Scope(layouts=ONE, generations=KERAS))
    return scope and replace(scope, steps=(ONE_BATCH,))


@cache
def one_batches(draw: int = DRAW) -> tuple[Case, ...]:
    """Causes alone, and healthy trainings, of which Keras' callback records one batch."""
    cases = []
    for cause in CAUSES:
        if scope := in_one_batch(cause):
            name = f"{draw}/{cause.name}/one batch"
            settings = _settings(name, scope, ONE_BATCH_RUNS, draw)
            shares = _column(f"{name}/share", cause.shares, ONE_BATCH_RUNS)
            cases += [Case(s, ((cause.name, share),)) for s, share in zip(settings, shares, strict=True)]
    name, scope = f"{draw}/healthy/one batch", Scope(layouts=ONE, generations=KERAS, steps=(ONE_BATCH,))
    names = _column(f"{name}/control", list(IN_ONE_BATCH), ONE_BATCH_CONTROLS)
    settings = _settings(name, scope, ONE_BATCH_CONTROLS, draw)
    return (*cases, *(Case(s, control=c) for s, c in zip(settings, names, strict=True)))


@cache
def controls(draw: int = DRAW) -> tuple[Case, ...]:
    """Healthy trainings, some with what looks like a cause but costs nothing."""
    settings = _settings(f"{draw}/healthy", Scope(layouts=CONTROL_LAYOUTS), CONTROLS, draw)
    return tuple(
        Case(setting, control=name)
        for setting, name in zip(
            settings, _column(f"{draw}/healthy/control", list(HARMLESS), CONTROLS), strict=True
        )
    )


def combine(first: Cause, second: Cause) -> bool:
    """Whether two causes can be in one training: it makes no difference which one is put in first."""
    if first.rule == second.rule or not (first.pairs and second.pairs):
        return False
    if first.rule in second.never_with or second.rule in first.never_with:
        return False
    if "trust" in first.kind and "trust" in second.kind:
        return False
    scope = first.common(second)
    if scope is None:
        return False
    gpus, hosts = max(scope.layouts)
    setting = Setting(device=scope.devices[-1], gpus=gpus, hosts=hosts, model=scope.models[-1])
    one, other = (first, first.shares[0]), (second, second.shares[0])
    both = compose(setting, [one, other])
    alone = (compose(setting, [one]), compose(setting, [other]))
    return both == compose(setting, [other, one]) and both not in alone


@cache
def pairs(draw: int = DRAW) -> tuple[Case, ...]:
    """Combinations of two causes: each cause with some partners, under circumstances that suit both."""
    possible = list(combinations(CAUSES, 2))
    Random(f"{draw}/pairs").shuffle(possible)
    partners = dict.fromkeys((cause.name for cause in CAUSES), 0)
    chosen: list[Case] = []
    for first, second in possible:
        if min(partners[first.name], partners[second.name]) >= PARTNERS_PER_CAUSE:
            continue
        if not combine(first, second):
            continue
        scope = first.common(second)
        assert scope is not None
        name = f"{draw}/{first.name} + {second.name}"
        (setting,) = _settings(name, scope, 1, draw)
        shares = (Random(f"{name}/share of {cause.name}").choice(cause.shares) for cause in (first, second))
        case = Case(setting, tuple(zip((first.name, second.name), shares, strict=True)))
        if "memory-pressure" not in (first.rule, second.rule) and not fits(case.training()):
            continue
        partners[first.name] += 1
        partners[second.name] += 1
        chosen.append(case)
    return tuple(chosen)


def corpus(draw: int = DRAW) -> list[Case]:
    """All cases in an order in which any leading part is a fair sample; another draw has others."""
    random = Random(f"{draw}/order")
    rows = []
    for group in (singles(draw), one_batches(draw), pairs(draw), controls(draw)):
        mixed = random.sample(group, len(group))
        rows += [((number + 0.5) / len(group), case) for number, case in enumerate(mixed)]
    return [case for _, case in sorted(rows, key=lambda row: row[0])]
