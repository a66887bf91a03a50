"""``tfperf tune``: what it tries, proves and says. Launches only seem to run, but for one real training."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from demo.build import build
from tests.conftest import REPOSITORY
from tests.processes import environment, tfperf
from tests.proof.trials import FakeChild, launch, outcome
from tests.recording.test_trainings import skip_without
from tfperf_plugin import cli
from tfperf_plugin.proof.child import Outcome
from tfperf_plugin.proof.files import hash_of
from tfperf_plugin.proof.history import read
from tfperf_plugin.proof.trial import FIRST_HANGS_S, HANGS_S
from tfperf_plugin.recording.launch import Request

command = import_module("tfperf_plugin.cli.tune")
Capture = pytest.CaptureFixture[str]
TRAIN = ["--", "python", "train.py"]
GAINS = {
    "parallel-map": 0.6,
    "prefetch": 0.9,
    "one-batch": 0.4,
    "no-metrics": 1.0,
    "jit-compile": 1.3,
    "cache": 1.0,
    "steps-per-execution": 1.0,
    "gpu-private-threads": 0.8,
    "mixed-precision": 0.5,
}
"""Switch → what a step takes with it, as a share of its time."""
OFTEN = "cache,steps-per-execution,jit-compile"
"""Switches that a tuning tries in many trainings with Keras, whatever these tests are about."""


class Trainings:
    """A program whose profile is that of a demo run, and whose steps take what ``GAINS`` says."""

    def __init__(self, scenario: str = "map_not_parallel", idle: str = "") -> None:
        self.recorded, self._scenario, self._idle = 0, scenario, idle
        self.launches = FakeChild(lambda _, environment: outcome(launch()))
        self.stops_at = self.fails_from = 0

    def __call__(self, words: Any, request: Request, *given: Any, **named: Any) -> Outcome:
        if request.profile:
            self.recorded += 1
            if self._scenario:
                build(Path(request.folder), [self._scenario])
                return outcome()
            Path(request.folder).mkdir()
            Path(request.folder, "half.pt.trace.json.tmp").write_text("{")
            named["log"].write_text("Traceback …\nValueError: bad\n")
            return outcome(seen="The training ended after 3 steps.")
        self.launches(words, request, *given, **named)
        if len(self.launches.calls) == self.stops_at:
            raise KeyboardInterrupt
        if 0 < self.fails_from <= len(self.launches.calls):
            return outcome(seen="The training ended after 60 steps.")
        ids = [text.partition("=")[0] for text in request.switches]
        share = 1.0
        for id_ in ids:
            share *= GAINS[id_]
        noise = 1 + 0.001 * (len(self.launches.calls) % 3)
        told = {id_: ("something",) for id_ in ids if id_ != self._idle}
        return outcome(replace(launch(1e7 * share * noise), switched=told))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture
def tune(here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def tuned(trainings: Trainings, *options: str) -> int:
        monkeypatch.setattr(command, "run_child", trainings)
        return cli.main(["tune", "--out", "out", *options, *TRAIN])

    return tuned


def tuning() -> Any:
    """What the file of the tuning says."""
    return json.loads(Path("out/tune.json").read_text(encoding="utf-8"))


def printed(capsys: Capture) -> tuple[str, str]:
    out, err = capsys.readouterr()
    return " ".join(out.split()), err


def test_the_change_that_the_finding_names_is_proven(tune: Callable[..., int], capsys: Capture) -> None:
    trainings = Trainings()

    assert tune(trainings, "--skip", OFTEN) == 0

    out, err = printed(capsys)
    assert "The profile says: Input-bound. This tries parallel-map; the command runs 18 times at most." in err
    assert out.startswith("Better: a step takes 6.0 ms instead of 10.0 ms (−40 %")
    assert "To keep it, write into the code: dataset.map(f, num_parallel_calls=tf.data.AUTOTUNE)" in out
    assert "Foretold: " in out
    assert "parallel-map alone, at first look: better, between −40 % and −40 %." in out
    assert (trainings.recorded, len(trainings.launches.calls)) == (1, 18)
    assert [row.verdict for row in read().rows] == ["better"]  # a first look is no proof
    kept = tuning()
    assert kept["ended"] and kept["together"] == ["parallel-map"]
    assert kept["verdict"] == hash_of(Path("out/together/verdict.json").read_bytes())
    (tried,) = kept["tried"]
    assert (tried["switch"], tried["finding"], tried["state"]) == ("parallel-map", "input-bound", "better")
    assert tried["verdict"] == hash_of(Path("out/parallel-map/verdict.json").read_bytes())


def test_a_variable_that_the_finding_names_is_tried(tune: Callable[..., int], capsys: Capture) -> None:
    trainings = Trainings("gpu_stagger")

    assert tune(trainings, "--skip", OFTEN) == 0

    out, err = printed(capsys)
    assert "This tries gpu-private-threads;" in err
    assert "To keep it, run this before the training: export TF_GPU_THREAD_MODE=gpu_private" in out


@pytest.mark.parametrize("asked", [("--only", "mixed-precision"), ("--allow", "numerics")])
def test_what_computes_otherwise_is_tried_only_if_asked_for(
    tune: Callable[..., int], capsys: Capture, asked: tuple[str, ...]
) -> None:
    assert tune(Trainings("mixed_precision_off"), "--skip", OFTEN) == 0
    assert "Nothing was tried" in printed(capsys)[0]

    assert tune(Trainings("mixed_precision_off"), "--skip", OFTEN, "--out", "other", *asked) == 0
    assert printed(capsys)[0].startswith("Better: ")


def test_what_may_help_is_proven_together(tune: Callable[..., int], capsys: Capture) -> None:
    trainings = Trainings()

    assert tune(trainings, "--only", "prefetch,no-metrics,parallel-map,one-batch,jit-compile") == 0

    out, _ = printed(capsys)
    assert out.startswith("Better: a step takes 5.4 ms instead of 10.0 ms (−46 %")
    plan = json.loads(Path("out/together/plan.json").read_text(encoding="utf-8"))
    assert plan["b"]["switches"] == ["prefetch", "parallel-map"]
    assert "no-metrics alone, at first look: same" in out
    assert "jit-compile alone, at first look: worse" in out
    assert "It shows what input costs" in out  # the probe, which nobody keeps


@pytest.mark.parametrize(
    ("trainings", "options", "said", "launches"),
    [
        (Trainings("healthy_single_gpu"), ("--skip", OFTEN), "Nothing was tried: there is no switch for", 0),
        (Trainings("healthy_single_gpu"), (), "Nothing that was tried makes a step shorter", 12),
        (Trainings(), ("--skip", f"parallel-map,{OFTEN}"), "Nothing was tried", 0),
        (Trainings(), ("--only", "no-metrics"), "Nothing that was tried makes a step shorter", 6),
        (
            Trainings(idle="parallel-map"),
            ("--skip", OFTEN),
            "parallel-map found nothing to change: it needs a map or interleave that makes one",
            None,
        ),
    ],
)
def test_nothing_to_gain(
    tune: Callable[..., int],
    capsys: Capture,
    trainings: Trainings,
    options: tuple[str, ...],
    said: str,
    launches: int | None,
) -> None:
    assert tune(trainings, *options) == 0

    out, _ = printed(capsys)
    assert said in out
    assert out.endswith("tfperf report out/profile says what else the profile shows.")
    assert launches is None or len(trainings.launches.calls) == launches
    assert not Path("out", "together").exists()
    assert (tuning()["ended"], tuning()["together"]) == (True, [])
    assert len(tuning()["tried"]) == out.count("alone, at first look") + out.count("found nothing to change")
    assert read().rows == ()


@pytest.mark.parametrize("stops_at", [1, 4, 9, 18])
def test_ctrl_c_at_any_launch_and_the_same_command_goes_on(
    tune: Callable[..., int], capsys: Capture, stops_at: int
) -> None:
    trainings = Trainings()
    trainings.stops_at = stops_at

    assert tune(trainings, "--skip", OFTEN) == 130
    assert "the same command goes on" in capsys.readouterr().err.splitlines()[-1]
    assert not tuning()["ended"]
    assert [each["state"] for each in tuning()["tried"]] == ["not tried" if stops_at <= 6 else "better"]
    trainings.stops_at = 0
    assert tune(trainings, "--skip", OFTEN) == 0
    out, err = printed(capsys)
    assert out.startswith("Better: ")
    assert ("launches are there already, in out/" in err) == (stops_at > 1)
    assert (trainings.recorded, len(trainings.launches.calls)) == (1, 19)


def test_what_often_helps_follows_what_findings_name(tune: Callable[..., int], capsys: Capture) -> None:
    trainings = Trainings()

    assert tune(trainings) == 0

    out, err = printed(capsys)
    assert "This tries parallel-map, cache, steps-per-execution=16; the command runs 30 times" in err
    assert len(trainings.launches.calls) == 30
    assert "steps-per-execution=16 alone, at first look: same" in out


@pytest.mark.parametrize(("budget", "looks"), [("1h", 6), ("0.000001s", 1)])
def test_a_budget_bounds_what_is_tried(
    tune: Callable[..., int], capsys: Capture, budget: str, looks: int
) -> None:
    trainings = Trainings()

    assert tune(trainings, "--only", f"prefetch,one-batch,no-metrics,{OFTEN}", "--budget", budget) == 0

    out, err = printed(capsys)
    assert out.count("at first look") == looks
    assert len(trainings.launches.calls) == 6 * looks + 12  # what may help is proven, whatever time is left
    assert ("The time does not suffice to try one-batch and what follows." in err) is (looks == 1)


def test_a_training_that_records_nothing(tune: Callable[..., int], capsys: Capture) -> None:
    """What it left of a recording is no recording: the same command makes one."""
    assert tune(Trainings("")) == 3

    assert capsys.readouterr().err.splitlines()[-1] == (
        "tfperf: The training ended after 3 steps. It ends with 'ValueError: bad'. Its output is in "
        "out/profile.log. tfperf tune needs 110 steps."
    )
    assert tune(Trainings()) == 0


def test_what_was_seen_is_told_though_the_proof_fails(tune: Callable[..., int], capsys: Capture) -> None:
    trainings = Trainings()
    trainings.fails_from = 7

    assert tune(trainings, "--skip", OFTEN) == 3

    out, _ = printed(capsys)
    assert out.startswith("parallel-map failed: Launch 1 of 12 (side ")
    assert "The training ended after 60 steps." in out
    assert "parallel-map alone, at first look: better, between −40 % and −40 %." in out


def test_the_recording_tells_when_a_first_launch_hangs(tune: Callable[..., int]) -> None:
    trainings = Trainings()
    trainings.stops_at = 1

    tune(trainings)
    tune(trainings)

    assert [limit for *_, limit in trainings.launches.calls[:2]] == [HANGS_S, FIRST_HANGS_S]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "prefetsch"], "did you mean prefetch?"),
        (["--skip", "everything"], "There is no switch 'everything'"),
        (["--budget", "20"], "a time such as 20min, 90s or 1.5h, not '20'"),
    ],
)
def test_what_cannot_be_tuned(
    tune: Callable[..., int], capsys: Capture, options: list[str], said: str
) -> None:
    trainings = Trainings()

    assert tune(trainings, *options) == 2
    assert said in capsys.readouterr().err
    assert trainings.recorded == 0


@pytest.mark.slow
def test_a_real_training(tmp_path: Path) -> None:
    """A loader without workers: the profile names the switch, which reaches PyTorch in each trial."""
    skip_without("torch")
    program = REPOSITORY / "tests" / "recording" / "planted" / "torch_loop.py"
    training = ["--", sys.executable, str(program), "loader"]
    env = environment(XDG_STATE_HOME=str(tmp_path), STEPS="140")
    done = tfperf("tune", "--out", "out", *training, folder=tmp_path, env=env)

    assert "This tries loader-workers=" in done.stderr, done.stderr
    (look,) = (tmp_path / "out").glob("loader-workers=*/verdict.json")
    found = json.loads(look.read_text(encoding="utf-8"))
    assert [row["side"] for row in found["launches"]].count("B") == 3
    assert any("DataLoader(num_workers=" in reason for reason in found["reasons"])
    assert found["verdict"] in ("better", "same", "worse", "unproven")  # other programs run here, too
