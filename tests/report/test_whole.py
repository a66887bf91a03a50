"""What the head of a report says of the whole training, by simulated runs and a watched machine."""

from __future__ import annotations

from dataclasses import replace as replaced
from pathlib import Path

import pytest
from msgspec.structs import replace

from demo.build import build
from demo.scenarios import no_step_markers
from demo.simulator.machine import Machine
from tests.reports import make_report
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.compare.board import HEADS, outline, texts
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report.model import Machine as Watched
from tfperf_plugin.report.model import Pace, Report
from tfperf_plugin.report.panels.training import whole
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown, to_text

TRAINS = Program("Keras", training=True)
RAN = (
    "Steps ran for 60 % of the 17 min that were watched; no step ran for 9.5 % in 1 pause between steps and "
    "30 % before the first one."
)
WATCHED = Watched((), 1, 0.6, RAN)
SLOWER = Pace(  # twice the step of the report
    "steps", "loss", 44_000_000, 43_000_000, 45_000_000, 400, None, "differs",
    "It takes longer.", "Epoch 1 was recorded.",
)  # fmt: skip


@pytest.fixture(scope="module")
def report() -> Report:
    made = make_report()
    return replace(made, steps=replace(made.steps, unit="step", count=10))


def test_a_watched_training_says_when_steps_ran(tmp_path: Path) -> None:
    build(tmp_path, ["idle_between"])
    report = build_report(resolve(str(tmp_path)))

    assert report.whole and report.whole.running_ratio
    said = report.whole.sentence
    assert said.startswith("Steps ran for 75 % of the 60 min that were watched; ")
    assert report.whole.lost_ratio == pytest.approx(1 - report.whole.running_ratio)
    for text in (to_text(report, color=False), to_markdown(report), to_html(report), to_agent(report)):
        assert said in text
    row = dict(zip(HEADS, texts(outline(report)), strict=True))
    assert row["Steps run"] == "75 %"
    assert row["Recoverable"] == "–"  # the pauses lie between steps


def test_the_machine_and_the_scalars_add_up(report: Report) -> None:
    alone = whole(replace(report, machine=WATCHED), TRAINS)
    both = whole(replace(report, machine=WATCHED, pace=SLOWER), TRAINS)
    scalars = whole(replace(report, pace=SLOWER), TRAINS)

    assert (alone.sentence, both.sentence) == (RAN, f"It takes longer. Epoch 1 was recorded. {RAN}")
    assert alone.running_ratio == both.running_ratio == 0.6
    assert [each.lost_ratio for each in (alone, both, scalars)] == pytest.approx([0.4, 0.7, 0.5])


@pytest.mark.parametrize("program", [replace(TRAINS, inference=True), replace(TRAINS, server="vLLM")])
def test_what_is_no_training_has_no_such_line(report: Report, program: Program) -> None:
    assert whole(report, program).sentence == ""


def test_without_steps_the_machine_tells_when_some_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(pause_s=60, pause_every_s=240)
    monkeypatch.setattr(
        no_step_markers, "TRAINING", replaced(no_step_markers.TRAINING, steps=1, machine=machine)
    )
    build(tmp_path, ["no_step_markers"])
    report = build_report(resolve(str(tmp_path)))

    (found,) = [each for each in report.findings if each.id == "idle-between"]
    assert "The recorded steps do not show it" not in found.summary
    assert report.whole and report.whole.sentence.startswith("Steps ran for 75 % of the 60 min")
    assert report.machine and report.steps.source == "none"
    assert " The profile begins " in report.machine.hosts[0].said
