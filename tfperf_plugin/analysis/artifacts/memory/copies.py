"""Copies that nothing hides, by direction and by their position in the step.

Before a step's first kernel, or after the last kernel of the previous step, a copy to the GPU brings the
batch. So does any copy for the op that requests the batch. After the last kernel, a copy to the host brings
the loss, or whatever the program reads back. Copies in between make kernels wait.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View, merged_all
from tfperf_plugin.analysis.host_activity import (
    blocks_host,
    brings_batch,
    delays_kernel,
    handing_over,
    launched_by,
)
from tfperf_plugin.analysis.ledger import DeviceLedger, HostLedger, Ledger
from tfperf_plugin.arrays.intervals import (
    Bools,
    Ints,
    intersect,
    searchsorted,
    subtract,
)
from tfperf_plugin.arrays.unique import map_codes, unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import Role

ACCOUNT_OF = {Role.H2D: "copy.h2d", Role.D2H: "copy.d2h", Role.D2D: "copy.d2d"}
_BETWEEN_GPUS = re.compile(r"(?i)^memcpy(P2P|PtoP)")


class CopyGroup(Record, frozen=True):
    """Copies of one direction in one part of the step, per average step and GPU.

    ``exposed_ns``: time in which only these copies run; ``handing_ns``: time after them in which nothing runs
    because the copied batch is not handed over yet; ``size_bytes`` per step (0 where not recorded);
    ``busy_ns``: time copying, hidden or not; ``pageable_ratio``: share of bytes copied from pageable host
    memory (``None`` where not recorded); ``ops``: (op, count) that caused most copies; ``steps_ratio``: share
    of judged steps that have such a copy.
    """

    direction: Role
    exposed_ns: int
    handing_ns: int
    busy_ns: int
    per_step_count: float
    size_bytes: int
    pageable_ratio: float | None
    ops: tuple[tuple[str, int], ...]
    steps_ratio: float

    @property
    def account(self) -> str:
        """The ledger account that holds ``exposed_ns``."""
        return ACCOUNT_OF[self.direction]

    @property
    def bandwidth_gbps(self) -> float | None:
        """Achieved GB/s (GB = 10^9 bytes); ``None`` where sizes are not recorded."""
        return self.size_bytes / self.busy_ns if self.size_bytes and self.busy_ns else None


class Copies(Record, frozen=True):
    """``batch``: copies to the GPU outside a step's kernels that the next kernel waits for; ``middle``: all
    between the first and the last kernel; ``after``: copies to the host after the last kernel. Copies
    between GPUs are in none of them (see ``peer_copies``)."""

    batch: CopyGroup
    middle: tuple[CopyGroup, ...]
    after: CopyGroup


_Where = Literal["outside", "middle", "after"]
_GROUPS: tuple[tuple[Role, _Where], ...] = (
    (Role.H2D, "outside"),
    *((role, "middle") for role in ACCOUNT_OF),
    (Role.D2H, "after"),
)


class Sums(Record, frozen=True):
    """Copies of one group in the judged steps of some GPUs; ``known_bytes``: bytes of copies that say whether
    their host memory is pageable; ``steps_count``: steps with such a copy."""

    exposed_ns: int
    handing_ns: int
    busy_ns: int
    count: int
    size_bytes: int
    pageable_bytes: int
    known_bytes: int
    steps_count: int
    ops: dict[str, int]

    def finished(self, direction: Role, windows: int) -> CopyGroup:
        """The average over so many windows."""
        return CopyGroup(
            direction=direction,
            exposed_ns=self.exposed_ns // windows,
            handing_ns=self.handing_ns // windows,
            busy_ns=self.busy_ns // windows,
            per_step_count=self.count / windows,
            size_bytes=self.size_bytes // windows,
            pageable_ratio=self.pageable_bytes / self.known_bytes if self.known_bytes else None,
            ops=tuple(Counter(self.ops).most_common(3)),
            steps_ratio=self.steps_count / windows,
        )


def part(view: View) -> dict[tuple[Role, str], Sums]:
    """Copies of judged steps on the participating GPUs of one host, by direction and part of the step."""
    if view.ledger is None:
        return {}
    found = {group: merged_all(_group(view.trace, view.ledger, *group)) for group in _GROUPS}
    return {group: sums for group, sums in found.items() if sums}


def finish(found: dict[tuple[Role, str], Sums], ledger: Ledger) -> Copies:
    """Copies of an average step and GPU."""
    windows = ledger.windows
    batch, *middle, after = (found[group].finished(group[0], windows) for group in _GROUPS)
    return Copies(batch, tuple(middle), after)


def _group(host: HostTrace, ledger: HostLedger, direction: Role, where: _Where) -> Iterator[Sums]:
    first, last = ledger.first_ns, ledger.last_ns
    for device in ledger.devices:
        source = host.devices[device.index]
        rows, step = _rows(source, ledger, direction, where, first[device.index], last[device.index])
        if direction is Role.H2D:
            keep = delays_kernel(source, host.events, rows)
            if where == "middle":  # a copy that tf.data launches brings a later batch
                keep &= ~launched_by(source, rows, host.events.on_threads("tf_data"))
            rows, step = rows[keep], step[keep]
        size = np.maximum(source.copy_bytes[rows], 0)
        recorded = source.copy_pageable[rows]
        pageable = np.where((recorded < 0) & blocks_host(source, host.events, rows), 1, recorded)
        yield Sums(
            exposed_ns=exposed_ns(device, ledger, source, rows, direction),
            handing_ns=_handing_ns(device, ledger, host) if where == "outside" else 0,
            busy_ns=int((source.end_ns[rows] - source.start_ns[rows]).sum()),
            count=len(rows),
            size_bytes=int(size.sum()),
            pageable_bytes=int(size[pageable == 1].sum()),
            known_bytes=int(size[pageable >= 0].sum()),
            steps_count=len(unique(step)),
            ops=_ops(source, rows),
        )


def _rows(
    source: DeviceTrace, host: HostLedger, direction: Role, where: _Where, first: Ints, last: Ints
) -> tuple[Ints, Ints]:
    """Copies of one direction in one part of judged windows, and the step of each."""
    rows, step = judged_rows(source, host, (source.role == direction) & ~between_gpus(source))
    before = source.start_ns[rows] < first[step]
    after = source.start_ns[rows] >= last[step]
    batch = source.role[rows] == Role.H2D
    batch &= before | after | brings_batch(source, rows)
    keep = {"outside": batch, "after": ~before & after, "middle": ~before & ~after & ~batch}[where]
    return rows[keep], step[keep]


def judged_rows(source: DeviceTrace, host: HostLedger, wanted: Bools) -> tuple[Ints, Ints]:
    """Wanted rows that begin in judged windows, and the step of each."""
    rows = np.flatnonzero(wanted)
    step = searchsorted(host.steps.begin_ns, source.start_ns[rows], "right") - 1
    inside: Bools = (step >= 0) & (source.start_ns[rows] < host.steps.end_ns[-1])
    inside &= host.steps.judged[np.maximum(step, 0)]
    return rows[inside], step[inside]


@memoized
def between_gpus(source: DeviceTrace) -> Bools:
    """For each event whether it copies from this GPU to another one; CUPTI's name for that is
    ``MemcpyP2P``."""
    return map_codes(source.name, source.names, lambda name: bool(_BETWEEN_GPUS.search(name)), False)


def exposed_ns(
    device: DeviceLedger, host: HostLedger, source: DeviceTrace, rows: Ints, direction: Role
) -> int:
    """Time of judged steps in which nothing but these copies runs on the GPU."""
    return intersect(host.judged_time(device, ACCOUNT_OF[direction]), source.spans(rows)).total_ns


def _handing_ns(device: DeviceLedger, host: HostLedger, trace: HostTrace) -> int:
    """Time of judged steps in which the GPU is idle because a copied batch is not handed over yet."""
    pauses = handing_over(trace.devices[device.index], trace.events)
    pieces = host.judged_time(device, "copy.h2d")
    copying = trace.devices[device.index].busy(Role.H2D)
    return subtract(intersect(pieces, pauses), copying).total_ns


def _ops(source: DeviceTrace, rows: Ints) -> dict[str, int]:
    codes, counts = np.unique(source.op[rows], return_counts=True)
    pairs = zip(codes.tolist(), counts.tolist(), strict=True)
    return {source.ops[c]: n for c, n in pairs if c >= 0}
