"""One case of the corpus, measured: what its report says, and what its causes really cost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from demo.accuracy.causes import BY_NAME
from demo.accuracy.corpus import Case
from demo.simulator.simulation import Simulation, simulate
from demo.simulator.training import Training
from tfperf_plugin.engine.outcome import Finding
from tfperf_plugin.report.build import build_report
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options
from tfperf_plugin.runs import find_runs


@dataclass(frozen=True)
class Fired:
    """A finding; ``under`` is the rule that it is folded under, "" for a finding of its own."""

    rule: str
    severity: str
    summary: str
    saving_ns: int | None = None
    under: str = ""


@dataclass(frozen=True)
class Measured:
    """What happened in one case.

    ``step_ns``: the simulated step. ``strengths``: per cause the share of the step that goes if it is removed
    (0 for causes that cost no step time; of GPUs left out, the share that they are). ``trust`` and
    ``findings`` are in the report's order, the folded ones after the finding that they are under.
    """

    case: Case
    step_ns: int
    strengths: tuple[tuple[str, float], ...]
    trust: tuple[Fired, ...]
    findings: tuple[Fired, ...]
    errors: tuple[str, ...]


def measure(case: Case) -> Measured:
    """Simulates a case, reports on it, and simulates it again without each of its causes.

    Raises ``RuntimeError`` with the case's name if that is not possible.
    """
    try:
        return _measure(case)
    except Exception as error:
        raise RuntimeError(f"{case.name}: {error}") from error


def _measure(case: Case) -> Measured:
    training = case.training()
    simulation = simulate(training)
    report = report_on(simulation.files, case.options())
    step_ns = simulated_step_ns(training, simulation)
    strengths = []
    for name, _ in case.causes:
        cause = BY_NAME[name]
        strength = 0.0
        if cause.kind == "capacity" and training.visible_gpus:
            strength = 1 - training.gpus / training.visible_gpus
        elif cause.kind in ("time", "small"):
            strength = 1 - _step_ns(case.training(without=name)) / step_ns
        strengths.append((name, strength))
    return Measured(
        case,
        step_ns,
        tuple(strengths),
        _fired(report.trust),
        _fired(report.findings),
        tuple(row.id for row in report.errors),
    )


def measured(cases: Sequence[Case], workers: int = 1) -> Iterator[Measured]:
    """All cases, in order; with several workers in processes of their own."""
    if workers <= 1:
        yield from map(measure, cases)
        return
    # Not forked: whoever calls may hold locks in other threads.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(measure, cases, chunksize=4)


def report_on(profiles: Mapping[str, bytes], options: Options) -> Report:
    """The report on a simulated run, host name to profile, through files as a user's would be."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "plugins" / "profile" / "run"
        files.mkdir(parents=True)
        for host, data in profiles.items():
            (files / f"{host}.xplane.pb").write_bytes(data)
        (run,) = find_runs(folder)
        return build_report(run, options)


@lru_cache(maxsize=64)
def _step_ns(training: Training) -> int:
    return simulated_step_ns(training, simulate(training))


def simulated_step_ns(training: Training, simulation: Simulation) -> int:
    """The mean captured step, by the ends of the GPUs' work from the step before the capture on."""
    first, last = max(0, training.lead_steps - 1), training.lead_steps + training.steps - 1
    spans = []
    for rows in simulation.truth.steps.values():
        steps = {row.number: row for row in rows}
        for gpu, begin in steps[first].gpus.items():
            spans.append(steps[last].gpus[gpu].end_ns - begin.end_ns)
    return sum(spans) // len(spans) // (last - first)


def _fired(findings: Sequence[Finding]) -> tuple[Fired, ...]:
    rows: list[Fired] = []
    for finding in findings:
        saving = finding.saving.ns if finding.saving else None
        rows.append(Fired(finding.id, finding.severity, finding.summary, saving))
        rows += [Fired(f.id, f.severity, f.summary, None, finding.id) for f in finding.explains]
    return tuple(rows)
