"""XProf's overview is read rightly, and held against the truth of a capture."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.accuracy.xprof import judge, table
from tests.strategies import GEMM, MS, Recording

TRUE = {"span": 40.0, "most": 40.0, "busy": 30.0, "copies": 0.0}


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """Four steps with kernels from 10 to 30 and 40 to 50 ms of each."""
    pytest.importorskip("xprof")
    recording = Recording()
    for begin in (1, 101, 201, 301):
        recording.step(begin // 100, begin * MS, (begin + 100) * MS)
        for first, last in ((10, 30), (40, 50)):
            at, end = (begin + first) * MS, (begin + last) * MS
            recording.launch(0, GEMM, (at - 5_000, at), at, end, stream="7")
    file = tmp_path / "worker.xplane.pb"
    file.write_bytes(recording.to_bytes())
    return file


def test_its_step_and_its_first_statement_are_held_against_the_truth(capture: Path) -> None:
    right = judge("right", capture, TRUE)
    wrong = judge("wrong", capture, {"span": 100.0, "most": 100.0, "busy": 30.0, "copies": 60.0})

    assert (right.step_ms, right.step_right, wrong.step_right) == (40.0, True, False)
    # A quarter of its step is neither kernels nor copies; of the other one a tenth.
    assert (right.kind, right.share, right.true, wrong.true) == ("all others", 0.25, True, False)


def test_the_table_counts(capture: Path) -> None:
    lines = table([judge("a", capture, TRUE), judge("b", capture, {**TRUE, "copies": 10.0})]).splitlines()

    assert lines[2] == "| a | 40.0 ms | 30.0 ms | 0.0 ms | 40.0 ms | yes | all others (25.0%) | yes |"
    assert "Step right: 2 of 2." in lines
    assert "First statement true: 1 of 2." in lines
    assert lines[-2].startswith("Batch copies take at least 15% of the span: 1;")
