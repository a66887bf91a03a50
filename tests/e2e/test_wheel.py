"""What is installed from the wheel works: on the command line, and in the oldest TensorBoard in a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page

from demo.reports import demo_logdir
from tests.conftest import REPOSITORY
from tests.e2e.conftest import demo_run
from tests.e2e.tab import LIMIT_MS
from tests.matrix import environment
from tests.matrix.cells import BY_NAME, IN_THE_SUITE
from tests.matrix.runs import logdir_of_all
from tests.wheels import build_wheel, install_beside
from tfperf_plugin.judging import rules

STATIC = REPOSITORY / "tfperf_plugin" / "tensorboard" / "static"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def assert_reports(command: Sequence[str | Path], folder: Path, **settings: str) -> None:
    """This command, run in this folder, makes the report of a demo run."""
    run = ("report", demo_logdir("input_bound"), "--run", demo_run("input_bound"), "--format", "json")
    done = subprocess.run(
        [*command, *run], env=os.environ | settings, capture_output=True, text=True, cwd=folder, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["findings"][0]["id"] == "input-bound"


def test_the_wheel_holds_what_is_needed_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    packaged = {name for name in names if name.startswith("tfperf_plugin/")}
    assert {
        *(f"tfperf_plugin/tensorboard/static/{path.name}" for path in STATIC.iterdir()),
        "tfperf_plugin/py.typed",
        "tfperf_plugin/docs/http_api.md",
        "tfperf_plugin/docs/python_api.md",
        "tfperf_plugin/judging/rules/README.md",
        *(f"tfperf_plugin/judging/rules/{r.group}/{r.id.replace('-', '_')}.md" for r in rules.RULES),
    } <= packaged
    assert {Path(name).parts[0].partition("-")[0] for name in names} == {"tfperf_plugin"}
    assert any(name.endswith("licenses/NOTICE") or name.endswith("info/NOTICE") for name in names)
    assert sorted(name for name in packaged if name.endswith(".py")) == sorted(
        str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "tfperf_plugin").rglob("*.py")
    )


def test_the_installed_command_reports(wheel: Path, tmp_path: Path) -> None:
    """The dependencies are those at hand."""
    assert_reports([install_beside(wheel, tmp_path) / "tfperf"], tmp_path)


def test_a_wheel_can_be_built_and_used_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/bin/false")
    path = build_wheel(tmp_path)

    assert not [name for name in zipfile.ZipFile(path).namelist() if name.endswith((".so", ".pyd", ".c"))]
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(path).extractall(unpacked)
    code = (
        "from tfperf_plugin.cli import main; from tfperf_plugin.readers.xspace import compiled; import sys;"
        "assert compiled.library() is None; sys.exit(main(sys.argv[1:]))"
    )
    assert_reports([sys.executable, "-c", code], tmp_path, PYTHONPATH=str(unpacked))


def test_the_oldest_versions_without_profile_plugin_and_tensorflow(
    wheel: Path, tmp_path: Path, page: Page
) -> None:
    """The cell of the matrix that needs least; ``make matrix`` tries all of them. It needs the package index,
    as setting up for the tests does."""
    cell = BY_NAME[IN_THE_SUITE]
    if sys.version_info >= cell.below:
        pytest.skip(f"there are no wheels of {', '.join(cell.requirements)} for this Python")
    logdir, runs = logdir_of_all(tmp_path / "logdir")
    python = environment.make(cell, wheel, tmp_path / "environment")

    reports = {run: environment.report(sys.executable, logdir, run) for run in runs}
    for run, expected in reports.items():
        assert environment.differences(expected, environment.report(python, logdir, run)) == []
    run = runs[0]  # it has findings with places

    def look(address: str) -> None:
        assert_no_links(page, f"{address}#diagnostics&p.diagnostics.run={run}")

    assert environment.differences(reports[run], environment.served(python, cell, logdir, run, look)) == []


def assert_no_links(page: Page, address: str) -> None:
    """The tab shows places in words, and no link into a trace viewer that is not there."""
    page.goto(address)
    tab = page.frame_locator('iframe[src$="plugin_entry.html?name=diagnostics"]')
    tab.get_by_text("TensorBoard’s profile plugin is missing").first.wait_for(timeout=LIMIT_MS)
    assert tab.get_by_role("link", name="Open in trace viewer").count() == 0
    assert tab.get_by_role("button", name="Show in trace").count() == 0
