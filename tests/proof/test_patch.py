"""The patch that writes what switches gave to calls into the code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.proof.trials import launch, measured
from tests.recording.test_switches import KERAS, TORCH
from tests.recording.test_switches import measured as run_once
from tfperf_plugin.proof import patch
from tfperf_plugin.proof.code import contents
from tfperf_plugin.proof.files import hash_of
from tfperf_plugin.recording.launch import Place

FUSED = "Adam(fused=True)"


def place(call: str = FUSED, line: int = 1) -> Place:
    return Place(call, "train.py", line)


@pytest.mark.parametrize(
    ("source", "call", "line", "changed"),
    [
        ("Adam(weights)", FUSED, 1, "Adam(weights, fused=True)"),
        ("'ä', optim.Adam(f(1), lr=2)", FUSED, 1, "'ä', optim.Adam(f(1), lr=2, fused=True)"),
        ("Adam()", FUSED, 1, "Adam(fused=True)"),
        ("\nAdam(\n  weights,  # all\n)\n", FUSED, 2, "\nAdam(\n  weights, fused=True,  # all\n)\n"),
        ("(a\n .b('x'))\r\n", "b(jit_compile=True)", 2, "(a\n .b('x', jit_compile=True))\r\n"),
        (
            "for x in DataLoader(Data(), 4): pass",
            "DataLoader(num_workers=2, persistent_workers=True)",
            1,
            "for x in DataLoader(Data(), 4, num_workers=2, persistent_workers=True): pass",
        ),
    ],
)  # fmt: skip
def test_arguments_are_written_behind_those_of_the_call(
    source: str, call: str, line: int, changed: str
) -> None:
    assert patch.with_arguments(source, place(call, line)) == changed


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("Adam(weights, fused=False)", FUSED),
        ("Adam(weights, **options)", FUSED),
        ("Adam(*given)", FUSED),
        ("Adam(1, 2, 3, 4, 5, 6)", FUSED),
        ("Adam(weights) or Adam(others)", FUSED),
        ("Optimizer(weights)", FUSED),
        ("\nAdam(weights)", FUSED),
        ("Adam((weights))", FUSED),
        ("Adam(each for each in weights)", FUSED),
        ("Adam(weights", FUSED),
        ("Adam(weights)", "Adam of 3 groups"),
    ],
)
def test_what_is_not_sure_stays(source: str, call: str) -> None:
    assert patch.with_arguments(source, place(call)) == source


@pytest.fixture
def training(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    file = tmp_path / "here" / "train.py"
    file.write_text("Adam(weights)\nAdam(others)\nSGD(others)\n", encoding="utf-8")
    return file


def said(training: Path, here: Path, *places: Place) -> list[str]:
    """What is said of the patch of a launch that saw ``training`` as it was at first."""
    first = {os.path.relpath(training, here): hash_of(b"Adam(weights)\nAdam(others)\nSGD(others)\n")}
    found = replace(launch(), places=tuple(replace(each, file=str(training)) for each in places))
    patch.write(here, here, measured(1, "B", sources=first, launch=found))
    return list(patch.said(here))


def test_all_calls_are_in_one_patch(training: Path) -> None:
    here = training.parent

    lines = said(training, here, place(), place(line=2), place("SGD(fused=True)", 3), place(line=9))

    assert lines[0] == (
        "A patch writes Adam(fused=True) at train.py:1, Adam(fused=True) at train.py:2, SGD(fused=True) at "
        "train.py:3:"
    )
    subprocess.run(lines[1][2:], shell=True, cwd=here, check=True)
    assert training.read_text(encoding="utf-8") == (
        "Adam(weights, fused=True)\nAdam(others, fused=True)\nSGD(others, fused=True)\n"
    )


def test_only_files_that_are_as_they_were_seen_below_the_folder_are_patched(training: Path) -> None:
    other = training.parent / "other"
    other.mkdir()

    assert said(training, other, place()) == []
    assert said(training, training.parent, place(line=9)) == []
    training.write_text("Adam(weights)\n", encoding="utf-8")
    assert said(training, training.parent, place()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "switches", "calls"),
    [
        (
            TORCH,
            ["fused-optimizer", "loader-workers=1"],
            ["AdamW(model.parameters(), fused=True)", "num_workers=1, persistent_workers=True)"],
        ),
        (
            KERAS.replace(", jit_compile=False", ""),
            ["steps-per-execution=4", "jit-compile"],
            ["steps_per_execution=4", "jit_compile=True"],
        ),
    ],
    ids=["PyTorch", "Keras"],
)
def test_a_patched_training_runs_with_the_change(
    tmp_path: Path, program: str, switches: list[str], calls: list[str]
) -> None:
    """The switches find nothing to change in it any more."""
    found = run_once(tmp_path, program, *switches)
    file = tmp_path / "train.py"
    patch.write(tmp_path, tmp_path, measured(1, "B", sources=contents([file], tmp_path), launch=found))
    (_, command) = patch.said(tmp_path)

    assert file.read_text(encoding="utf-8") == program
    subprocess.run(f"{command[2:]} --check", shell=True, cwd=tmp_path, check=True)
    subprocess.run(command[2:], shell=True, cwd=tmp_path, check=True)
    patched = file.read_text(encoding="utf-8")
    assert all(call in patched for call in calls)
    assert run_once(tmp_path, patched, *switches).switched == {}
