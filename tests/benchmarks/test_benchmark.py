"""The benchmark runs: its programs are texts, which nothing else checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.benchmark import compare

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
