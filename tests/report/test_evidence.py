"""Evidence is one word: nothing in a report says more than was recorded, whatever a recording lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from demo.build import run_names, training
from demo.formats import KINETO, NSIGHT, XSPACE, Format
from demo.reports import demo_report
from demo.simulator import damages, simulate
from demo.simulator.captured import Captured, Damage, Window
from tests.conftest import REPOSITORY
from tfperf_plugin.analysis.ledger import IDLE, Ledger
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.judging.engine.inputs import requires
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.readers.logdirs.places import resolve, runs_at
from tfperf_plugin.report.model import Report

INPUTS = REPOSITORY.parent / "shared" / "corpus" / "strangers" / "inputs"
SMALL = sorted(path for path in INPUTS.glob("*") if path.is_dir())
OF_GPUS = {rule.id for rule in RULES if not rule.trust and requires(rule.judge, Ledger)}
RELATED = {rule.id for rule in RULES if "clocks" in rule.needs}
LOST, APART = "Kernels missing from the recording", "Clocks of host and GPU differ"
LESS = {"strong": 0, "fair": 1, "thin": 2, "none": 3}


def claimed(findings: tuple[Finding, ...]) -> set[str]:
    return {account for finding in findings if finding.saving for account in finding.saving.accounts}


def contradictions(report: Report) -> Iterator[str]:
    """What the report says beyond its evidence."""
    quality = report.capture_quality
    assert quality
    findings = [inner for finding in report.findings for inner in (finding, *finding.explains)]
    passed, notes = {row.id for row in report.passed}, {note.title for note in report.trust}
    losses = [row.name for row in report.anomalies if row.severity != "info"]
    if quality.level in ("thin", "none"):
        most = {"thin": {"medium", "low"}, "none": {"low"}}[quality.level]
        for finding in findings:
            if finding.severity == "critical" or finding.confidence not in most:
                yield f"{finding.id}: {finding.severity}, {finding.confidence}, evidence {quality.level}"
    if quality.level == "none":
        yield from (f"{id} passed without a GPU" for id in passed & OF_GPUS)
    if losses and (quality.level == "strong" or all(reason.ok for reason in quality.reasons)):
        yield f"{losses} limit nothing"
    unproblematic = any(reason.text == "No problem of the capture found" for reason in quality.reasons)
    if unproblematic and (losses or notes or quality.level == "none"):
        yield f"no problem beside {losses} and {notes}"
    if APART in notes:
        yield from (f"{id} passed on two clocks" for id in passed & RELATED)
        idle = claimed(report.findings) & {*IDLE} - {"idle.unknown", "idle.stagger"}
        yield from (f"{account} on two clocks" for account in idle)
    if LOST in notes and quality.reasons[0].text in ("No whole step", "One step, not the time after it"):
        yield from (f"{id} passed without kernels" for id in passed & OF_GPUS)
        yield from (f"{account} without kernels" for account in claimed(report.findings) & {*IDLE})
        yield from filter(None, (report.verdict.compute, report.verdict.beside))


@pytest.mark.parametrize("name", run_names())
def test_a_demo_run_says_no_more_than_it_recorded(name: str) -> None:
    assert list(contradictions(demo_report(name))) == []


@pytest.mark.parametrize("name", run_names())
def test_each_recorded_step_is_judged_or_said_to_be_left_out(name: str) -> None:
    report = demo_report(name)
    assert report.capture_quality
    few = re.match(r"Only (\d+) whole", text := report.capture_quality.reasons[0].text)
    if few:
        left_out = sum(map(int, re.findall(r"(\d+) [\w-]+ steps?(?=,| and| is| are)", text)))
        assert int(few[1]) + left_out in Counter(item.host for item in report.steps.items).values(), text


@pytest.mark.skipif(not SMALL, reason="the small inputs are not in this repository")
@pytest.mark.parametrize("place", SMALL, ids=lambda path: path.name)
def test_a_small_input_says_no_more_than_it_recorded(place: Path) -> None:
    for run in runs_at(str(place)):
        assert list(contradictions(build_report(run))) == []


def every_fifth_kernel(found: Captured, window: Window) -> Captured:
    return replace(found, device=[e for n, e in enumerate(found.device) if n % 5])


def one_mark(found: Captured, window: Window) -> Captured:
    return replace(found, marks=[mark for n, mark in enumerate(found.marks) if n != 4])


DAMAGES: dict[str, tuple[Damage, str]] = {
    "first kernels": (damages.kernels_lost(0, 0.3), "fair"),
    "kernels in the middle": (damages.kernels_lost(0.4, 0.6), "fair"),
    "last kernels": (damages.kernels_lost(0.7, 1), "fair"),
    "all kernels": (damages.kernels_lost(0, 1), "none"),
    "every fifth kernel": (every_fifth_kernel, "thin"),
    "one mark": (one_mark, "fair"),
    "all launches": (damages.launches_lost(0, 1), "fair"),
    "some times": (damages.times_lost(0.1, 0.2), "fair"),
    "early lane": (damages.lane_shifted(-40_000_000), "fair"),
    "marks": (damages.unmarked, "strong"),
}


def recorded(folder: Path, format: Format, *lost: Damage) -> Report:
    """The report of a training whose host launches just in time, of which this is lost."""
    scenario = training("kernel_launch_bound")
    damaged = replace(scenario, collector=replace(scenario.collector, damages=lost))
    for host, data in simulate(damaged, format.encode).files.items():
        path = folder / format.place.format(host=host)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return build_report(resolve(str(folder)))


@pytest.mark.parametrize("format", [XSPACE, KINETO, NSIGHT], ids=["TensorFlow", "PyTorch", "Nsight"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_lost_limits_what_is_said(tmp_path: Path, format: Format, damage: str) -> None:
    lost, most = DAMAGES[damage]
    report = recorded(tmp_path, format, lost)

    assert list(contradictions(report)) == []
    assert report.capture_quality
    assert LESS[report.capture_quality.level] >= LESS[most]
