"""The server for agents without a shell: it says what the command line says, runs what its user accepts."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import mcp
import psutil
import pytest

from demo.reports import demo_logdir
from tests.processes import TFPERF, ends, environment
from tfperf_plugin import cli
from tfperf_plugin.cli.mcp import MOST_LINES, make_server

RUN = "gpu_stagger/2026_01_01_00_00_00"
T = TypeVar("T")


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


def asked(
    *calls: tuple[str, dict[str, Any]], server: Any = None, user: Any = None, mode: str = "auto"
) -> list[tuple[bool, str]]:
    """Whether each call of a tool failed, and what it said. ``user``: answers what tools ask."""

    async def ask() -> list[tuple[bool, str]]:
        async with mcp.Client(server or make_server(), elicitation_callback=user, mode=mode) as client:
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [(bool(one.is_error), "".join(part.text for part in one.content)) for one in results]

    return finished(ask())


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


def test_tools_say_whether_they_run_something_and_are_told_in_few_bytes() -> None:
    async def ask() -> Any:
        async with mcp.Client(make_server()) as client:
            return (await client.list_tools()).tools

    tools = finished(ask())
    assert [tool.name for tool in tools] == ["report", "show", "compare", "runs", "record", "try", "tune"]
    assert [tool.annotations.read_only_hint for tool in tools] == [True] * 4 + [False] * 3
    assert all(tool.annotations.destructive_hint and tool.annotations.open_world_hint for tool in tools[4:])
    assert sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools) < 3_300


def talk(*options: str) -> Any:
    """A server in a process of its own."""
    program, *arguments = (*TFPERF, "mcp", *options)
    started = mcp.StdioServerParameters(command=program, args=arguments, env=environment())
    return mcp.stdio_client(started, errlog=sys.__stderr__)


def test_it_talks_through_standard_input_and_output(logdir: str) -> None:
    """In a process of its own, which starts workers that have standard streams, too."""
    ((failed, text),) = asked(("report", {"logdir": logdir, "run": RUN}), server=talk())

    assert not failed and text.startswith(f"tfperf-agent 1 | run {RUN} | ")


class User:
    """Answers each question in the same way, and keeps what was asked."""

    def __init__(self, action: str = "accept", run: bool = True) -> None:
        self.questions: list[str] = []
        self._answer = {"action": action, "content": {"run": run} if action == "accept" else None}

    async def __call__(self, _: Any, question: Any) -> Any:
        from mcp.types import ElicitResult

        self.questions.append(question.message)
        return ElicitResult(**self._answer)


def record(folder: Path, code: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """The call of a tool that runs ``code`` in Python."""
    return "record", {"command": [sys.executable, "-c", code], "folder": str(folder), **more}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_command_runs_as_the_user_read_it(tmp_path: Path, mode: str) -> None:
    user = User()
    code = "import os, sys; print(os.getcwd(), sys.argv[1:]); print('no', sys.stdin.read())"
    name, given = record(tmp_path, code, options=["--steps", "5"])
    given["command"] += ["a b", "$(touch made); --out x"]

    ((failed, said),) = asked((name, given), user=user, mode=mode)

    (question,) = user.questions
    asked_in, _, line = question.partition("\n\n")
    assert asked_in == f"Run this command in {tmp_path}, with your rights?"
    assert shlex.split(line) == ["tfperf", "record", "--end", "--steps", "5", "--", *given["command"]]
    assert not failed
    assert said.splitlines() == [
        f"{tmp_path} ['a b', '$(touch made); --out x']",
        "no",
        "tfperf: Python ran, but imported neither Keras, JAX nor PyTorch.",
        "exit code 0",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


@pytest.mark.parametrize(
    ("user", "said"),
    [
        (User("decline"), "Nothing ran: the user did not agree."),
        (User("cancel"), "Nothing ran: the user did not agree."),
        (User("accept", run=False), "Nothing ran: the user did not agree."),
        (None, "Nothing ran: this client cannot ask its user"),
    ],
)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("name", ["record", "try", "tune"])
def test_nothing_runs_without_consent(
    tmp_path: Path, user: User | None, said: str, mode: str, name: str
) -> None:
    ((failed, text),) = asked((name, record(tmp_path, MAKES)[1]), user=user, mode=mode)

    assert failed and said in text
    assert list(tmp_path.iterdir()) == []


MAKES = "open('made', 'w')"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"command": ["echo", "\x1b[2Kharmless"]}, "some that do not print"),
        ({"command": ["echo", "a\nb"]}, "some that do not print"),
        ({"command": ["echo", "\u202eharmless"]}, "some that do not print"),
        ({"options": ["\u2066"]}, "some that do not print"),
        ({"command": ["echo", " " * 1000]}, "no command of more than 1000 characters"),
        ({"folder": "nowhere"}, "there is no folder nowhere"),
    ],
)
def test_what_a_user_could_not_judge_is_not_asked(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    user = User()

    ((failed, text),) = asked(("tune", {**record(tmp_path, MAKES)[1], **given}), user=user)

    assert failed and "Nothing ran: " in text and said in text
    assert user.questions == []


def test_a_server_that_may_run_commands_asks_nobody(tmp_path: Path) -> None:
    user = User()

    for each in (user, None):
        ((failed, _),) = asked(record(tmp_path, MAKES), server=make_server(asks=False), user=each)
        assert not failed
    assert (tmp_path / "made").exists() and user.questions == []


def test_a_command_that_fails_is_an_error_with_the_end_of_its_output(tmp_path: Path) -> None:
    code = "for i in range(100_000): print('line', i)\nraise SystemExit('\\x1b[31mbroken\\r' * 2)"
    recorded, unknown, option = asked(
        record(tmp_path, f"exec({code!r})"),
        ("tune", {"command": ["nosuch"], "folder": str(tmp_path)}),
        ("try", {"command": ["true"], "folder": str(tmp_path), "options": ["--swich", "x"]}),
        user=User(),
    )

    assert recorded[0] and recorded[1].endswith("exit code 1\n")
    assert recorded[1].startswith("Error executing tool record: …\n")
    assert "line 99999\n" in recorded[1] and "[31mbroken\n" in recorded[1]
    assert len(recorded[1].splitlines()) <= MOST_LINES + 2 and "\x1b" not in recorded[1]
    assert unknown[0] and "nosuch cannot be started: No such file or directory." in unknown[1]
    assert option[0] and "did you mean --switch?" in option[1]


SLEEPS = "import os, time; print(os.getpid(), file=open('made', 'w'), flush=True); time.sleep(600)"


@pytest.fixture(params=[signal.SIG_DFL, signal.SIG_IGN], ids=["", "in the background"])
def interrupts(request: pytest.FixtureRequest) -> Iterator[None]:
    """What SIGINT does in this process, and in what it starts."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("name", ["record", "tune"])
def test_a_call_that_is_canceled_ends_what_it_runs(tmp_path: Path, name: str, mode: str) -> None:
    async def cancel() -> None:
        async with mcp.Client(make_server(), elicitation_callback=User(), mode=mode) as client:
            call = await begun(client, name, tmp_path)
            call.cancel()
            await asyncio.wait([call])
            assert await client.list_tools()  # the server still answers

    finished(cancel())
    assert ends(pid_in(tmp_path))


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("name", ["record", "tune"])
def test_what_runs_ends_with_the_client_and_with_the_server(tmp_path: Path, name: str, told: bool) -> None:
    others = set(psutil.Process().children())

    async def leave() -> None:
        async with mcp.Client(talk("--run-commands")) as client:
            call = await begun(client, name, tmp_path)
            if told:
                (server,) = set(psutil.Process().children()) - others
                server.terminate()
                assert await asyncio.to_thread(ends, pid_in(tmp_path))
        await asyncio.wait([call])
        assert call.exception()

    finished(leave())
    assert ends(pid_in(tmp_path))


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` returns, in a thread of its own: tests of browsers leave an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def begun(client: Any, name: str, folder: Path) -> asyncio.Task[Any]:
    """A call whose command runs."""
    call = asyncio.create_task(client.call_tool(name, record(folder, SLEEPS)[1]))
    while not pid_in(folder) and not call.done():
        await asyncio.sleep(0.1)
    return call


def pid_in(folder: Path) -> int:
    made = folder / "made"
    return int(made.read_text() or 0) if made.exists() else 0
