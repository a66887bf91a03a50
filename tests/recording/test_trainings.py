"""Real trainings that know nothing of tfperf are recorded and measured, and stay what they are."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.processes import TFPERF, environment, tfperf
from tfperf_plugin.api import analyze
from tfperf_plugin.proof import child
from tfperf_plugin.proof.child import Outcome, run_child
from tfperf_plugin.recording.launch import Request

pytestmark = pytest.mark.slow

TRAININGS = Path(__file__).parent / "trainings"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}
KERAS = pytest.param("keras_fit.py", {"KERAS_BACKEND": "tensorflow"}, ("tensorflow",), id="Keras")
KERAS_2 = pytest.param("keras_fit.py", {"TF_USE_LEGACY_KERAS": "1"}, ("tf_keras",), id="Keras 2")
KERAS_ON_JAX = pytest.param("keras_fit.py", {"KERAS_BACKEND": "jax"}, ("keras", "jax"), id="Keras on JAX")
JAX = pytest.param("jax_loop.py", {}, ("jax",), id="JAX")
TENSORFLOW = pytest.param("tensorflow_loop.py", {}, ("tensorflow",), id="TensorFlow")
TORCH = pytest.param("torch_loop.py", {}, ("torch",), id="PyTorch")
MEANS = {
    "keras_fit.py": "keras",
    "jax_loop.py": "jax",
    "tensorflow_loop.py": "tensorflow",
    "torch_loop.py": "torch",
}
FACTS = {
    "keras_fit.py": (8, {"float32": 577}),
    "jax_loop.py": (4, {"float32": 72}),
    "tensorflow_loop.py": (4, None),
    "torch_loop.py": (8, {"float32": 577}),
}
"""Batch size, and weights by type."""
ALL = pytest.mark.parametrize(
    ("name", "variables", "needs"), [KERAS, KERAS_2, KERAS_ON_JAX, JAX, TENSORFLOW, TORCH]
)


def said_of(
    out: Path,
    name: str,
    *arguments: str,
    options: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> str:
    """What ``tfperf record`` says last of a training that ends well."""
    training = [sys.executable, str(TRAININGS / name), *arguments]
    env = environment(**QUIET, **(variables or {}))
    done = tfperf("record", "--out", str(out), *options, "--", *training, env=env)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()[-1].removeprefix("tfperf: ")


def measure(
    out: Path, name: str, *arguments: str, steps: int, variables: Mapping[str, str] | None = None
) -> Outcome:
    """What a launch of a trial measures."""
    request = Request(str(out), after=20, steps=steps, profile=False, end=True)
    command = [sys.executable, str(TRAININGS / name), *arguments]
    return run_child(command, request, environment(**QUIET, **(variables or {})), lambda text: None)


def skip_without(*modules: str) -> None:
    """Skips where a module is not installed, or not complete; does not import it here."""
    for module in modules:
        if not is_complete(module):
            pytest.skip(f"{module} is not installed")


@cache
def is_complete(module: str) -> bool:
    return not subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode


@ALL
def test_a_profile_with_marked_steps_and_facts(
    tmp_path: Path, name: str, variables: dict[str, str], needs: tuple[str, ...]
) -> None:
    skip_without(*needs)

    assert said_of(tmp_path, name, "80", variables=variables).startswith("20 steps are recorded in ")
    steps = analyze(tmp_path).steps
    # The last one has no end; on a busy machine, others take far longer than usual.
    assert (steps.source, len(steps.items)) == ("markers", 20)
    assert sum(item.note == "" for item in steps.items) >= 10
    (record,) = tmp_path.glob("plugins/diagnostics/*.training.json")
    facts = json.loads(record.read_text())
    assert (facts["batch_size"], facts.get("trainable")) == FACTS[name]
    assert ("steps_per_epoch" in facts) == (name == "keras_fit.py")


@ALL
def test_times_between_moments_of_synchronisation(
    tmp_path: Path, name: str, variables: dict[str, str], needs: tuple[str, ...]
) -> None:
    skip_without(*needs)
    one, two = (measure(tmp_path, name, "200", steps=80, variables=variables).launch for _ in range(2))

    assert one and two
    assert (one.means, [window.steps for window in one.windows]) == (MEANS[name], [10] * 8)
    assert (one.facts.batch_size, one.facts.trainable) == FACTS[name]
    assert {window.examples for window in one.windows} == {10 * FACTS[name][0]}
    assert min(window.ns for window in one.windows) > 0
    generated = [each for each in one.sources if "autograph" in each]  # by TensorFlow
    assert {*one.sources} - {*generated} == {str(TRAININGS / name)}
    # Seeded trainings are told apart from changed ones by these.
    assert one.losses == two.losses
    assert len(one.losses) == 10


def test_processes_that_load_batches_or_do_other_work_record_nothing(tmp_path: Path) -> None:
    skip_without("jax")

    assert said_of(tmp_path, "jax_loop.py", "80", "--children").startswith("20 steps are recorded in ")
    assert len(list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))) == 1
    (record,) = tmp_path.glob("plugins/diagnostics/*.training.json")
    assert json.loads(record.read_text())["batch_size"] == 4


def test_jitted_functions_stay_what_they_are(tmp_path: Path) -> None:
    skip_without("jax")

    assert "Nothing was recorded" not in said_of(tmp_path, "jax_uses.py")  # and it ended well


def test_a_training_that_ends_early_is_recorded_as_far_as_it_came(tmp_path: Path) -> None:
    skip_without("jax")

    assert said_of(tmp_path, "jax_loop.py", "45").startswith("15 of 20 steps are recorded in ")
    assert said_of(tmp_path, "jax_loop.py", "25") == (
        "The training ended after 25 steps, and 30 pass before the recording begins; "
        "try --after 20 --steps 5."
    )
    tried = said_of(tmp_path, "jax_loop.py", "25", options=["--after", "20", "--steps", "5"])
    assert tried.startswith("5 steps are recorded in ")


@pytest.mark.parametrize(("name", "module"), [("jax_loop.py", "jax"), ("tensorflow_loop.py", "tensorflow")])
def test_too_few_calls_to_tell_a_step_are_said_so(tmp_path: Path, name: str, module: str) -> None:
    skip_without(module)
    said = said_of(tmp_path, name, "8")

    assert said.startswith("The training ended after 8 steps, and a function is known as the step once 20 ")
    assert "--after-seconds" in said and "--after " not in said


LOOP = """
import os, select, signal, sys
import jax, jax.numpy as jnp
step = jax.jit(lambda weights: weights * 0.5)
weights = jnp.ones(8)
"""


def recorded(tmp_path: Path, code: str, *options: str) -> subprocess.Popen[str]:
    """A program that ``tfperf record`` records."""
    return subprocess.Popen(
        [*TFPERF, "record", "--out", str(tmp_path), *options, "--", sys.executable, "-c", code],
        env=environment(**QUIET),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # whatever the tests run under
    )


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGINT, "tfperf: 2 of 5 steps are recorded in "),
        (signal.SIGTERM, "tfperf: Nothing was recorded: the training ended at once, as by a signal, within "),
    ],
)
def test_a_signal_within_the_recording_is_answered(tmp_path: Path, number: signal.Signals, said: str) -> None:
    """SIGTERM leaves a program of Python no time, and would no more if tfperf wished for it."""
    skip_without("jax")
    code = f"{LOOP}\nfor _ in range(22):\n    weights = step(weights)\nos.kill(os.getpid(), {number})"
    process = recorded(tmp_path, code, "--after", "20", "--steps", "5")
    _, errors = process.communicate()

    assert process.returncode == -number
    assert errors.splitlines()[-1].startswith(said)
    assert "goes on" not in errors


@pytest.mark.parametrize(
    ("loop", "options", "said"),
    [
        ("weights = step(weights)", ("--after", "1000000"), r"tfperf: \d+ of 1000000 steps passed"),
        ("weights = step(weights)", ("--steps", "1000000"), r"tfperf: recording \d+ of 1000000"),
        ("step", (), r"tfperf: waiting for a first step: calls of a function of jax\.jit; .*"),
    ],
)
def test_a_training_is_told_of_while_it_runs(
    tmp_path: Path, loop: str, options: tuple[str, ...], said: str
) -> None:
    """It goes on until its input ends."""
    skip_without("jax")
    code = f"{LOOP}\nwhile not select.select([sys.stdin], [], [], 0.01)[0]:\n    {loop}"
    process = recorded(tmp_path, code, *options)
    assert process.stdin and process.stderr
    line = next(line for line in process.stderr if re.fullmatch(said, line.rstrip("\n")))
    process.communicate()

    assert line[:-1].isprintable()
    assert process.returncode == 0


def test_what_hangs_at_exit_is_ended_after_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without("jax")
    monkeypatch.setattr(child, "HANG_S", 1.0)
    outcome = measure(tmp_path, "jax_loop.py", "500", "--hang", steps=40)

    assert outcome.ended
    assert outcome.launch and len(outcome.launch.windows) == 4


def test_a_generator_of_batches_does_not_hold_up_the_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pipeline waits for Python's threads when it is freed, which must be while they still run."""
    skip_without("tensorflow")
    monkeypatch.setattr(child, "HANG_S", 15.0)  # less than the training gives itself
    outcome = measure(tmp_path, "keras_generator.py", "500", steps=40)

    assert outcome.launch
    assert not outcome.ended


def test_a_loop_of_tensorflow_is_recorded_by_the_clock(tmp_path: Path) -> None:
    skip_without("tensorflow")
    unseen = said_of(tmp_path, "tensorflow_loop.py", "0")
    seen = said_of(tmp_path, "tensorflow_loop.py", "900", options=["--after-seconds", "1"])

    assert "fit was never called" in unseen and "--after-seconds" in unseen
    assert seen.startswith("5 seconds are recorded in ")
    steps = analyze(tmp_path).steps
    assert steps.source == "function_runs" and len(steps.items) > 20
