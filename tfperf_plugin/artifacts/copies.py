"""Copies that nothing hides, by direction and by where in the step they lie.

Before a step's first kernel, or after the last one of the step before, a copy to the GPU brings the
batch; after the last kernel a copy to the host brings the loss, or whatever the program reads back.
Copies in between make kernels wait.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.ledger import ACCOUNTS, DeviceLedger, HostLedger, Ledger, delays_kernel, step_extents
from tfperf_plugin.trace.intervals import Bools, Ints, covered_within, union
from tfperf_plugin.trace.model import DeviceTrace, HostTrace, Trace
from tfperf_plugin.trace.roles import Role

ACCOUNT_OF = {Role.H2D: "copy.h2d", Role.D2H: "copy.d2h", Role.D2D: "copy.d2d"}
_BETWEEN_GPUS = re.compile(r"(?i)^memcpy(P2P|PtoP)")


@dataclass(frozen=True)
class CopyGroup:
    """Copies of one direction in one part of the step, per average step and GPU.

    ``exposed_ns``: time only this copy runs; ``per_step_count``; ``size_bytes`` per step (0 where not
    recorded); ``busy_ns``: time copying, hidden or not; ``pageable_ratio``: share of bytes copied from
    pageable host memory (``None`` where not recorded); ``ops``: (op, count) that caused most copies;
    ``steps_ratio``: share of judged steps that have such a copy.
    """

    direction: Role
    exposed_ns: int
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


@dataclass(frozen=True)
class Copies:
    """``batch``: copies to the GPU outside a step's kernels that the next kernel waits for; ``middle``: all
    between the first and the last kernel; ``after``: copies to the host after the last kernel. Copies
    between GPUs are in none of them (see peers)."""

    batch: CopyGroup
    middle: tuple[CopyGroup, ...]
    after: CopyGroup


@dataclass
class _Sum:
    exposed: int = 0
    busy: int = 0
    count: int = 0
    size: int = 0
    pageable: int = 0
    known: int = 0


def find_copies(trace: Trace, ledger: Ledger) -> Copies:
    """Copies of judged steps on all participating GPUs."""
    return Copies(
        batch=_group(trace, ledger, Role.H2D, "outside"),
        middle=tuple(_group(trace, ledger, role, "middle") for role in ACCOUNT_OF),
        after=_group(trace, ledger, Role.D2H, "after"),
    )


def _group(trace: Trace, ledger: Ledger, direction: Role, part: str) -> CopyGroup:
    hosts = {h.host: h for h in trace.hosts}
    total, ops, with_copy, windows = _Sum(), Counter[str](), 0, 0
    for host in ledger.hosts:
        first, last = step_extents(hosts[host.host].devices, host.steps)
        for device in host.devices:
            source = hosts[host.host].devices[device.index]
            rows, step = _rows(source, host, direction, part, first[device.index], last[device.index])
            if direction is Role.H2D:
                keep = delays_kernel(source, rows)
                if part == "middle":
                    keep &= ~_prefetched(hosts[host.host], source, rows)
                rows, step = rows[keep], step[keep]
            windows += int(host.steps.judged.sum())
            with_copy += len(np.unique(step))
            _add(total, source, rows, exposed_ns(device, host, source, rows, direction))
            ops.update(_ops(source, rows))
    count = max(1, windows)
    return CopyGroup(
        direction=direction,
        exposed_ns=total.exposed // count,
        busy_ns=total.busy // count,
        per_step_count=total.count / count,
        size_bytes=total.size // count,
        pageable_ratio=total.pageable / total.known if total.known else None,
        ops=tuple(ops.most_common(3)),
        steps_ratio=with_copy / count,
    )


def _rows(
    source: DeviceTrace,
    host: HostLedger,
    direction: Role,
    part: str,
    first: Ints,
    last: Ints,
) -> tuple[Ints, Ints]:
    """Copies of one direction in judged windows, by their place against the window's own kernels."""
    rows, step = judged_rows(source, host, (source.role == direction) & ~between_gpus(source))
    before = source.start_ns[rows] < first[step]
    after = source.start_ns[rows] >= last[step]
    keep = {"outside": before | after, "after": ~before & after, "middle": ~before & ~after}[part]
    return rows[keep], step[keep]


def judged_rows(source: DeviceTrace, host: HostLedger, wanted: Bools) -> tuple[Ints, Ints]:
    """Wanted rows that begin in judged windows, and the step of each."""
    rows = np.flatnonzero(wanted)
    step = np.searchsorted(host.steps.begin_ns, source.start_ns[rows], "right") - 1
    inside: Bools = (step >= 0) & (source.start_ns[rows] < host.steps.end_ns[-1])
    inside &= host.steps.judged[np.maximum(step, 0)]
    return rows[inside], step[inside]


def between_gpus(source: DeviceTrace) -> Bools:
    """For each event whether it copies from this GPU to another one: CUPTI calls that ``MemcpyP2P``."""
    named = np.array([bool(_BETWEEN_GPUS.search(n)) for n in source.names], np.bool_)
    return named[source.name] if len(named) else np.empty(0, np.bool_)


def _prefetched(host: HostTrace, source: DeviceTrace, rows: Ints) -> Bools:
    """For each copy whether a thread of tf.data launched it, so that it carries a later batch."""
    tf_data = np.array([t.startswith("tf_data") for t in host.events.threads], np.bool_)
    launch = source.launch[rows]
    if not len(tf_data):
        return np.zeros(len(rows), np.bool_)
    return np.asarray((launch >= 0) & tf_data[host.events.thread[np.maximum(launch, 0)]])


def exposed_ns(
    device: DeviceLedger, host: HostLedger, source: DeviceTrace, rows: Ints, direction: Role
) -> int:
    """Time of judged steps in which nothing but these copies runs on the GPU."""
    account = ACCOUNTS.index(ACCOUNT_OF[direction])
    mine = (device.segments.owner == account) & host.steps.judged[device.segment_step]
    pieces = union(device.segments.begin_ns[mine], device.segments.end_ns[mine])
    spans = union(source.start_ns[rows], source.end_ns[rows])
    return int(covered_within(pieces, spans.begin_ns, spans.end_ns).sum())


def _add(total: _Sum, source: DeviceTrace, rows: Ints, exposed: int) -> None:
    size = np.maximum(source.copy_bytes[rows], 0)
    pageable = source.copy_pageable[rows]
    total.exposed += exposed
    total.busy += int((source.end_ns[rows] - source.start_ns[rows]).sum())
    total.count += len(rows)
    total.size += int(size.sum())
    total.pageable += int(size[pageable == 1].sum())
    total.known += int(size[pageable >= 0].sum())


def _ops(source: DeviceTrace, rows: Ints) -> Counter[str]:
    codes, counts = np.unique(source.op[rows], return_counts=True)
    pairs = zip(codes.tolist(), counts.tolist(), strict=True)
    return Counter({source.ops[c]: n for c, n in pairs if c >= 0})
