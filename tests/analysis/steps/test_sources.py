"""What tells the steps: markers first, then function runs, then the stored line, then the GPUs' period."""

from __future__ import annotations

import numpy as np
import pytest

from demo.xspace_writer import SpaceBuilder
from tests.strategies import ADD, GEMM, Recording, analyse


def _kernels(recording: Recording, begins: list[int], length: int = 10) -> None:
    for begin in begins:
        recording.run(0, GEMM, begin, begin + length)


def test_functions_of_the_input_pipeline_are_no_steps() -> None:
    recording = Recording()
    recording.host("FunctionRun", 0, 50, id=1)
    recording.host("FunctionRun", 60, 70, "tf_data_iterator_resource/3", id=2)
    recording.host("InstantiatedCapturedFunction::Run", 80, 95, "tf_Compute/1")
    recording.host("FunctionRun", 82, 94, "tf_Compute/1", id=3)

    assert recording.analyse().steps.host_begin_ns.tolist() == [0]


def test_the_longest_function_is_the_training_step() -> None:
    """A metric's own tf.function between two steps is no step."""
    recording = Recording()
    for number in range(3):
        begin = number * 100
        recording.host("train_step", begin, begin + 80, tf_function_call="notTraced-nonXla")
        recording.host("FunctionRun", begin + 1, begin + 79, id=10 + number)
        recording.host("reset", begin + 85, begin + 90, tf_function_call="notTraced-nonXla")
        recording.host("FunctionRun", begin + 86, begin + 89, id=20 + number)
    steps = recording.analyse().steps

    assert steps.marker_name == "train_step"
    assert steps.begin_ns.tolist() == [0, 100, 200]


def test_the_stored_steps_line_is_used_where_the_host_says_nothing() -> None:
    space = SpaceBuilder("worker")
    gpu = space.plane("/device:GPU:0")
    line, stream = gpu.line(-559038737, "Steps"), gpu.line(7, "Stream #7(Compute)")
    for number in range(3):
        line.event(str(30 + number), number * 100, 90)
        stream.event(GEMM, number * 100 + 5, 20)
    steps = analyse(space.to_bytes()).steps

    assert steps.source == "steps_line"
    assert steps.number.tolist() == [30, 31, 32]
    assert steps.begin_ns.tolist() == [0, 100, 200]
    assert steps.device_step[0].tolist() == [0, 1, 2]


def _periodic(*begins: list[int]) -> Recording:
    """For each GPU when the same three kernels begin."""
    recording = Recording(len(begins))
    for gpu, times in enumerate(begins):
        for begin in times:
            for k, name in enumerate((GEMM, ADD, ADD)):
                at = begin + 10 * k
                recording.launch(gpu, name, (at - 9, at - 8), at, at + 8)
    return recording


@pytest.mark.parametrize(
    ("added", "source"),
    [(2, "period"), pytest.param(3, "none", marks=pytest.mark.near_miss("below"))],
)
def test_a_recording_may_begin_inside_a_sequence(added: int, source: str) -> None:
    """Two of its three kernels have one name; more of them at the start are other work."""
    recording = _periodic([100, 200, 300, 400, 500])
    for k in range(added):
        recording.run(0, ADD, 10 * k, 10 * k + 8)

    assert recording.analyse().steps.source == source


def test_gpus_that_repeat_their_work_at_unrelated_times_have_no_common_step() -> None:
    recording = _periodic([100, 300, 340, 500], [190, 305, 345, 505])

    assert recording.analyse().steps.source == "none"


def _layered(steps: int, layers: int, batches: bool, *others: int) -> Recording:
    """Steps of equal layers, each with two kernels of an update behind its last layer, or behind the layers
    ``others``.

    ``batches``: whether each layer has a copy to the GPU of its own.
    """
    recording = Recording()
    for layer in range(steps * layers):
        at = 100 + 100 * layer
        if batches:
            recording.launch(0, "MemcpyH2D", (at - 9, at - 8), at - 7, at - 2)
        for k, name in enumerate((GEMM, ADD)):
            recording.launch(0, name, (at + 10 * k - 9, at + 10 * k - 8), at + 10 * k, at + 10 * k + 8)
        if layer in others or (not others and layer % layers == layers - 1):
            for begin in (at + 40, at + 43):
                recording.launch(0, "update", (begin - 9, begin - 8), begin, begin + 1)
    return recording


@pytest.mark.parametrize("layers", [5, 40])
def test_a_period_inside_a_longer_one_is_a_layer(layers: int) -> None:
    steps = _layered(4, layers, batches=False).analyse().steps

    assert steps.source == "period"
    assert np.diff(steps.begin_ns).tolist() == [100 * layers] * 3


@pytest.mark.parametrize("passes", [2, 4])
def test_passes_of_which_nothing_comes_only_once_are_steps(passes: int) -> None:
    """Two layers, and two of another kind; the first pass starts up."""
    recording = Recording()
    for number in range(passes):
        for layer in range(4):
            at = 1000 + (10_000 if number else 0) + 400 * number + 100 * layer
            for k, name in enumerate((GEMM, ADD, GEMM, ("first", "second")[layer // 2])):
                recording.run(0, name, at + 20 * k, at + 20 * k + 15)

    assert len(recording.analyse().steps) == (4 if passes == 4 else 0)


@pytest.mark.near_miss("hidden")
def test_what_copies_a_batch_each_time_is_a_step_whatever_comes_every_fifth_time() -> None:
    assert len(_layered(4, 5, batches=True).analyse().steps) == 20


@pytest.mark.near_miss("below")
def test_work_that_is_added_at_any_time_makes_no_longer_period() -> None:
    assert len(_layered(8, 5, False, 3, 10, 11, 26).analyse().steps) == 40


def test_layers_of_one_pass_before_other_work_are_no_steps() -> None:
    """A first pass of a language model, whose layers recur, and tokens of other kernels after it."""
    recording = Recording()
    for layer in range(8):
        at = 1000 * layer
        for k in range(4):
            recording.run(0, f"prefill_{k}", at + 200 * k, at + 200 * k + 190)
    for number in range(200):
        recording.run(0, f"decode_{number % 50}", 9000 + 10 * number, 9004 + 10 * number)

    assert recording.analyse().steps.source == "none"


def test_a_profile_without_host_events_or_kernels_has_neither_steps_nor_a_ledger() -> None:
    for recording in (Recording(0), Recording(2)):
        analysis = recording.analyse()

        assert (analysis.steps.source, len(analysis.steps), analysis.ledger) == ("none", 0, None)


@pytest.mark.parametrize(
    ("updates", "runs", "source"),
    [
        (8, 8, "function_runs"),
        pytest.param(
            8, 1, "markers", marks=pytest.mark.near_miss("different")
        ),  # the function loops over steps
        pytest.param(1, 8, "markers", marks=pytest.mark.near_miss("different")),  # parts of a batch add up
        pytest.param(4, 4, "markers", marks=pytest.mark.near_miss("below")),
    ],
)
def test_updates_of_a_variable_tell_a_marked_epoch(updates: int, runs: int, source: str) -> None:
    recording = Recording()
    for epoch in range(3):
        recording.step(epoch, epoch * 1000, epoch * 1000 + 990)
        for number in range(runs):
            begin = epoch * 1000 + number * 100
            recording.host("FunctionRun", begin, begin + 90, id=1 + epoch * runs + number)
        for number in range(updates):
            begin = epoch * 1000 + 100 * number * runs // updates
            recording.host(
                "Adam/dense:ResourceApplyAdam", begin + 5 + number, begin + 6 + number, "tf_Compute/1"
            )

    assert recording.analyse().steps.source == source


@pytest.mark.parametrize("marked", [True, False])
def test_a_step_that_evaluation_follows_is_left_out(marked: bool) -> None:
    """Its window runs to the next training step and would hold the whole evaluation."""
    recording = Recording()
    names = ["train"] * 4 + ["test"] * 6 + ["train"] * 4
    for number, name in enumerate(names):
        begin = number * 100
        if marked:
            recording.step(number, begin, begin + 90, name)
        else:
            recording.host(name, begin, begin + 90 + (name == "train"), tf_function_call="notTraced-nonXla")
            recording.host("FunctionRun", begin + 1, begin + 89, id=50 + number)
    _kernels(recording, [number * 100 + 10 for number in range(14)])
    analysis = recording.analyse()

    assert analysis.steps.source == ("markers" if marked else "function_runs")
    assert np.flatnonzero(analysis.steps.interrupted).tolist() == [3]
    assert analysis.ledger is not None
    assert analysis.ledger.step_ns == 100
