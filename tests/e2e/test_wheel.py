"""What is installed from the wheel works: in a clean environment, in TensorBoard and on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.e2e.tensorboard import tensorboard
from tests.wheels import build_wheel, install_beside
from tfperf_plugin.judging import rules

STATIC = REPOSITORY / "tfperf_plugin" / "tensorboard" / "static"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel; its dependencies are those at hand."""
    return install_beside(wheel, tmp_path_factory.mktemp("environment"))


def fetch(url: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(url) as response:
        return response.headers["Content-Type"], response.read()


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


def test_the_installed_command_reports(installed: Path, logdir: Path) -> None:
    command = [str(installed / "tfperf"), "report", str(logdir), "--run", "input_bound/2026_01_01_00_00_00"]
    done = subprocess.run(
        [*command, "--format", "json"], capture_output=True, text=True, check=False, cwd=installed
    )

    assert (done.returncode, done.stderr) == (0, "")
    report: Any = json.loads(done.stdout)
    assert report["findings"][0]["id"] == "input-bound"


def test_a_wheel_can_be_built_and_used_without_a_compiler(
    tmp_path: Path, logdir: Path, monkeypatch: pytest.MonkeyPatch
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
    command = [sys.executable, "-c", code, "report", str(logdir), "--run", "input_bound/2026_01_01_00_00_00"]
    done = subprocess.run(
        [*command, "--format", "json"],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["findings"][0]["id"] == "input-bound"


def test_the_installed_plugin_serves(installed: Path, logdir: Path) -> None:
    with tensorboard(logdir, python=str(installed / "python")) as address:
        listing = json.loads(fetch(f"{address}data/plugins_listing")[1])
        root = f"{address}data/plugin/diagnostics"
        module_type, module = fetch(f"{root}/static/index.js")
        page_type, page = fetch(f"{root}/page?rule=input-bound")
        runs = json.loads(fetch(f"{root}/runs")[1])["runs"]
        state = json.loads(fetch(f"{root}/report?run=input_bound/2026_01_01_00_00_00")[1])

    assert listing["diagnostics"]["tab_name"] == "Diagnostics"
    assert module_type.startswith("text/javascript")
    assert module == (STATIC / "index.js").read_bytes()
    assert page_type.startswith("text/html")
    assert b"How it is measured" in page
    assert "input_bound/2026_01_01_00_00_00" in [run["name"] for run in runs]
    assert state.get("run") == "input_bound/2026_01_01_00_00_00" or state["state"] == "running"
