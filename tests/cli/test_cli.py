"""The command line as a user meets it: what it prints, where, and its exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from demo.build import build
from tests.logdirs import add_run, many_hosts
from tests.processes import TFPERF, environment, tfperf
from tests.readers.nsight.writer import Export
from tests.reports import make_report
from tfperf_plugin import cli
from tfperf_plugin.cli import report as report_command
from tfperf_plugin.cli.output import fit
from tfperf_plugin.docs import GROUP_TITLES
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.execution import pipeline
from tfperf_plugin.execution.analyze import Analysis
from tfperf_plugin.judging import rules
from tfperf_plugin.judging.engine.page import general, general_code
from tfperf_plugin.report import model, serialize
from tfperf_plugin.report.options import Options, OtherThreshold
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown, to_text
from tfperf_plugin.version import __version__

Capture = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[[model.Report | BaseException], list[Any]]:
    """``made(report)`` lets the analysis return that report, or raise; it returns the list of its calls."""

    def replace_analysis(outcome: model.Report | BaseException) -> list[Any]:
        calls: list[Any] = []

        def analyse(run: Any, options: Options, progress: Any, *, build: Any, cache: Any) -> model.Report:
            calls.append((run.name, options, cache is not None))
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        monkeypatch.setattr(report_command, "make_report", analyse)
        with_arrays = lambda *given, **named: Analysis(analyse(*given, **named), {})  # noqa: E731
        monkeypatch.setattr(report_command, "make_analysis", with_arrays)
        return calls

    return replace_analysis


def assert_one_line(text: str, *parts: str) -> None:
    assert text.startswith("tfperf: ")
    assert text.endswith("\n") and text.count("\n") == 1
    assert "Traceback" not in text
    for part in parts:
        assert part in text


@pytest.mark.parametrize(
    ("form", "render"),
    [
        ("text", lambda report: fit(to_text(report, color=False))),
        ("markdown", to_markdown),
        ("json", serialize.to_text),
        ("html", to_html),
    ],
)
def test_report_prints_the_newest_run(
    tmp_path: Path, capsys: Capture, made: Any, form: str, render: Callable[[model.Report], str]
) -> None:
    add_run(tmp_path, "2026_01_01_00_00_00")
    add_run(tmp_path, "2026_01_02_00_00_00")
    report = make_report()
    calls = made(report)

    code = cli.main(["report", str(tmp_path), "--format", form])

    printed = capsys.readouterr()
    assert code == 0
    assert_one_line(printed.err, "Of 2 runs this is the newest", "--run NAME reports another")
    assert calls == [("2026_01_02_00_00_00", Options(), True)]
    assert printed.out.rstrip("\n") == render(report).rstrip("\n")


def test_alone_it_shows_its_help_with_examples(capsys: Capture) -> None:
    assert cli.main([]) == 0

    printed = capsys.readouterr()
    examples = printed.out.partition("examples:\n")[2].splitlines()
    assert printed.err == ""
    assert [line.split()[:2] for line in examples] == [
        ["tfperf", "record"],
        ["tfperf", "report"],
        ["tfperf", "report"],
        ["tfperf", "compare"],
    ]
    assert all(command in printed.out for command in cli.COMMANDS)
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"tfperf {__version__}\n"


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_has_a_help(capsys: Capture, command: str) -> None:
    with pytest.raises(SystemExit) as exit_info:
        cli.main([command, "--help"])

    assert exit_info.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: tfperf {command} ")


@pytest.mark.parametrize("place", ["plugins/profile/2026_run", "plugins/profile/2026_run/b.xplane.pb", "."])
def test_report_takes_a_run_a_folder_or_a_file(
    tmp_path: Path, capsys: Capture, made: Any, place: str
) -> None:
    add_run(tmp_path, "2026_run", "a", "b")
    add_run(tmp_path, "2025_run")
    calls = made(make_report())
    arguments = ["--run", "2026"] if place == "." else []

    assert cli.main(["report", str(tmp_path / place), *arguments]) == 0
    assert [name for name, *_ in calls] == ["2026_run"]
    note = capsys.readouterr().err
    if place.endswith(".pb"):
        assert_one_line(note, "Only b.xplane.pb is read", "to read all 2 hosts")
    else:
        assert note == ""


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["--parameters", "25.6e6", "--bandwidth", "230", "--no-cache"], (Options(25_600_000, 230.0), False)),
        (["--parameters", "334 million", "--bandwidth", "600 GB/s bidirectional"],
         (Options(334_000_000, 300.0, "as given, both directions halved"), True)),
        (["--try", "gpu-stagger:spread-of-first-kernels=3%", "--try", "severity:info=0.5 %"],
         (Options(tried=(OtherThreshold("gpu-stagger", "spread-of-first-kernels", 0.03),
                         OtherThreshold("severity", "info", 0.005))), True)),
    ],
)  # fmt: skip
def test_report_hands_its_options_on(
    tmp_path: Path, made: Any, arguments: list[str], call: tuple[Options, bool]
) -> None:
    add_run(tmp_path, "train/run")
    calls = made(make_report())

    assert cli.main(["report", str(tmp_path), "--run", "train/run", *arguments]) == 0
    assert calls == [("train/run", *call)]


TRUST = replace(
    make_report(severity="critical"), trust=make_report(severity="critical").findings, findings=()
)
UNJUDGED = replace(make_report(), findings=(), ledger=None)


@pytest.mark.parametrize(
    ("report", "fail_on", "code"),
    [
        (make_report(severity="critical"), None, 0),
        (make_report(severity="critical"), "critical", 1),
        (make_report(severity="critical"), "info", 1),
        (make_report(severity="warning"), "critical", 0),
        (make_report(severity="warning"), "warning", 1),
        (make_report(severity="info"), "warning", 0),
        (make_report(severity="info"), "info", 1),
        (with_words(TRUST), "critical", 1),
        # What cannot be judged passes no check.
        (with_words(UNJUDGED), None, 0),
        (with_words(UNJUDGED), "critical", 3),
    ],
)
def test_fail_on(
    tmp_path: Path, made: Any, capsys: Capture, report: model.Report, fail_on: str | None, code: int
) -> None:
    add_run(tmp_path, "run")
    made(report)

    assert cli.main(["report", str(tmp_path), *(["--fail-on", fail_on] if fail_on else [])]) == code
    printed = capsys.readouterr()
    assert printed.out
    assert ("Nothing in this profile can be judged" in printed.err) == (code == 3)


@pytest.mark.parametrize(
    ("error", "code", "part"),
    [
        (UnreadableInput("The file is cut\nshort."), 2, "The file is cut short."),
        (NotJudgeable("It holds no events."), 3, "It holds no events."),
        (KeyError("inner"), 2, "tfperf itself failed (KeyError"),
        (KeyboardInterrupt(), 130, "Interrupted"),
    ],
)
def test_errors_are_one_line(
    tmp_path: Path, capsys: Capture, made: Any, error: Any, code: int, part: str
) -> None:
    add_run(tmp_path, "run")
    made(error)

    assert cli.main(["report", str(tmp_path)]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert_one_line(printed.err, part)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["report"], "LOGDIR"),
        (["unknown"], "There is no command 'unknown'; the commands are report, record, watch, "),
        (["reprot", "LOGDIR"], "There is no command 'reprot'; did you mean report?"),
        (["LOGDIR"], "did you mean tfperf report /"),
        (["report", "LOGDIR", "--fromat", "json"], "arguments: --fromat json; did you mean --format?"),
        (["report", "LOGDIR", "--fromat=json"], "did you mean --format?"),
        (["report", "LOGDIR", "--format", "jsn"], "invalid choice: 'jsn'; did you mean json?"),
        (["report", "LOGDIR", "--parameters", "-1"], "must be a number from 1 to"),
        (["report", "LOGDIR", "--bandwidth", "inf"], "must be a number from 0.001 to"),
        (["report", "LOGDIR", "--run", "other"], "No run is called 'other'"),
        (["report", "LOGDIR/nothing"], "There is no log directory"),
        (["report", "LOGDIR/train"], "No profiles below"),
        (["report", "LOGDIR", "--run", "rum"], "did you mean run?"),
        (["report", "LOGDIR/plugins/profile"], "Give the directory above plugins: /"),
        (["report", "LOGDIR/plugins/profile/run/notes"], "neither a log directory nor a profile"),
        (["report", "LOGDIR/plugins/profile/run/other.xplane.pb"], "There is no file /"),
        (["runs", ""], "There is no log directory ''."),
        (["explain", "input"], "There is no rule 'input'; did you mean input-bound"),
        (["explain", "qqq"], "`tfperf rules` lists them all"),
        (["explain", "Straggler hots"], "did you mean slow-host"),
        (["completion", "tcsh"], "invalid choice: 'tcsh' (choose from bash, zsh, fish)"),
        (["report", "LOGDIR", "--rum", "x"], "did you mean --run? ("),
        (["report", "LOGDIR", "--memory", "8"], "at least 256 MiB, like 8GB, not '8'"),
        (["report", "LOGDIR", "--try", "step-gaps:gap=2%"], "share-that-a-named-cause-must-cover (80 %)"),
        (["report", "LOGDIR", "--try", "gpu-stager:x=2%"], "did you mean gpu-stagger or gpu-shared?"),
        (["report", "LOGDIR", "--without", "x", "--format", "json"], "--without needs --format text or"),
        (["report", "LOGDIR/plugins"], "Give the directory above plugins: /"),
        (["report", "LOGDIR"], "/plugins/profile/run/host.xplane.pb: Host host: The file "),
    ],
)
def test_bad_usage_is_one_line_and_2(
    tmp_path: Path, capsys: Capture, arguments: list[str], part: str
) -> None:
    (add_run(tmp_path, "run") / "notes").touch()
    (tmp_path / "train").mkdir()

    with pytest.raises(SystemExit) as exit_info:
        sys.exit(cli.main([argument.replace("LOGDIR", str(tmp_path)) for argument in arguments]))

    printed = capsys.readouterr()
    assert exit_info.value.code == 2
    assert printed.out == ""
    assert_one_line(printed.err, part)


def test_runs(tmp_path: Path, capsys: Capture) -> None:
    add_run(tmp_path, "2026_01_01_00_00_00", "b", "a")
    add_run(tmp_path, "train/2026_01_02_00_00_00")

    assert cli.main(["runs", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    head, *rows = (line.split() for line in printed.out.splitlines())
    assert head[:4] == ["Run", "Recorded", "GPUs", "Step,"]
    assert rows == [
        ["train/2026_01_02_00_00_00", "2026-01-02", "00:00", "no", "report", "yet"],
        ["2026_01_01_00_00_00", "2026-01-01", "00:00", "no", "report", "yet"],
    ]
    assert_one_line(printed.err, "--analyze makes the reports that are missing")

    assert cli.main(["runs", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "runs": [
            {"name": f"{folder}2026_01_0{day}_00_00_00", "hosts": hosts,
             "recorded": f"2026-01-0{day} 00:00:00", "outline": None}
            for folder, day, hosts in (("train/", 2, ["host"]), ("", 1, ["a", "b"]))
        ]
    }  # fmt: skip


def test_runs_makes_reports_that_are_missing_and_says_what_is_cached(tmp_path: Path, capsys: Capture) -> None:
    build(tmp_path, ("gpu_stagger",))
    add_run(tmp_path, "other/2025_01_01_00_00_00")

    assert cli.main(["runs", str(tmp_path), "--analyze"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert "The file is cut off or not a profile" in second
    assert cli.main(["report", str(tmp_path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert head.split("  ")[0] == "Run"
    assert first.startswith("gpu_stagger/2026_01_01_00_00_00  2026-01-01 00:00  4 × ")
    assert f"  {len(report['steps']['columns']) * '█'}  " in first
    assert report["findings"][0]["title"] in first
    assert first.index("4 ×") == head.index("GPUs")

    assert cli.main(["runs", str(tmp_path)]) == 0
    _, again, second = capsys.readouterr().out.splitlines()
    assert again == first
    assert "no report yet" in second

    assert cli.main(["runs", str(tmp_path), "--format", "json"]) == 0
    listed, other = json.loads(capsys.readouterr().out)["runs"]
    assert listed["outline"]["p50_ns"] == report["steps"]["p50_ns"]
    assert listed["outline"]["active_ratio"] < 0.9  # waiting in AllReduce is no work
    assert other["outline"] is None


def test_runs_goes_on_after_a_run_that_breaks_it(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(run: Any, *_: object, **_named: object) -> Any:
        if run.name == "b":
            raise IndexError("of a defect")
        return make_report()

    monkeypatch.setattr(pipeline, "make_report", broken)
    for name in "abc":
        Export().write(tmp_path / f"{name}.sqlite")

    assert cli.main(["runs", str(tmp_path), "--analyze"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert ["IndexError: of a defect" in row for row in rows] == ["b  " in row[:3] for row in rows]
    assert len(rows) == 3
    assert cli.main(["runs", str(tmp_path), "--analyze", "--format", "json"]) == 0
    outlines = {run["name"]: run["outline"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert [name for name, outline in outlines.items() if outline is None] == ["b"]


def test_names_of_runs_for_completion_and_none(tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["runs", str(tmp_path), "--format", "json"]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"runs": []}
    assert_one_line(printed.err, "No profiles below")

    add_run(tmp_path, "2026_01_01_00_00_00", "a")
    add_run(tmp_path, "with a space/2026_01_02_00_00_00", "b")
    assert cli.main(["runs", str(tmp_path), "--format", "names"]) == 0
    assert capsys.readouterr().out == "with a space/2026_01_02_00_00_00\n2026_01_01_00_00_00\n"


def test_names_cannot_command_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    add_run(tmp_path, "run\x1b[2J\n", "\x1b]0;x\x07host")

    cli.main(["runs", str(tmp_path)])
    cli.main(["report", str(tmp_path), "--run", "\x1b[2J"])

    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert printed.out.count("\n") == 2


def test_rules_answer_to_their_titles(capsys: Capture) -> None:
    assert cli.main(["explain", "launch skew ACROSS gpus"]) == 0
    assert capsys.readouterr().out.startswith("gpu-stagger: Launch skew across GPUs\n")


@pytest.mark.parametrize(
    ("shell", "arguments", "code", "said"),
    [
        ('exec "$@" >/dev/full', ["rules"], 2, "The output cannot be written: "),
        # As after a broken pipe, the exit code is that of the command.
        ('exec "$@" >&-', ["rules"], 0, "The output cannot be written: stdout is closed."),
        ('exec "$@" >&-', ["report", "LOG"], 0, "The output cannot be written: stdout is closed."),
    ],
)
def test_output_that_cannot_be_written_is_one_line(
    tmp_path: Path, shell: str, arguments: list[str], code: int, said: str
) -> None:
    if "/dev/full" in shell and not Path("/dev/full").exists():
        pytest.skip("the system has no /dev/full")
    given = [str(many_hosts(tmp_path, 1)) if each == "LOG" else each for each in arguments]
    done = subprocess.run(
        ["sh", "-c", shell, "sh", *TFPERF, *given], stderr=subprocess.PIPE, text=True, check=False
    )

    assert done.returncode == code
    assert_one_line(done.stderr, said)


def test_rules_lists_every_rule_once_and_so_does_explain_without_one(capsys: Capture) -> None:
    assert cli.main(["rules"]) == 0

    printed = capsys.readouterr().out
    for rule in rules.RULES:
        assert printed.count(f"  {rule.id} ") == 1
    groups = sorted({rule.group for rule in rules.RULES}, key=list(GROUP_TITLES).index)
    titles = [title for title in GROUP_TITLES.values() if title in printed.splitlines()]
    assert titles == [GROUP_TITLES[group] for group in groups]
    assert cli.main(["explain"]) == 0
    assert capsys.readouterr().out == printed


def test_explain_every_rule(capsys: Capture) -> None:
    for rule in rules.RULES:
        assert cli.main(["explain", rule.id]) == 0
        lines = capsys.readouterr().out.splitlines()
        printed = " ".join(" ".join(lines).split())
        assert printed.startswith(f"{rule.id}: {rule.title}")
        for text in (
            *rule.page.why,
            *rule.page.measured,
            *rule.page.limits,
            *(text for a in rule.page.advice.values() for p in a.parts for text in (p.summary, *p.actions)),
            rule.page.guide.url,
        ):
            assert general(text) in printed
        assert all(threshold.name in printed for threshold in rule.thresholds)
        assert all(
            line in lines
            for a in rule.page.advice.values()
            for part in a.parts
            for s in part.snippets
            for line in textwrap.indent(general_code(s.code, s.framework == "shell"), "      ").split("\n")
        )


@pytest.mark.parametrize(
    ("environment", "color"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_only_on_a_terminal_that_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Any, environment: dict[str, str], color: bool
) -> None:
    add_run(tmp_path, "run")
    made(make_report())
    asked: list[bool] = []

    def render(report: model.Report, color: bool) -> str:
        asked.append(color)
        return "text"

    monkeypatch.setattr(report_command, "to_text", render)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal())
    cli.main(["report", str(tmp_path)])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    cli.main(["report", str(tmp_path)])

    assert asked == [color, False]


def test_a_report_imports_what_it_uses(tmp_path: Path) -> None:
    build(tmp_path, ["input_bound"])
    script = (
        "import sys\n"
        "from tfperf_plugin import cli\n"
        f"cli.main(['report', {str(tmp_path)!r}])\n"
        "slow = {'numpy.ma', 'tfperf_plugin.execution.pool', 'tfperf_plugin.judging.rules'}\n"
        "slow |= {'tensorboard', 'tensorflow', 'werkzeug', 'xprof'}\n"
        "slow |= {'concurrent.futures.thread', 'signal', 'socket', 'subprocess', 'tempfile'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]

    new, cached = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )

    assert new[-1] == (
        "['signal', 'subprocess', 'tempfile', 'tfperf_plugin.execution.pool', 'tfperf_plugin.judging.rules']"
    )
    assert cached == [*new[:-1], "[]"]


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*TFPERF, "rules"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_unicode(tmp_path: Path) -> None:
    add_run(tmp_path, "schön")

    done = tfperf("runs", str(tmp_path), "--format", "names", env=environment(PYTHONIOENCODING="ascii"))

    assert (done.returncode, done.stderr, done.stdout) == (0, "", "sch?n\n")


@pytest.mark.parametrize("name", ["GPU-multi-worker", "jax-mi300x", "tf-cpu-input"])
def test_real_profiles(real_logdir: Callable[..., Path], capsys: Capture, name: str) -> None:
    logdir = real_logdir(name)
    before = sorted(logdir.rglob("*"))

    first = cli.main(["report", str(logdir), "--format", "json"])
    printed = capsys.readouterr()
    again = cli.main(["report", str(logdir), "--format", "json"])

    assert (first, again) == (0, 0)
    assert json.loads(printed.out)["run"] == name
    assert capsys.readouterr().out == printed.out  # with the timings of the first: it was cached
    assert sorted(logdir.rglob("*")) == before


def test_a_recording_without_events_says_what_its_profiler_says(tmp_path: Path, capsys: Capture) -> None:
    export = Export()
    export.add("DIAGNOSTIC_EVENT", severity=2, text="No CUDA events collected. Does the process use CUDA?")
    export.add("DIAGNOSTIC_EVENT", severity=2, text="No OpenGL events collected.")
    export.write(tmp_path / "a.sqlite")

    assert cli.main(["report", str(tmp_path)])
    said = capsys.readouterr().err
    assert "No CUDA events collected." in said and "CUDA was traced, but not called" in said
    assert "OpenGL" not in said
