"""How long a step takes over the whole training, by the scalars beside a simulated run."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from demo.build import RUN, build
from demo.reports import demo_logdir
from demo.scalars import Scalar, write_scalars
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.execution.pipeline import identity
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.training import RECORD_SUFFIX, RECORD_TIME
from tfperf_plugin.readers.scalars import GROWING_S
from tfperf_plugin.recording.record import TrainingRecord, to_json
from tfperf_plugin.report.model import Pace, Report
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown, to_text

NAME = "healthy_single_gpu"
RECORDED_S = 1_767_225_600.0
"""When the simulated profiles begin."""
FEWER = " If an epoch has fewer steps, this recording does not show where the rest of it goes."
BEGAN_S = RECORDED_S - 20


@pytest.fixture
def training(tmp_path: Path) -> Path:
    """The folder of a training whose recorded step takes 39.0 ms."""
    shutil.copytree(Path(demo_logdir(NAME), NAME), tmp_path / NAME)
    return tmp_path / NAME


def report_of(training: Path, options: Options | None = None) -> Report:
    return build_report(resolve(str(training.parent), f"{NAME}/{RUN}"), options or Options())


def pace_of(training: Path) -> Pace | None:
    return report_of(training).pace


def each(tag: str, seconds: float, count: int, every: int = 1, first_s: float = BEGAN_S) -> Iterator[Scalar]:
    """Scalars of a tag, ``every`` so many steps of this length."""
    return ((tag, number * every, first_s + number * every * seconds) for number in range(1, count + 1))


def epochs(*lengths_s: float) -> Iterator[Scalar]:
    at_s = BEGAN_S
    for number, length_s in enumerate(lengths_s):
        at_s += length_s
        yield from (("epoch_loss", number, at_s), ("epoch_accuracy", number, at_s))


def test_a_training_that_takes_longer_than_recorded_steps_is_the_first_sentence(training: Path) -> None:
    settled = report_of(training).settled
    write_scalars(training / "train", BEGAN_S, each("batch_loss", 0.153, 400))

    report = report_of(training)

    said = (
        "A recorded step takes 39.0 ms, the training 153 ms a step: "
        "this recording does not show what costs time."
    )
    assert report.pace and (report.pace.verdict, report.pace.sentence) == ("differs", said)
    assert settled and not report.settled
    assert f"verdict: {said}" in to_agent(report)
    for text in (to_text(report, color=False), to_markdown(report), to_html(report)):
        assert said in text


def test_of_a_single_step_nothing_is_said_below_twice_its_length(tmp_path: Path) -> None:
    build(tmp_path, ["too_few_steps"])
    run = resolve(str(tmp_path))
    ledger = build_report(run).ledger
    assert ledger
    said = []
    for times in (1.8, 2.2):
        folder = tmp_path / "too_few_steps" / "train"
        write_scalars(folder, BEGAN_S, each("batch_loss", times * ledger.step_ns / 1e9, 2_000))
        pace = build_report(run).pace
        said.append(pace and pace.verdict)

    assert said == ["", "differs"]


def test_a_training_that_agrees_is_said_in_the_head(training: Path) -> None:
    write_scalars(training, BEGAN_S, each("batch_loss", 0.0395, 800))

    report = report_of(training)

    said = "Over the training, a step takes 39.5 ms, as recorded ones do."
    assert report.pace and report.pace.verdict == "agrees" and report.settled
    assert f"{'Training':<14}{said}" in to_text(report, color=False)
    assert report.whole and report.whole.lost_ratio == 0.0


@pytest.mark.parametrize(
    ("validation_s", "steps", "sentence"),
    [
        (30, 100, "A recorded step takes 39.0 ms, the training 365 ms a step: "),
        (None, 924, "Over the training, a step takes 39.0 ms, as recorded ones do"),
    ],
)  # fmt: skip
def test_with_the_steps_of_an_epoch_it_says_how_long_they_take(
    training: Path, validation_s: float | None, steps: int, sentence: str
) -> None:
    write_scalars(
        training / "train", BEGAN_S, epochs(36.0, 66.0, 66.0, 66.0) if validation_s else epochs(*[36.0] * 9)
    )
    if validation_s:
        write_scalars(training / "validation", BEGAN_S + 6, epochs(36.0, 66.0, 66.0, 66.0))

    report = report_of(training, Options(steps_per_epoch=steps))

    assert report.pace and report.pace.counts == "steps" and report.pace.sentence.startswith(sentence)


def test_the_training_may_have_recorded_the_steps_of_an_epoch(training: Path) -> None:
    write_scalars(training / "train", BEGAN_S, epochs(*[36.0] * 9))
    began = datetime.fromtimestamp(BEGAN_S, timezone.utc).strftime(RECORD_TIME)
    (profile,) = training.rglob("*.xplane.pb")
    folder = training / "plugins" / "diagnostics"
    folder.mkdir()
    record = folder / f"{profile.name.removesuffix('.xplane.pb')}.{began}{RECORD_SUFFIX}"
    record.write_bytes(to_json(TrainingRecord(steps_per_epoch=400)))

    found = pace_of(training)

    assert found and (found.counts, found.steps_per_epoch) == ("steps", 400)
    assert found.sentence.startswith("A recorded step takes 39.0 ms, the training 90.0 ms a step: ")
    assert found.more.startswith("Its epochs hold 400 steps.")
    stated = report_of(training, Options(steps_per_epoch=924)).pace
    assert stated and stated.verdict == "agrees"


def test_hyperparameters_are_facts_of_the_training_unless_its_files_tell_of_several(training: Path) -> None:
    write_scalars(training / "train", BEGAN_S, epochs(*[36.0] * 9), {"lr": 0.1, "batch_size": 256})
    write_scalars(training / "validation", BEGAN_S, [], {"lr": 0.1, "batch_size": 256})

    report = report_of(training)

    assert [(fact.label, fact.value) for told in report.training for fact in told.facts][-2:] == [
        ("batch_size", "256"), ("lr", "0.1")
    ]  # fmt: skip
    write_scalars(training, BEGAN_S, [], {"lr": 0.2})
    assert not any(fact.label == "lr" for told in report_of(training).training for fact in told.facts)


def with_validations() -> Iterator[Scalar]:
    """Batches of 39 ms, and after ten of them 30 s of validation."""
    at_s = BEGAN_S
    for epoch in range(40):
        for batch in range(10):
            at_s += 0.039
            yield ("batch_loss", 10 * epoch + batch, at_s)
        at_s += 30
        yield ("epoch_loss", epoch, at_s)


File = tuple[str, float, Iterable[Scalar]]
"""Folder, begin and scalars of an event file."""
YESTERDAY_S, EARLIER_S = BEGAN_S - 86_400, BEGAN_S - 7_200
SLOW = "A recorded step takes 39.0 ms, the training 153 ms a step: "
ENDS = [("evaluation_loss_vs_iterations", 100 * n, BEGAN_S + 15.0 * n) for n in range(1, 9)]
SAID: dict[str, tuple[list[File], str, str, int, str, str]] = {
    "a little longer": (
        [("train", BEGAN_S, each("batch_loss", 0.06, 400))],
        "steps", "differs", 399, "does not show 35 % of its time.", "",
    ),
    "epochs and their validations": (
        [(name, BEGAN_S + late_s, epochs(50.0, 36.0, 36.1, 35.9))
         for name, late_s in (("train", 0), ("validation", 42))],
        "epochs", "", 3,
        f"An epoch with its validation takes 36.0 s, the time of 923 recorded steps of 39.0 ms.{FEWER}",
        "Epoch 1 of 4 was recorded.",
    ),
    "a cache fills in the first epoch": (
        [("train", BEGAN_S, epochs(70.0, 12.0, 12.1, 12.2))],
        "epochs", "", 3, "", "The recording lies in the first epoch, which took 50.0 s more until its end.",
    ),
    "epochs that differ are a range": (
        [("train", BEGAN_S, epochs(*[39.0] * 6, *[78.0] * 5))], "epochs", "", 10,
        f"An epoch takes 39.0–78.0 s, the time of 1,000 to 2,000 recorded steps of 39.0 ms.{FEWER}", "",
    ),
    "the epoch in the middle": (
        [("train", BEGAN_S, epochs(*[8.0] * 9))], "epochs", "", 8, "", "Epoch 3 of 9 was recorded.",
    ),
    "validation between batches": (
        [("train", BEGAN_S, with_validations())],
        "steps", "agrees", 360, "Over the training, a step takes 39.0 ms, as recorded ones do.", "",
    ),
    "iterations of evaluations prove nothing": (
        [("train", BEGAN_S, epochs(*[15.0] * 8)), ("validation", BEGAN_S + 5, ENDS)],
        "steps", "", 700,
        "Over the training, a step takes 150 ms, validation included; a recorded one takes 39.0 ms.", "",
    ),
    "another tag": (
        [("", BEGAN_S, each("Loss/train", 3.9, 40))],
        "unknown", "", 39, "A step of Loss/train takes 3.90 s, 100 times as long as a recorded one.", "",
    ),
    "a restart and a clock that jumps": (
        [("train", BEGAN_S, [*each("batch_loss", 0.153, 200),
                             *each("batch_loss", 0.153, 200, first_s=BEGAN_S + 9_000)])],
        "steps", "differs", 398, SLOW, "",
    ),
    "of two trainings in a folder the one that was profiled": (
        [("train", EARLIER_S, each("batch_loss", 0.5, 400, first_s=EARLIER_S)),
         ("train", BEGAN_S, each("batch_loss", 0.153, 400))],
        "steps", "differs", 399, SLOW, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("files", "counts", "verdict", "number", "sentence", "more"), SAID.values(), ids=SAID
)
def test_what_is_said_of_the_scalars_of_a_training(
    training: Path, files: list[File], counts: str, verdict: str, number: int, sentence: str, more: str
) -> None:
    for folder, began_s, scalars in files:
        write_scalars(training / folder, began_s, scalars)

    found = pace_of(training)

    assert found and (found.counts, found.verdict, found.number) == (counts, verdict, number)
    assert sentence in found.sentence and more in found.more


NOTHING: dict[str, list[tuple[float, Iterable[Scalar]]]] = {
    "counts examples": [(BEGAN_S, each("Loss/examples", 0.001, 400))],
    "no loss": [(BEGAN_S, each("gpu/load", 3.9, 400))],
    "loss of a validation": [(BEGAN_S, each("Loss/val", 3.9, 400))],
    "too few": [(BEGAN_S, each("batch_loss", 0.153, 4))],
    "too few epochs": [(BEGAN_S, epochs(30.0, 30.0))],
    "epochs of four steps": [(BEGAN_S, each("epoch_loss", 0.153, 400))],
    "epochs that skip": [(BEGAN_S, each("epoch_loss", 0.153, 400, every=5))],
    "steps run backwards": [(BEGAN_S, (("batch_loss", n % 7, BEGAN_S + n) for n in range(400)))],
    "time runs backwards": [(BEGAN_S, (("batch_loss", n, BEGAN_S - n) for n in range(400)))],
    "no times": [(BEGAN_S, (("batch_loss", n, float("nan")) for n in range(400)))],
    "one time": [(BEGAN_S, (("batch_loss", 1 << 62, BEGAN_S) for n in range(400)))],
    "two trainings at a time": [(BEGAN_S - n, each("batch_loss", 0.153 + n, 400)) for n in range(2)],
    "another day": [(YESTERDAY_S, each("batch_loss", 0.153, 400, first_s=YESTERDAY_S))],
}


@pytest.mark.parametrize("files", NOTHING.values(), ids=NOTHING)
def test_what_does_not_tell_says_nothing(training: Path, files: list[tuple[float, Iterable[Scalar]]]) -> None:
    for began_s, scalars in files:
        write_scalars(training / "train", began_s, scalars)

    assert pace_of(training) is None


def test_a_training_that_ended_changes_what_is_cached_when_its_scalars_do(training: Path) -> None:
    run = resolve(str(training.parent), f"{NAME}/{RUN}")
    without = identity(run, Options())
    path = write_scalars(training / "train", BEGAN_S, each("batch_loss", 0.153, 400))
    os.utime(path, (BEGAN_S, BEGAN_S))
    written = identity(run, Options())
    os.utime(path, (BEGAN_S + 9, BEGAN_S + 9))

    assert len({without, written, identity(run, Options())}) == 3


def test_a_training_that_goes_on_keeps_its_report_for_a_while(training: Path) -> None:
    run = resolve(str(training.parent), f"{NAME}/{RUN}")
    path = write_scalars(training / "train", BEGAN_S, each("batch_loss", 0.153, 400))
    now_s = time.time() // GROWING_S * GROWING_S
    os.utime(path, (now_s, now_s))
    before = identity(run, Options())
    with path.open("ab") as file:
        file.write(b"more")
    os.utime(path, (now_s + 1, now_s + 1))

    assert identity(run, Options()) == before
