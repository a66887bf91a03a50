"""A launch runs as it is, whatever it does; what it measured is told, or why it measured nothing."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import REPOSITORY
from tests.processes import ends
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.proof.child import Outcome, run_child
from tfperf_plugin.recording.launch import Request

PYTHON = sys.executable
SLEEPS = "import time; print('begun', flush=True); time.sleep(600)"


@pytest.fixture
def ran(tmp_path: Path) -> Callable[..., Outcome]:
    """``ran(*command, **environment)``: what becomes of a command; its output goes into ``log``, if given."""

    def run(*command: str, log: Path | None = None, limit_s: float = 60.0, **environment: str) -> Outcome:
        request = Request(str(tmp_path / "out"), profile=False, end=True)
        folder = tmp_path if log else None
        return run_child(command, request, environment, pytest.fail, folder=folder, log=log, limit_s=limit_s)

    return run


def test_input_output_environment_and_exit_code_are_the_commands_own(
    ran: Callable[..., Outcome], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIVEN", "before")
    code = "import os, sys; print(os.environ['GIVEN']); print('err', file=sys.stderr); sys.exit(7)"

    assert ran(PYTHON, "-c", code).exit_code == 7
    assert ran(PYTHON, "-c", code, GIVEN="now").exit_code == 7
    assert capfd.readouterr() == ("before\nnow\n", "err\nerr\n")


def test_a_launch_of_a_trial_runs_in_its_folder_and_writes_into_its_log(
    ran: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GONE", "1")
    monkeypatch.setenv("KEPT", "")
    code = "import os; print(os.getcwd(), os.getenv('GONE'), repr(os.getenv('KEPT')), os.getenv('SET'))"

    assert ran(PYTHON, "-c", code, log=tmp_path / "log", GONE="", SET="2").exit_code == 0
    assert (tmp_path / "log").read_text(encoding="utf-8") == f"{tmp_path.resolve()} None '' 2\n"


def test_a_launch_that_hangs_is_ended(ran: Callable[..., Outcome]) -> None:
    began = time.monotonic()
    outcome = ran(PYTHON, "-c", "import time; time.sleep(60)", limit_s=1.0)

    assert (outcome.launch, outcome.seen) == (None, "It was ended since it took longer than 1 s.")
    assert time.monotonic() - began < 30


def test_a_command_that_a_signal_ended_has_the_exit_code_that_a_shell_gives(
    ran: Callable[..., Outcome],
) -> None:
    assert ran("sh", "-c", "kill -9 $$").exit_code == 137


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        ((PYTHON, "-c", "pass"), "Python ran, but imported neither Keras, JAX nor PyTorch."),
        (
            (PYTHON, "-c", "import sys; sys.exit(3)"),
            "The command ended with exit code 3 before enough steps were made.",
        ),
        (
            ("true",),
            "The command started no Python that tfperf could watch: python -E, -I and -S leave out "
            "PYTHONPATH, and so do sudo and containers.",
        ),
        ((PYTHON, "-I", "-c", "pass"), " -I leaves out PYTHONPATH, through which tfperf sees steps."),
        ((PYTHON, "-E", "-c", "pass"), " -E leaves out PYTHONPATH, through which tfperf sees steps."),
        ((PYTHON, "-SB", "-c", "pass"), " -SB leaves out PYTHONPATH, through which tfperf sees steps."),
    ],
)
def test_what_was_seen_is_said_where_nothing_was_measured(
    ran: Callable[..., Outcome], command: tuple[str, ...], seen: str
) -> None:
    outcome = ran(*command)

    assert outcome.seen.endswith(seen)
    assert (outcome.launch, outcome.ended) == (None, False)


def test_of_a_long_output_the_end_is_kept(ran: Callable[..., Outcome], tmp_path: Path) -> None:
    log = tmp_path / "log"
    ran(PYTHON, "-c", "print('x' * 3_000_000); print('end')", log=log)

    assert log.stat().st_size == 1 << 20
    assert log.read_text().endswith("xxx\nend\n")


def test_a_full_disk_is_said(
    ran: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    log = tmp_path / "log"

    assert ran(PYTHON, "-c", "1 / 0", log=log).seen == f"The disk of {log} is full."


def test_what_cannot_be_started_or_written_is_said_before(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadOptionError, match=r"nosuch cannot be started: No such file or directory\."):
        run_child(["nosuch"], Request(str(tmp_path)), {}, pytest.fail)
    with pytest.raises(BadOptionError, match=r"file/x cannot be written: Not a directory\."):
        run_child([PYTHON, "-c", "1 / 0"], Request(str(tmp_path / "file" / "x")), {}, pytest.fail)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(
    ("before", "how"),
    [
        ("", [signal.SIGINT]),
        ("", [signal.SIGTERM]),
        ("trap '' INT TERM; ", [signal.SIGINT, signal.SIGINT]),  # who presses it twice does not wait
        ("trap '' INT TERM; ", [signal.SIGINT, signal.SIGTERM]),
    ],
)
def test_what_ends_tfperf_ends_the_command_and_all_that_it_started(
    tmp_path: Path, before: str, how: list[signal.Signals]
) -> None:
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    script = f"{before}{PYTHON} {tmp_path}/sleeps.py & echo $!; wait"
    code = (
        "import sys; from tfperf_plugin.proof.child import Request, run_child\n"
        "run_child(['sh', '-c', sys.argv[1]], Request(sys.argv[2], profile=False, end=True), {}, print)"
    )
    tfperf = subprocess.Popen(
        [PYTHON, "-c", code, script, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )
    assert tfperf.stdout
    process = int(tfperf.stdout.readline())
    assert tfperf.stdout.readline() == "begun\n"
    for which in how:
        tfperf.send_signal(which)
        time.sleep(0.5)

    assert tfperf.wait(30) == -signal.SIGINT
    assert ends(process)
