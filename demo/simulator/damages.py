"""What recordings lose, as functions on what was captured: they go with any training and any format.

A training whose ``collector.damages`` hold them is simulated as without; only its recording is damaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from demo.simulator.captured import LINE_BEGIN_NS, Captured, Damage, Window
from demo.simulator.record import DeviceEvent, HostEvent, LaunchEvent, StatValue, Thread

# JAX calls a program on the CPU so often, if nothing makes it wait; jitting takes this share of a step.
_CALL_NS = 300_000
_COMPILING_RATIO = 0.6
_PYTHON, _RUNTIME, _COMPILER = map(Thread, ("python", "tf_XLAPjRtCpuClient", "tf_PjRtCompilerThreadPool"))


def kernels_lost(first: float, last: float, stream: str = "") -> Damage:
    """The kernels of the launches between these shares of all are not recorded, or those of one stream."""
    return _without_device(
        first, last, lambda event: not event.work.copy and stream in ("", event.work.stream)
    )


def last_kernels_lost(count: int) -> Damage:
    """The profiler stops before the last ``count`` kernels have ended."""

    def damage(found: Captured, window: Window) -> Captured:
        lost = [event.correlation for event in found.device if not event.work.copy][-count:]
        return replace(found, device=[event for event in found.device if event.correlation not in lost])

    return damage


def launches_lost(first: float, last: float) -> Damage:
    """The launches between these shares of all are not recorded, but their kernels are."""

    def damage(found: Captured, window: Window) -> Captured:
        return replace(found, launches=[e for e in found.launches if e not in _part(found, first, last)])

    return damage


def times_lost(first: float, last: float) -> Damage:
    """The kernels of these launches are recorded at time 0, with a duration of 0."""

    def damage(found: Captured, window: Window) -> Captured:
        lost = {launch.correlation for launch in _part(found, first, last)}
        zero_ns = window.begin_ns - LINE_BEGIN_NS
        return _with_device(
            found,
            lambda e: (
                replace(e, start_ns=zero_ns, end_ns=zero_ns)
                if e.correlation in lost and not e.work.copy
                else e
            ),
        )

    return damage


def lane_shifted(shift_ns: int) -> Damage:
    """The clock of the GPUs is so far ahead of the host's."""

    def damage(found: Captured, window: Window) -> Captured:
        return _with_device(
            found, lambda e: replace(e, start_ns=e.start_ns + shift_ns, end_ns=e.end_ns + shift_ns)
        )

    return damage


def first_step_early(gpu: int, lead_ns: int) -> Damage:
    """One GPU begins its first recorded step, up to its first collective, so much earlier than the others."""

    def damage(found: Captured, window: Window) -> Captured:
        first = min(event.work.step for event in found.device if event.work.step >= 0)
        own = [e for e in found.device if (e.work.gpu, e.work.step) == (gpu, first)]
        until_ns = min(e.start_ns for e in own if e.work.collective)
        moved = {e.correlation for e in own if e.end_ns <= until_ns}
        early = replace(
            found,
            launches=[
                replace(e, start_ns=e.start_ns - lead_ns, end_ns=e.end_ns - lead_ns)
                if e.correlation in moved
                else e
                for e in found.launches
            ],
        )
        return _with_device(
            early,
            lambda e: (
                replace(e, start_ns=e.start_ns - lead_ns, end_ns=e.end_ns - lead_ns)
                if e.correlation in moved
                else e
            ),
        )

    return damage


def one_kernel(found: Captured, window: Window) -> Captured:
    """One call launches all work, and one kernel is the whole recording."""
    launch = next(e for e in found.launches if not e.work.copy)
    kernel = next(e for e in found.device if e.correlation == launch.correlation)
    last_ns = max(event.end_ns for event in found.device)
    return replace(found, launches=[launch], device=[replace(kernel, end_ns=last_ns)])


def nothing_launched(found: Captured, window: Window) -> Captured:
    """The program calls CUDA, but gives no GPU anything to do."""
    return replace(found, host=[e for e in found.host if e.driver], launches=(), device=())


def cuda_untraced(found: Captured, window: Window) -> Captured:
    """The profiler was not asked for CUDA: neither its calls nor the work of GPUs are recorded."""
    return replace(found, host=[e for e in found.host if not e.driver], launches=(), device=())


def epochs_marked(steps: int) -> Damage:
    """The program marks so many steps together."""

    def damage(found: Captured, window: Window) -> Captured:
        groups = [found.marks[n : n + steps] for n in range(0, len(found.marks), steps)]
        marks = [(number, rows[0][1], rows[-1][2]) for number, rows in enumerate(groups)]
        return replace(found, marks=marks)

    return damage


def unmarked(found: Captured, window: Window) -> Captured:
    """The program marks no step."""
    return replace(found, marks=())


def on_cpu_of_jax(anew: bool) -> Damage:
    """JAX runs the steps of a training on the CPU: each call returns before its program has run.

    ``anew``: the loop jits its function in each iteration, which then waits for the result.
    """

    def damage(found: Captured, window: Window) -> Captured:
        first_ns = found.marks[0][1]
        host: list[HostEvent] = []
        for number, (step, begin_ns, end_ns) in enumerate(found.marks):
            called_ns = begin_ns if anew else first_ns + number * _CALL_NS
            compiled_ns = called_ns + (round(_COMPILING_RATIO * (end_ns - begin_ns)) if anew else 0)
            runs_ns = max(begin_ns, compiled_ns) + _CALL_NS // 2
            returned_ns = end_ns if anew else called_ns + _CALL_NS * 2 // 3
            rows = [
                (_PYTHON, "PjitFunction(train_step)", called_ns, returned_ns),
                (_PYTHON, "TfrtCpuExecutable::ExecuteHelper", compiled_ns + _CALL_NS // 4, returned_ns),
                (_RUNTIME, "ThunkExecutor::Execute", runs_ns, end_ns),
            ]
            if anew:
                rows.append((_COMPILER, "PjRtCpuClient::Compile", called_ns, compiled_ns))
            host += [HostEvent(thread, name, begin, end, step, {}) for thread, name, begin, end in rows]
            host += _thunks(found, step, (begin_ns, end_ns), runs_ns)
        return Captured(host, (), (), (), 0)

    return damage


def _thunks(found: Captured, step: int, span: tuple[int, int], runs_ns: int) -> list[HostEvent]:
    """The ops of a step's main thread as those of its program, which runs from ``runs_ns`` on."""
    main = Thread("tf_Compute")
    ops = [e for e in found.host if e.step == step and e.thread == main and "is_eager" in e.stats]
    rate = (span[1] - runs_ns) / (span[1] - span[0])
    rows = []
    for number, event in enumerate(ops):
        begin_ns, end_ns = (span[1] - round(rate * (span[1] - at)) for at in (event.start_ns, event.end_ns))
        name = f"fusion.{number}"
        stats: dict[str, StatValue] = {"hlo_op": name, "hlo_module": "jit_train_step", "program_id": 1}
        rows.append(HostEvent(_RUNTIME, name, begin_ns, end_ns, step, stats))
    return rows


def _without_device(first: float, last: float, is_lost: Callable[[DeviceEvent], bool]) -> Damage:
    def damage(found: Captured, window: Window) -> Captured:
        lost = {launch.correlation for launch in _part(found, first, last)}
        return replace(found, device=[e for e in found.device if e.correlation not in lost or not is_lost(e)])

    return damage


def _with_device(found: Captured, change: Callable[[DeviceEvent], DeviceEvent]) -> Captured:
    return replace(found, device=sorted(map(change, found.device), key=lambda e: e.end_ns))


def _part(found: Captured, first: float, last: float) -> list[LaunchEvent]:
    """The launches between two shares of all, in the order of time."""
    launches = sorted(found.launches, key=lambda launch: launch.start_ns)
    return launches[int(first * len(launches)) : int(last * len(launches))]
