"""When each GPU starts and ends each step, relative to the first GPU of the host: stagger and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tfperf_plugin.ledger import ACCOUNTS, HostLedger, Ledger, step_extents
from tfperf_plugin.trace.intervals import Bools, Ints, covered_within, merge
from tfperf_plugin.trace.model import Codes, HostTrace, Trace
from tfperf_plugin.trace.roles import Role

Order = Literal["fixed", "rotating", "none"]
# Orders count as fixed or rotating if this share of steps agrees.
ORDER_RATIO = 0.8


@dataclass(frozen=True)
class HostStarts:
    """Starts on one host with at least two GPUs that take part.

    Arrays are [devices, steps] over ``devices`` (indices into the host's devices) and judged steps in
    which every such GPU ran kernels (``step``: their indices): ``first_ns``/``last_ns`` of kernels and
    ``launch_ns``, the first launch (−1 if not recorded), absolute. ``union_ns``/``sum_ns``/``max_ns`` per
    step: compute time of all GPUs together, summed, and of the busiest one.
    """

    host: str
    devices: tuple[int, ...]
    names: tuple[str, ...]
    step: Ints
    number: Ints
    first_ns: Ints
    last_ns: Ints
    launch_ns: Ints
    union_ns: Ints
    sum_ns: Ints
    max_ns: Ints
    step_ns: Ints
    cost_ns: int
    wait_ns: int

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
    def order(self) -> Order:
        """Whether GPUs start in one order in every step, in turns, or in no order."""
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


@dataclass(frozen=True)
class Starts:
    """Starts of every host that has at least two GPUs taking part in a judged step."""

    hosts: tuple[HostStarts, ...]


def find_starts(trace: Trace, ledger: Ledger) -> Starts:
    """Starts on every host with several GPUs at work."""
    by_name = {h.host: h for h in trace.hosts}
    rows = [_host(by_name[h.host], h) for h in ledger.hosts if len(h.devices) > 1]
    return Starts(tuple(r for r in rows if r is not None))


def _host(host: HostTrace, ledger: HostLedger) -> HostStarts | None:
    steps = ledger.steps
    first, last = step_extents(host.devices, steps)
    took_part = last > first
    devices = tuple(d.index for d in ledger.devices if took_part[d.index][steps.judged].any())
    if len(devices) < 2:
        return None
    chosen = list(devices)
    step = np.flatnonzero(steps.judged & took_part[chosen].all(axis=0))
    if not len(step):
        return None
    first, last = first[chosen][:, step], last[chosen][:, step]
    late = first.max(axis=0)
    wait = ACCOUNTS.index("communication.wait")
    stagger = ACCOUNTS.index("idle.stagger")
    sums = np.stack([d.sums_ns[step] for d in ledger.devices if d.index in devices])
    explained = np.minimum(sums[:, :, wait], np.maximum(0, late - first))
    count = max(1, int(steps.judged.sum())) * len(devices)
    union_ns, sum_ns, max_ns = _turns(host, chosen, first, last)
    return HostStarts(
        host=host.host,
        devices=devices,
        names=tuple(host.devices[i].device for i in devices),
        step=step,
        number=steps.number[step],
        first_ns=first,
        last_ns=last,
        launch_ns=np.stack([_first_launch(host, i, steps.device_step[i], step) for i in devices]),
        union_ns=union_ns,
        sum_ns=sum_ns,
        max_ns=max_ns,
        step_ns=steps.end_ns[step] - steps.begin_ns[step],
        cost_ns=int(sums[:, :, stagger].sum()) // count,
        wait_ns=int(explained.sum()) // count,
    )


def _first_launch(host: HostTrace, index: int, device_step: Codes, step: Ints) -> Ints:
    device = host.devices[index]
    kernels: Bools = device.is_kernel() & (device.launch >= 0) & (device_step >= 0)
    rows = np.flatnonzero(kernels)
    earliest = np.full(int(device_step.max(initial=-1)) + 2, np.iinfo(np.int64).max)
    np.minimum.at(earliest, device_step[rows], host.events.start_ns[device.launch[rows]])
    found = earliest[step]
    return np.where(found == np.iinfo(np.int64).max, -1, found)


def _turns(host: HostTrace, devices: list[int], first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    busy = [host.devices[i].busy(Role.KERNEL) for i in devices]
    begin, end = first.min(axis=0), last.max(axis=0)
    each = np.stack([covered_within(b, begin, end) for b in busy])
    return covered_within(merge(*busy), begin, end), each.sum(axis=0), each.max(axis=0)
