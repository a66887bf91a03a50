"""The GitHub Action: its scripts run here as a runner would run them, with this checkout's tfperf."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.reports import demo_logdir
from tests.conftest import REPOSITORY

RUN = "gpu_stagger/2026_01_01_00_00_00"


@pytest.fixture(scope="module")
def action() -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))


def script(action: Any, name: str) -> str:
    (step,) = [step for step in action["runs"]["steps"] if step["name"] == name]
    return str(step["run"])


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A folder with a ``tfperf`` of this checkout, and a ``gh`` that writes down what it is asked."""
    for name, does in (
        ("tfperf", f'exec "{sys.executable}" -m tfperf_plugin.cli "$@"'),
        ("gh", 'printf "%s\\n" "$*" >> "$RUNNER_TEMP/asked"; case "$*" in *paginate*) echo "$FORMER";; esac'),
    ):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)
    return tmp_path


def run(runner: Path, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{runner / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "XDG_CACHE_HOME": str(runner),
        "RUNNER_TEMP": str(runner),
        "GITHUB_STEP_SUMMARY": str(runner / "step"),
        "GITHUB_OUTPUT": str(runner / "output"),
        **variables,
    }
    # As a runner starts bash where an action names it.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(command, env=environment, cwd=runner, capture_output=True, text=True, check=False)


def judged(runner: Path, action: Any, **inputs: str) -> tuple[str, int]:
    """The summary, and the exit code of the whole action."""
    given = {"RUN": "", "BASE": "", "FAIL_ON": "more", "FAIL_ON_FINDING": "", **inputs}
    done = run(runner, script(action, "Judge"), **given)
    assert done.returncode == 0, done.stderr
    outputs = dict(line.split("=", 1) for line in (runner / "output").read_text().splitlines())
    summary = Path(outputs["summary"]).read_text(encoding="utf-8")
    assert (runner / "step").read_text(encoding="utf-8") == summary
    return summary, run(runner, script(action, "Verdict"), CODE=outputs["code"]).returncode


@pytest.mark.parametrize(("severity", "code"), [("critical", 1), ("", 0)])
def test_it_says_what_costs_time_and_may_fail_on_findings(
    runner: Path, action: Any, severity: str, code: int
) -> None:
    logdir = demo_logdir("gpu_stagger")

    summary, found = judged(runner, action, LOGDIR=logdir, RUN=RUN, FAIL_ON_FINDING=severity)

    assert summary.startswith(f"<!-- tfperf -->\n\n```text\ntfperf-agent 1 | run {RUN} | ")
    assert summary.endswith("python train.py\n```\n")
    assert found == code


MORE = "\n> A step has 226 kernels, not 86. A step has 227 ops on the host, not 87.\n"


@pytest.mark.parametrize(
    ("base", "fail_on", "code", "says"),
    [
        ("kernel_launch_bound", "more", 0, "\n### "),
        ("healthy_single_gpu", "more", 1, MORE),
        ("healthy_single_gpu", "never", 0, "\n### "),
    ],
)
def test_it_fails_if_a_step_does_more(
    runner: Path, action: Any, base: str, fail_on: str, code: int, says: str
) -> None:
    saved = runner / "base.json"
    asked = f'tfperf report --format=json --run={base} "{demo_logdir(base)}" > {saved}'
    assert run(runner, asked).returncode == 0
    logdir = demo_logdir("kernel_launch_bound")

    summary, found = judged(
        runner, action, LOGDIR=logdir, RUN="kernel_launch_bound", BASE=str(saved), FAIL_ON=fail_on
    )

    assert says in summary
    assert "\ntfperf-agent 1 | run kernel_launch_bound/" in summary
    assert found == code


def test_an_error_is_part_of_the_summary(runner: Path, action: Any) -> None:
    hostile = '"; touch hacked; $(touch hacked) `touch hacked`'

    summary, code = judged(runner, action, LOGDIR=hostile, RUN="--scheduler=x", BASE=hostile)

    assert "\nerror run-not-found: There is no log directory " in summary
    assert code == 2
    assert not (runner / "hacked").exists()


@pytest.mark.parametrize("former", ["", "7"])
def test_the_comment_is_replaced(runner: Path, action: Any, former: str) -> None:
    given = {"COMMENTS": "repos/o/r/issues/3/comments", "ONE": "repos/o/r/issues/comments", "SUMMARY": "s.md"}

    done = run(runner, script(action, "Comment"), FORMER=former, **given)

    assert done.returncode == 0, done.stderr
    last = (runner / "asked").read_text().splitlines()[-1]
    where = "--method PATCH repos/o/r/issues/comments/7" if former else f"--method POST {given['COMMENTS']}"
    assert last == f"api {where} --field body=@s.md --silent"


def test_inputs_are_never_part_of_a_script(action: Any) -> None:
    """Else a branch name or an input could run as code."""
    assert [step["name"] for step in action["runs"]["steps"] if "${{" in step["run"]] == []
    assert {"logdir", "run", "base", "fail-on", "fail-on-finding", "comment", "token"} == set(
        action["inputs"]
    )
