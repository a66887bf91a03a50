"""One case of the corpus, measured: what its report says, and what its causes really cost."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from demo.accuracy.causes import BY_NAME, Cause
from demo.accuracy.corpus import Case
from demo.simulator.simulation import simulate, what_happens
from demo.simulator.training import Training
from demo.simulator.truth import Truth
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.projection import projected_ns


@dataclass(frozen=True)
class Fired:
    """A finding; ``under`` is the rule that it is folded under, "" for a finding of its own."""

    rule: str
    severity: str
    summary: str
    saving_ns: int | None = None
    under: str = ""


@dataclass(frozen=True)
class Trial:
    """Findings removed together that belong to ``causes``; shares of the step by which it is shorter.

    ``predicted``: as the report projects; ``gained``: simulated.
    """

    causes: tuple[str, ...]
    predicted: float
    gained: float


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
    trials: tuple[Trial, ...] = ()


def measure(case: Case, predictions: bool = True) -> Measured:
    """Simulates a case, reports on it, and simulates it again without each of its causes.

    Without ``predictions`` there are no trials, which need further simulations. Raises ``RuntimeError`` with
    the case's name if that is not possible.
    """
    try:
        return _measure(case, predictions)
    except Exception as error:
        raise RuntimeError(f"{case.name}: {error}") from error


def _measure(case: Case, predictions: bool) -> Measured:
    training = case.training()
    simulation = simulate(training)
    report = report_on(simulation.files, case.options())
    step_ns = simulated_step_ns(training, simulation.truth)
    strengths = []
    for name, _ in case.causes:
        cause = BY_NAME[name]
        strength = 0.0
        if cause.kind == "capacity" and training.visible_gpus:
            strength = 1 - training.gpus / training.visible_gpus
        elif cause.kind in ("time", "small"):
            strength = _gained(case, (name,), step_ns)
        strengths.append((name, strength))
    return Measured(
        case,
        step_ns,
        tuple(strengths),
        _fired(report.trust),
        _fired(report.findings),
        tuple(row.id for row in report.errors),
        tuple(_trials(case, report, step_ns)) if predictions else (),
    )


def _gained(case: Case, causes: Collection[str], step_ns: int) -> float:
    """By what share of it the simulated step is shorter without these causes."""
    return 1 - _step_ns(case.training(without=causes)) / step_ns


def _trials(case: Case, report: Report, step_ns: int) -> Iterator[Trial]:
    """Each cause that costs time and has a finding, and all of them together."""
    if report.ledger is None:
        return
    found = {}
    for name, _ in case.causes:
        # What rare long steps cost is not of the usual step, which is projected.
        mine = tuple(
            f.id for f in report.findings if f.saving and f.saving.accounts and belongs(f, BY_NAME[name])
        )
        if mine and BY_NAME[name].kind in ("time", "small"):
            found[name] = mine
    together = [tuple(found)] if len(found) > 1 else []
    for names in (*((name,) for name in found), *together):
        ids = {id_ for name in names for id_ in found[name]}
        saved = 1 - projected_ns(report, ids) / report.ledger.step_ns
        yield Trial(names, saved, _gained(case, names, step_ns))


def belongs(finding: Finding, cause: Cause) -> bool:
    """Whether a finding is what the report says of a cause, in its own name or folded."""
    return cause.rule in (finding.id, *(f.id for f in finding.explains))


def measured(cases: Sequence[Case], workers: int = 1) -> Iterator[Measured]:
    """All cases, in order; with several workers in processes of their own."""
    if workers <= 1:
        yield from map(measure, cases)
        return
    # Not forked: whoever calls may hold locks in other threads.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(measure, cases, chunksize=4)


def report_on(profiles: Mapping[str, bytes], options: Options) -> Report:
    """What is found in a simulated run, host name to profile, through files as a user's would be."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "plugins" / "profile" / "run"
        files.mkdir(parents=True)
        for host, data in profiles.items():
            (files / f"{host}.xplane.pb").write_bytes(data)
        (run,) = find_runs(folder)
        return build_report(run, options)


@lru_cache(maxsize=64)
def _step_ns(training: Training) -> int:
    return simulated_step_ns(training, what_happens(training))


def simulated_step_ns(training: Training, truth: Truth) -> int:
    """The mean captured step, by the ends of the GPUs' work from the step before the capture on.

    Where one batch is captured: from the start of the capture on. Without GPUs, by the ends of the steps.
    """
    if training.collector.one_batch:
        captured = next(row for row in truth.steps["worker0"] if row.number == training.lead_steps)
        return (captured.gpus[0].end_ns if captured.gpus else captured.end_ns) - truth.capture_begin_ns
    first, last = max(0, training.lead_steps - 1), training.lead_steps + training.steps - 1
    spans = []
    for rows in truth.steps.values():
        steps = {row.number: row for row in rows}
        if training.cpu_threads:
            spans.append(steps[last].end_ns - steps[first].end_ns)
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
