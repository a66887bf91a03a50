"""The worked example: its commands run on its training and end as the page says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.proof.effect import Effect
from tfperf_plugin.proof.tuning import Tuning
from tfperf_plugin.proof.verdict import Verdict

PAGE = REPOSITORY / "tfperf_plugin" / "docs" / "worked_example.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
SCRIPTS = {re.findall(r"This is (\w+\.py)\.", text)[0]: text for kind, text in BLOCKS if kind == "python"}

Run = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command of the page where its ``train.py`` is."""
    for name, script in SCRIPTS.items():
        (tmp_path / name).write_text(script, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }

    def runs(command: str) -> subprocess.CompletedProcess[str]:
        tfperf, *arguments = shlex.split(command)
        assert tfperf == "tfperf"
        return subprocess.run(
            [sys.executable, "-m", "tfperf_plugin.cli", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return runs


def verdicts(folder: Path) -> dict[str, Verdict]:
    """Side B of each trial → its verdict, as its file holds it."""
    found = [
        msgspec.json.decode(path.read_bytes(), type=Verdict)
        for path in folder.glob("tfperf-try/*/verdict.json")
    ]
    return {each.b: each for each in found}


@pytest.mark.slow
@pytest.mark.alone
def test_the_commands_of_the_page(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    record, report, try_cache, try_threads = COMMANDS[:4]

    recorded = run(record)
    assert (recorded.returncode, "next: tfperf report logs" in recorded.stderr) == (0, True), recorded.stderr
    # Where other programs keep the processors busy, that limits the input, and is said first.
    assert re.search(r"\[(input-bound|processors-full)\] critical", run(report).stdout)
    assert "fix: Cache what does not change between epochs" in run("tfperf show input-bound logs").stdout

    better = run(try_cache)
    assert (better.returncode, better.stdout[:7]) == (0, "Better:"), better.stdout + better.stderr
    found = verdicts(tmp_path)["python train.py --cache"]
    assert (found.verdict, found.finding, len(found.launches)) == ("better", "input-bound", 12)
    assert found.effect
    assert found.effect.high < 0.7
    assert {guard.state for guard in found.guards} == {"holds"}

    refused = run(try_threads)
    shown = refused.stdout + refused.stderr
    assert refused.stdout.split(":")[0] in ("Unproven", "Neither better nor worse"), shown
    assert verdicts(tmp_path)["OMP_NUM_THREADS=1 python train.py"].verdict in ("unproven", "same")


@pytest.mark.slow
@pytest.mark.alone
def test_a_cache_is_found_and_proven_by_one_command(run: Run, tmp_path: Path) -> None:
    """Other programs may keep the processors busy, so that launches differ too much for a proof."""
    pytest.importorskip("tensorflow")

    done = run(COMMANDS[4])

    assert "This tries cache" in done.stderr, done.stderr
    assert done.stdout.split(":")[0] in ("Better", "Unproven"), done.stdout + done.stderr
    (proven,) = tmp_path.glob("tfperf-tune/*/together/verdict.json")
    found = msgspec.json.decode(proven.read_bytes(), type=Verdict)
    assert found.effect
    assert found.effect.ratio < 0.7
    assert found.b == "python photos.py with cache"


@pytest.mark.slow
@pytest.mark.alone
def test_workers_of_a_loader_are_tried_by_one_command(run: Run, tmp_path: Path) -> None:
    """Where other programs leave no processor free, processes bring nothing, and nothing is to be proven."""
    pytest.importorskip("torch")

    done = run(COMMANDS[5])

    assert "This tries loader-workers=" in done.stderr, done.stderr
    (tuned,) = tmp_path.glob("tfperf-tune/*/tune.json")
    found = msgspec.json.decode(tuned.read_bytes(), type=Tuning)
    assert (found.ended, [each.finding for each in found.tried]) == (True, ["input-bound"])
    (look,) = tuned.parent.glob("loader-workers=*/verdict.json")
    reasons = msgspec.json.decode(look.read_bytes(), type=Verdict).reasons
    assert any("DataLoader(num_workers=" in reason for reason in reasons)


def test_the_verdict_shown_has_the_fields_of_the_file() -> None:
    (shown,) = [json.loads(text) for kind, text in BLOCKS if kind == "json"]

    assert shown.keys() <= set(Verdict.__struct_fields__)
    assert msgspec.convert(shown["effect"], Effect).verdict == shown["verdict"]
