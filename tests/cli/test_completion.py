"""Completion in real shells: what Tab offers, and that no name of a run is run as code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.logdirs import add_run
from tests.processes import environment
from tfperf_plugin import cli
from tfperf_plugin.judging.rules import RULES

HOSTILE = "$(touch hacked) `touch hacked`"

BASH = """
source <(tfperf completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tfperf tfperf
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = """
tfperf completion fish | source
complete -C (string join ' ' -- $argv) | string replace -r '\\t.*' ''
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a log directory and a ``tfperf`` of this checkout."""
    add_run(tmp_path / "logs", "gpu_stagger/2026_01_01_00_00_00")
    add_run(tmp_path / "logs", f"{HOSTILE}/2025_01_01_00_00_00")
    add_run(tmp_path / "others", "later")
    command = tmp_path / "bin" / "tfperf"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tfperf_plugin.cli "$@"\n')
    command.chmod(0o755)
    return tmp_path


def offered(home: Path, shell: str, *words: str) -> list[str]:
    """What Tab offers after these words."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = ["bash", "-c", BASH, "bash"] if shell == "bash" else ["fish", "--no-config", "-c", FISH]
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = environment(PATH=path, HOME=str(home))
    done = subprocess.run(
        [*command, "tfperf", *words], env=env, cwd=home, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return sorted(filter(None, done.stdout.split("\n")))


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("com",), ["compare", "completion"]),
        (("report", "--fo"), ["--format"]),
        (("report", "logs", "--format", ""), ["agent", "html", "json", "markdown", "text"]),
        (("report", "logs", "--fail-on", "c"), ["critical"]),
        (("compare", "--fail-on", "w"), ["worse"]),
        (("completion", ""), ["bash", "fish", "zsh"]),
        (("report", "logs", "--run", "gpu"), ["gpu_stagger/2026_01_01_00_00_00"]),
        (("compare", "logs", "others", "--base-run", "gpu"), ["gpu_stagger/2026_01_01_00_00_00"]),
        (("compare", "logs", "others", "--new-run", ""), ["later"]),
        (("explain", "gpu-stag"), ["gpu-stagger"]),
    ],
)
def test_what_is_offered(home: Path, shell: str, words: tuple[str, ...], expected: list[str]) -> None:
    assert offered(home, shell, *words) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--without", "gpu-stag"), ["gpu-stagger"]),
        (("--without", "step-gaps,gpu-stag"), ["step-gaps,gpu-stagger"]),
        (("--without", "too-few"), []),  # a note on the capture has no saving
        (("--try", "gpu-stagger:spr"), ["gpu-stagger:spread-of-first-kernels="]),
        (("--try", "gpu-stagger", ":", "spr"), ["spread-of-first-kernels="]),  # as bash splits it
        (
            ("--try", "step-gaps", ":"),
            ["share-that-a-named-cause-must-cover="],
        ),
    ],
)
def test_rules_to_choose_and_thresholds_to_try(
    home: Path, words: tuple[str, ...], expected: list[str]
) -> None:
    assert offered(home, "bash", "report", "logs", *words) == expected


@pytest.mark.slow
def test_options_with_an_equals_sign(home: Path) -> None:
    assert offered(home, "bash", "report", "logs", "--format", "=", "js") == ["json"]
    assert offered(home, "bash", "report", "~/logs", "--run", "=") == offered(
        home, "bash", "report", "logs", "--run", ""
    )


def test_names_of_runs_are_never_code(home: Path) -> None:
    (quoted,) = offered(home, "bash", "report", "logs", "--run", "$")
    said = subprocess.run(["bash", "-c", f"printf %s {quoted}"], cwd=home, capture_output=True, text=True)

    assert said.stdout == f"{HOSTILE}/2025_01_01_00_00_00"
    assert not list(home.rglob("hacked"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_option_and_rule_is_known(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out

    assert all(command in script for command in cli.COMMANDS)
    for option in ("--run", "--base-run", "--time-limit", "--without"):
        assert (f"-l {option[2:]} " if shell == "fish" else option) in script
    assert all(rule.id in script for rule in RULES)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_can_read_its_script(home: Path) -> None:
    script = subprocess.run([home / "bin" / "tfperf", "completion", "zsh"], capture_output=True, check=True)
    subprocess.run(["zsh", "-n"], input=script.stdout, check=True)
