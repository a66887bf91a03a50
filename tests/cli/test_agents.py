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


KNOWN = "\nknown: b/run, a/run"


@pytest.mark.parametrize(
    ("given", "told", "next_"),
    [
        ("show x LOGS --run other",
         rf"run-not-found: No run is called 'other' below LOGS\.{KNOWN}", "runs LOGS"),
        ("report --format agent LOGS --run=run",
         rf"run-not-found: 2 runs below LOGS fit 'run'\.{KNOWN}", "runs LOGS"),
        ("report NOWHERE --format=agent",
         r"run-not-found: There is no log directory NOWHERE\.", "runs NOWHERE"),
        ("show x LOGS --run a/run",
         r"unreadable-input: LOGS/a/plugins/profile/run/host\.xplane\.pb: .*", "runs LOGS"),
        ("show", "bad-usage: the following arguments are required: ID, LOGDIR .*", "show --help"),
        ("report LOGS --format agent --jobs x",
         "bad-usage: argument --jobs: must be a whole number .*", "report --help"),
        ("report LOGS --format agent --without x", "bad-option: --without needs .*", "report --help"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_known_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, given: str, told: str, next_: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (add_run(tmp_path / "LOGS" / name, "run") / "host.xplane.pb").write_bytes(b"no profile")

    text = printed(capsys, *given.split(), code=2)

    assert re.fullmatch(f"error {told}\nnext: tfperf {next_}\n", text), text
    command = shlex.split(text.splitlines()[-1].removeprefix("next: "))
    if "--help" not in command:
        cli.parser((command[1],)).parse_args(command[1:])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RunNotFound("No run.\nnext: tfperf x; there are: a, c", ["a\nb", "c"]),
         'run-not-found: No run.�next: tfperf x.\nknown: "a�b", c\nnext: tfperf runs logs'),
        (OutOfTime("It took too long."),
         "out-of-time: It took too long.\nnext: tfperf report logs --run r --format agent --time-limit 3600"),
        (NotJudgeable("It holds nothing."),
         "not-judgeable: It holds nothing.\nnext: tfperf record -- python train.py"),
    ],
)  # fmt: skip
def test_each_kind_of_error_has_a_way_on(error: TfperfError, told: str) -> None:
    found = error_text(error, ["show", "--page", "2", "x", "logs", "--run", "r"])

    assert found == f"error {told}\n"


def test_other_formats_keep_their_errors(tmp_path: Path, capsys: Capture) -> None:
    add_run(tmp_path, "run")

    assert printed(capsys, "report", str(tmp_path), "--run", "agent", code=2).startswith(
        "tfperf: No run is called"
    )
