"""From a `Training` to the files that its hosts' profilers write, and to what really happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from demo.simulator import profile
from demo.simulator.captured import PROFILE_START_NS, Recorded, Window
from demo.simulator.changes import (
    accumulating,
    compiled,
    in_jax,
    with_extra_work,
    with_loss_scaling,
    with_pace,
    with_shared_optimizer,
    with_slow_cpu,
)
from demo.simulator.clock import Clock
from demo.simulator.devices import Device
from demo.simulator.host import Host, Rendezvous
from demo.simulator.peers import in_micro_batches, stage
from demo.simulator.record import DeviceEvent, Recording
from demo.simulator.training import Training
from demo.simulator.truth import GpuStep, TrueCollective, TrueCompute, TrueOp, TrueStep, Truth

MISSING_BEFORE_NS = 60_000
Encode = Callable[[Recorded, Training, Window, int], bytes]
"""What writes the profile of a host: see ``profile.encode``."""


@dataclass(frozen=True)
class Simulation:
    """``files``: host name to the bytes of its profile; ``truth``: what an analysis should find."""

    files: Mapping[str, bytes]
    truth: Truth


def simulate(training: Training, encode: Encode = profile.encode) -> Simulation:
    """Run ``training`` and profile it. The same training gives the same bytes.

    ``encode`` writes the profile: as TensorFlow, or as ``kineto.encode`` or ``nsight.encode``.

    Raises ``RuntimeError`` if the training never ends, because something in it waits for itself.
    """
    return next(in_formats(training, encode))


def in_formats(training: Training, *encoders: Encode) -> Iterator[Simulation]:
    """``simulate`` with each of these, of a training that runs once."""
    hosts, rendezvous = run(training)
    windows = _windows(hosts, training)
    recorded = hosts[: len(windows)]
    zero_ns = windows[recorded[0].name].begin_ns
    truth = _truth(recorded, rendezvous, windows, training)
    for encode in encoders:
        files = {}
        for number, host in enumerate(recorded):
            window = windows[host.name]
            wall_clock_ns = PROFILE_START_NS + window.begin_ns - zero_ns + training.clocks.error_ns(number)
            files[host.name] = encode(host, training, window, wall_clock_ns)
        yield Simulation(files, truth)


def what_happens(training: Training) -> Truth:
    """``simulate(training).truth`` alone: writing files takes half the time. Raises as ``simulate`` does."""
    hosts, rendezvous = run(training)
    windows = _windows(hosts, training)
    return _truth(hosts[: len(windows)], rendezvous, windows, training)


def _windows(hosts: Sequence[Host], training: Training) -> dict[str, Window]:
    """What each host that is recorded captures, by name."""
    recorded = hosts[: training.recorded_hosts or training.hosts]
    return {
        host.name: capture_window(host, training, training.clocks.start_lag_ns(number))
        for number, host in enumerate(recorded)
    }


def run(training: Training) -> tuple[list[Host], Rendezvous]:
    """All hosts and what they exchanged, after the last step. Raises as ``simulate`` does."""
    clock = Clock()
    rendezvous = Rendezvous(clock, training)
    hosts = [_host(clock, training, number, rendezvous) for number in range(training.hosts)]
    clock.run()
    if any(len(host.marks) <= training.lead_steps + training.steps for host in hosts):
        raise RuntimeError("the simulated training hangs")
    return hosts, rendezvous


def _host(clock: Clock, training: Training, number: int, rendezvous: Rendezvous) -> Host:
    """One host with the kernels that its GPUs run in each step."""
    kernels = training.model.kernels(training.device, training.precision)
    if training.communication.reduction == "reduce_scatter_all_gather":
        kernels = with_shared_optimizer(kernels, training.together)
    if training.loss_scaling:
        kernels = with_loss_scaling(kernels, training.generation)
    slow = training.slow_host
    if slow and slow.number == number:
        kernels = with_pace(kernels, slow.gpu_factor)
        training = with_slow_cpu(training, slow.cpu_factor)
    kernels = accumulating(kernels, training.accumulated, training.communication.each_batch)
    rows = dict.fromkeys(range(training.gpus), kernels)
    if training.pipeline_stages:
        count = training.micro_batches
        parts = in_micro_batches(kernels, count)
        rows = {index: stage(parts, index, training.gpus) for index in rows}
    if number == 0:
        rows[0] = with_extra_work(rows[0], training.extra_on_first_gpu)
    if training.communication.launcher == "xla":
        rows = {index: compiled(in_jax(row) if training.jax else row) for index, row in rows.items()}
    return Host(clock, number, training, rows, rendezvous, Random(f"{training.seed}/{number}"))


def capture_window(host: Host, training: Training, lag_ns: int) -> Window:
    """The capture: from the start of a step (or some way into it) to the same point some steps later.

    Or what Keras' callback records of one batch.
    """
    if training.collector.one_batch:
        return Window(*host.batch_ns)
    first, last = training.lead_steps, training.lead_steps + training.steps
    begins = [begin_ns for _, begin_ns, _ in host.marks]
    offset = training.collector.begin_ratio
    begin_ns, end_ns = (
        round(begins[step] + offset * (begins[min(step + 1, len(begins) - 1)] - begins[step])) + lag_ns
        for step in (first, last)
    )
    return Window(begin_ns - (MISSING_BEFORE_NS if offset == 0 else 0), end_ns)


def _truth(
    hosts: Sequence[Host], rendezvous: Rendezvous, windows: Mapping[str, Window], training: Training
) -> Truth:
    steps: dict[str, tuple[TrueStep, ...]] = {}
    for host in hosts:
        rows = _gpu_steps(host.recording)
        window = windows[host.name]
        steps[host.name] = tuple(
            TrueStep(
                step,
                window.profile_ns(begin_ns),
                window.profile_ns(end_ns),
                {
                    index: wait_ns
                    for (number, index), wait_ns in host.input_waits_ns.items()
                    if number == step
                },
                {index: _shift(row, window) for (number, index), row in rows.items() if number == step},
            )
            for step, begin_ns, end_ns in host.marks
        )
    complete = [
        {
            step.number
            for step in rows
            if step.begin_ns >= windows[name].first_ns
            and all(gpu.end_ns <= windows[name].last_ns for gpu in step.gpus.values())
            and step.end_ns <= windows[name].last_ns
        }
        for name, rows in steps.items()
    ]
    first = windows[hosts[0].name]
    collectives = tuple(
        TrueCollective(
            item.step,
            item.kind,
            item.payload_bytes,
            {key: first.profile_ns(at_ns) for key, at_ns in item.arrivals_ns.items()},
            first.profile_ns(item.end_ns),
            item.transfer_ns,
        )
        for item in rendezvous.collectives.values()
    )
    peaks = {(host.name, index): gpu.memory.peak_bytes for host in hosts for index, gpu in host.gpus.items()}
    return Truth(
        steps,
        tuple(sorted(set.intersection(*complete))),
        collectives,
        {name: window.begin_ns - first.begin_ns for name, window in windows.items()},
        peaks,
        first.first_ns,
        first.last_ns,
        _compute(hosts, training, sorted(set.intersection(*complete))),
    )


def _compute(
    hosts: Sequence[Host], training: Training, complete: Sequence[int]
) -> dict[tuple[str, int], TrueCompute]:
    """What each GPU computes in the complete steps, and how fast it could be."""
    found: dict[tuple[str, int], TrueCompute] = {}
    for host in hosts if complete else ():
        groups: dict[int, dict[str, list[DeviceEvent]]] = {index: {} for index in host.gpus}
        for event in host.recording.device:
            work = event.work
            if work.step in complete and work.copy is None and work.collective is None:
                groups[work.gpu].setdefault(work.hlo_op or work.op, []).append(event)
        begin = {step: begin_ns for step, begin_ns, _ in host.marks}
        step_ns = (begin[complete[-1] + 1] - begin[complete[0]]) / len(complete)
        for index, ops in groups.items():
            rows = {op: _true_op(op, events, training.device) for op, events in ops.items()}
            found[host.name, index] = TrueCompute(rows, len(complete), step_ns)
    return found


def _true_op(op: str, events: Sequence[DeviceEvent], device: Device) -> TrueOp:
    """The op of these events. It is executed as often as its kernel that runs least often."""
    names: dict[str, int] = {}
    for event in events:
        names[event.work.name] = names.get(event.work.name, 0) + 1
    return TrueOp(
        op,
        min(names.values()),
        sum(event.end_ns - event.start_ns for event in events),
        sum(event.work.work.flops for event in events),
        sum(event.work.work.bytes for event in events),
        sum(event.work.work.floor_ns(device) for event in events),
        sum(event.work.work.products_ns(device) for event in events),
        "/rematted_computation/" in events[0].work.op_name,
    )


def _gpu_steps(recording: Recording) -> dict[tuple[int, int], GpuStep]:
    launches = {launch.correlation: launch.start_ns for launch in recording.launches}
    groups: dict[tuple[int, int], list[DeviceEvent]] = {}
    for event in recording.device:
        if event.work.step >= 0:
            groups.setdefault((event.work.step, event.work.gpu), []).append(event)
    return {
        key: GpuStep(
            min(launches[event.correlation] for event in events),
            min(event.start_ns for event in events),
            max(event.end_ns for event in events),
            _union_ns(events),
            _union_ns(event for event in events if event.work.stream in ("compute", "side")),
        )
        for key, events in groups.items()
    }


def _union_ns(events: Iterable[DeviceEvent]) -> int:
    total_ns = reached_ns = 0
    for event in sorted(events, key=lambda event: event.start_ns):
        total_ns += max(0, event.end_ns - max(event.start_ns, reached_ns))
        reached_ns = max(reached_ns, event.end_ns)
    return total_ns


def _shift(row: GpuStep, window: Window) -> GpuStep:
    return GpuStep(
        window.profile_ns(row.launch_ns),
        window.profile_ns(row.start_ns),
        window.profile_ns(row.end_ns),
        row.busy_ns,
        row.compute_ns,
    )
