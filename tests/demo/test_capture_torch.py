"""Real trainings in PyTorch, with and without a planted cause."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demo import capture_torch
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.readers.logdirs.finding import find_runs


def test_causes_name_rules_and_trainings_that_exist() -> None:
    assert {rule for cause in capture_torch.CAUSES for rule in cause.rules} <= {rule.id for rule in RULES}
    assert all(hasattr(capture_torch, cause.training) for cause in capture_torch.CAUSES)


def test_without_pytorch_it_says_so_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(capture_torch, "torch", None)

    assert capture_torch.main([]) == 2
    assert capsys.readouterr() == ("", capture_torch.NO_TORCH + "\n")


@pytest.mark.slow
def test_every_pair_is_trained_recorded_and_analysed(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "demo.capture_torch", "--out", str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    rows = [line for line in done.stdout.splitlines() if line.startswith("|")][2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {cause.name}" for cause in capture_torch.CAUSES]
    folders = sorted(f"{c.folder}/{kind}" for c in capture_torch.CAUSES for kind in ("planted", "healthy"))
    assert sorted(run.name.rpartition("/")[0] for run in find_runs(str(tmp_path))) == folders
