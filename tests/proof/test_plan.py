"""Plans: what is foretold, how many launches, and what they say before they begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from demo.reports import demo_report
from tests.proof.trials import CODE, FORETOLD, A, B, plan, trial
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.judging.verdicts import Saving
from tfperf_plugin.proof import plan as plans
from tfperf_plugin.proof.effect import equal_changes
from tfperf_plugin.proof.history import Row
from tfperf_plugin.proof.measured import Measured, levels
from tfperf_plugin.proof.plan import Plan, Side, describe, predict
from tfperf_plugin.proof.verdict import decide, history_row
from tfperf_plugin.report.projection import published_error


def test_the_range_is_that_of_the_report() -> None:
    report = demo_report("kernel_launch_bound")
    first = report.findings[0]
    assert first.after and first.saving and report.ledger
    step = report.ledger.step_ns

    found = predict(report, first.id)

    assert found
    assert (found.low, found.high) == (first.after.low_ns / step, first.after.high_ns / step)
    assert found.low <= first.after.ns / step <= found.high < 1
    assert first.saving.bound
    assert found.least == min(found.low, 1 - first.saving.ns / step)
    assert "on real GPUs this was not measured" in found.basis


def test_a_saving_outside_the_usual_step_gets_the_published_error() -> None:
    report = demo_report("kernel_launch_bound")
    first = replace(report.findings[0], after=None)
    error = published_error()
    assert error and first.saving and report.ledger

    found = predict(replace(report, findings=(first,)), first.id)

    assert found
    ratio = 1 - first.saving.ns / report.ledger.step_ns
    assert found.low == pytest.approx(max(0, ratio - error.high_ratio), abs=1e-6)
    assert found.high == pytest.approx(ratio - error.low_ratio, abs=1e-6)


def test_nothing_is_foretold_without_a_saving_in_each_step_of_a_gpu() -> None:
    report = demo_report("kernel_launch_bound")
    first = report.findings[0]
    assert first.saving
    about = replace(first, saving=replace(first.saving, bound=False))

    for saving in (None, Saving(1_000_000, 0.1, "x", once_ns=5)):
        assert predict(replace(report, findings=(replace(first, saving=saving),)), first.id) is None
    assert predict(replace(report, ledger=None), first.id) is None
    found = predict(replace(report, findings=(about,)), about.id)
    assert found and found.least == 0  # it is no bound


def test_a_finding_that_the_run_does_not_have() -> None:
    with pytest.raises(
        BadOptionError, match="has no finding 'nonsense'; its findings are kernel-launch-bound"
    ):
        predict(demo_report("kernel_launch_bound"), "nonsense")


def test_orders_are_random_rounds_of_four_and_rare_findings_are_judged_by_the_mean() -> None:
    made = [plans.make(A, B, CODE, finding="input-bound", repeat=8, after=1, steps=1) for _ in range(50)]

    assert len({each.order for each in made}) > 40
    for each in made:
        assert each.statistic == "tenth percentile"
        assert [each.order[i : i + 4].count("A") for i in range(0, 16, 4)] == [2, 2, 2, 2]
    rare = plans.make(A, B, CODE, finding="step-outliers", repeat=6, after=1, steps=1)
    assert rare.statistic == "mean"


def test_the_key_tells_plans_apart_but_not_their_orders() -> None:
    first = plan()

    assert first.key == replace(first, order="BAAB" * 3, written="later").key
    assert len({first.key, plan(steps=81).key, plan(b=A).key, plan(order="ABBA" * 4).key}) == 4


def test_what_a_plan_says() -> None:
    given = plan(
        a=Side(("python", "train.py", "a b"), {}, "c0ffee" * 6), prediction=FORETOLD, finding="input-bound"
    )
    lines = describe(given, Path("out")).splitlines()

    assert lines[0].startswith(
        "The command runs 12 times, 6 on each side in random order, with all that it writes"
    )
    assert "TFPERF_TRY=1" in lines[0]
    assert lines[1] == "A: python train.py 'a b' at commit c0ffeec0ffee"
    assert lines[2] == "B: FAST=1 python train.py"
    assert lines[3] == "Foretold by input-bound: a step that is shorter by 40 % to 55 % (as simulated)."
    assert "the report gives no saving" in describe(replace(given, prediction=None, of="hash"), Path("out"))
    assert "no report was named with --of" in describe(replace(given, prediction=None), Path("out"))


def remembered(planned: Plan, done: list[Measured]) -> Row | None:
    return history_row(planned, done, decide(planned, done, "plan", ["file"] * 12))


def test_what_is_remembered() -> None:
    """Equal launches fill the floor, a change is kept with its verdict, what is not comparable is not."""
    same, change = plan(aa=True, b=A), plan(finding="input-bound")
    equal, changed = remembered(same, trial(same)), remembered(change, trial(change, 0.8))

    assert equal and changed
    assert (equal.verdict, equal.change, len(equal.equal)) == ("", None, 6)
    assert equal.equal == equal_changes(levels(same, trial(same)))
    assert equal.ms == pytest.approx(10, rel=0.02)
    assert equal.load == pytest.approx(0.1)
    assert (changed.verdict, changed.findings, changed.equal) == ("better", ("input-bound",), ())
    assert changed.change == pytest.approx(-0.2, abs=0.02)
    assert remembered(plan(), [replace(m, exit_code=1) for m in trial(plan())]) is None
