"""``tfperf history``, and what ``tfperf compare`` adds to it and reads from it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli import assert_one_line
from tests.compare.test_compare import around, run
from tfperf_plugin import cli
from tfperf_plugin.compare.launches import workload_of
from tfperf_plugin.proof.effect import rounds
from tfperf_plugin.proof.history import Row, append, read
from tfperf_plugin.report.serialize import to_json

Capture = pytest.CaptureFixture[str]
EQUAL = Row("2026-11-21T06:21:58Z", workload_of(run()), "1f2e3d", ms=12.5, sd=0.02, equal=(0.02, -0.02) * 6)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "tfperf" / "history.jsonl"


def saved(folder: Path, order: Any, after: float, timed: bool = True) -> tuple[list[str], list[str]]:
    """Reports on launches in this order, each recorded a minute after the one before."""
    sides: tuple[list[str], list[str]] = [], []
    for number, side in enumerate(order):
        name = f"{side}/2026_01_01_00_{number:02}_00" if timed else f"{side}{number}"
        report = run(around(20.0 if side == "A" else after, 0.01, number), name=name)
        file = folder / f"{number}.json"
        file.write_text(json.dumps(to_json(report)), encoding="utf-8")
        sides[side == "B"].append(str(file))
    return sides


def test_an_empty_history_says_so(state: Path, capsys: Capture) -> None:
    assert cli.main(["history"]) == 0
    assert_one_line(capsys.readouterr().err, f"{state} holds nothing yet.")
    assert cli.main(["history", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rows": [], "floors": {}, "skipped": 0}


def test_rows_and_what_equal_launches_differ_by(state: Path, capsys: Capture) -> None:
    append(EQUAL)
    append(Row("2026-11-22T06:21:58Z", "other", verdict="worse\x1b[31m", change=0.5, equal=(0.01,)))
    with state.open("a") as opened:
        opened.write('{"time":"a","workload":"w","equal":[800,900,1000]}\n')
        opened.write(json.dumps({"time": "a", "workload": "w" * 900}) + "\n")

    assert cli.main(["history"]) == 0
    printed = capsys.readouterr()
    assert "12.5 ms" in printed.out
    assert "+50 %" in printed.out
    assert "\x1b" not in printed.out
    assert max(map(len, printed.out.splitlines())) < 250
    assert "w…" in printed.out
    assert (
        f"{EQUAL.workload}: 12 pairs of equal launches; changes of up to 6.3 % do not count." in printed.out
    )
    assert "other: 1 pair of equal launches; 12 tell which changes count." in printed.out
    assert_one_line(printed.err, "1 line of")

    assert cli.main(["history", "--history", str(state), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["floors"] == {
        EQUAL.workload: pytest.approx(0.063, abs=0.001),
        "other": None,
        "w" * 900: None,
    }
    assert answer["skipped"] == 1
    assert answer["rows"][0] == to_json(EQUAL)


def test_launches_that_took_turns_are_judged_and_kept_where_asked(
    tmp_path: Path, state: Path, capsys: Capture
) -> None:
    base, new = saved(tmp_path, rounds(6, random.Random(1)), 25.0)
    file = tmp_path / "kept.jsonl"

    assert cli.main(["compare", "--base", *base, "--new", *new, "--history", str(file)]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "▲ Worse: a step takes 24." in text
    assert "before 2026-01-01 00:" in text
    assert not state.exists()
    (row,) = read(file).rows
    assert (row.verdict, row.workload) == ("worse", EQUAL.workload)


def test_equal_launches_of_the_history_decide_about_others(tmp_path: Path, capsys: Capture) -> None:
    base, new = saved(tmp_path, "AABB", 25.0, timed=False)
    arguments = ["compare", "--base", *base, "--new", *new, "--format", "json"]

    assert cli.main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "unproven"
    append(EQUAL)
    assert cli.main(arguments) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["launches"]["method"]) == ("worse", "floor")


def test_one_launch_a_side_may_be_named_by_options(tmp_path: Path, capsys: Capture) -> None:
    base, new = saved(tmp_path, "AB", 25.0)

    assert cli.main(["compare", "--base", *base, "--new", *new]) == 0
    by_options = capsys.readouterr().out
    assert cli.main(["compare", *base, *new]) == 0
    assert capsys.readouterr().out == by_options
