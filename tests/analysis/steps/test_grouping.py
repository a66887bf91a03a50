"""A kernel belongs to the step that launched it, however late it runs."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import ADD, Analysis, Recording

_EXECUTOR = "tf_Compute/5"


@dataclass(frozen=True)
class Kernel:
    """A launch after ``pause_ns`` of the host, that takes ``call_ns``; the GPU then needs ``length_ns``."""

    pause_ns: int
    call_ns: int
    delay_ns: int
    length_ns: int


_KERNELS = st.builds(Kernel, st.integers(0, 40), st.integers(1, 10), st.integers(0, 200), st.integers(1, 120))
_STEPS = st.lists(st.lists(_KERNELS, min_size=1, max_size=5), min_size=1, max_size=5)


def _simulate(steps: list[list[Kernel]], gpus: int, ahead_ns: int, ids: bool) -> tuple[Recording, list[int]]:
    """A host that launches step after step and never waits, and GPUs that work their queues off in order.

    With ``ids`` an executor thread launches, up to ``ahead_ns`` after the marker of the step has ended, and
    only TensorFlow's step id tells whose launch it is. Returns also the true step of every device event.
    """
    recording, truth = Recording(gpus), []
    main, executor, free = 10, 10, [0] * gpus
    for number, kernels in enumerate(steps):
        begin = main
        if ids:
            recording.host("FunctionRun", begin + 1, begin + 3, id=1000 + number)
            main = begin + 5
            executor = max(executor, main + ahead_ns)
        else:
            executor = main + 1
        first = executor
        for kernel in kernels:
            for gpu in range(gpus):
                call = (executor + kernel.pause_ns, executor + kernel.pause_ns + kernel.call_ns)
                run = max(call[1] + kernel.delay_ns, free[gpu])
                free[gpu], executor = run + kernel.length_ns, call[1]
                thread = _EXECUTOR if ids else "python3"
                recording.launch(gpu, ADD, call, run, free[gpu], thread=thread)
                truth.append(number)
        executor += 1
        if ids:
            recording.host("ExecutorState::Process", first, executor, _EXECUTOR, id=1000 + number)
        else:
            main = executor + 1
        recording.step(number + 7, begin, main)
        main += 3
    return recording, truth


def _found(analysis: Analysis) -> list[int]:
    """The step of every device event, in the order in which they were launched."""
    pairs = [
        (launched_ns, step)
        for device, steps in zip(analysis.host.devices, analysis.steps.device_step, strict=True)
        for launched_ns, step in zip(
            analysis.host.events.start_ns[device.launch].tolist(), steps.tolist(), strict=True
        )
    ]
    return [step for _, step in sorted(pairs)]


@given(_STEPS, st.integers(1, 3), st.integers(0, 500), st.booleans())
def test_every_kernel_lands_in_the_step_that_launched_it(
    steps: list[list[Kernel]], gpus: int, ahead_ns: int, ids: bool
) -> None:
    recording, truth = _simulate(steps, gpus, ahead_ns, ids)
    analysis = recording.analyse()

    assert _found(analysis) == truth
    assert analysis.steps.number.tolist() == [7 + n for n in range(len(steps))]


@given(_STEPS, st.integers(1, 3), st.integers(0, 500), st.booleans())
def test_windows_tile_time_and_follow_the_gpu_where_the_host_runs_ahead(
    steps: list[list[Kernel]], gpus: int, ahead_ns: int, ids: bool
) -> None:
    found = _simulate(steps, gpus, ahead_ns, ids)[0].analyse().steps

    assert (found.begin_ns[1:] == found.end_ns[:-1]).all()
    assert (found.begin_ns >= found.host_begin_ns).all()
    assert not found.complete[-1]


@given(_STEPS, st.integers(0, 500), st.booleans())
def test_the_kernels_of_one_queue_run_inside_the_window_of_their_step(
    steps: list[list[Kernel]], ahead_ns: int, ids: bool
) -> None:
    analysis = _simulate(steps, 1, ahead_ns, ids)[0].analyse()
    device, step = analysis.host.devices[0], analysis.steps.device_step[0]

    assert (device.start_ns >= analysis.steps.begin_ns[step]).all()
    assert (device.end_ns <= analysis.steps.end_ns[step]).all()


def test_a_launch_belongs_to_the_step_whose_call_handed_it_on() -> None:
    """JAX returns at once: a thread of each GPU launches, while the host is one or two steps ahead."""
    recording = Recording()
    for number in range(4):
        begin = number * 10
        recording.step(number, begin, begin + 9)
        recording.host("Execute", begin + 1, begin + 8, _pt=3, _p=number)
        recording.host("linkage", begin + 2, begin + 7, _ct=3, _c=number, _pt=5, _p=100 + number)
        late = 15 + number * 30
        recording.host("EnqueueExecution", late, late + 20, "launcher", _ct=5, _c=100 + number)
        recording.launch(0, ADD, (late + 1, late + 5), late + 6, late + 28, thread="launcher")
    analysis = recording.analyse()

    assert analysis.steps.device_step[0].tolist() == [0, 1, 2, 3]


def test_links_of_another_kind_or_backwards_in_time_are_none() -> None:
    recording = Recording()
    for number in range(2):
        recording.step(number, number * 100, number * 100 + 90)
    recording.host("Execute", 10, 20, _pt=3, _p=1)
    recording.host("EnqueueExecution", 110, 120, "launcher", _ct=4, _c=1)
    recording.launch(0, ADD, (111, 115), 116, 118, thread="launcher")
    recording.host("Execute", 190, 195, _pt=6, _p=2)
    recording.host("EnqueueExecution", 50, 60, "launcher", _ct=6, _c=2)
    recording.launch(0, ADD, (51, 55), 56, 58, thread="launcher")

    assert recording.analyse().steps.device_step[0].tolist() == [0, 1]
