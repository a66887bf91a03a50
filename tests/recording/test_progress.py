"""What is said while a training runs: how far it has come, and what it waits for."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tfperf_plugin.recording.launch import NOTES, Request
from tfperf_plugin.recording.notes import Notes, unseen
from tfperf_plugin.recording.watched import Progress

BEGUN = {"python": ("",), "imported": ("JAX",)}
REQUEST = Request("/folder")


def noted(**kinds: str) -> dict[str, tuple[str, ...]]:
    return {**BEGUN, **{kind: (text,) for kind, text in kinds.items()}}


def test_progress_of_long_trainings_is_told_in_ever_longer_intervals() -> None:
    progress = Progress(REQUEST, 100.0)
    times = [
        now - 100
        for now in range(100, 100 + 8 * 3600)
        if progress.line(noted(passed=f"{now} 20"), float(now)).endswith(" steps passed")
    ]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]

    assert times[0] == 5
    assert min(gaps) == 5 and gaps == sorted(gaps)
    assert len(times) < 90


def test_what_has_come_is_told_once() -> None:
    progress = Progress(REQUEST, 0.0)

    assert progress.line(noted(passed="1 20"), 1.0) == ""
    assert progress.line(noted(passed="7 20"), 5.0) == "7 of 30 steps passed"
    assert progress.line(noted(passed="7 20"), 12.0) == ""
    assert progress.line(noted(passed="7 20", recording="3"), 14.0) == "recording 3 of 20"
    assert progress.line(noted(passed="7 20", recording="3", wrote="20 steps"), 30.0) == ""


def test_the_furthest_of_several_processes_is_told() -> None:
    both = {**BEGUN, "passed": ("21 20", "2 1")}

    assert Progress(Request("/folder", after=5), 0.0).line(both, 5.0) == "21 of 21 steps passed"


def test_what_failed_is_told_while_the_training_goes_on() -> None:
    progress = Progress(REQUEST, 0.0)
    failed = noted(failed="no profiler")

    assert progress.line(failed, 5.0) == "nothing is recorded so far: no profiler"
    assert progress.line(failed, 500.0) == ""


@pytest.mark.parametrize(
    ("kinds", "request_", "says"),
    [
        ({}, REQUEST, "waiting for a Python that can be watched"),
        ({"python": ("",)}, REQUEST, "waiting for the training to import PyTorch, JAX, TensorFlow or Keras"),
        (BEGUN, REQUEST, "calls of a function of jax.jit; if it trains already, try --after-seconds 30"),
        ({**BEGUN, "imported": ("PyTorch",)}, REQUEST, "a first step: updates of an optimizer, in the main"),
        ({**BEGUN, "fit": ("",)}, REQUEST, "waiting for the first step of Keras' fit, which compiles"),
        (BEGUN, Request("/folder", after_s=40.0), "waiting for TensorFlow or JAX to compute, 40 s after"),
        (noted(passed="12 20"), REQUEST, "no step for 10 s, 12 of 30 steps passed: it compiles"),
        (noted(passed="30 20", recording="7"), REQUEST, "no step for 10 s, recording 7 of 20; if none"),
    ],
)  # fmt: skip
def test_what_is_awaited_is_told_once(
    kinds: dict[str, tuple[str, ...]], request_: Request, says: str
) -> None:
    progress = Progress(request_, 0.0)
    progress.line(kinds, 5.0)
    progress.line(kinds, 5.5)
    said = [progress.line(kinds, now) for now in (14.5, 15.5, 40.0, 4000.0)]

    assert [bool(line) for line in said].count(True) == 1
    assert says in "".join(said)


def test_where_steps_come_nothing_is_awaited() -> None:
    progress = Progress(REQUEST, 0.0)
    lines = [progress.line(noted(passed=f"{step} 20"), 9.0 * step) for step in range(1, 20)]

    assert not any("no step" in line for line in lines)


BEGINS = "pass before the recording begins; try"
SIGNAL = "Nothing was recorded: the training ended at once, as by a signal"


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ({"steps": "8 1"}, f"The training ended after 8 steps, and 30 {BEGINS} --after 2 --steps 4."),
        ({"steps": "21 20"}, f"The training ended after 21 steps, and 30 {BEGINS} --after 20 --steps 1."),
        ({"steps": "20 20"}, "ended after 20 steps, and a function is known as the step once 20 calls have"),
        ({"steps": "1 1"}, "ended after 1 step, and one passes before a recording begins; let it make more."),
        ({"passed": "12 1"}, f"{SIGNAL}, after 12 steps or more, and 30 {BEGINS} --after 3 --steps 6."),
        (
            {"passed": "30 20", "recording": "7"},
            f"{SIGNAL}, within its recording. Ctrl-C saves what has come",
        ),
        ({"passed": "30 20", "failed": "x"}, "Nothing was recorded: x."),
    ],
)
def test_a_training_that_ended_early_is_told_what_can_work(kinds: dict[str, str], said: str) -> None:
    assert said in unseen(noted(**kinds), REQUEST, ["python"])


def test_a_recording_by_the_clock_that_a_signal_ended() -> None:
    said = unseen(noted(recording="0"), Request("/folder", after_s=30.0), ["python"])

    assert said.endswith(
        "within its recording. Ctrl-C saves what has come; or try a smaller --after-seconds."
    )


def test_of_progress_only_the_latest_of_each_process_is_kept() -> None:
    notes = Notes()
    try:
        path = Path(notes.environment(REQUEST, {})[NOTES])
        lines = [f"{7 + at % 2}\tpassed\t{at} 20\n" for at in range(1000)]
        path.write_text("".join(lines) + "7\timported\tJAX\n8\timported\tKeras\n")

        assert notes.read() == {"passed": ("998 20", "999 20"), "imported": ("JAX", "Keras")}
    finally:
        notes.remove()
