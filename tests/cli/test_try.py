"""``tfperf try``: what it takes, prints and exits with. Launches only seem to run."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.test_cli import assert_one_line
from tests.proof.test_code import git
from tests.proof.trials import FakeChild, planted
from tfperf_plugin import cli
from tfperf_plugin.proof.history import read
from tfperf_plugin.proof.plan import PLAN
from tfperf_plugin.recording.launch import Place

command = import_module("tfperf_plugin.cli.try_")
Capture = pytest.CaptureFixture[str]
TRAIN = ["--", "python", "train.py"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> FakeChild:
    made = planted(sigma=0.001)
    monkeypatch.setattr(command, "run_child", made)
    return made


def test_a_change_that_helps(child: FakeChild, capsys: Capture) -> None:
    code = cli.main(["try", "--env", "FAST=1", *TRAIN])

    printed = capsys.readouterr()
    assert code == 0
    assert printed.out.startswith("Better: a step takes 8.0 ms instead of 10.0 ms (−20 %")
    assert printed.err.startswith("The command runs 12 times, 6 on each side in random order")
    assert printed.err.count("launch ") == 12
    (folder,) = Path("tfperf-try").iterdir()
    assert f"{folder}/verdict.json" in printed.out
    assert json.loads((folder / "verdict.json").read_text(encoding="utf-8"))["verdict"] == "better"
    assert [row.verdict for row in read().rows] == ["better"]

    # All is measured: the same command prints it again.
    assert cli.main(["try", "--env", "FAST=1", *TRAIN]) == 0
    assert capsys.readouterr() == (printed.out, "")
    assert len(child.calls) == 12
    assert len(read().rows) == 1


def test_a_first_look(child: FakeChild, capsys: Capture) -> None:
    assert cli.main(["try", "--quick", "--env", "FAST=1", "--out", "out", *TRAIN]) == 0

    printed = capsys.readouterr()
    assert printed.out.startswith("Better: a step takes 8.0 ms instead of 10.0 ms (−20 %, between −")
    assert "A first look: in 1 of 10 such trials" in printed.out
    assert printed.err.startswith("The command runs 6 times, 3 on each side in random order")
    plan = json.loads(Path("out", PLAN).read_text(encoding="utf-8"))
    assert (len(child.calls), plan["after"], plan["steps"]) == (6, 20, 40)
    assert read().rows == ()


@pytest.mark.parametrize(
    ("switch", "changed", "said", "remembered"),
    [
        (
            "fused-optimizer",
            "AdamW(fused=True)",
            [
                "To keep it, write into the code: torch.optim.AdamW(model.parameters(), fused=True)",
                "Results differ in their last bits.",
            ],
            ["better"],
        ),
        (
            "latency-hiding",
            "XLA_FLAGS=--xla",
            ['To keep it, run this before the training: export XLA_FLAGS="$XLA_FLAGS --xla'],
            ["better"],
        ),
        ("one-batch", "take(1)", ["It is a probe: it shows what input costs", "nobody keeps it."], []),
    ],
)
def test_a_change_that_tfperf_makes(
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    switch: str,
    changed: str,
    said: list[str],
    remembered: list[str],
) -> None:
    child = planted(sigma=0.001, switched={switch: (changed,)})
    monkeypatch.setattr(command, "run_child", child)

    assert cli.main(["try", "--switch", switch, "--out", "out", *TRAIN]) == 0

    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith("Better: a step takes 8.0 ms instead of 10.0 ms (−20 %")
    assert f"{switch} changed: {changed}." in printed
    assert f"B: python train.py with {switch}" in printed
    assert [text in printed for text in said] == [True] * len(said)
    order = json.loads(Path("out", PLAN).read_text(encoding="utf-8"))["order"]
    assert child.switches == [(switch,) if side == "B" else () for side in order]
    assert [row.verdict for row in read().rows] == remembered


@pytest.mark.parametrize(("effect", "is_better"), [(0.8, True), (1.2, False)])
def test_a_patch_holds_what_is_better(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, effect: float, is_better: bool
) -> None:
    (here / "train.py").write_text("Adam(weights)\n", encoding="utf-8")
    places = (Place("Adam(fused=True)", str(here / "train.py"), 1),)
    child = planted(effect, 0.001, {"fused-optimizer": ("Adam(fused=True)",)}, places)
    monkeypatch.setattr(command, "run_child", child)

    cli.main(["try", "--switch", "fused-optimizer", "--out", "out", *TRAIN])

    says = "  A patch writes Adam(fused=True) at train.py:1:\n  $ git apply out/change.patch\n"
    assert (says in capsys.readouterr().out) is is_better
    assert (here / "train.py").read_text(encoding="utf-8") == "Adam(weights)\n"


def test_a_switch_that_finds_nothing_to_change_ends_the_trial(child: FakeChild, capsys: Capture) -> None:
    assert cli.main(["try", "--switch", "fused-optimizer", "--out", "out", *TRAIN]) == 3

    error = capsys.readouterr().err.splitlines()[-1]
    assert "ran unchanged: fused-optimizer needs an optimizer of torch.optim that can be fused" in error
    assert not Path("out", "verdict.json").exists()


def test_two_changes_go_into_two_folders(child: FakeChild) -> None:
    cli.main(["try", "--env", "FAST=1", *TRAIN])
    cli.main(["try", "--env", "FAST=2", *TRAIN])

    assert len(list(Path("tfperf-try").iterdir())) == 2


@pytest.mark.parametrize(
    ("options", "a", "b", "variables"),
    [
        (["--env", "X=a b", "--env", "Y="], [], [], {"X": "a b", "Y": ""}),
        (["--args", "--jit --lr '0. 1'"], [], ["--jit", "--lr", "0. 1"], {}),
        (["--args=--jit"], [], ["--jit"], {}),
    ],
)
def test_the_change_is_on_side_b_only(
    child: FakeChild, options: list[str], a: list[str], b: list[str], variables: dict[str, str]
) -> None:
    cli.main(["try", *options, "--out", "out", *TRAIN, "--", "--more"])

    plan = json.loads(Path("out", PLAN).read_text(encoding="utf-8"))
    base = ["python", "train.py", "--", "--more"]
    assert (plan["a"]["command"], plan["a"]["environment"]) == ([*base, *a], {})
    assert (plan["b"]["command"], plan["b"]["environment"]) == ([*base, *b], variables)
    assert {tuple(sorted(environment)) for _, environment, *_ in child.calls} == {
        ("TFPERF_TRY",),
        tuple(sorted({*variables, "TFPERF_TRY"})),
    }


def test_another_revision(child: FakeChild, here: Path) -> None:
    git(here, "init", "-q")
    git(here, "add", ".")
    git(here, "commit", "-qm", "first")
    (here / "train.py").write_text("changed\n", encoding="utf-8")

    code = cli.main(["try", "--base", "HEAD", "--out", "out", *TRAIN])

    assert code in (0, 3)
    places = {place for *_, place, _ in child.calls}
    assert places == {here.resolve(), (here / "out" / "base").resolve()}
    assert not (here / "out" / "base").exists()
    absolute = ["try", "--base", "HEAD", "--", "python", str(here / "train.py")]
    assert cli.main(absolute) == 2


def test_a_history_that_cannot_be_written_costs_no_verdict(
    child: FakeChild, here: Path, capsys: Capture
) -> None:
    (here / "state").write_text("", encoding="utf-8")

    assert cli.main(["try", "--env", "FAST=1", *TRAIN]) == 0
    assert "The history does not hold this trial" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "effect", "sigma", "code", "word", "pairs"),
    [
        ("--env=FAST=1", 1.3, 0.01, 1, "Worse", 0),
        ("--env=FAST=1", 1.0, 0.003, 0, "Neither better nor worse", 0),
        ("--env=FAST=1", 0.98, 0.3, 3, "Unproven", 0),
        ("--aa", 1.0, 0.3, 0, "Equal", 6),
    ],
)
def test_exit_codes_and_what_fills_the_floor(
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    change: str,
    effect: float,
    sigma: float,
    code: int,
    word: str,
    pairs: int,
) -> None:
    monkeypatch.setattr(command, "run_child", planted(effect, sigma))

    assert cli.main(["try", change, *TRAIN]) == code
    assert capsys.readouterr().out.startswith(f"{word}:")
    (row,) = read().rows
    assert len(row.equal) == pairs


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["try", *TRAIN], "Nothing differs between the sides"),
        (["try", "--aa", "--env", "X=1", *TRAIN], "--aa tries no change"),
        (["try", "--env", "X", *TRAIN], "--env must be like"),
        (["try", "--env", "1X=2", *TRAIN], "--env must be like"),
        (["try", "--args", "'", *TRAIN], "cannot be split"),
        (["try", "--switch", "prefetsch", *TRAIN], "did you mean prefetch?"),
        (["try", "--aa", "--switch", "prefetch", *TRAIN], "--aa tries no change"),
        (["try", "--quick", "--env", "X=1", "--repeat", "6", *TRAIN], "--repeat says how many launches"),
        (["try", "--quick", "--aa", *TRAIN], "--aa learns how far launches differ"),
        (["try", "--quick", "--env", "X=1", "--finding", "step-outliers", *TRAIN], "about rare steps"),
        (["try", "--aa", "--repeat", "4", *TRAIN], "even number from 6 to 100, not 4"),
        (["try", "--aa", "--repeat", "7", *TRAIN], "even number from 6 to 100, not 7"),
        (["try", "--aa", "--repeat", "102", *TRAIN], "even number from 6 to 100, not 102"),
        (["try", "--aa", "--repeat", "x", *TRAIN], "invalid int"),
        (["try", "--aa", "--steps", "0", *TRAIN], "--steps must be a number from 1 on"),
        (["try", "--aa", "--of", "logs", *TRAIN], "--of needs --finding"),
        (["try", "--aa", "--finding", "input-bond", *TRAIN], "did you mean input-bound or input-choppy?"),
        (["try", "--aa", "--finding", "input-bound", "--of", "nowhere", *TRAIN], "nowhere"),
        (["try", "--base", "HEAD", *TRAIN], "names no commit"),
        (["try", "--aa"], "COMMAND"),
        (
            ["try", "--aa", "--out", "train.py", *TRAIN],
            "be written: File exists. Name another with --out",
        ),
    ],
)
def test_what_cannot_be_tried(child: FakeChild, capsys: Capture, arguments: list[str], said: str) -> None:
    try:
        code = cli.main(arguments)
    except SystemExit as stopped:
        code = int(stopped.code or 0)

    error = capsys.readouterr().err
    assert code == 2
    assert_one_line(error)
    assert said in error
    assert child.calls == []
    assert not Path("tfperf-try").exists()
