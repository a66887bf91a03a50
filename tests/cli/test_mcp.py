"""The server for agents without a shell: it says what the command line says, and can do nothing else."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.reports import demo_logdir
from tests.conftest import REPOSITORY
from tfperf_plugin import cli
from tfperf_plugin.cli.mcp import make_server

RUN = "gpu_stagger/2026_01_01_00_00_00"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def logdir() -> str:
    demo_logdir("input_bound")
    return demo_logdir("gpu_stagger")


def test_without_the_extra_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)

    assert cli.main(["mcp"]) == 2
    assert (
        capsys.readouterr().err == "tfperf: tfperf mcp needs its extra: pip install 'tfperf-plugin[mcp]'.\n"
    )


def asked(*calls: tuple[str, dict[str, Any]], server: Any = None) -> list[tuple[bool, str]]:
    """Whether each call of a tool failed, and what it said."""
    mcp = pytest.importorskip("mcp")

    async def ask() -> list[tuple[bool, str]]:
        async with mcp.Client(server or make_server()) as client:
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [(bool(one.is_error), "".join(part.text for part in one.content)) for one in results]

    return asyncio.run(ask())


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    cli.main(arguments)
    return capsys.readouterr().out


def test_tools_say_what_the_command_line_says(logdir: str, capsys: pytest.CaptureFixture[str]) -> None:
    report, shown, runs, compared = asked(
        ("report", {"logdir": logdir, "run": RUN}),
        ("show", {"logdir": logdir, "id": "gpu-stagger", "run": RUN, "page": 2}),
        ("runs", {"logdir": logdir}),
        ("compare", {"base": f"{logdir}/gpu_stagger", "new": f"{logdir}/input_bound"}),
    )

    assert report == (False, printed(capsys, "report", logdir, "--run", RUN, "--format", "agent"))
    assert shown == (False, printed(capsys, "show", "gpu-stagger", logdir, "--run", RUN, "--page", "2"))
    assert compared == (False, printed(capsys, "compare", f"{logdir}/gpu_stagger", f"{logdir}/input_bound"))
    assert not runs[0] and RUN in runs[1]


def test_errors_have_the_shape_of_the_command_line(logdir: str) -> None:
    (no_run, no_id, option, usage) = asked(
        ("report", {"logdir": logdir, "run": "other"}),
        ("show", {"logdir": logdir, "id": "gpu-stager", "run": RUN}),
        ("report", {"logdir": "--scheduler=tcp://localhost:1"}),
        ("show", {"logdir": logdir, "id": "gpu-stagger", "run": RUN, "page": 99}),
    )

    assert no_run[0] and "error run-not-found: No run is called 'other' below" in no_run[1]
    assert f"\nnext: tfperf runs {logdir}" in no_run[1]
    assert no_id[0] and "error not-in-report: " in no_id[1] and f"--run {RUN} --format agent" in no_id[1]
    assert (
        option[0]
        and "error run-not-found: There is no log directory --scheduler=tcp://localhost:1." in option[1]
    )
    assert usage[0] and "error bad-option: There is no page 99" in usage[1]


def test_tools_only_read_and_are_told_in_few_bytes() -> None:
    mcp = pytest.importorskip("mcp")

    async def ask() -> Any:
        async with mcp.Client(make_server()) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(ask())
    assert [tool.name for tool in tools] == ["report", "show", "compare", "runs"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools) < 2_300


def test_it_talks_through_standard_input_and_output(logdir: str) -> None:
    """In a process of its own, which starts workers that have standard streams, too."""
    mcp = pytest.importorskip("mcp")
    started = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "tfperf_plugin.cli", "mcp"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )

    talk = mcp.stdio_client(started, errlog=sys.__stderr__)

    ((failed, text),) = asked(("report", {"logdir": logdir, "run": RUN}), server=talk)

    assert not failed and text.startswith(f"tfperf-agent 1 | run {RUN} | ")
