"""What the tab shows of trials and tunings in a log directory, whoever wrote them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from demo import trials as demo
from tfperf_plugin.proof import files
from tfperf_plugin.proof.shown import MOST_BYTES, MOST_SHOWN, TrialFolder, trials
from tfperf_plugin.proof.tuning import Tuning

DAMAGED = "cannot be read: it is missing, damaged, too large, or of another version of tfperf."


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    demo.write(tmp_path)
    return tmp_path


def shown(logdir: Path) -> dict[str, TrialFolder]:
    return {each.name: each for each in trials([("", str(logdir))], "the log directory").trials}


def change(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def test_a_tuning_holds_its_trials_which_are_not_listed_besides(logdir: Path) -> None:
    found = shown(logdir)

    assert list(found) == [
        "tuned",
        "interrupted",
        "trials/private threads",
        "trials/larger batch",
        "trials/damaged",
    ]
    tuned = found["tuned"]
    assert (tuned.kind, tuned.state) == ("tuning", "better")
    assert {each.switch: each.state for each in tuned.switches} == {
        "loader-workers=4": "better",
        "one-batch": "better",
        "pin-memory": "unproven",
        "fused-optimizer": "same",
        "torch-compile": "failed",
        "steps-per-execution=16": "found nothing to change",
        "cudnn-benchmark": "worse",
    }
    assert len(tuned.launches) == 12
    assert tuned.keep == "DataLoader(dataset, batch_size, num_workers=4, persistent_workers=True)"
    assert not any("To keep it" in reason for reason in tuned.reasons)
    assert tuned.command == "tfperf tune -- python train.py --epochs 2"


def test_an_interrupted_tuning_says_how_far_it_is(logdir: Path) -> None:
    tuning = shown(logdir)["interrupted"]

    assert tuning.sentence == "Not finished: 2 of 7 switches were tried; the same command goes on."
    assert (tuning.launches, tuning.low_ns, tuning.keep) == ((), None, "")


def test_a_trial_has_the_interval_what_was_foretold_and_its_command(logdir: Path) -> None:
    trial = shown(logdir)["trials/private threads"]

    assert trial.foretold_low_ns and trial.low_ns and trial.high_ns and trial.foretold_high_ns
    assert trial.foretold_low_ns < trial.low_ns < trial.high_ns < trial.foretold_high_ns
    assert trial.command == (
        "tfperf try --env TF_GPU_THREAD_MODE=gpu_private --finding gpu-stagger -- python train.py --epochs 2"
    )


def test_the_command_holds_all_that_is_not_usual(logdir: Path) -> None:
    folder = logdir / "trials" / "larger batch"
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    b = {"command": [*plan["a"]["command"], "--jit", "a b"], "environment": {}, "switches": ["no-metrics"]}
    a = plan["a"] | {"commit": "c0ffee"}
    change(folder / "plan.json", a=a, b=b, order="ABBA" * 4, after=7, batch=64)

    assert shown(logdir)["trials/larger batch"].command == (
        "tfperf try --switch no-metrics --base c0ffee --repeat 8 --after 7 --batch 64 "
        "'--args=--jit '\"'\"'a b'\"'\"'' -- python train.py --epochs 2"
    )


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("trials/private threads", "verdict.json"),
        ("trials/private threads", "plan.json"),
        ("tuned", "tune.json"),
        ("tuned", "together/verdict.json"),
        ("tuned", "together/plan.json"),
    ],
)
@pytest.mark.parametrize(
    "damage", ["", "[]", "{", "\ud800", "[" * 30_000, " " * (MOST_BYTES + 1), None, "pipe"]
)
def test_what_cannot_be_read_is_one_sentence(logdir: Path, place: str, file: str, damage: str | None) -> None:
    path = logdir / place / file
    if damage is None or damage == "pipe":
        path.unlink()
        if damage:
            os.mkfifo(path)
    else:
        path.write_text(damage, encoding="utf-8", errors="surrogatepass")

    found = shown(logdir).get(place)
    if damage in (None, "pipe") and "/" not in file and file != "plan.json":
        assert found is None  # nothing says that there is a trial
        return
    assert found is not None
    assert found.state == "not readable"
    assert found.sentence == f"{Path(file).name} {DAMAGED}"
    assert not found.launches and not found.switches


@pytest.mark.parametrize(
    "changes",
    [
        {"launches": [{"side": "A", "ns": -1, "file": ""}]},
        {"launches": [{"side": "A", "ns": 10**16, "file": ""}]},
        {"a_ns": 10**40},
        {"prediction": {"finding": "", "run": "", "low": -1, "high": 1, "least": 0, "basis": ""}},
        {"effect": {"ratio": 1, "p": 1, "low": 1e300, "high": 1, "sd": 0, "verdict": "same"}},
        {"more": 1},
    ],
)
def test_numbers_that_no_chart_can_show_are_damage(logdir: Path, changes: dict[str, Any]) -> None:
    change(logdir / "trials" / "private threads" / "verdict.json", **changes)

    assert shown(logdir)["trials/private threads"].sentence == f"verdict.json {DAMAGED}"


def test_a_switch_of_another_version_has_no_lines(logdir: Path) -> None:
    path = logdir / "tuned" / "together" / "plan.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    change(path, b=plan["b"] | {"switches": ["warp-drive=9", "pin-memory"]})

    assert shown(logdir)["tuned"].keep == "DataLoader(dataset, batch_size, pin_memory=True)"


def test_the_newest_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    for number in range(MOST_SHOWN + 2):
        (tmp_path / str(number)).mkdir()
        file = tmp_path / str(number) / "verdict.json"
        file.write_text("{}", encoding="utf-8")
        os.utime(file, (number, number))

    found = trials([("", str(tmp_path))], "")

    assert found.more_count == 2
    assert [each.name for each in found.trials][::49] == [str(MOST_SHOWN + 1), "2"]


def test_names_of_log_directories_stand_before_those_of_trials(logdir: Path) -> None:
    found = trials([("one", str(logdir / "trials")), ("two", str(logdir / "tuned"))], "")

    assert [each.name for each in found.trials if each.state == "better"] == ["two/.", "one/private threads"]


def test_a_log_directory_that_is_not_there_yet_has_none(tmp_path: Path) -> None:
    assert trials([("", str(tmp_path / "later")), ("", "gs://bucket/logs")], "").trials == ()


def test_a_tuning_of_many_switches_keeps_below_its_size(logdir: Path) -> None:
    tuning = files.read(logdir / "tuned" / "tune.json", Tuning, "")
    assert tuning
    longest = replace(tuning.tried[0], sentence="x" * 400, finding="y" * 40)
    assert len(files.encode(replace(tuning, tried=(longest,) * 40))) <= MOST_BYTES
