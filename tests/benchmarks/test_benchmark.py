"""The benchmark runs: its programs are texts, which nothing else checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.benchmark import compare, read_hosts, read_trace
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.slow


def test_a_small_profile_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(2_000, 1, tmp_path)
    printed = capsys.readouterr().out

    for said in (
        "2,000 events",
        "tfperf report",
        "ledger",
        "Stalls",
        "others",
        "B/event",
        "XProf overview",
        "memory",
        "MB/s",
    ):
        assert said in printed
    assert "failed" not in printed


def test_a_small_trace_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hta = REPOSITORY / ".venv-hta" / "bin" / "python"  # made by the benchmark
    read_trace(1, tmp_path, hta if hta.exists() else None, steps=(4, 8))
    printed = capsys.readouterr().out

    for said in ("events of PyTorch", "tfperf report", "ledger", "Stalls", "others", "MB a second"):
        assert said in printed
    assert ("tfperf / HTA" in printed) == hta.exists()


def test_many_hosts_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read_hosts(1, tmp_path, count=3)
    printed = capsys.readouterr().out

    for said in ("3 hosts", "tfperf report", "each alone", "together / alone"):
        assert said in printed
