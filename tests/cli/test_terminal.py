"""What tfperf writes to a terminal: lines that fit, and progress that leaves nothing behind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from demo.build import build
from tests.logdirs import add_run
from tests.processes import TFPERF, environment, tfperf
from tfperf_plugin.cli.output import fit

ERASE = "\r\x1b[K"


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    build(folder, ["gpu_stagger", "slow_host"])
    return folder


def typed(*arguments: str, columns: int = 80, stdout: int | None = None, **environment: str) -> str:
    """What a terminal of so many columns receives, from stderr alone if ``stdout`` goes elsewhere."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [*TFPERF, *arguments],
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env={**kept, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # Linux: nobody writes to it any more
            break
        if not part:
            break
        received += part
    os.close(ours)
    process.wait()
    return received.decode().replace("\r\n", "\n")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 132])
@pytest.mark.parametrize("command", ["report", "compare", "rules", "explain"])
def test_lines_fit(logdir: Path, command: str, columns: int) -> None:
    runs = [str(logdir / "gpu_stagger"), str(logdir / "slow_host")]
    arguments = {"report": runs[:1], "compare": runs, "rules": [], "explain": ["gpu-stagger"]}[command]

    lines = re.sub(r"\x1b\[\d*[mK]", "", typed(command, *arguments, columns=columns)).split("\n")

    assert len(lines) > 10
    for line in lines:
        code = line.lstrip().startswith("$ ") or (line.startswith("      ") and command == "explain")
        assert len(line.rpartition("\r")[2]) <= columns or code or len(line.split()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 120, 250])
def test_a_narrow_terminal_leaves_out_columns(logdir: Path, columns: int) -> None:
    typed("report", str(logdir), "--run", "gpu_stagger", stdout=subprocess.DEVNULL)

    shown = re.sub(r".*\x1b\[K", "", typed("runs", str(logdir), columns=columns)).splitlines()

    table = [line for line in shown if not line.startswith("tfperf: ")]
    assert len(table) == 3
    assert max(map(len, table)) <= columns
    assert ("Launch skew across GPUs (critical)" in "".join(table)) == (columns > 100)
    assert ("Each step" in table[0]) == (columns == 250)


def test_where_the_width_is_unknown_lines_take_80_columns(logdir: Path) -> None:
    done = tfperf("report", str(logdir / "slow_host"), env=environment(COLUMNS=""))

    longest = max(len(line) for line in done.stdout.splitlines() if len(line.split()) > 1)
    assert 70 < longest <= 80
    assert done.stderr == ""


def test_breaks_keep_numbers_words_and_colors_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    assert fit("  1. ▲ warning  GPUs wait for each other 12.5 ms") == (
        "  1. ▲ warning  GPUs wait for each other\n                12.5 ms"
    )
    assert fit("     → Use a larger batch, if it brings 12.5 ms") == (
        "     → Use a larger batch, if it brings\n       12.5 ms"
    )
    assert fit("   160.3 ms  computing and a little more of it") == (
        "   160.3 ms  computing and a little more\n             of it"
    )
    assert fit("a " + "x" * 50 + " b") == "a\n" + "x" * 50 + "\nb"
    assert fit("\x1b[1m" + "word " * 7 + "word\x1b[0m") == "\x1b[1m" + "word " * 7 + "word\x1b[0m"
    assert fit("語" * 19 + " 語語") == "語" * 19 + "\n語語"
    command = "$ ncu --set full --launch-count 1 PROGRAM"
    assert fit(f"     \x1b[2m  \x1b[0m{command}") == f"     \x1b[2m  \x1b[0m{command}"
    assert fit("short\n\n  lines  stay") == "short\n\n  lines  stay"


def test_long_names_do_not_fill_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    assert fit(f"{'x' * 300} b") == f"{'x' * 300}\nb"
    assert fit(f"a {'x' * 16_000} b") == f"a\n{'x' * 300}…\nb"
    assert len(fit("int, " * 4000)) < 1100
    assert fit("\x1b[1m" + "int, " * 4000 + "\x1b[0m").endswith("…\x1b[0m")
    cut_inside_a_color = fit("a " * 499 + "\x1b[1mb" * 9)
    assert "\x1b" not in cut_inside_a_color.removesuffix("\x1b[0m")


def test_progress_says_what_is_read_and_how_far_and_goes_away(logdir: Path) -> None:
    received = typed("report", str(logdir), "--run", "slow_host", "--no-cache", stdout=subprocess.DEVNULL)

    shown = received.split(ERASE)
    assert shown[0] == shown[-1] == ""
    assert any("Reading the profile, host 2 of 4 (slow_host/" in line for line in shown)
    shares = [int(line.split()[0]) for line in shown if " % · " in line]
    assert shares == sorted(shares) and shares[-1] > shares[0] == 0
    assert all(len(line) < 80 and "\n" not in line for line in shown)
    assert len(shown) < 40


def test_progress_never_goes_back_and_runs_of_one_name_are_told_apart(logdir: Path) -> None:
    folders = [str(logdir / name) for name in ("gpu_stagger", "slow_host")]
    received = typed("compare", *folders, "--no-cache")

    assert "base: gpu_stagger/2026_01_01_00_00_00\n" in received
    assert "new: slow_host/2026_01_01_00_00_00\n" in received

    stages = re.findall(r"\d+ % · ([^,(]*\w)[^(]*\((base|new): 2026", received)
    assert {which for _, which in stages} == {"base", "new"}
    for run in ("base", "new"):
        said = [stage for stage, which in stages if which == run]
        assert len(set(said)) > 3
        assert said == sorted(said, key=said.index)


@pytest.mark.parametrize("name", ["no_such_run", "bad"])
def test_errors_start_on_a_clean_line(tmp_path: Path, name: str) -> None:
    add_run(tmp_path, "bad")

    received = typed("report", str(tmp_path), "--run", name)

    assert re.search(r"\r\x1b\[Ktfperf: [^\r]+\n$", received)


def test_a_terminal_without_escapes_sees_no_progress(logdir: Path) -> None:
    assert "Reading" not in typed("report", str(logdir), "--no-cache", TERM="dumb")


def test_a_hostile_name_cannot_move_the_line_of_progress(tmp_path: Path) -> None:
    add_run(tmp_path, "\x1b[2J\n" + "long" * 40)

    received = typed("report", str(tmp_path), stdout=subprocess.DEVNULL)

    assert set(re.findall(r"\x1b\[.", received)) == {"\x1b[K"}
    assert received.count("\n") == 1
