"""The step once findings are fixed is one number, and every part of a report says it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.compare.board import outline
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.verdicts import Saving
from tfperf_plugin.proof import plan
from tfperf_plugin.report import projection
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.panels.budget import left_blocks
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.projection import after, projected_ns
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown, to_text
from tfperf_plugin.report.whatif import UNKNOWN_INPUT, prediction

MS = 1_000_000
STEP = 22 * MS


def report_of(*savings: Saving, needed: int | None = None) -> Report:
    """A step of 22 ms with the findings "a", "b" …; ``needed``: ns of the input pipeline for its batch."""
    made = make_report()
    assert made.input
    findings = tuple(
        replace(made.findings[0], id=id_, saving=saving) for id_, saving in zip("abcd", savings, strict=False)
    )
    return with_words(replace(made, findings=findings, input=replace(made.input, needed_ns=needed)))


def saving(saved_ms: int, *, account: str = "compute", **how: object) -> Saving:
    ns = saved_ms * MS
    return Saving(ns, ns / STEP, "", accounts={account: ns} if account else {}, **how)  # type: ignore[arg-type]


def beside(report: Report) -> dict[str, str]:
    """What is said of each finding's dependence on others."""
    return {words.id: words.beside for words in report.words if words.id in "abcd"}


@pytest.fixture
def error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Steps got 10 % of the step longer to 5 % shorter than projected."""
    file = tmp_path / "accuracy.json"
    file.write_text(json.dumps({"prediction": {"low_ratio": -0.1, "high_ratio": 0.05, "runs": 7}}))
    monkeypatch.setattr(projection, "ERRORS", file)
    projection.published_error.cache_clear()
    yield
    monkeypatch.undo()
    projection.published_error.cache_clear()


def test_the_input_pipeline_limits_all_fixes_but_its_own() -> None:
    report = report_of(saving(8), saving(4), saving(6, frees_input=True), needed=16 * MS)

    left = [projected_ns(report, ids) // MS for ids in ("", "a", "b", "ab", "c", "ac", "abc")]

    assert left == [22, 16, 18, 16, 16, 8, 4]
    # It has kept up with the recorded step, whatever its stages seem to need.
    assert projected_ns(report_of(saving(8), needed=50 * MS), "a") == STEP


def test_what_the_pipeline_holds_is_drawn_and_said() -> None:
    report = report_of(saving(8), saving(4), needed=16 * MS)
    assert report.budget
    sentence = "needs 16.0 ms for the batch of a step. If it were faster, the step would be 6.0 ms shorter."

    assert sentence in report.budget.held
    assert sum(block.ns for block in left_blocks(report.budget)) == report.budget.projected_ns == 16 * MS
    assert left_blocks(report.budget)[-1].account == "idle.input"
    assert beside(report) == {"a": "alone it brings 6.0 ms", "b": ""}
    for text in (to_text(report, False), to_markdown(report), to_html(report)):
        assert sentence in " ".join(text.split())
    assert "+6.0 ms          Held by the input pipeline" in to_text(report, False)
    free = report_of(saving(8), needed=5 * MS)
    assert free.budget and (free.budget.held, free.words[0].beside) == ("", "")
    assert "Held by" not in to_text(free, False)


def test_every_part_of_a_report_says_the_same(error: None) -> None:
    report = report_of(saving(8), saving(4), needed=12 * MS)
    assert report.budget and report.findings[0].after and report.words[0].after
    one, every = prediction(report, ["a"]), prediction(report, ["a", "b"])
    text = to_text(report, False)

    first = report.findings[0].after
    assert (first.ns, first.low_ns, first.high_ns) == (14 * MS, 12_900_000, 16_200_000)
    assert (one.predicted_ns, one.after) == (first.ns, report.words[0].after)
    assert "After fix 1   14.0 ms · likely 12.9–16.2 ms" in text
    assert one.said == (
        "Projected 14.0 ms with 1 of 2 findings fixed. "
        "Likely 12.9–16.2 ms, as in nine of ten of 7 simulated runs."
    )
    foretold = plan.predict(report, "a")
    assert foretold and (foretold.low, foretold.high) == (first.low_ns / STEP, first.high_ns / STEP)
    assert report.budget.projected_ns == every.predicted_ns == 12 * MS
    assert f"{ms(12 * MS)}   1.83×  Projected, with 2 of 2 findings fixed" in text
    assert outline(report).recoverable_ns == every.saved_ns == 10 * MS


def test_rare_long_steps_can_be_won_besides_the_usual_one() -> None:
    report = report_of(saving(8), saving(4, account=""))
    assert report.budget

    assert (report.budget.projected_ns, outline(report).recoverable_ns) == (14 * MS, 12 * MS)


def test_what_one_kernel_costs_and_delays_has_one_cause(error: None) -> None:
    """GPU 1 takes long for a scatter, so that the others wait: without it, nobody waits."""
    scatter = saving(6, kernels=("scatter", "gather"))
    waiting = saving(5, late_kernel="scatter")
    report = report_of(scatter, waiting, saving(2, kernels=("gemm",)))

    assert beside(report) == {"a": "", "b": "same cause as 1: scatter", "c": ""}
    assert "same cause as 1: scatter" in to_text(report, False)
    assert (after(report, "a").ns, after(report, "a").low_ns) == (16 * MS, 11 * MS)
    assert after(report, "b").low_ns == 15_900_000
    assert after(report, "c").low_ns == 18_900_000
    assert projected_ns(report, "ab") == 11 * MS


def test_a_limit_that_is_not_known_is_said() -> None:
    known, unknown = report_of(saving(8), needed=5 * MS), report_of(saving(8))

    assert prediction(known, "a").limits == ()
    assert prediction(unknown, "a").limits == (UNKNOWN_INPUT,)
    assert prediction(unknown, ()).limits == ()


SAVINGS = st.lists(st.builds(saving, st.integers(0, 22), frees_input=st.booleans()), min_size=1, max_size=4)


@given(
    SAVINGS, st.none() | st.integers(0, 30 * MS), st.sets(st.sampled_from("abcd")), st.sampled_from("abcd")
)
def test_laws(savings: list[Saving], needed: int | None, fixed: set[str], more: str) -> None:
    report = report_of(*savings, needed=needed)
    found = projected_ns(report, fixed)

    saved = sum(s.ns for id_, s in zip("abcd", savings, strict=False) if id_ in fixed)
    assert max(0, STEP - saved) <= found <= STEP
    assert projected_ns(report, {*fixed, more}) <= found  # a further fix makes no step longer
    said = after(report, fixed)
    assert 0 <= said.low_ns <= said.ns <= said.high_ns <= STEP
