"""What agents get from the command line: texts whose commands work, and errors of one shape."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from demo.reports import demo_logdir
from tests.logdirs import add_run
from tfperf_plugin import cli
from tfperf_plugin.cli.agents import error_text
from tfperf_plugin.errors import NotJudgeable, OutOfTime, RunNotFound, TfperfError

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def logdir() -> str:
    demo_logdir("gpu_stagger")
    return demo_logdir("kernel_launch_bound")


def printed(capture: Capture, *arguments: str, code: int = 0) -> str:
    assert cli.main(arguments) == code
    out, err = capture.readouterr()
    assert (err if code == 0 else out) == ""
    return err if code else out


def test_a_report_leads_to_what_it_names(logdir: str, capsys: Capture) -> None:
    report = printed(capsys, "report", logdir, "--run", "gpu_stagger", "--format", "agent")
    assert report.splitlines()[-1] == (
        f"next: tfperf try --finding gpu-stagger --of {logdir}/gpu_stagger/2026_01_01_00_00_00 "
        "--env TF_GPU_THREAD_MODE=gpu_private -- python train.py"
    )

    text = printed(capsys, "show", "idle.stagger", logdir, "--run", "gpu_stagger")
    assert text.startswith("tfperf-show 1 | idle.stagger | run gpu_stagger/2026_01_01_00_00_00 | ")
    command = shlex.split(text.splitlines()[-1].partition("next: ")[2])
    assert command[:3] == ["tfperf", "show", "gpu-stagger"]
    shown = printed(capsys, *command[1:])
    assert "\n[gpu-stagger] critical, " in shown
    assert re.search(r"report \w{8}", shown)[0] == re.search(r"report \w{8}", report)[0]  # type: ignore[index]
    second = printed(capsys, *shlex.split(shown.splitlines()[-1].partition("next: ")[2])[1:])
    assert re.match(r"rows 21-2\d of 2\d \| next: tfperf try ", second.splitlines()[-1])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            "show x LOGS --run other",
            r"""
error run-not-found: No run is called 'other' below LOGS\.
known: b/run, a/run
next: tfperf runs LOGS""",
        ),
        (
            "report --format agent LOGS --run=run",
            r"""
error run-not-found: 2 runs below LOGS fit 'run'\.
known: b/run, a/run
next: tfperf runs LOGS""",
        ),
        (
            "report NOWHERE --format=agent",
            r"""
error run-not-found: There is no log directory NOWHERE\.
next: tfperf runs NOWHERE""",
        ),
        (
            "show x LOGS --run a/run",
            r"""
error unreadable-input: LOGS/a/plugins/profile/run/host\.xplane\.pb: .*
next: tfperf runs LOGS""",
        ),
        (
            "show",
            r"""
error bad-usage: the following arguments are required: ID, LOGDIR .*
next: tfperf show --help""",
        ),
        (
            "report LOGS --format agent --jobs x",
            r"""
error bad-usage: argument --jobs: must be a whole number .*
next: tfperf report --help""",
        ),
        (
            "report LOGS --format agent --without x",
            r"""
error bad-option: --without needs .*
next: tfperf report --help""",
        ),
    ],
)
def test_an_error_says_what_is_known_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, given: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (add_run(tmp_path / "LOGS" / name, "run") / "host.xplane.pb").write_bytes(b"no profile")

    text = printed(capsys, *given.split(), code=2)

    assert re.fullmatch(f"{told.lstrip()}\n", text), text
    command = shlex.split(text.splitlines()[-1].removeprefix("next: "))
    if "--help" not in command:
        cli.parser((command[1],)).parse_args(command[1:])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            RunNotFound("No run.\nnext: tfperf x; there are: a, c", ["a\nb", "c"]),
            """
error run-not-found: No run.�next: tfperf x.
known: "a�b", c
next: tfperf runs logs
""",
        ),
        (
            OutOfTime("It took too long."),
            """
error out-of-time: It took too long.
next: tfperf report logs --run r --format agent --time-limit 3600
""",
        ),
        (
            NotJudgeable("It holds nothing."),
            """
error not-judgeable: It holds nothing.
next: tfperf record -- python train.py
""",
        ),
    ],
)
def test_each_kind_of_error_has_a_way_on(error: TfperfError, told: str) -> None:
    assert error_text(error, ["show", "--page", "2", "x", "logs", "--run", "r"]) == told.lstrip()


def test_other_formats_keep_their_errors(tmp_path: Path, capsys: Capture) -> None:
    add_run(tmp_path, "run")

    assert printed(capsys, "report", str(tmp_path), "--run", "agent", code=2).startswith(
        "tfperf: No run is called"
    )
