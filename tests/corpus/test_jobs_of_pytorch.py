"""Real jobs with NCCL, all ranks recorded: the split into transfer and waiting is that of their traces.

The truth comes from a script beside this repository that shares no code with it; the tests are skipped where
that is absent.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.places import runs_at
from tfperf_plugin.report.serialize import to_json

CORPUS = REPOSITORY.parent / "shared" / "corpus"
JOBS = sorted((CORPUS / "data" / "torchrec").glob("*"))


@pytest.fixture(scope="module")
def truth() -> Any:
    if not (CORPUS / "nccl_truth.py").is_file():
        pytest.skip("the script that knows the truth is not beside this repository")
    sys.path.insert(0, str(CORPUS))
    try:
        return importlib.import_module("nccl_truth")
    finally:
        sys.path.remove(str(CORPUS))


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS or [None], ids=lambda job: job.name if job else "none")
def test_transfer_and_waiting_are_within_a_twentieth(job: Path | None, truth: Any) -> None:
    if job is None:
        pytest.skip("no real jobs are beside this repository")
    traces = sorted((truth.load(path) for path in job.iterdir()), key=lambda trace: truth.rank_of(trace, 0))
    begins = [min(event["ps"] for event in trace["traceEvents"]) for trace in traces]
    ranks = [truth.Rank(trace, number) for number, trace in enumerate(traces)]
    (run,) = runs_at(str(job))
    report = to_json(analyze_run(run).report)
    for step in report["steps"]["items"]:  # each rank counts from the first event of its own file
        late_ms = (begins[int(step["host"].removeprefix("rank-"))] - min(begins)) / 1e9
        step["begin_ms"] += late_ms
        step["end_ms"] += late_ms

    rows, _ = truth.compare(report, ranks, truth.measure(truth.match(ranks), ranks), min(begins), "ranks")

    # Waiting may hold more: the truth counts a transfer as waiting while a participant computes under it.
    off = {
        name: (known - ours if name.startswith("exposed wait") else abs(ours - known), known)
        for name, known, ours in rows
        if name != "copies"
    }
    assert len(off) >= 6
    assert [name for name, (by, known) in off.items() if by > max(0.1, 0.05 * abs(known))] == []
