"""From a `Training` to the files that its hosts' profilers write, and to what really happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from demo.simulator.clock import Clock
from demo.simulator.host import Host, Rendezvous, gradient_bytes, with_extra_work
from demo.simulator.profile import Window, encode
from demo.simulator.record import DeviceEvent, Recording
from demo.simulator.training import Training
from demo.simulator.truth import GpuStep, TrueCollective, TrueStep, Truth

MISSING_BEFORE_NS = 60_000


@dataclass(frozen=True)
class Simulation:
    """``files``: host name to the bytes of its profile; ``truth``: what an analysis should find."""

    files: Mapping[str, bytes]
    truth: Truth


def simulate(training: Training) -> Simulation:
    """Run ``training`` and profile it. The same training gives the same bytes."""
    clock = Clock()
    kernels = training.model.kernels(training.device, training.precision)
    buckets = training.allreduce_buckets
    rendezvous = Rendezvous(
        clock,
        1 if training.serial else training.gpus * training.hosts,
        gradient_bytes(training.model.parameters, buckets),
        training.device.bus_gbps,
    )
    first = with_extra_work(kernels, training.extra_on_first_gpu)
    hosts = [
        Host(
            clock,
            f"worker{number}",
            training,
            {index: first if number == index == 0 else kernels for index in range(training.gpus)},
            rendezvous,
            Random(f"{training.seed}/{number}"),
        )
        for number in range(training.hosts)
    ]
    clock.run()
    recorded = hosts[: training.recorded_hosts or training.hosts]
    windows = {host.name: _window(host, training) for host in recorded}
    files = {host.name: encode(host, training, windows[host.name]) for host in recorded}
    return Simulation(files, _truth(recorded, rendezvous, windows[recorded[0].name]))


def _window(host: Host, training: Training) -> Window:
    """The capture: from the begin of a step (or some way into it) to the same point some steps later."""
    first, last = training.lead_steps, training.lead_steps + training.steps
    begins = [begin_ns for _, begin_ns, _ in host.marks]
    offset = training.collector.begin_ratio
    begin_ns, end_ns = (
        round(begins[step] + offset * (begins[min(step + 1, len(begins) - 1)] - begins[step]))
        for step in (first, last)
    )
    return Window(begin_ns - (MISSING_BEFORE_NS if offset == 0 else 0), end_ns)


def _truth(hosts: Iterable[Host], rendezvous: Rendezvous, window: Window) -> Truth:
    steps: dict[str, tuple[TrueStep, ...]] = {}
    for host in hosts:
        rows = _gpu_steps(host.recording)
        steps[host.name] = tuple(
            TrueStep(
                step,
                window.profile_ns(begin_ns),
                window.profile_ns(end_ns),
                host.input_waits_ns.get(step, 0),
                {index: _shift(row, window) for (number, index), row in rows.items() if number == step},
            )
            for step, begin_ns, end_ns in host.marks
        )
    complete = [
        {
            step.number
            for step in rows
            if step.begin_ns >= window.profile_ns(window.begin_ns)
            and all(gpu.end_ns <= window.profile_ns(window.end_ns) for gpu in step.gpus.values())
            and step.end_ns <= window.profile_ns(window.end_ns)
        }
        for rows in steps.values()
    ]
    collectives = tuple(
        TrueCollective(
            item.step,
            item.payload_bytes,
            {key: window.profile_ns(at_ns) for key, at_ns in item.arrivals_ns.items()},
            window.profile_ns(item.end_ns),
            item.transfer_ns,
        )
        for item in rendezvous.collectives.values()
    )
    peaks = {(host.name, index): gpu.peak_bytes for host in hosts for index, gpu in host.gpus.items()}
    return Truth(
        steps,
        tuple(sorted(set.intersection(*complete))),
        collectives,
        peaks,
        window.profile_ns(window.begin_ns),
        window.profile_ns(window.end_ns),
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
