"""Follows the tours of CONTRIBUTING.md literally: writes their files and runs their commands, in a copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "CONTRIBUTING.md"
RULES = "tfperf_plugin/judging/rules"
COPIED = ("tfperf_plugin", "demo", "tests", "pyproject.toml")
FENCE, FLAGS = r"^(`{3,})(\w+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.png", "e2e")


class Block(NamedTuple):
    """A fenced block: its language, its text, and the file that the heading above it names, if any."""

    language: str
    text: str
    path: str


def tour(title: str) -> list[Block]:
    text = PAGE.read_text(encoding="utf-8")
    _, _, text = text.partition(f"## {title}\n")
    text = text[: next(m.start() for m in re.finditer(FENCE + "|^## ", text, FLAGS) if m[0] == "## ")]
    blocks = []
    for section in re.split(r"^### \d+\. ", text, flags=re.MULTILINE)[1:]:
        named = re.match(r"[^\n]*: `([^`\n]+)`\n", section)
        fences = re.findall(FENCE, section, FLAGS)
        for _, language, body in fences:
            blocks.append(Block(language, body, named[1] if named else ""))
    return blocks


def added(text: str, diff: str) -> str:
    """``text`` with the lines of ``diff`` that begin with ``+``, beside the others, which are there once."""
    lines = diff.splitlines(keepends=True)
    assert all(line[0] in " +" for line in lines), "the tour only adds lines"
    before = "".join(line[1:] for line in lines if line[0] == " ")
    assert text.count(before) == 1, f"not there, or not once:\n{before}"
    return text.replace(before, "".join(line[1:] for line in lines))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as it is, without what the tour does not need."""
    folder = tmp_path_factory.mktemp("copy") / "tfperf"
    folder.mkdir()
    for name in COPIED:
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, folder / name, ignore=LEFT_OUT)
        else:
            shutil.copyfile(REPOSITORY / name, folder / name)
    return folder


def run(command: str, folder: Path) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = os.environ | {"PATH": programs, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-2000:]}"


def follow(title: str, copy: Path) -> None:
    """Writes the files of a tour and runs its commands."""
    blocks = tour(title)
    for block in blocks:
        path = copy / block.path
        if block.language in ("python", "markdown"):
            assert not path.exists(), f"the tour makes {block.path}, which is there already"
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            path.write_text(added(path.read_text(encoding="utf-8"), block.text), encoding="utf-8")
        else:
            assert block.language == "sh"
            for command in block.text.splitlines():
                run(command, copy)

    assert {"python", "diff", "sh"} <= {block.language for block in blocks}


@pytest.mark.slow
def test_who_follows_the_first_tour_has_a_rule(copy: Path) -> None:
    follow("Add a rule in 30 minutes", copy)

    golden = (copy / "tests" / "golden" / "random_numbers.md").read_text(encoding="utf-8")
    assert "## 1. Random numbers in kernels of their own" in golden
    assert "The report says:" in (copy / RULES / "one_gpu" / "random_numbers.md").read_text(encoding="utf-8")
    run("python -m tfperf_plugin.cli explain random-numbers", copy)


@pytest.mark.slow
def test_who_follows_the_second_tour_has_an_artifact(copy: Path) -> None:
    follow("Add an artifact in 15 minutes", copy)

    report = "python -m tfperf_plugin.cli report OUT --format json"
    run("python -m demo.build OUT --only healthy_single_gpu", copy)
    run(f"{report} | grep -qE '\"kernels_at_once\": ?1'", copy)


def test_targets_of_the_page_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    assert {name for name in re.findall(r"\bmake ([a-z]+)", text) if name not in targets} == set()


def test_a_diff_that_fits_nowhere_is_noticed() -> None:
    assert added("a\nb\n", " a\n+x\n b\n") == "a\nx\nb\n"
    for text in ("a\nc\n", "a\nb\na\nb\n"):
        with pytest.raises(AssertionError):
            added(text, " a\n+x\n b\n")
