"""Verdicts on launches with planted effects, doubts and predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.proof.trials import FORETOLD, measured, plan, trial
from tfperf_plugin.proof import files
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.proof.plan import MOST_A_SIDE, Plan, Prediction, Side
from tfperf_plugin.proof.verdict import Verdict, decide, history_row, to_text
from tfperf_plugin.recording.launch import Window


def verdict(planned: Plan, done: list[Measured]) -> Verdict:
    return decide(planned, done, "plan", ["file"] * len(done))


@pytest.mark.parametrize(
    ("effect", "sigma", "word", "said"),
    [
        (0.8, 0.005, "better", "Better: a step takes 8.0 ms instead of 10.0 ms (−20 %, between −2"),
        (1.2, 0.005, "worse", "Worse: a step takes 12.0 ms instead of 10.0 ms (+20 %"),
        (1.0, 0.005, "same", "Neither better nor worse: a step takes 10.0 ms instead of 10.0 ms ("),
        (0.95, 0.2, "unproven", "Unproven: a step takes "),
    ],
)
def test_planted_effects(effect: float, sigma: float, word: str, said: str) -> None:
    found = verdict(plan(), trial(plan(), effect, sigma))

    assert (found.verdict, found.sentence.startswith(said)) == (word, True), found.sentence
    assert found.effect
    assert found.effect.low < effect < found.effect.high
    assert any("launches a side, in a new trial" in reason for reason in found.reasons) == (
        word == "unproven"
    )


@pytest.mark.parametrize(
    ("effect", "sigma", "word", "said"),
    [
        (
            0.7,
            0.005,
            "better",
            "All launches of one side take less time, by more than the launches of a side",
        ),
        (1.0, 0.002, "same", "Whatever the difference is, it is within 3.0 %."),
        (0.9, 0.1, "unproven", "The sides do not lie apart by more than their launches differ."),
    ],
)
def test_a_quick_trial(effect: float, sigma: float, word: str, said: str) -> None:
    planned = plan(order="ABBABA", prediction=FORETOLD)
    done = trial(planned, effect, sigma)
    found = verdict(planned, done)

    assert (found.verdict, found.reasons[0].startswith(said)) == (word, True), found.reasons
    assert found.reasons[-2].startswith("A first look: in 1 of 10 such trials, the difference lies outside")
    assert history_row(planned, done, found) is None


@pytest.mark.parametrize(
    ("foretold", "effect", "word", "score"),
    [
        (FORETOLD, 0.52, "better", "inside"),
        (FORETOLD, 0.8, "better", "less"),
        (FORETOLD, 1.0, "same", "less"),
        (FORETOLD, 1.3, "worse", "less"),
        (replace(FORETOLD, least=0.0), 0.3, "better", "more"),
        (FORETOLD, 0.3, "suspicious", None),
    ],
)
def test_predictions_are_scored(foretold: Prediction, effect: float, word: str, score: str | None) -> None:
    planned = plan(prediction=foretold)
    found = verdict(planned, trial(planned, effect, sigma=0.005))

    assert (found.verdict, found.score) == (word, score), found
    assert any("Foretold: 40 % to 55 % shorter." in reason for reason in found.reasons)


def test_a_prediction_of_what_is_unproven_stays_open_and_a_gain_above_the_bound_says_so() -> None:
    planned = plan(prediction=FORETOLD)
    open_, above = verdict(planned, trial(planned, 0.8, 0.5)), verdict(planned, trial(planned, 0.3, 0.005))

    assert (open_.verdict, open_.score) == ("unproven", None)
    assert open_.reasons[-1] == "Foretold: 40 % to 55 % shorter. Whether that came true is open."
    assert above.reasons[0].endswith("but input-bound leaves 55 % at most to gain.")


def with_rare_windows(done: list[Measured], ns: int) -> list[Measured]:
    """Side B with one window that takes so long."""
    return [
        replace(m, launch=replace(m.launch, windows=(*m.launch.windows[:7], Window(10, ns, 320))))
        if m.side == "B"
        else m
        for m in done
    ]


def test_a_mean_that_contradicts_is_suspicious_and_decides_where_steps_are_rare() -> None:
    found = verdict(plan(), with_rare_windows(trial(plan(), 0.9), 400_000_000))

    said = "The mean over all windows says otherwise: +29 %."
    assert (found.verdict, found.reasons[0]) == ("suspicious", said)
    planned = plan(statistic="mean")
    assert verdict(planned, with_rare_windows(trial(planned), 400_000_000)).verdict == "worse"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"losses": (float("inf"),)}, "suspicious"),
        ({"losses": (9.0, 9.0)}, "suspicious"),
        ({"batch_size": 64}, "not comparable"),
        ({"exit_code": 1}, "not comparable"),
        ({"versions": None}, "not comparable"),
    ],
)
def test_guards_decide_before_times(changes: dict[str, Any], word: str) -> None:
    planned = plan()
    done = [
        measured(m.number, "B", step_ns=8e6, **changes) if m.side == "B" else m for m in trial(planned, 0.8)
    ]

    found = verdict(planned, done)
    assert (found.verdict, found.score) == (word, None)
    assert found.reasons


def test_a_trial_that_ended_early_has_no_effect() -> None:
    planned = plan()
    done = [*trial(planned)[:1], measured(2, "B", batch_size=64)]

    found = verdict(planned, done)
    assert (found.verdict, found.effect, len(found.launches)) == ("not comparable", None, 2)
    assert "Batch: 32 in launch 1 (A); 64 in launch 2 (B)." in to_text(found, Path("out"))


def test_a_batch_that_nobody_told_is_a_caution() -> None:
    planned = plan()
    done = [
        measured(n, side, step_ns=8e6 if side == "B" else 1e7, batch_size=None)
        for n, side in enumerate(planned.order, 1)
    ]
    found = verdict(planned, done)

    assert found.verdict == "better"
    assert "Batch: no launch says it, so it is taken to be the same; --batch states it." in found.reasons


def test_the_file_is_small_whatever_was_tried() -> None:
    command = ("python", *("x" * 4000 for _ in range(20)))
    planned = plan(
        a=Side(command, {}),
        b=Side(command, {f"VARIABLE_{n}": "v" * 1000 for n in range(50)}),
        prediction=FORETOLD,
        order="ABBA" * (MOST_A_SIDE // 2),
    )
    data = files.encode(decide(planned, trial(planned, 0.8), "f" * 16, ["f" * 16] * 2 * MOST_A_SIDE))

    assert len(data) <= 20_000
    assert msgspec.json.decode(data, type=Verdict).verdict == "better"


def test_equal_sides_say_how_far_launches_differ() -> None:
    planned = plan(aa=True)
    found = verdict(planned, trial(planned))
    false = verdict(planned, trial(planned, 0.8))

    assert found.sentence.startswith("Equal: nothing differs between the sides, and their launches by ")
    assert found.sentence.endswith("to prove 5 % takes about 6 launches a side.")
    assert found.verdict in ("same", "unproven")
    assert not any("Nothing differs" in reason for reason in found.reasons)
    assert (false.verdict, false.reasons[-1].startswith("Nothing differs")) == ("better", True)
