"""The hook: what it leaves as it was, and how steps become a recording; without any framework."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.recording.hook import path as hook
from tfperf_plugin.recording.hook.anew import Anew
from tfperf_plugin.recording.hook.framework import Framework
from tfperf_plugin.recording.hook.recorder import Recorder, Steps
from tfperf_plugin.recording.launch import (
    HANG_S,
    LAUNCH,
    NOTES,
    PASSED,
    RECORDING,
    REQUEST,
    Launch,
    Means,
    Request,
)

(FOLDER,) = hook.__path__
Note = tuple[str, str]


def python(code: str, *paths: Path | str, **variables: str) -> str:
    """What a Python prints that has these folders on PYTHONPATH."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def asked(tmp_path: Path, **what: Any) -> dict[str, str]:
    (tmp_path / "notes").touch()
    request = Request(str(tmp_path), **what)
    return {REQUEST: msgspec.json.encode(request).decode(), NOTES: str(tmp_path / "notes")}


# ------------------------------------------------------------------------------------- sitecustomize


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_python_without_a_framework_loads_nothing_more(tmp_path: Path, is_asked: bool) -> None:
    code = "import json, sys; print(json.dumps([sorted(sys.modules), sys.path[1:]]))"
    empty = tmp_path / "empty"
    empty.mkdir()
    variables = asked(tmp_path) if is_asked else {}
    plain = json.loads(python(code, empty))
    hooked = json.loads(python(code, FOLDER, empty, **variables))

    assert set(hooked[0]) - set(plain[0]) <= {"sitecustomize"}
    assert hooked[1] == plain[1]


def test_the_sitecustomize_that_it_hides_runs(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("OWN = 1\nprint('own')\n")
    printed = python("import sitecustomize; print(sitecustomize.OWN)", FOLDER, tmp_path, **asked(tmp_path))

    assert printed.split() == ["own", "1"]
    assert (tmp_path / "notes").read_text().split()[1:] == ["python"]


def test_a_module_that_cannot_be_watched_is_imported_all_the_same(tmp_path: Path) -> None:
    """Here it has none of what is to be wrapped."""
    (tmp_path / "jax.py").write_text("IS = 'imported'\n")
    code = "import jax; print(jax.IS, jax.__spec__.name)"
    printed = python(code, FOLDER, tmp_path, REPOSITORY, **asked(tmp_path))

    assert printed.split() == ["imported", "jax"]
    notes = (tmp_path / "notes").read_text()
    assert "\timported\tJAX\n" in notes and "\tfailed\tAttributeError" in notes


def test_where_tfperf_is_not_installed_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "jax.py").touch()
    python("import sys; sys.modules['tfperf_plugin'] = None; import jax", FOLDER, tmp_path, **asked(tmp_path))

    assert f"tfperf is not installed beside {sys.executable}" in (tmp_path / "notes").read_text()


# ------------------------------------------------------------------------------------- the recorder


class Made(Framework):
    """A framework that notes what it is asked for; a step takes ``step_s``."""

    means: Means = "keras"
    batch_size: int | None = 4

    def __init__(self, starts: bool = True, marks: bool = True, carries: bool = True) -> None:
        self.starts, self.marks, self.carries = starts, marks, carries
        self.did: list[str] = []

    def early(self, given: tuple[Any, ...], result: Any) -> Any:
        return result

    def carried(self, given: tuple[Any, ...]) -> bool:
        return self.carries

    def wait(self, result: Any) -> None:
        self.did.append("wait")

    def facts(self) -> dict[str, Any]:
        return {"batch_size": self.batch_size}

    def start(self, folder: str) -> None:
        if not self.starts:
            self.starts = True
            raise RuntimeError("another profiler is at work")
        self.did.append("start")

    def enter(self, step: int) -> None:
        if not self.marks:
            raise ZeroDivisionError("division by zero")
        self.did.append(f"enter {step}")

    def leave(self) -> None:
        self.did.append("leave")

    def stop(self) -> None:
        self.did.append("stop")


@pytest.fixture
def recorder(tmp_path: Path) -> Callable[..., tuple[Recorder, list[Note]]]:
    """``recorder(**request)``: one that writes into ``tmp_path``, and what it notes."""

    def make(**what: Any) -> tuple[Recorder, list[Note]]:
        notes: list[Note] = []
        request = Request(str(tmp_path), **what)
        made = Recorder(
            request,
            str(tmp_path / "notes"),
            lambda *note: notes.append((note[0], "".join(map(str, note[1:])))),
        )
        return made, notes

    return make


def train(steps: Steps, number: int, step_s: float = 0.0) -> None:
    def step(loss: float) -> float:
        time.sleep(step_s)
        return loss

    for at in range(number):
        assert steps.around(step, float(at)) == at


def told(notes: list[Note]) -> list[Note]:
    """Notes without those on progress, which depend on the clock."""
    return [note for note in notes if note[0] not in (PASSED, RECORDING)]


def launch_in(folder: Path) -> Launch:
    return msgspec.json.decode((folder / LAUNCH).read_bytes(), type=Launch)


def test_windows_begin_and_end_when_all_is_computed(tmp_path: Path, recorder: Any) -> None:
    made, notes = recorder(after=5, steps=80, profile=False)
    steps = Steps(made, framework := Made())
    train(steps, 200)
    launch = launch_in(tmp_path)

    assert [(w.steps, w.examples) for w in launch.windows] == [(10, 40)] * 8
    assert framework.did == ["wait"] * 9
    assert launch.losses == (0, 1, 2, 3, 4)
    assert (launch.facts.batch_size, made.done) == (4, True)
    assert notes == [("wrote", "80 steps")]  # a trial pays for no progress


def test_long_steps_make_short_windows(tmp_path: Path, recorder: Any) -> None:
    made, _ = recorder(after=1, steps=6, profile=False)
    train(Steps(made, Made()), 8, step_s=0.13)

    assert [window.steps for window in launch_in(tmp_path).windows] == [2, 2, 2]


def test_a_training_that_ends_within_its_first_window_says_how_far_it_came(
    tmp_path: Path, recorder: Any
) -> None:
    made, notes = recorder(after=5, steps=40, profile=False)
    train(Steps(made, Made()), 8)
    made._at_exit()

    assert ("steps", "8 1") in told(notes)
    assert not (tmp_path / LAUNCH).exists()


def test_a_profile_marks_each_step_between_start_and_stop(tmp_path: Path, recorder: Any) -> None:
    made, notes = recorder(after=3, steps=2)
    train(Steps(made, framework := Made()), 20)

    assert framework.did == ["wait", "start", "enter 0", "leave", "enter 1", "wait", "stop"]
    assert told(notes) == [("wrote", "2 steps")]
    assert len(list(tmp_path.glob("plugins/diagnostics/*.training.json"))) == 1


def test_progress_is_noted_by_the_clock_and_not_by_the_step(recorder: Any, monkeypatch: Any) -> None:
    made, notes = recorder(after=300, steps=200)
    monkeypatch.setattr("tfperf_plugin.recording.hook.recorder.time", clock := Clock(step_s=0.1))
    train(Steps(made, Made()), 500)

    passed = [int(text.split()[0]) for kind, text in notes if kind == PASSED]
    recorded = [int(text) for kind, text in notes if kind == RECORDING]
    assert clock.now_s > 50
    assert passed[0] == 1 and 25 <= len(passed) <= 30
    assert recorded[0] == 0 and 15 <= len(recorded) <= 25
    assert passed == sorted(passed) and recorded == sorted(recorded)


class Clock:
    """A clock that goes on by ``step_s`` whenever it is asked."""

    def __init__(self, step_s: float) -> None:
        self.now_s, self.step_s = 1.0, step_s

    def perf_counter(self) -> float:
        self.now_s += self.step_s
        return self.now_s

    def perf_counter_ns(self) -> int:
        return int(1e9 * self.now_s)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def test_only_one_process_records(recorder: Any) -> None:
    first, _ = recorder(after=2, steps=3)
    second, notes = recorder(after=2, steps=3)
    train(Steps(first, Made()), 9)
    train(Steps(second, framework := Made()), 9)

    assert (framework.did, told(notes), second.done) == ([], [], True)


def test_another_profiler_delays_it(recorder: Any) -> None:
    made, notes = recorder(after=2, steps=3)
    train(steps := Steps(made, framework := Made(starts=False)), 20)  # at the second step, and at the fourth

    assert (framework.did[-1], steps.count) == ("stop", 7)
    assert [kind for kind, _ in told(notes)] == ["failed", "wrote"]


def test_a_function_that_gets_back_what_it_returned_is_the_step_and_not_its_layers(recorder: Any) -> None:
    made, _ = recorder(after=8, steps=4)
    layer, step = Steps(made, part := Made(carries=False)), Steps(made, framework := Made())
    for _ in range(20):
        train(layer, 5)
        train(step, 1)

    assert (part.did, framework.did[-1], step.count) == ([], "stop", 12)


def test_without_such_a_function_the_one_with_enough_calls_is_the_step(recorder: Any) -> None:
    made, _ = recorder(after=8, steps=4)
    embed, layer = (Steps(made, Made(carries=False)) for _ in range(2))
    turns = 0
    while not made.done:
        train(embed, 1)
        train(layer, 5)
        turns += 1

    assert layer.framework.did[-1] == "stop"  # type: ignore[attr-defined]
    assert turns == 4  # it began anew in three


def test_steps_live_no_longer_because_they_were_made(recorder: Any) -> None:
    """They hold a model, and a model its memory."""
    made, _ = recorder(after=30)
    steps = Steps(made, Made())
    train(steps, 5)
    left = weakref.ref(steps)
    del steps

    assert left() is None


def test_functions_that_a_loop_makes_anew_count_together(recorder: Any) -> None:
    made, _ = recorder(after=5)
    anew = Anew(lambda: Steps(made, Made()))
    counts = []
    for number in range(4):
        steps = anew.steps_of(functools.partial(lambda x: x, number))
        train(steps, 1)
        counts.append(steps.count)

    assert counts == [1, 2, 3, 4]


@pytest.mark.parametrize("calls", [0, 2])
def test_functions_of_one_code_that_stay_have_steps_of_their_own(recorder: Any, calls: int) -> None:
    """As a factory makes them for two models: both before any call, or each is called again and again."""
    made, _ = recorder(after=50)
    anew = Anew(lambda: Steps(made, Made()))

    def factory() -> Callable[[], int]:
        return lambda: 0

    first = anew.steps_of(factory())
    train(first, calls)

    assert anew.steps_of(factory()) is not first
    assert anew.steps_of(print) is not anew.steps_of(print)  # it has no code of Python


def test_a_function_lives_no_longer_because_its_steps_are_counted(recorder: Any) -> None:
    made, _ = recorder(after=5)
    anew = Anew(lambda: Steps(made, Made()))
    space: dict[str, Any] = {}
    exec("def step(): pass", space)
    function = space.pop("step")
    anew.steps_of(function)
    code = weakref.ref(function.__code__)
    del function

    assert code() is None


def test_what_a_step_calls_is_no_step(recorder: Any) -> None:
    made, _ = recorder(after=3, steps=4)
    inner, outer = Steps(made, Made()), Steps(made, Made())
    outer.around(lambda: train(inner, 50))

    assert (inner.count, outer.count) == (0, 1)


def test_an_error_of_the_training_is_its_own_and_no_step(recorder: Any) -> None:
    made, _ = recorder(after=1, steps=4)
    train(steps := Steps(made, framework := Made()), 2)
    with pytest.raises(StopIteration):
        steps.around(next, iter(()))
    train(steps, 9)

    assert framework.did.count("leave") == 4  # three steps, and the end of the data
    assert made.done


def test_an_error_of_the_recording_ends_it_and_not_the_training(recorder: Any) -> None:
    made, notes = recorder(after=1, steps=4)
    framework = Made(marks=False)
    train(Steps(made, framework), 9)

    assert told(notes) == [("failed", "ZeroDivisionError: division by zero")]
    assert framework.did == ["wait", "start", "stop"]


def test_the_training_ends_if_that_was_asked_for(recorder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended_after: list[float] = []  # it would end the tests
    monkeypatch.setattr("tfperf_plugin.recording.hook.recorder._end", ended_after.append)
    made, notes = recorder(after=1, steps=2, end=True)
    with pytest.raises(SystemExit) as exit_:
        train(Steps(made, Made()), 9)

    for thread in threading.enumerate():
        if thread.name == "tfperf":
            thread.join()
    assert exit_.value.code == 0
    assert ended_after == [HANG_S]
    assert told(notes) == [("wrote", "2 steps")]


def test_a_profile_ends_when_the_training_does_something_else(
    recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfperf_plugin.recording.hook.recorder.IDLE_S", 0.5)
    made, notes = recorder(after=2, steps=20)
    train(Steps(made, framework := Made()), 7)
    for _ in range(100):
        time.sleep(0 if made.done and told(notes) else 0.1)

    assert framework.did[-1] == "stop"
    assert told(notes) == [("wrote", "5 of 20 steps")]


def test_a_process_made_by_fork_does_not_go_on_with_the_recording_of_its_parent(tmp_path: Path) -> None:
    code = """
import os
from pathlib import Path
from tests.recording.test_hook import Made, train
from tfperf_plugin.recording.hook.recorder import Recorder, Steps
from tfperf_plugin.recording.launch import Request
request = Request(os.environ["OUT"], after=2, steps=40, profile=False)
recorder = Recorder(request, os.environ["OUT"] + "/notes", print)
train(steps := Steps(recorder, Made()), 10)
if os.fork() == 0:
    train(steps, 100)
    raise SystemExit
os.wait()
print("parent:", recorder.done, flush=True)
train(steps, 100)
"""
    printed = python(code, REPOSITORY, OUT=str(tmp_path))

    parent, wrote = printed.splitlines()
    assert parent == "parent: False"
    assert wrote in ("wrote 40 steps", "wrote 49 steps")  # the wait for the child may end a window
