"""Programs of users are checked against the types that the wheel ships."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.wheels import build_wheel, install_beside

USER = """
from pathlib import Path

from tfperf_plugin import Report, RunNotFound, analyze, export, list_runs


def slowest(logdir: Path) -> tuple[str, int]:
    names: tuple[str, ...] = list_runs(logdir)
    try:
        report: Report = analyze(logdir, names[0], parameters="25.6M", bandwidth=230.0)
    except RunNotFound as error:
        return str(error), error.exit_code
    savings = [finding.saving.ns for finding in report.findings if finding.saving]
    step_ns: int = report.ledger.step_ns if report.ledger else 0
    text: str = export(report, "markdown")
    return text, step_ns - sum(savings)
"""
WRONG = """
from tfperf_plugin import analyze, export

report = analyze("logs", parameters=[1])
name: int = report.headline
report.nothing
export(report, "pdf")
"""
ERRORS = ("arg-type", "assignment", "attr-defined", "arg-type")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"))
    return install_beside(wheel, tmp_path_factory.mktemp("environment")) / "python"


def test_a_program_is_checked_with_what_is_installed(python: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python)]
    done = subprocess.run(
        [*command, "--no-error-summary", "user.py", "wrong.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("wrong.py:")] == []
    assert tuple(line.rpartition("[")[2].rstrip("]") for line in lines if ": error:" in line) == ERRORS
