"""``tfperf record`` becomes its command; the process beside it says what was recorded, and leaves nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import environment, tfperf
from tfperf_plugin import cli

PYTHON = (sys.executable, "-c")


def record(
    tmp_path: Path, *command: str, options: tuple[str, ...] = ()
) -> tuple[subprocess.CompletedProcess[str], list[Path]]:
    """How the command ended, and what is left in the folder for temporary files.

    Whoever reads stderr to its end has waited for the process beside the training.
    """
    (tmp_path / "temporary").mkdir()
    env = environment(TMPDIR=str(tmp_path / "temporary"))
    done = tfperf("record", *options, "--", *command, folder=tmp_path, env=env)
    return done, list((tmp_path / "temporary").iterdir())


def test_of_a_training_that_a_signal_ended_nothing_is_guessed(tmp_path: Path) -> None:
    """It has imported JAX, here one that can be watched, and could not say how many steps it made."""
    (tmp_path / "jax.py").write_text("def jit(function): return function\n")
    code = "import os, sys; sys.path.insert(0, ''); import jax; os.kill(os.getpid(), 9)"
    done, left = record(tmp_path, *PYTHON, code)

    assert done.returncode == -9
    assert "the training ended at once, as by a signal, without a word on its steps." in done.stderr
    assert left == []


@pytest.mark.parametrize(
    ("command", "code", "out", "said"),
    [
        ((*PYTHON, "print('trained')"), 0, "trained\n",
         "Python ran, but imported neither Keras, JAX nor PyTorch."),
        (("nosuch",), 2, "", "nosuch cannot be started: No such file or directory."),
        ((*PYTHON, "open('logs')"), 2, "", "logs cannot be written: File exists. Name another folder."),
    ],
    ids=["no step", "no command", "no folder"],
)  # fmt: skip
def test_one_sentence_says_why_nothing_was_recorded(
    tmp_path: Path, command: tuple[str, ...], code: int, out: str, said: str
) -> None:
    if "logs" in said:
        (tmp_path / "logs").touch()
    done, left = record(tmp_path, *command)

    assert (done.returncode, done.stdout, done.stderr) == (code, out, f"tfperf: {said}\n")
    assert left == []


def test_options_of_the_command_are_its_own(tmp_path: Path) -> None:
    code = "import sys; print(sys.argv[1:])"
    done, _ = record(tmp_path, *PYTHON, code, "--steps", "9", "--", "--end", options=("--steps", "5"))

    assert done.stdout == "['--steps', '9', '--', '--end']\n"


@pytest.mark.parametrize("options", [["--steps", "0"], ["--after", "-1"], ["--after-seconds", "-1"]])
def test_numbers_that_make_no_sense(
    tmp_path: Path, options: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["record", "--out", str(tmp_path), *options, "--", "true"]) == 2
    assert "--after and --steps take a number from 1 on" in capfd.readouterr().err
