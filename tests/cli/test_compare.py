"""``tfperf compare``: where its runs come from, what it prints, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli import assert_one_line
from tests.compare.test_compare import run
from tests.logdirs import add_run
from tfperf_plugin import cli
from tfperf_plugin.cli import report as report_command
from tfperf_plugin.cli.output import fit
from tfperf_plugin.compare.build import compare
from tfperf_plugin.compare.render import to_markdown, to_text
from tfperf_plugin.errors import RunNotFound
from tfperf_plugin.readers.logdirs.places import at
from tfperf_plugin.report import model
from tfperf_plugin.report.serialize import to_json

Capture = pytest.CaptureFixture[str]
OLD, MIDDLE, NEW = (f"2026_01_0{day}_00_00_00" for day in (1, 2, 3))
SLOW, FAST = run([20.0] * 10, name="slow"), run([15.0] * 10, name="fast")
OTHER = run([15.0] * 10, gpus=0)


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """``reports(DAY=report)`` lets the analysis of that day's run return this; it returns the runs asked."""

    def replace_analysis(**known: model.Report) -> list[str]:
        asked: list[str] = []

        def analyse(chosen: Any, options: Any, progress: Any, *, cache: Any) -> model.Report:
            asked.append(f"{chosen.name}{'' if cache else ' anew'}")
            return known[chosen.path.name[:10].replace("2026", "day")]

        monkeypatch.setattr(report_command, "make_report", analyse)
        return asked

    return replace_analysis


@pytest.fixture
def logdir(tmp_path: Path) -> str:
    for name in (OLD, MIDDLE, f"train/{NEW}"):
        add_run(tmp_path / "logs", name)
    return str(tmp_path / "logs")


def saved(path: Path, report: model.Report) -> str:
    path.write_text(json.dumps(to_json(report)), encoding="utf-8")
    return str(path)


def test_two_runs_of_one_log_directory(logdir: str, reports: Any, capsys: Capture) -> None:
    asked = reports(day_01_01=SLOW, day_01_03=FAST)

    code = cli.main(["compare", logdir, logdir, "--base-run", OLD])

    printed = capsys.readouterr()
    assert asked == [OLD, f"train/{NEW}"]
    assert (code, printed.err, printed.out) == (
        0,
        "",
        fit(to_text(compare(SLOW, FAST), color=False), widest=0.6),
    )


def test_folders_of_runs(logdir: str, reports: Any, capsys: Capture) -> None:
    asked = reports(day_01_01=SLOW, day_01_02=FAST)
    folder = Path(logdir) / "plugins" / "profile"

    code = cli.main(
        [
            *("compare", str(folder / MIDDLE), f"{folder / OLD}/", "--format", "markdown", "--no-cache"),
            "--assume-drift=3%",
        ]
    )

    assert asked == [f"{MIDDLE} anew", f"{OLD} anew"]
    assert (code, capsys.readouterr().out) == (1, to_markdown(compare(FAST, SLOW, 0.03)))


def test_the_folder_of_keras_keeps_what_the_training_recorded_above_it(logdir: str) -> None:
    folder = Path(logdir) / "train" / "plugins" / "profile" / NEW

    found = at(str(folder))

    assert found and (found.name, found.path.name) == (f"train/{NEW}", NEW)
    assert at(logdir) is None
    with pytest.raises(RunNotFound):
        at(str(folder.parent / "none"))


def test_saved_reports(tmp_path: Path, logdir: str, reports: Any, capsys: Capture) -> None:
    reports(day_01_03=FAST)

    code = cli.main(["compare", saved(tmp_path / "base.json", SLOW), logdir, "--format", "json"])

    assert (code, json.loads(capsys.readouterr().out)) == (0, to_json(compare(SLOW, FAST)))


LONGER = run([20.8] * 10)
WITHIN, BEYOND = (
    "within the 5 % by which launches",
    "larger than the 3 % by which launches of one training are taken",
)
UNPROVEN = "Unproven: a step takes 20.0 ms instead of 15.0 ms (+33 %)."


@pytest.mark.parametrize(
    ("base", "new", "options", "code", "words"),
    [
        (SLOW, FAST, "--drift 3%", 0, "Better"), (SLOW, FAST, "--drift 3% --fail-on same", 0, ""),
        (SLOW, SLOW, "--drift 3%", 0, ""), (SLOW, SLOW, "--drift 3% --fail-on same", 1, ""),
        (SLOW, SLOW, "--drift 3% --fail-on never", 0, ""),
        (FAST, SLOW, "--drift 3%", 1, "Worse"), (FAST, SLOW, "--drift 3% --fail-on same", 1, ""),
        (FAST, SLOW, "--drift 3% --fail-on never", 0, ""), (FAST, SLOW, "--drift 3% --fail-on more", 0, ""),
        (FAST, SLOW, "", 0, UNPROVEN), (FAST, SLOW, "--fail-on same", 1, UNPROVEN),
        (FAST, SLOW, "--fail-on never", 0, UNPROVEN),
        (SLOW, run([15.0]), "--drift 3%", 3, "record ten (new run)"),
        (SLOW, run([15.0]), "--drift 3% --fail-on never", 3, "These runs cannot be compared."),
        (SLOW, LONGER, "--drift 3%", 1, BEYOND), (SLOW, LONGER, "--drift 5%", 0, WITHIN),
        (SLOW, LONGER, "--drift 0.05 --fail-on same", 1, WITHIN),
        (SLOW, LONGER, "--drift 0.02", 1, "larger than the 2 % by which launches"),
    ],
)  # fmt: skip
def test_drift_and_what_shall_fail_decide_the_exit_code(
    tmp_path: Path,
    capsys: Capture,
    base: model.Report,
    new: model.Report,
    options: str,
    code: int,
    words: str,
) -> None:
    files = saved(tmp_path / "base.json", base), saved(tmp_path / "new.json", new)

    assert cli.main(["compare", *files, *options.split()]) == code
    printed = capsys.readouterr()
    assert printed.err == ""
    assert words in " ".join(printed.out.split())


def test_what_makes_no_sense_is_one_line(tmp_path: Path, logdir: str, capsys: Capture) -> None:
    whole = to_json(SLOW)
    older = tmp_path / "older.json"
    older.write_text(json.dumps({k: v for k, v in whole.items() if k != "workload"}), encoding="utf-8")
    broken = tmp_path / "broken.json"
    broken.write_text('{"schema_version": ', encoding="utf-8")
    good = saved(tmp_path / "good.json", SLOW)

    for arguments, words in (
        ([logdir, logdir], "BASE and NEW are the same run"),
        ([str(older), good], "is no report of this version of tfperf. Save it anew"),
        ([str(broken), good], "is no report of this version of tfperf"),
        ([good, str(tmp_path / "none")], "There is no log directory"),
        ([good, logdir, "--new-run", "nope"], "No run is called 'nope'"),
        ([good, logdir, "--base-run", "x"], "holds no run 'x' to choose"),
        ([good, good], "BASE and NEW are the same run"),
        ([good], "Name two runs: tfperf compare BASE NEW"),
        ([good, logdir, "--base", good], "or with --base and --new, but not both"),
        (["--base", good, logdir], "Name launches of both sides"),
        (["--base", good, good, "--new", logdir], "good.json is named twice"),
        ([good, logdir, "--drift", "5"], "drift between launches: is 5 a percentage? Write 5 %"),
    ):
        assert cli.main(["compare", *arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert_one_line(printed.err, words)
