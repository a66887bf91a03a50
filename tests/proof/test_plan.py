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
from tfperf_plugin.proof.measured import levels
from tfperf_plugin.proof.plan import Side, describe, predict
from tfperf_plugin.proof.verdict import decide, history_row
from tfperf_plugin.report.panels.projection import published_error


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


@pytest.mark.parametrize("saving", [None, Saving(1_000_000, 0.1, "x", once_ns=5)])
def test_nothing_is_foretold_without_a_saving_in_each_step(saving: Saving | None) -> None:
    report = demo_report("kernel_launch_bound")
    first = replace(report.findings[0], saving=saving)

    assert predict(replace(report, findings=(first,)), first.id) is None


def test_nothing_is_foretold_without_a_gpu() -> None:
    report = replace(demo_report("kernel_launch_bound"), ledger=None)

    assert predict(report, report.findings[0].id) is None


def test_a_saving_that_is_no_bound_has_no_least() -> None:
    report = demo_report("kernel_launch_bound")
    first = report.findings[0]
    assert first.saving
    about = replace(first, saving=replace(first.saving, bound=False))

    found = predict(replace(report, findings=(about,)), about.id)
    assert found and found.least == 0


def test_a_finding_that_the_run_does_not_have() -> None:
    with pytest.raises(
        BadOptionError, match="has no finding 'nonsense'; its findings are kernel-launch-bound"
    ):
        predict(demo_report("kernel_launch_bound"), "nonsense")


@pytest.mark.parametrize("repeat", [-2, 0, 4, 7, 102])
def test_launches_on_a_side(repeat: int) -> None:
    with pytest.raises(BadOptionError, match="even number from 6 to 100"):
        plans.make(A, B, CODE, repeat=repeat, after=1, steps=1)


def test_orders_are_random_rounds_of_four() -> None:
    orders = {plans.make(A, B, CODE, repeat=8, after=1, steps=1).order for _ in range(50)}

    assert len(orders) > 40
    for order in orders:
        assert [order[i : i + 4].count("A") for i in range(0, 16, 4)] == [2, 2, 2, 2]


def test_rare_findings_are_judged_by_the_mean() -> None:
    made = [
        plans.make(A, B, CODE, finding=id_, repeat=6, after=1, steps=1)
        for id_ in ("input-bound", "step-outliers")
    ]

    assert [each.statistic for each in made] == ["tenth percentile", "mean"]


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


def test_equal_launches_fill_the_floor() -> None:
    same = plan(aa=True, b=A)
    done = trial(same)
    row = history_row(same, done, decide(same, done, "plan", ["file"] * 12))

    assert row
    assert (row.verdict, row.change, len(row.equal)) == ("", None, 6)
    assert row.equal == equal_changes(levels(same, done))
    assert row.ms == pytest.approx(10, rel=0.02)
    assert row.load == pytest.approx(0.1)


def test_a_change_is_remembered_with_its_verdict() -> None:
    given = plan(finding="input-bound")
    done = trial(given, 0.8)
    row = history_row(given, done, decide(given, done, "plan", ["file"] * 12))

    assert row
    assert (row.verdict, row.findings, row.equal) == ("better", ("input-bound",), ())
    assert row.change == pytest.approx(-0.2, abs=0.02)


def test_what_was_not_comparable_is_not_remembered() -> None:
    given = plan()
    done = [replace(m, exit_code=1) for m in trial(given)]

    assert history_row(given, done, decide(given, done, "plan", ["file"] * 12)) is None
