"""A training whose first step, which traces and compiles, is not like the later ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from demo.simulator.captured import PROFILE_START_NS, Window
from demo.simulator.host import Host
from demo.simulator.profile import encode
from demo.simulator.record import DeviceEvent, LaunchEvent, Recording
from demo.simulator.simulation import capture_window, run
from demo.simulator.training import MICROSECOND_NS, HostWork, Training

T = TypeVar("T", DeviceEvent, LaunchEvent)
# Numbers of launches and seeds of the two trainings are kept apart by this much.
APART = 1 << 32
# While the first step runs, the input pipeline fills its buffers for the later ones.
FILLING = HostWork("waiting", 100 * MICROSECOND_NS, calls=2_000, every=APART)


@dataclass
class _Joined:
    """What one host recorded of the first step and of the later ones."""

    name: str
    number: int
    recording: Recording
    marks: list[tuple[int, int, int]]


def simulate_with_first_step(first: Training, later: Training) -> Mapping[str, bytes]:
    """Host name to the bytes of its profile: one step of ``first``, then the steps of ``later``.

    The host goes on when it has handed over the first step, with batches ready, and the GPUs when they have
    finished it. Both trainings need the same hosts and GPUs.
    """
    first = replace(first, warm_up=True, lead_steps=0, steps=1, seed=first.seed + APART)
    later = replace(later, warm_up=False, lead_steps=0, between_steps=(*later.between_steps, FILLING))
    before, after = run(first)[0], run(later)[0]
    handed_over_ns = max(host.marks[1][1] for host in before)
    shift_ns = max(
        handed_over_ns - min(host.marks[0][1] for host in after), _done_ns(before, 0) - _begin_ns(after, 0)
    )
    files = {}
    for one, two in zip(before, after, strict=True):
        window = Window(
            capture_window(one, first, 0).begin_ns, capture_window(two, later, 0).end_ns + shift_ns
        )
        files[one.name] = encode(_joined(one, two, shift_ns), later, window, PROFILE_START_NS)
    return files


def _done_ns(hosts: Sequence[Host], step: int) -> int:
    return max(e.end_ns for host in hosts for e in host.recording.device if e.work.step == step)


def _begin_ns(hosts: Sequence[Host], step: int) -> int:
    return min(e.start_ns for host in hosts for e in host.recording.device if e.work.step == step)


def _joined(one: Host, two: Host, shift_ns: int) -> _Joined:
    """Step 0 of one host and, so much later, all of the other, counted on from there."""
    until_ns = one.marks[1][1]
    old, new = one.recording, two.recording
    host = [event for event in old.host if event.start_ns < until_ns and event.step <= 0]
    host += [
        replace(e, start_ns=e.start_ns + shift_ns, end_ns=e.end_ns + shift_ns, step=_next(e.step))
        for e in new.host
        if e.start_ns >= two.marks[0][1]
    ]
    launches = [launch for launch in old.launches if launch.start_ns < until_ns and launch.work.step <= 0]
    launched = {launch.correlation for launch in launches}
    device = [event for event in old.device if event.correlation in launched]
    launches += [_later(event, shift_ns) for event in new.launches]
    device += [_later(event, shift_ns) for event in new.device]
    marks = [(step + 1, begin_ns + shift_ns, end_ns + shift_ns) for step, begin_ns, end_ns in two.marks]
    return _Joined(one.name, one.number, Recording(host, launches, device), [one.marks[0], *marks])


def _later(event: T, shift_ns: int) -> T:
    return replace(
        event,
        start_ns=event.start_ns + shift_ns,
        end_ns=event.end_ns + shift_ns,
        correlation=event.correlation + APART,
        work=replace(event.work, step=_next(event.work.step)),
    )


def _next(step: int) -> int:
    return step + 1 if step >= 0 else step
