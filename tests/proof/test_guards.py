"""Each guard trips alone, and none on equal work."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.proof.trials import CODE, FACTS, measured, plan, trial
from tfperf_plugin.proof.guards import Guard, guards, stops
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.proof.plan import Side


def tripped(done: list[Measured], **changes: Any) -> dict[str, Guard]:
    return {guard.name: guard for guard in guards(plan(**changes), done) if guard.state != "holds"}


def changed(number: int, **changes: Any) -> list[Measured]:
    """Equal launches, of which one differs."""
    planned = plan()
    done = trial(planned)
    done[number - 1] = measured(number, planned.order[number - 1], **changes)
    return done


def without_examples(done: list[Measured], windows: int = 1) -> list[Measured]:
    first = done[1].launch
    cut = tuple(replace(w, examples=None) for w in first.windows[:windows]) + first.windows[windows:]
    return [done[0], replace(done[1], launch=replace(first, windows=cut)), *done[2:]]


def fewer_examples(done: list[Measured], side: str) -> list[Measured]:
    return [
        replace(
            m, launch=replace(m.launch, windows=tuple(replace(w, examples=300) for w in m.launch.windows))
        )
        if m.side == side
        else m
        for m in done
    ]


def test_equal_work_trips_none() -> None:
    assert tripped(trial(plan())) == {}


@pytest.mark.parametrize(
    ("name", "state", "said", "changes"),
    [
        ("Exit code", "differs", "Exit code: 1 in launch 5 (A).", {"exit_code": 1}),
        ("Batch", "differs", "Batch: 32 in launch 1 (A); 64 in launch 5 (A).", {"batch_size": 64}),
        ("Parameters", "differs", "1,000 in launch 1 (A); 1,001", {"parameters": 1001}),
        (
            "Parameters",
            "unknown",
            "Parameters: not known of launch 5 (A).",
            {"parameters": None, "trainable": None},
        ),
        ("Number format", "differs", "mixed_float16, float32 in launch 5", {"policy": "mixed_float16"}),
        ("Number format", "unknown", "launch 5 (A)", {"policy": None, "trainable": None}),
        ("Devices", "differs", "host, 4 processors", {"machine": "host, 4 processors"}),
        ("Devices", "differs", "2 replicas", {"replicas": 2}),
        ("Versions", "differs", "keras 3.0.0", {"versions": {"keras": "3.0.0"}}),
        ("Versions", "unknown", "launch 5", {"versions": None}),
        ("Environment", "differs", "XLA_FLAGS --x", {"environment": {"XLA_FLAGS": "--x"}}),
        ("Source", "differs", "The source changed while launch 5 (A) ran.", {"code_after": "beef"}),
        ("Source", "differs", "between launches of side A", {"code": "beef", "code_after": "beef"}),
        ("Losses", "unknown", "Losses: not known of launch 5 (A).", {"losses": ()}),
        ("Losses", "suspicious", "Losses: nan in launch 5 (A).", {"losses": (2.0, float("nan"))}),
    ],
)
def test_a_guard_trips_alone(name: str, state: str, said: str, changes: dict[str, Any]) -> None:
    done = changed(5, **changes)
    found = tripped(done)
    # A batch of another size is another number of examples, too.
    assert found.keys() - {"Examples a step"} == {name} or name == "Batch"
    assert (found[name].state, said in found[name].sentence) == (state, True), found[name]


def test_an_unknown_batch_leaves_the_examples_unknown() -> None:
    found = tripped(changed(5, batch_size=None))

    assert {name: guard.state for name, guard in found.items()} == {
        "Batch": "unknown",
        "Examples a step": "unknown",
    }


def test_fewer_steps_than_others() -> None:
    done = trial(plan())
    short = replace(done[3].launch, windows=done[3].launch.windows[:4])
    done[3] = replace(done[3], launch=short)

    assert tripped(done)["Steps"].sentence == "Steps: 80 in launch 1 (A); 40 in launch 4 (A)."


def test_equally_few_steps_and_more_than_were_asked_for_are_equal() -> None:
    assert "Steps" not in tripped(trial(plan()), steps=200)
    assert "Steps" not in tripped(trial(plan()), steps=7)


def test_examples_that_were_not_counted() -> None:
    assert tripped(without_examples(trial(plan()))).keys() == {"Examples a step"}


def test_fewer_examples_are_suspicious_on_side_b_only() -> None:
    on_b = tripped(fewer_examples(trial(plan()), "B"))
    on_a = tripped(fewer_examples(trial(plan()), "A"))

    assert [(guard.name, guard.state) for guard in on_b.values()] == [("Examples a step", "suspicious")]
    assert on_b["Examples a step"].sentence == "Side B processes fewer examples a step: 30 instead of 32."
    assert on_a["Examples a step"].state == "differs"


def test_a_launch_that_was_ended_at_its_exit_is_no_failure() -> None:
    assert tripped(changed(5, exit_code=-9, ended=True)) == {}


def test_variables_of_the_change_may_differ() -> None:
    given = plan(b=Side(("python", "train.py"), {"XLA_FLAGS": "--fast"}))
    done = [
        replace(m, launch=replace(m.launch, facts=replace(FACTS, environment={"XLA_FLAGS": "--fast"})))
        if m.side == "B"
        else m
        for m in trial(given)
    ]

    assert [guard for guard in guards(given, done) if guard.state != "holds"] == []


def test_another_revision_has_other_source_on_its_side_only() -> None:
    base = plan(a=Side(("python", "train.py"), {}, "f" * 40))
    done = [replace(m, code="old", code_after="old") if m.side == "A" else m for m in trial(base)]

    assert [guard for guard in guards(base, done) if guard.state != "holds"] == []
    swapped = [replace(m, code="old", code_after="old") if m.side == "B" else m for m in trial(base)]
    assert [guard.name for guard in guards(base, swapped) if guard.state != "holds"] == ["Source"]


def losses(of_a: list[float], of_b: list[float]) -> list[Measured]:
    values = {"A": iter(of_a), "B": iter(of_b)}
    return [measured(n, side, losses=(next(values[side]),)) for n, side in enumerate(plan().order, 1)]


@pytest.mark.parametrize(
    ("b", "state"), [(2.0, "holds"), (2.001, "holds"), (2.01, "suspicious"), (0, "suspicious")]
)
def test_seeded_losses_are_equal_but_for_rounding(b: float, state: str) -> None:
    found = {guard.name: guard for guard in guards(plan(), losses([2.0] * 6, [b] * 6))}["Losses"]

    assert found.state == state


@pytest.mark.parametrize(
    ("b", "state"), [(2.25, "holds"), (2.45, "holds"), (2.7, "suspicious"), (1.2, "suspicious")]
)
def test_losses_without_a_seed_lie_in_the_widened_range_of_a(b: float, state: str) -> None:
    of_a = [1.8, 2.2, 1.9, 2.1, 2.0, 2.05]
    found = {guard.name: guard for guard in guards(plan(), losses(of_a, [b - 0.1, b + 0.1] * 3))}["Losses"]

    assert (found.state, "1.4 to 2.6" in found.sentence) == (state, True)


def test_facts_stop_a_trial_and_doubts_do_not() -> None:
    planned = plan()

    assert not stops(planned, [])
    assert not stops(planned, trial(planned)[:2])
    assert stops(planned, changed(2, batch_size=64)[:2])
    assert not stops(planned, fewer_examples(trial(planned), "B")[:2])
    assert CODE.digest == planned.code.digest
