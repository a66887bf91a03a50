"""Trials without a training: launches made from numbers, and a child that only seems to run them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tfperf_plugin.proof import plan as plans
from tfperf_plugin.proof.child import Outcome
from tfperf_plugin.proof.code import Code
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.proof.plan import Plan, Prediction, Side
from tfperf_plugin.recording.launch import Launch, Place, Request, Window
from tfperf_plugin.recording.record import TrainingRecord

A = Side(("python", "train.py"), {})
B = Side(("python", "train.py"), {"FAST": "1"})
CODE = Code("c0ffee" * 6, "", "d1ce")
FACTS = TrainingRecord(
    parameters=1000,
    trainable={"float32": 1000},
    batch_size=32,
    policy="float32",
    replicas=1,
    environment={},
    versions={"tensorflow": "2.21.0", "keras": "3.15.1"},
)
FORETOLD = Prediction("input-bound", "slow", 0.45, 0.6, 0.45, "as simulated")


def plan(**changes: Any) -> Plan:
    """A plan of six launches a side."""
    made = plans.make(A, B, CODE, repeat=6, after=5, steps=80)
    return replace(made, **{"order": "ABBA" * 3, **changes})


def launch(step_ns: float = 1e7, losses: Sequence[float] = (2.0, 1.5), **facts: Any) -> Launch:
    """A launch of eight windows of ten steps."""
    known = replace(FACTS, **facts)
    examples = None if known.batch_size is None else 10 * known.batch_size
    windows = tuple(Window(10, round(10 * step_ns * (1 + 0.001 * n)), examples) for n in range(8))
    return Launch("keras", windows, tuple(losses), known)


def measured(number: int, side: str, **changes: Any) -> Measured:
    """Launch ``number`` as it is kept; ``changes``: of its fields, or of those of ``launch``."""
    own = {name: changes.pop(name) for name in tuple(changes) if name in Measured.__struct_fields__}
    kept = Measured(
        number=number,
        side="A" if side == "A" else "B",
        exit_code=0,
        ended=False,
        seconds=2.0,
        others=0.1,
        sources={"train.py": "d1ce"},
        changed="",
        machine="host, 2 processors",
        gpus=(),
        launch=launch(**changes),
    )
    return replace(kept, **own)


def trial(planned: Plan, effect: float = 1.0, sigma: float = 0.01, seed: int = 1) -> list[Measured]:
    """All launches; those of B take ``effect`` times as long, and launches differ by ``sigma``."""
    rng = random.Random(seed)
    return [
        measured(n, side, step_ns=1e7 * (effect if side == "B" else 1) * (1 + rng.gauss(0, sigma)))
        for n, side in enumerate(planned.order, 1)
    ]


class FakeChild:
    """Measures what ``of`` gives for the launches in their order, and notes how it was called."""

    def __init__(self, of: Callable[[int, Mapping[str, str]], Outcome]) -> None:
        self.switches: list[tuple[str, ...]] = []
        self.calls: list[tuple[tuple[str, ...], dict[str, str], Path | None, float]] = []
        self._of = of

    def __call__(
        self,
        command: Sequence[str],
        request: Request,
        environment: Mapping[str, str],
        say: Callable[[str], None],
        *,
        folder: Path | None = None,
        log: Path | None = None,
        limit_s: float = 0.0,
    ) -> Outcome:
        assert not request.profile
        assert Path(request.folder).is_dir()
        assert log
        log.write_bytes(b"training\nImportError: no module x\n\n")
        self.calls.append((tuple(command), dict(environment), folder, limit_s))
        self.switches.append(request.switches)
        return self._of(len(self.calls), {**environment, "FAST": "1"} if request.switches else environment)


def outcome(found: Launch | None = None, exit_code: int = 0, seen: str = "", ended: bool = False) -> Outcome:
    return Outcome(exit_code=exit_code, launch=found, seen=seen, ended=ended)


def planted(
    effect: float = 0.8,
    sigma: float = 0.01,
    switched: Mapping[str, tuple[str, ...]] | None = None,
    places: tuple[Place, ...] = (),
) -> FakeChild:
    """A child whose launches with FAST=1, or a switch, take ``effect`` times as long.

    ``switched``, ``places``: what these say that switches changed, and where.
    """
    noise = random.Random(7)

    def made(_: int, environment: Mapping[str, str]) -> Outcome:
        fast = "FAST" in environment
        found = launch(1e7 * (effect if fast else 1) * (1 + noise.gauss(0, sigma)))
        changed = replace(found, switched=dict(switched or {}), places=places)
        return outcome(changed if fast else found)

    return FakeChild(made)
