"""Trials of real commands: bad ones, one that is interrupted, and a real Keras training."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import TFPERF, environment

KERAS = """
import os, pathlib, sys
pathlib.Path(os.environ["PIDS"], str(os.getpid())).touch()
import keras
import numpy as np
keras.utils.set_random_seed(1)
model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
x = np.ones((400, 4), "float32")
model.fit(x, x[:, :1], batch_size=int(os.environ.get("BATCH", "4")), epochs=50, verbose=0)
"""


def tfperf_try(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    (folder / "pids").mkdir(exist_ok=True)
    (folder / "train.py").write_text(KERAS, encoding="utf-8")
    return subprocess.Popen(
        [*TFPERF, "try", "--out", "out", *arguments],
        cwd=folder,
        env=environment(PIDS=str(folder / "pids"), XDG_STATE_HOME=str(folder / "state")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["-c", "import sys; print('begun', flush=True); sys.exit('no data')"], "It ends with 'no data'."),
        (["-c", "input()"], "EOFError"),
    ],
)
def test_a_command_without_a_step_ends_with_a_sentence(tmp_path: Path, command: list[str], said: str) -> None:
    process = tfperf_try(tmp_path, "--aa", "--", sys.executable, *command)
    out, error = process.communicate(timeout=60)

    assert (process.returncode, out) == (3, "")
    last = error.splitlines()[-1]
    assert last.startswith("tfperf: Launch 1 of 12 (side ")
    assert said in last
    assert "nothing was measured, and the same command tries it again." in last
    assert sorted(path.name for path in (tmp_path / "out").glob("*.json")) == ["plan.json"]


def wait_for(path: Path, pattern: str, seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not any(path.glob(pattern)):
        assert time.monotonic() < until, f"{pattern} did not come"
        time.sleep(0.1)


def ended(folder: Path) -> bool:
    return not any(Path("/proc", path.name).exists() for path in (folder / "pids").iterdir())


@pytest.mark.slow
@pytest.mark.usefixtures("heard")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="tells by /proc whether a process has ended")
def test_ctrl_c_ends_the_training_and_the_same_command_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    options = ["--env", "BATCH=8", "--after", "5", "--steps", "10", "--", sys.executable, "train.py"]
    process = tfperf_try(tmp_path, *options)
    wait_for(tmp_path / "out", "launch-001.json")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert "1 of 12 launches are kept in out; the same command goes on." in error.splitlines()[-1]
    assert ended(tmp_path)
    first = (tmp_path / "out" / "launch-001.json").read_bytes()

    process = tfperf_try(tmp_path, *options)
    out, error = process.communicate(timeout=300)
    assert process.returncode == 3, error
    assert "1 of 12 launches are there already" in error
    assert out.startswith("Not comparable:")
    assert "Batch: 4 in launch" in out or "Batch: 8 in launch" in out
    assert (tmp_path / "out" / "launch-001.json").read_bytes() == first
    assert len(list((tmp_path / "out").glob("launch-*.json"))) <= 3
    assert ended(tmp_path)
