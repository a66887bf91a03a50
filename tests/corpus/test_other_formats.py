"""Real traces of PyTorch: they open, and their plain facts are those of the files.

The traces lie beside this repository; where they do not, the tests are skipped. ``traces.tsv`` says what an
expert says of each from its events alone, written before its report was made.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from demo.accuracy.real import judged, labels
from tests.conftest import REPOSITORY
from tests.judging.engine.test_advice import FOREIGN
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.places import runs_at
from tfperf_plugin.report.model import Report

DATA = REPOSITORY.parent / "shared" / "corpus" / "data"
LABELS = labels("traces.tsv")
GPU = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset")

each_trace = pytest.mark.parametrize("label", LABELS, ids=lambda label: label.name)


def place(name: str) -> Path:
    """A folder of ranks, or the file of one process."""
    folder = DATA / name
    found = folder if folder.is_dir() else next(iter(sorted(DATA.glob(f"{name}*.json.gz"))), None)
    if found is None:
        pytest.skip("no real traces are beside this repository")
    return found


@cache
def report(name: str) -> Report:
    (run,) = runs_at(str(place(name)))
    return analyze_run(run).report


@cache
def trace(path: Path) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    return [event for event in events if event.get("ph") == "X"]


def union_us(spans: list[tuple[float, float]]) -> float:
    total, reach = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, reach))
        reach = max(reach, end)
    return total


@each_trace
def test_what_is_said_first_is_what_an_expert_says(label: Any) -> None:
    found = report(label.name)
    result = judged(label, found)
    says = {"no-step-markers": "no-steps", "one-host-of-many": "one-part"}

    assert result.false == ()
    assert result.right or says.get(found.trust[0].id if found.trust else "") in label.first, result.said


@each_trace
def test_gpus_are_as_busy_as_their_events(label: Any) -> None:
    """In the judged steps of a single process, whose times are those of its file."""
    found = report(label.name)
    path = place(label.name)
    if path.is_dir() or not found.steps.count:
        pytest.skip("several processes, or no steps")
    events = trace(path)
    zero = min(event["ts"] for event in events)
    steps = [(zero + s.begin_ms * 1e3, zero + s.end_ms * 1e3) for s in found.steps.items if s.judged]
    busy = [
        (max(event["ts"], begin), min(event["ts"] + event.get("dur", 0), end))
        for event in events
        if event.get("cat") in GPU
        for begin, end in steps
        if event["ts"] < end and event["ts"] + event.get("dur", 0) > begin
    ]
    (device,) = (device for device in found.devices if device.participates)

    assert device.busy_ratio == pytest.approx(
        union_us(busy) / sum(end - begin for begin, end in steps), abs=0.05
    )


@each_trace
def test_idle_time_is_attributed_or_the_finding(label: Any) -> None:
    found = report(label.name)
    if found.ledger is None:
        pytest.skip("no steps")
    unknown = next((a.ratio for a in found.ledger.accounts if a.id == "idle.unknown"), 0.0)
    explained = sum(
        f.saving.accounts.get("idle.unknown", 0) / found.ledger.step_ns for f in found.findings if f.saving
    )

    # What lies in pauses for an op on the CPU is that finding's: the check counts the rest.
    counted = {row.id for row in found.passed} & {"unexplained-idle"}
    assert unknown - explained < 0.10 or (counted and any(f.id == "host-op-in-step" for f in found.findings))


@each_trace
def test_no_advice_names_another_framework(label: Any) -> None:
    texts = [
        text
        for top in report(label.name).findings
        for finding in (top, *top.explains)
        for text in (finding.action, finding.fix.summary, *finding.fix.actions)
    ]
    rows = report(label.name).missing_data

    assert [text for text in texts if re.search(FOREIGN["PyTorch"], text)] == []
    assert [row.how for row in rows if re.search(r"tracer_level|Callback|TensorFlow|\bjax\b", row.how)] == []
