import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from demo import capture
from demo.__main__ import first_finding
from demo.build import build
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.recording.record import read_records

pytestmark = pytest.mark.slow


def test_without_tensorflow_the_capture_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert capture.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == capture.NO_TENSORFLOW + "\n"
    assert list(tmp_path.iterdir()) == []


def test_a_real_training_is_profiled(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    command = [sys.executable, "-m", "demo.capture", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)

    (profile,) = tmp_path.rglob("*.xplane.pb")
    assert profile.relative_to(tmp_path).as_posix().startswith("real_cpu_input/train/plugins/profile/")
    data = profile.read_bytes()
    assert b"Profiled batch" in data
    assert b"Iterator::Root::Prefetch" in data
    (run,) = find_runs(str(tmp_path))
    (record,) = read_records(run.records)
    assert record.file.name.startswith("real_cpu_input/plugins/diagnostics/")
    assert (record.content.batch_size, record.content.parameters) == (
        capture.BATCH,
        8 * (27 + 1) + 10 * (8 + 1),
    )


def test_the_first_finding_of_a_run_is_what_the_command_line_says(tmp_path: Path) -> None:
    build(tmp_path, ["idle_gpus", "healthy_single_gpu"])

    assert first_finding(tmp_path, "idle_gpus/2026_01_01_00_00_00").startswith("critical: Idle GPUs: 6 of 8")
    assert first_finding(tmp_path, "healthy_single_gpu/2026_01_01_00_00_00") == "nothing to improve"
    assert "no_such_run" in first_finding(tmp_path, "no_such_run")
