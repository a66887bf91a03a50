"""Finds when each GPU of a host starts and ends each step: stagger, and GPUs that work one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.analysis.artifacts.communication.serialization import HostTurns, turns_of
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, merge
from tfperf_plugin.arrays.unique import smallest_of
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, HostEvents
from tfperf_plugin.trace.roles import Role

Order = Literal["fixed", "rotating", "none"]
# Orders count as fixed or rotating if this share of steps agrees.
ORDER_RATIO = 0.8
_WORK = ("compute", "copy.h2d", "copy.d2h", "copy.d2d")


class HostStarts(Record, frozen=True):
    """Starts on one host with at least two GPUs that take part. Arrays are [devices, steps] or [steps] over
    the judged steps in which every such GPU ran kernels."""

    host: str
    devices: tuple[int, ...]  #: Indices of these GPUs into the host's devices.
    names: tuple[str, ...]  #: Names of these GPUs.
    step: Ints  #: [steps]: indices of these steps.
    number: Ints  #: [steps]: numbers of these steps.
    first_ns: Ints  #: [devices, steps]: begin of the first kernel.
    last_ns: Ints  #: [devices, steps]: end of the last kernel.
    launch_ns: Ints  #: [devices, steps]: begin of the first launch, −1 if not recorded.
    #: [devices, steps]: code into ``threads``, the host thread that launched first; −1 if not recorded.
    thread: Codes
    threads: tuple[str, ...]
    idle_ns: Ints  #: [devices, steps]: the ledger's ``idle.stagger``.
    #: [steps]: the part of ``spread_ns`` in which the last GPU to start waits for its input.
    input_spread_ns: Ints
    #: [steps]: the part of ``spread_ns`` in which the last GPU to start still has other work.
    busy_spread_ns: Ints
    #: [devices, steps]: waiting in collectives because a sibling started later for neither of these reasons.
    waiting_ns: Ints
    union_ns: Ints  #: [steps]: time in which any GPU computes.
    sum_ns: Ints  #: [steps]: compute summed over GPUs.
    max_ns: Ints  #: [steps]: compute of the busiest GPU.
    work_ns: Ints  #: [steps]: time in which any GPU computes or copies.
    starting_union_ns: Ints  #: [steps]: as ``union_ns``, until the last GPU has started.
    starting_sum_ns: Ints  #: [steps]: as ``sum_ns``, until the last GPU has started.
    step_ns: Ints
    cost_ns: int  #: ``idle_ns`` of an average judged step and GPU.
    wait_ns: int  #: ``waiting_ns`` of an average judged step and GPU.
    turns: HostTurns | None  #: Hand-overs from one GPU to the next, ``None`` if there are none.

    @property
    def spread_ns(self) -> Ints:
        """Per step: last GPU's first kernel − first GPU's first kernel."""
        return np.asarray(self.first_ns.max(axis=0) - self.first_ns.min(axis=0))

    @property
    def launch_spread_ns(self) -> Ints | None:
        """Per step the spread of the first launches; ``None`` if launches are not recorded."""
        if not len(self.step) or (self.launch_ns < 0).any():
            return None
        return np.asarray(self.launch_ns.max(axis=0) - self.launch_ns.min(axis=0))

    @property
    def one_thread(self) -> bool | None:
        """Whether one host thread launches first for all GPUs in most steps; ``None`` if not recorded."""
        if not len(self.step) or (self.thread < 0).any():
            return None
        return bool((self.thread == self.thread[:1]).all(axis=0).mean() >= ORDER_RATIO)

    @property
    def order(self) -> Order:
        """Whether GPUs start in the same order in every step, in a rotating one, or in none."""
        if len(self.step) < 2:
            return "none"
        ranks = np.argsort(self.first_ns, axis=0, kind="stable")
        same = (ranks == ranks[:, :1]).all(axis=0)
        if same.mean() >= ORDER_RATIO:
            return "fixed"
        turns = ((ranks[:, 1:] - ranks[:, :-1]) % len(self.devices)).T
        steady = (turns == turns[0]).all(axis=1) & (turns == turns[:, :1]).all(axis=1)
        return "rotating" if steady.mean() >= ORDER_RATIO and turns[0, 0] != 0 else "none"

    @property
    def start_order(self) -> tuple[str, ...]:
        """Names of the GPUs by their median lateness, first one first."""
        late = np.median(self.first_ns - self.first_ns.min(axis=0), axis=1)
        return tuple(self.names[i] for i in np.argsort(late, kind="stable"))


class Starts(Record, frozen=True):
    """Starts on every host with at least two GPUs that take part in a judged step."""

    hosts: tuple[HostStarts, ...]


def part(view: View) -> Starts:
    """Starts on one host, if it has several GPUs at work."""
    found = _host(view.trace.events, view.gpus) if len(view.gpus) > 1 else None
    return Starts((found,) if found else ())


def _host(events: HostEvents, gpus: Sequence[GpuView]) -> HostStarts | None:
    host, steps = gpus[0].host, gpus[0].host.steps
    first, last = host.first_ns, host.last_ns
    took_part = last > first
    every = gpus
    gpus = [gpu for gpu in gpus if took_part[gpu.ledger.index][steps.judged].any()]
    if len(gpus) < 2:
        return None
    chosen = [gpu.ledger.index for gpu in gpus]
    step = np.flatnonzero(steps.judged & took_part[chosen].all(axis=0))
    if not len(step):
        return None
    first, last = first[chosen][:, step], last[chosen][:, step]
    ledgers = [gpu.ledger for gpu in gpus]
    sums = np.stack([d.sums_ns[step] for d in ledgers])
    wait = sums[:, :, ACCOUNTS.index("communication.wait")]
    idle = sums[:, :, ACCOUNTS.index("idle.stagger")]
    awaited, busy = (
        np.stack([covered_within(d.time(a), first.min(axis=0), first[i]) for i, d in enumerate(ledgers)])
        for a in ("idle.input", "compute")
    )

    # If no GPU had waited for input or had other work, the last GPU would have started earlier. The waiting
    # in collectives that would then remain ends when the last GPU starts.
    start, last_to_start = first - awaited - busy, (first.argmax(axis=0), np.arange(len(step)))
    waiting = np.asarray(np.minimum(wait, np.maximum(0, start.max(axis=0) - first)), np.int64)
    launch_ns, thread = (
        np.stack(x) for x in zip(*(first_launch(events, gpu, step) for gpu in gpus), strict=True)
    )
    count = max(1, int(steps.judged.sum())) * len(gpus)
    turns = turns_of(events, every)
    any_busy = merge(*(gpu.source.busy(Role.KERNEL) for gpu in gpus))
    union_ns, sum_ns, max_ns = _turns(gpus, any_busy, first, last)
    starting_union_ns, starting_sum_ns, _ = _turns(gpus, any_busy, first, first)
    return HostStarts(
        host=host.host,
        devices=tuple(chosen),
        names=tuple(gpu.source.device for gpu in gpus),
        step=step,
        number=steps.number[step],
        first_ns=first,
        last_ns=last,
        launch_ns=launch_ns,
        thread=thread,
        threads=events.threads,
        idle_ns=idle,
        input_spread_ns=awaited[last_to_start],
        busy_spread_ns=busy[last_to_start],
        waiting_ns=waiting,
        union_ns=union_ns,
        sum_ns=sum_ns,
        max_ns=max_ns,
        work_ns=covered_within(
            merge(*(d.time(*_WORK) for d in ledgers)), first.min(axis=0), last.max(axis=0)
        ),
        starting_union_ns=starting_union_ns,
        starting_sum_ns=starting_sum_ns,
        step_ns=steps.end_ns[step] - steps.begin_ns[step],
        cost_ns=int(idle.sum()) // count,
        wait_ns=int(waiting.sum()) // count,
        turns=turns,
    )


def first_launch(events: HostEvents, gpu: GpuView, step: Ints) -> tuple[Ints, Codes]:
    """For each of ``step`` the begin of the first launch of a kernel for this GPU, and the code of its
    thread; −1 if not recorded."""
    device, device_step = gpu.source, gpu.step
    kernels: Bools = device.is_kernel() & (device.launch >= 0) & (device_step >= 0)
    rows = np.flatnonzero(kernels)
    launch = device.launch[rows]
    of_step, called = device_step[rows], events.start_ns[launch]
    count = 1 + max(int(device_step.max(initial=-1)), int(step.max(initial=-1)))
    first = called == smallest_of(of_step, called)[of_step]
    row = smallest_of(of_step[first], launch[first], count)[step]
    known = row < len(events.start_ns)
    begin, thread = np.full(len(step), -1, np.int64), np.full(len(step), -1, np.int32)
    begin[known], thread[known] = events.start_ns[row[known]], events.thread[row[known]]
    return begin, thread


def _turns(gpus: Sequence[GpuView], any_busy: Intervals, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    begin, end = first.min(axis=0), last.max(axis=0)
    each = np.stack([covered_within(gpu.source.busy(Role.KERNEL), begin, end) for gpu in gpus])
    return covered_within(any_busy, begin, end), each.sum(axis=0), each.max(axis=0)
