"""Several launches a side: what decides, what is said where nothing does, and what is shown."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from tests.compare.test_compare import around, finding, found, run, workload
from tests.conftest import REPOSITORY
from tfperf_plugin.compare import build
from tfperf_plugin.compare.build import compare_launches
from tfperf_plugin.compare.launches import Launch, row_of, workload_of
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.compare.render import to_markdown, to_text
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.proof.effect import rounds
from tfperf_plugin.readers.logdirs.places import runs_at
from tfperf_plugin.report import model
from tfperf_plugin.report.serialize import json_schema, to_json

DATA = REPOSITORY.parent / "shared" / "corpus" / "data" / "kineto"
BEGIN = datetime(2026, 1, 1)


def launch(report: model.Report, minute: int | None) -> Launch:
    time = "" if minute is None else (BEGIN + timedelta(minutes=minute)).isoformat(" ")
    return Launch(report, time)


def launches(
    order: Sequence[str], step_ms: tuple[float, float], sd: float = 0.01, seed: int = 1
) -> tuple[list[Launch], list[Launch]]:
    """Launches before and after, with the steps of each around its own mean."""
    draw = random.Random(seed)
    sides: tuple[list[Launch], list[Launch]] = [], []
    for number, side in enumerate(order):
        mean = step_ms[side == "B"] * (1 + sd * draw.gauss(0, 1))
        name = f"{side}{len(sides[side == 'B']) + 1}"
        report = run(around(mean, 0.01, 100 * seed + number), name=name)
        sides[side == "B"].append(launch(report, number))
    return sides


def changed(side: list[Launch], number: int, report: model.Report) -> list[Launch]:
    return [*side[:number], replace(side[number], report=report), *side[number + 1 :]]


ORDER = rounds(6, random.Random(4))
BLOCKS = "A" * 6 + "B" * 6


@pytest.mark.parametrize(
    ("after", "sd", "verdict", "opening"),
    [
        (15.0, 0.01, "better", "Better: a step takes 14."),
        (25.0, 0.01, "worse", "Worse: a step takes 24."),
        (20.0, 0.002, "same", "Neither better nor worse: a step takes"),
        (19.0, 0.1, "unproven", "Unproven: a step takes"),
    ],
)
def test_launches_that_took_turns_are_judged_by_their_order(
    after: float, sd: float, verdict: str, opening: str
) -> None:
    base, new = launches(ORDER, (20.0, after), sd)

    result = compare_launches(base, new)

    assert result.verdict == verdict
    assert result.sentence.startswith(opening)
    assert result.sentence.endswith("; 6 launches a side).")
    said = result.launches
    assert said
    assert (said.method, said.statistic) == ("rounds", "p10")
    assert said.low is not None
    assert said.high is not None
    assert said.low <= said.change <= said.high
    assert "".join("A" if item.side == "base" else "B" for item in said.items) == "".join(ORDER)
    assert said.p is not None
    assert (said.p <= 0.01) == (verdict in ("better", "worse"))
    jsonschema.validate(to_json(result), json_schema(Comparison))
    for text in (to_text(result, color=False), to_markdown(result)):
        assert text.count("2026-01-01 00:") == 12
        assert "The launches in the middle" in text


def test_an_unproven_difference_says_how_many_launches_would_show_it() -> None:
    result = compare_launches(*launches(ORDER, (20.0, 19.0), 0.1))

    assert result.launches
    words = " ".join(result.reasons)
    assert "of the orders in which these launches could have run would give a difference as large" in words
    assert f"takes about {result.launches.needed:,} launches a side, in a new trial." in words
    assert result.prediction is None


@pytest.mark.parametrize(
    ("order", "first", "reason"),
    [
        (BLOCKS, 0, "did not take turns in rounds of four"),
        ("ABBA", 0, "2 launches before and 2 now are too few to judge by their order"),
        ("AAAAAAAB", 0, "7 launches before and 1 now are too few"),
        (ORDER, None, "When 1 of the launches were recorded is not known"),
        (ORDER, 1, "Several launches were recorded within the same second"),
    ],
)
def test_others_are_unproven_and_why_is_said(order: Sequence[str], first: int | None, reason: str) -> None:
    base, new = launches(order, (20.0, 10.0))
    base = [launch(base[0].report, first), *base[1:]]

    result = compare_launches(base, new)

    assert result.verdict == "unproven"
    assert reason in result.reasons[0]
    assert "the history has 0 pairs of them, and 12 are needed" in result.reasons[1]
    assert result.launches
    assert (result.launches.method, result.launches.p, result.launches.low) == ("nothing", None, None)


@pytest.mark.parametrize(
    ("order", "after", "sd", "stated", "equal", "verdict", "reason"),
    [
        (BLOCKS, 15.0, 0.01, None, [0.02, -0.02] * 6, "better",
         "larger than the 6.3 % that equal launches of the past allow for"),
        (BLOCKS, 30.0, 0.01, None, [0.02, -0.02] * 6, "worse", "larger than the 6.3 %"),
        (BLOCKS, 15.0, 0.01, None, [0.2, -0.2] * 6, "unproven",
         "within the 84 % that equal launches of the past allow for"),
        (BLOCKS, 15.0, 0.01, None, [0.02] * 11, "unproven", "did not take turns"),
        # The past counts for more than what the user states.
        (BLOCKS, 15.0, 0.01, 0.05, [0.2, -0.2] * 6, "unproven", "within the 84 %"),
        ("AAABBB", 15.0, 0.01, 0.05, [], "better", "larger than the 5.0 % by which launches of one training"),
        ("AAABBB", 19.8, 0.01, 0.05, [], "unproven", "within the 5.0 % by which"),
        # The launches refute it.
        ("AAABBB", 15.0, 0.1, 0.05, [], "unproven", "more than the 5.0 % stated."),
        # It does not overrule the order.
        (ORDER, 19.0, 0.1, 0.01, [], "unproven", "of the orders in which these launches could have run"),
    ],
)  # fmt: skip
def test_the_past_or_a_stated_drift_decide_where_the_order_does_not(
    order: str, after: float, sd: float, stated: float | None, equal: list[float], verdict: str, reason: str
) -> None:
    result = compare_launches(*launches(order, (20.0, after), sd), stated, equal)

    assert result.verdict == verdict
    assert any(reason in sentence for sentence in result.reasons), result.reasons


def test_one_order_in_all_rounds_is_pointed_out() -> None:
    words = "Each round has the same order, so chance did not choose it."

    assert words in compare_launches(*launches("ABAB" * 3, (20.0, 15.0))).caveats
    assert words not in compare_launches(*launches("ABABBAABABAB", (20.0, 15.0))).caveats


def test_short_steps_that_gain_while_the_mean_loses_are_suspicious() -> None:
    base, new = launches(ORDER, (20.0, 19.0), 0.002)
    new = [
        replace(each, report=run([*[19.0] * 9, 60.0 + number], name=each.report.run))
        for number, each in enumerate(new)
    ]

    result = compare_launches(base, new)

    assert result.verdict == "suspicious"
    assert result.sentence.startswith("Suspicious: a step takes")
    assert result.reasons[0].startswith("The mean of the steps says the opposite (+1")


def test_rare_long_steps_count_where_a_finding_is_about_them() -> None:
    base, new = launches(ORDER, (20.0, 20.0), 0.002)
    base = [
        replace(each, report=found(run([*[20.0] * 9, 60.0 + number]), finding("step-outliers", 1_000_000)))
        for number, each in enumerate(base)
    ]

    result = compare_launches(base, new)

    assert result.launches
    assert result.launches.statistic == "mean"
    assert result.verdict == "better"


def test_findings_are_counted_and_those_of_most_launches_matter() -> None:
    base, new = launches(ORDER, (20.0, 15.0))
    base = [
        replace(each, report=found(each.report, *([finding("gone", 5_000_000)] if number else [])))
        for number, each in enumerate(base)
    ]
    new = changed(new, 2, found(new[2].report, finding("once", 1_000_000)))

    result = compare_launches(base, new)

    assert {f.id: (f.status, f.note) for f in result.findings} == {
        "gone": ("vanished", "In 5 of 6 before, 0 of 6 now."),
        "once": ("same", "In 0 of 6 before, 1 of 6 now."),
    }  # fmt: skip
    assert result.prediction
    assert result.prediction.findings == ("gone",)


def test_accounts_are_those_of_the_middle_and_add_up_to_the_times() -> None:
    result = compare_launches(*launches(ORDER, (20.0, 15.0), 0.05))

    assert result.times
    assert result.launches
    sums = [sum(getattr(a, key) for a in result.accounts) for key in ("base_ns", "new_ns", "delta_ns")]
    assert sums == [result.times.base_ns, result.times.new_ns, result.times.delta_ns]
    for side, of in (("base", result.base), ("new", result.new)):
        levels = sorted((item.level_ns, item.run) for item in result.launches.items if item.side == side)
        assert levels[2][1] == of.run


def test_other_work_in_one_launch_prevents_a_comparison() -> None:
    def known(side: list[Launch], *parameters: int) -> list[Launch]:
        return [
            replace(each, report=workload(each.report, parameters=number))
            for each, number in zip(side, parameters, strict=True)
        ]

    base, new = launches(ORDER, (20.0, 15.0))
    batch = compare_launches(base, changed(new, 3, workload(new[3].report, batch_size=128)))
    model = compare_launches(known(base, *[1000] * 6), known(new, *[1000] * 5, 1))
    few = compare_launches(base, changed(new, 3, run([15.0, 15.0], name="short")))

    assert {each.verdict for each in (batch, model, few)} == {"cannot_compare"}
    assert batch.reasons == ("The launches now differ: their steps hold other numbers of examples.",)
    assert model.reasons == ("The launches now differ. Another model: 1,000 parameters before, 1 now.",)
    assert "record ten (short)" in few.reasons[0]
    assert batch.launches is None


def test_larger_batches_are_compared_by_example() -> None:
    base, new = launches(ORDER, (20.0, 30.0))
    new = [replace(each, report=workload(each.report, batch_size=128)) for each in new]

    result = compare_launches(base, new)

    assert (result.verdict, result.basis) == ("better", "examples")
    assert result.times
    assert result.times.change == pytest.approx(-0.25, abs=0.02)


def test_a_row_of_the_history_is_of_the_new_launches() -> None:
    result = compare_launches(*launches(ORDER, (20.0, 15.0)))

    row = row_of(result, workload_of(run()))

    assert row.verdict == "better"
    assert row.ms == pytest.approx(15, rel=0.03)
    assert sum(row.accounts.values()) == pytest.approx(row.ms)
    assert workload_of(run()) != workload_of(workload(run(), batch_size=65))


@pytest.mark.parametrize("worker", [0, 1])
def test_a_published_pair_is_better_only_with_a_stated_drift(worker: int) -> None:
    folders = [DATA / f"resnet50_num_workers_{workers}" for workers in (0, 4)]
    if not all(map(Path.is_dir, folders)):
        pytest.skip("the published pair is not beside this repository")
    before, after = (
        analyze_run(runs_at(str(folder / f"worker{worker}.pt.trace.json.gz"))[0]).report for folder in folders
    )

    assert build.compare(before, after).verdict == "unproven"
    assert build.compare(before, after, 0.03).verdict == "better"
