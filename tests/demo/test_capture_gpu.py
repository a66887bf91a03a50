import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from demo.capture_gpu import __main__ as program
from demo.capture_gpu import table
from demo.capture_gpu.causes import CAUSES, KERAS_CAUSES
from demo.capture_gpu.pairs import Runs, attempt
from demo.capture_gpu.table import HEAD, Pair
from tests.reports import make_report
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.readers.logdirs.finding import find_runs

INPUT, *_, CALLBACKS = CAUSES


def test_causes_name_rules_that_exist() -> None:
    every = (*CAUSES, *KERAS_CAUSES)

    assert {rule for cause in every for rule in cause.rules} <= {rule.id for rule in RULES}
    assert len({cause.folder for cause in every}) == len(every)


def test_the_table_counts_what_is_named_first_of_what_was_judged() -> None:
    good = Pair(INPUT, 20_000_000, 14_000_000, make_report(), make_report())
    wrong = dataclasses.replace(good, cause=CALLBACKS)
    text = table.table([good, wrong, Pair(INPUT, failure="out of memory")], "GPU", "JAX 1", 20)

    head, _, *rows = (line for line in text.splitlines() if line.startswith("|"))
    assert head == "| " + " | ".join(HEAD) + " |"
    assert [row.count("|") for row in rows] == [len(HEAD) + 1] * 3
    assert "failed: out of memory" in rows[2]
    assert "1 of 2 causes are named first." in text


@pytest.mark.parametrize(
    ("missing", "options", "sentence"),
    [("jax", [], program.NO_JAX), ("keras", ["--keras"], program.NO_KERAS)],
)
def test_what_is_not_installed_is_named_in_one_sentence(
    missing: str,
    options: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else "there")

    assert program.main(options) == 2
    assert capsys.readouterr() == ("", sentence + "\n")


def test_a_pair_that_fails_says_why(tmp_path: Path) -> None:
    def fail() -> Runs:
        raise RuntimeError("RESOURCE_EXHAUSTED: out of memory\nlong story")

    assert attempt(INPUT, fail, tmp_path, 5, 1).failure == "RESOURCE_EXHAUSTED: out of memory"


def test_every_pair_is_trained_recorded_and_analysed(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    keras = ["--keras"] if importlib.util.find_spec("keras") else []
    command = [sys.executable, "-m", "demo.capture_gpu", "--out", str(tmp_path / "logs"), *keras]
    command += ["--table", str(tmp_path / "table.md")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    assert (tmp_path / "table.md").read_text(encoding="utf-8") == done.stdout
    causes = (*CAUSES, *KERAS_CAUSES) if keras else CAUSES
    rows = [line for line in done.stdout.splitlines() if line.startswith("|")][2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {cause.name}" for cause in causes]
    assert {run.name.rpartition("/")[0] for run in find_runs(str(tmp_path / "logs"))} == {
        f"{cause.folder}/{kind}" for cause in causes for kind in ("planted", "healthy")
    }


def test_products_are_timed_and_judged(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    from demo.capture_gpu.products import CASES

    command = [sys.executable, "-m", "demo.capture_gpu", "--products", "--out", str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    rows = [line for line in done.stdout.splitlines() if line.startswith("|")][2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {case.name}" for case in CASES]
    assert len(find_runs(str(tmp_path))) == len(CASES)
