"""Steps of JAX: calls of the function that takes most of the GPUs' time, or repeats of one program of XLA."""

from __future__ import annotations

from typing import Any

import pytest

from tests.strategies import ADD, ALL_REDUCE, GEMM, Recording


def _call(
    recording: Recording, function: str, at: int, kernels: int = 0, gpus: int = 1, late: int = 0
) -> None:
    """A call of 10 ns that launches kernels of 20 ns each, ``late`` ns later, from a thread of the driver."""
    recording.host(f"PjitFunction({function})", at, at + 10, "python")
    recording.host(f"PjitFunction({function})", at + 1, at + 9, "python")
    for gpu in range(gpus):
        for k in range(kernels):
            begin = at + 5 + late + 20 * k
            recording.launch(
                gpu, f"{function}_fusion_{k}", (at + 3, at + 4), begin, begin + 20, thread="Host Threads/7",
                hlo_module=f"jit_{function}", hlo_op=f"fusion.{k}", program_id=5,
            )  # fmt: skip


def test_a_call_that_returns_before_it_launches() -> None:
    """Launches lie in later calls then: the n-th run of the program is the n-th call's."""
    recording = Recording()
    for n in range(4):
        recording.host("PjitFunction(train_step)", 20 * n, 20 * n + 10, "python")
        for k in range(3):
            at = 100 * n + 20 * k + 30
            recording.launch(
                0, f"fusion_{k}", (at - 20, at - 10), at, at + 20, thread="Host Threads/7",
                hlo_module="jit_train_step", hlo_op=f"fusion.{k}", program_id=5,
            )  # fmt: skip
    steps = recording.analyse().steps

    assert steps.source == "jit_calls"
    assert steps.device_step[0].tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert steps.end_ns.tolist()[:3] == [90, 190, 290]


def test_markers_go_before_calls() -> None:
    recording = Recording()
    for n in range(3):
        recording.step(7 + n, 200 * n, 200 * n + 190)
        _call(recording, "train_step", 200 * n + 10, 3)

    assert recording.analyse().steps.source == "markers"


def test_calls_of_functions_that_take_little_of_the_gpus_are_no_steps() -> None:
    recording = Recording()
    for n in range(3):
        _call(recording, "train_step", 200 * n, 1)
    recording.run(0, GEMM, 700, 900)

    assert recording.analyse().steps.source == "none"


def test_a_step_of_several_calls_is_told_from_what_recurs() -> None:
    """A block that is not compiled as a whole: its function is called several times in each."""
    recording = Recording()
    for n in range(3):
        for k, function in enumerate(("matmul", "matmul", "add", "matmul")):
            _call(recording, function, 400 * n + 50 * k, 1)
    steps = recording.analyse().steps

    assert steps.source == "period"
    assert steps.begin_ns.tolist() == [5, 405, 805]


def test_evaluation_between_calls_interrupts_the_training() -> None:
    recording = Recording()
    for n, at in enumerate((0, 100, 200, 300, 1000, 1100, 1200)):
        _call(recording, "train_step", at, 4)
        if n == 3:
            _call(recording, "eval_step", 400, 10)

    assert recording.analyse().steps.interrupted.tolist() == [False] * 3 + [True] + [False] * 3


def _program(recording: Recording, gpu: int, at: int, *, number: int = 5, first: int = 0) -> None:
    """A run of a program: one instruction, a loop of three, and one at the end."""
    for k, op in list(enumerate(("fusion.1", "dot.2", "dot.2", "dot.2", "fusion.9")))[first:]:
        recording.run(
            gpu, GEMM if "dot" in op else ADD, at + 10 * k, at + 10 * k + 9,
            hlo_module="jit_train_step", hlo_op=op, program_id=number,
        )  # fmt: skip


def test_repeats_of_one_program_are_steps_on_every_gpu() -> None:
    """The n-th run on each GPU is the same step, though one GPU begins it before another ends the last."""
    recording = Recording(2)
    for n in range(4):
        _program(recording, 0, 100 * n)
        _program(recording, 1, 100 * n + 120)
    steps = recording.analyse().steps

    assert (steps.source, steps.marker_name) == ("modules", "jit_train_step")
    assert steps.begin_ns.tolist() == [0, 100, 200, 300]
    assert [s.tolist() for s in steps.device_step] == [[0] * 5 + [1] * 5 + [2] * 5 + [3] * 5] * 2


def test_a_recording_that_begins_and_ends_within_a_run() -> None:
    recording = Recording()
    _program(recording, 0, 0, first=3)
    for n in range(1, 5):
        _program(recording, 0, 100 * n)
    steps = recording.analyse().steps

    assert steps.source == "modules"
    assert steps.begin_ns.tolist() == [100, 200, 300, 400]
    assert steps.device_step[0].tolist()[:3] == [-1, -1, 0]


@pytest.mark.parametrize("changing", [True, False])
def test_programs_of_one_name_that_differ_are_no_repeats(changing: bool) -> None:
    """One function for several shapes: each shape is a program of its own."""
    recording = Recording()
    for n in range(6):
        _program(recording, 0, 100 * n + n * n, number=n if changing else 5)

    assert (recording.analyse().steps.source == "modules") != changing


def test_a_program_that_runs_in_a_part_of_the_recording_alone_is_no_step() -> None:
    recording = Recording()
    for n in range(8):
        recording.run(0, f"other_{n}", 12 * n * n, 12 * n * n + 5)
    for n in range(4):
        _program(recording, 0, 1000 + 100 * n)

    assert recording.analyse().steps.source == "none"


def _paced(
    recording: Recording,
    gpu: int,
    pauses: tuple[int, int, int],
    runs: int = 5,
    at: int = 0,
    *,
    hosted: bool = False,
) -> None:
    """Runs of a program of three instructions of 10 ns each, and the pauses before them."""
    for _ in range(runs):
        launched = at
        for pause, op in zip(pauses, ("fusion.1", "dot.2", "fusion.9"), strict=True):
            at += pause
            stats: dict[str, Any] = {"hlo_module": "jit_train_step", "hlo_op": op, "program_id": 5}
            if hosted:
                thread = f"py_xla_execute/{gpu}"
                recording.launch(gpu, ADD, (launched + 2, launched + 3), at, at + 10, thread=thread, **stats)
                launched += 2
            else:
                recording.run(gpu, ADD, at, at + 10, **stats)
            at += 10
        if hosted:
            recording.host(
                "jit_train_step:XLA GPU module", launched - 5, launched + 2, f"py_xla_execute/{gpu}"
            )


def test_kernels_before_the_first_run_shift_no_gpu() -> None:
    """One GPU's recording holds what another program ran before, more kernels than a run has."""
    recording = Recording(2)
    for n in range(20):
        recording.run(1, ADD, 10 * n, 10 * n + 5, hlo_module="jit_init", hlo_op=f"fusion.{n}", program_id=3)
    for gpu in range(2):
        _paced(recording, gpu, (40, 0, 0), at=300)
    steps = recording.analyse().steps

    assert [s[s >= 0].tolist() for s in steps.device_step] == [[n for n in range(5) for _ in range(3)]] * 2


@pytest.mark.parametrize("early", [True, False])
def test_a_run_that_one_gpu_alone_recorded_is_no_step(early: bool) -> None:
    """The recording begins, or ends, when one GPU is in a run that the other has not recorded."""
    recording = Recording(2)
    _paced(recording, 0, (40, 0, 0), runs=5)
    _paced(recording, 1, (40, 0, 0), runs=4, at=70 if early else 0)
    steps = recording.analyse().steps

    assert steps.source == "modules"
    assert steps.begin_ns.tolist() == [40 + 70 * n for n in range(early, 4 + early)]
    assert steps.device_step[1].tolist() == [n for n in range(4) for _ in range(3)]


def test_runs_that_the_host_recorded_are_not_guessed_from_pauses() -> None:
    recording = Recording(2)
    _paced(recording, 0, (40, 0, 60), hosted=True)
    _paced(recording, 1, (40, 0, 70), hosted=True)
    steps = recording.analyse().steps

    assert steps.begin_ns.tolist() == [40 + 130 * n for n in range(5)]
    assert [s.tolist() for s in steps.device_step] == [[n for n in range(5) for _ in range(3)]] * 2


def test_a_collective_that_waits_for_the_other_processes_is_not_the_step() -> None:
    """Processes start up to a minute apart, so training is a small part of the kernels' time."""
    recording = Recording()
    barrier: dict[str, Any] = {"hlo_module": "jit_barrier", "hlo_op": "all-reduce.1", "program_id": 2}
    recording.run(0, ALL_REDUCE, 0, 60 * 10**9, **barrier)
    _paced(recording, 0, (40, 0, 0), at=60 * 10**9 + 100)
    steps = recording.analyse().steps

    assert (steps.source, steps.marker_name, len(steps)) == ("modules", "jit_train_step", 5)
