"""Each guard trips alone, and none on equal work."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.proof.trials import launch, measured, plan, trial
from tfperf_plugin.proof.guards import Guard, guards, stops
from tfperf_plugin.proof.measured import Measured
from tfperf_plugin.proof.plan import Side
from tfperf_plugin.recording.launch import Launch


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
        ("Source", "differs", "model.py changed while launch 5 (A) ran.", {"changed": "model.py"}),
        (
            "Source",
            "differs",
            "train.py changed between launch 1 (A) and launch 5 (A).",
            {"sources": {"train.py": "beef"}},
        ),
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


def test_what_guards_say_together() -> None:
    """Several launches, or several facts at once."""
    done = trial(plan())
    short = replace(done[3].launch, windows=done[3].launch.windows[:4])

    assert {name: guard.state for name, guard in tripped(changed(5, batch_size=None)).items()} == {
        "Batch": "unknown",
        "Examples a step": "unknown",
    }
    assert (
        tripped([each for each in done if each.side == "B"])["Losses"].sentence
        == "Losses: only one side ran."
    )
    few = tripped([*done[:3], replace(done[3], launch=short), *done[4:]])
    assert few["Steps"].sentence == "Steps: 80 in launch 1 (A); 40 in launch 4 (A)."
    assert tripped(without_examples(done)).keys() == {"Examples a step"}
    fewer = tripped(fewer_examples(done, "B"))["Examples a step"]
    assert fewer.sentence == "Side B processes fewer examples a step: 30 instead of 32."
    assert fewer.state == "suspicious"
    assert tripped(fewer_examples(done, "A"))["Examples a step"].state == "differs"


def test_a_batch_that_no_launch_tells_is_taken_to_be_the_same() -> None:
    planned = plan()
    done = [measured(n, side, batch_size=None) for n, side in enumerate(planned.order, 1)]
    found = tripped(done)

    assert {name: guard.state for name, guard in found.items()} == {
        "Batch": "unsaid",
        "Examples a step": "unsaid",
    }
    assert found["Batch"].sentence == (
        "Batch: no launch says it, so it is taken to be the same; --batch states it."
    )
    assert not stops(planned, done)
    assert tripped(done, batch=64) == {}


FAST = Side(("python", "train.py"), {"XLA_FLAGS": "--fast"})
HIDING = Side(("python", "train.py"), {}, switches=("latency-hiding",))
OLD = Side(("python", "train.py"), {}, "f" * 40)


def on_side(side: str, **changes: Any) -> list[Measured]:
    return [replace(m, **changes) if m.side == side else m for m in trial(plan())]


@pytest.mark.parametrize(
    ("changes", "done", "names"),
    [
        ({}, trial(plan()), set()),
        # Equally few steps, and more than were asked for.
        ({"steps": 200}, trial(plan()), set()),
        ({"steps": 7}, trial(plan()), set()),
        # It was ended at its exit.
        ({}, changed(5, exit_code=-9, ended=True), set()),
        # A variable of the change may differ, another one not.
        ({"b": FAST}, on_side("B", launch=launch(environment={"XLA_FLAGS": "--fast"})), set()),
        ({"b": FAST}, on_side("B", launch=launch(environment={"TF_X": "1"})), {"Environment"}),
        ({"b": HIDING}, on_side("B", launch=launch(environment={"XLA_FLAGS": "--fast"})), set()),
        # Another revision has other source on its side only.
        ({"a": OLD}, on_side("A", sources={"train.py": "old"}), set()),
        ({"a": OLD}, changed(5, sources={"train.py": "old"}), {"Source"}),
        ({}, on_side("B", sources={"train.py": "old"}), {"Source"}),
        # The change makes side B import another module.
        ({}, on_side("B", sources={"train.py": "d1ce", "fast.py": "f00d"}), set()),
    ],
)
def test_equal_work_trips_none(changes: dict[str, Any], done: list[Measured], names: set[str]) -> None:
    assert tripped(done, **changes).keys() == names


SPREAD = [1.8, 2.2, 1.9, 2.1, 2.0, 2.05]


def losses(of_a: list[float], of_b: list[float]) -> list[Measured]:
    values = {"A": iter(of_a), "B": iter(of_b)}
    return [measured(n, side, losses=(next(values[side]),)) for n, side in enumerate(plan().order, 1)]


@pytest.mark.parametrize(
    ("of_a", "spread", "b", "state"),
    [
        # Seeded: equal but for rounding.
        ([2.0] * 6, 0, 2.0, "holds"), ([2.0] * 6, 0, 2.001, "holds"),
        ([2.0] * 6, 0, 2.01, "suspicious"), ([2.0] * 6, 0, 0, "suspicious"),
        # Without a seed: in the widened range of A, 1.4 to 2.6.
        (SPREAD, 0.1, 2.25, "holds"), (SPREAD, 0.1, 2.45, "holds"),
        (SPREAD, 0.1, 2.7, "suspicious"), (SPREAD, 0.1, 1.2, "suspicious"),
    ],
)  # fmt: skip
def test_losses(of_a: list[float], spread: float, b: float, state: str) -> None:
    done = losses(of_a, [b - spread, b + spread] * 3)
    (found,) = [guard for guard in guards(plan(), done) if guard.name == "Losses"]

    assert (found.state, "1.4 to 2.6" in found.sentence) == (state, spread > 0)


@pytest.mark.parametrize(
    ("b", "state"),
    [
        ((1.2, 1.0), "unsaid"),
        ((1.2, float("nan")), "suspicious"),
    ],
)
def test_losses_after_several_steps_are_not_held_against_those_after_each(
    b: tuple[float, ...], state: str
) -> None:
    found = tripped(on_side("B", launch=launch(losses=b, steps_per_execution=16)))["Losses"]

    assert found.state == state
    assert ("16 steps on side B" in found.sentence) == (state == "unsaid")


def test_facts_stop_a_trial_and_doubts_do_not() -> None:
    planned = plan()

    assert not stops(planned, [])
    assert not stops(planned, trial(planned)[:2])
    assert stops(planned, changed(2, batch_size=64)[:2])
    assert not stops(planned, fewer_examples(trial(planned), "B")[:2])


@pytest.mark.parametrize(
    ("switches", "b", "names"),
    [
        # What a switch changes on purpose is told, and everything else stays guarded.
        (("one-batch",), launch(losses=(9.0, 8.0)), {"Losses": "unsaid"}),
        (("one-batch",), launch(losses=(9.0, float("nan"))), {"Losses": "suspicious"}),
        (("prefetch",), launch(losses=(9.0, 8.0)), {"Losses": "suspicious"}),
        (("mixed-precision=mixed_float16",), launch(policy="mixed_float16"), {"Number format": "unsaid"}),
        (("one-batch",), launch(policy="mixed_float16"), {"Number format": "differs"}),
    ],
)
def test_what_a_switch_changes_on_purpose_is_no_doubt(
    switches: tuple[str, ...], b: Launch, names: dict[str, str]
) -> None:
    changes = {"b": Side(("python", "train.py"), {}, switches=switches)}
    found = tripped(on_side("B", launch=b), **changes)

    assert {name: guard.state for name, guard in found.items()} == names
    for guard in found.values():
        assert guard.sentence.endswith(f" {switches[0]} changes that on purpose.") == (
            guard.state == "unsaid"
        )
    assert stops(plan(**changes), on_side("B", launch=b)) == ("differs" in names.values())
