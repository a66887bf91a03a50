"""Copies that nothing hides, by direction and by their position in the step.

Before a step's first kernel, or after the last kernel of the previous step, a copy to the GPU brings the
batch. So does any copy for the op that requests the batch. After the last kernel, a copy to the host brings
the loss, or whatever the program reads back. Copies in between make kernels wait, unless the step has hardly
computed: then they prepare it, such as a model that is sent to the GPU.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import (
    GpuView,
    PerStep,
    PerStepByName,
    Rate,
    View,
    averaged,
    merged_all,
)
from tfperf_plugin.analysis.host_activity import (
    blocks_host,
    brings_batch,
    delays_kernel,
    handing_over,
    launched_by,
)
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import map_codes, smallest_of, sums_by_name, unique
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within, intersect, subtract
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents
from tfperf_plugin.trace.roles import Role

ACCOUNT_OF = {Role.H2D: "copy.h2d", Role.D2H: "copy.d2h", Role.D2D: "copy.d2d"}
# Until kernels have worked for this share of their time in the step, copies prepare it.
_PREPARED_RATIO = 0.01
# An op is named from this share of the time on.
_NAMED_RATIO = 0.1
_BETWEEN_GPUS = re.compile(r"(?i)^memcpy(P2P|PtoP)")


class CopyGroup(Record, frozen=True):
    """Copies of one direction in one part of the step, per average step and GPU."""

    direction: Annotated[Role, max]
    exposed_ns: PerStep  #: Time in which only these copies run.
    #: Time after the copies in which nothing runs because the copied batch is not handed over yet.
    handing_ns: PerStep
    busy_ns: PerStep  #: Time copying, hidden or not.
    per_step_count: Rate
    size_bytes: PerStep  #: Bytes per step, 0 where not recorded.
    pageable_bytes: int  #: Bytes of copies from or to pageable memory of the host.
    known_bytes: int  #: Bytes of all copies that record whether their host memory is pageable.
    ns_by_op: PerStepByName  #: Op → time in which only copies that it caused run.
    steps_ratio: Rate  #: Share of judged steps that have such a copy.

    @property
    def pageable_ratio(self) -> float | None:
        """Share of bytes copied from pageable host memory; ``None`` where not recorded."""
        return self.pageable_bytes / self.known_bytes if self.known_bytes else None

    @property
    def ops(self) -> tuple[tuple[str, int], ...]:
        """(op, time), longest first, of the ops whose copies run alone for longest."""
        return tuple(
            (op, ns)
            for op, ns in Counter(self.ns_by_op).most_common(3)
            if ns > _NAMED_RATIO * self.exposed_ns
        )

    @property
    def account(self) -> str:
        """The ledger account that holds ``exposed_ns``."""
        return ACCOUNT_OF[self.direction]

    @property
    def bandwidth_gbps(self) -> float | None:
        """Achieved GB/s (GB = 10^9 bytes); ``None`` where sizes are not recorded."""
        return self.size_bytes / self.busy_ns if self.size_bytes and self.busy_ns else None


class Copies(Record, frozen=True):
    """Copies between host and GPUs in judged steps; ``peer_copies`` holds those between GPUs."""

    batch: CopyGroup  #: Copies to the GPU outside a step's kernels that the next kernel waits for.
    middle: tuple[CopyGroup, ...]  #: Copies between the first and the last kernel, by direction.
    after: CopyGroup  #: Copies to the host after the last kernel.

    @property
    def returns_as_much(self) -> bool:
        """Whether a step sends as many bytes to the host as it brings."""
        return 0 < self.batch.size_bytes == self.after.size_bytes


_Where = Literal["outside", "middle", "after"]
_GROUPS: tuple[tuple[Role, _Where], ...] = (
    (Role.H2D, "outside"),
    *((role, "middle") for role in ACCOUNT_OF),
    (Role.D2H, "after"),
)


def part(view: View) -> dict[tuple[Role, str], CopyGroup]:
    """Copies of judged steps on the participating GPUs of one host, by direction and part of the step."""
    events = view.trace.events
    found = {group: merged_all(_of_gpu(gpu, events, *group) for gpu in view.gpus) for group in _GROUPS}
    return {group: sums for group, sums in found.items() if sums}


def finish(found: dict[tuple[Role, str], CopyGroup], ledger: Ledger) -> Copies:
    """Copies of an average step and GPU."""
    batch, *middle, after = (averaged(found[group], ledger.windows) for group in _GROUPS)
    return Copies(batch, tuple(middle), after)


def _of_gpu(gpu: GpuView, events: HostEvents, direction: Role, where: _Where) -> CopyGroup:
    source = gpu.source
    rows, step = _rows(gpu, direction, where)
    if direction is Role.H2D:
        keep = delays_kernel(source, events, rows)
        if where == "middle":  # a copy that tf.data launches brings a later batch
            keep &= ~launched_by(source, rows, events.on_threads("tf_data"))
        rows, step = rows[keep], step[keep]
    size, op = np.maximum(source.copy_bytes[rows], 0), source.op[rows]
    recorded = source.copy_pageable[rows]
    alone_ns = covered_within(
        gpu.judged_time(ACCOUNT_OF[direction]), source.start_ns[rows], source.end_ns[rows]
    )
    pageable = np.where((recorded < 0) & blocks_host(source, events, rows), 1, recorded)
    return CopyGroup(
        direction=direction,
        exposed_ns=exposed_ns(gpu, rows, direction),
        handing_ns=_handing_ns(gpu, events) if where == "outside" else 0,
        busy_ns=int((source.end_ns[rows] - source.start_ns[rows]).sum()),
        per_step_count=len(rows),
        size_bytes=int(size.sum()),
        pageable_bytes=int(size[pageable == 1].sum()),
        known_bytes=int(size[pageable >= 0].sum()),
        ns_by_op=dict(sums_by_name(source.ops, op[op >= 0], alone_ns[op >= 0])),
        steps_ratio=len(unique(step)),
    )


def _rows(gpu: GpuView, direction: Role, where: _Where) -> tuple[Ints, Ints]:
    """Copies of one direction in one part of judged windows, and the step of each."""
    source, index = gpu.source, gpu.ledger.index
    rows, step = judged_rows(gpu, (source.role == direction) & ~between_gpus(source))
    if not len(rows):
        return rows, step
    start_ns = source.start_ns[rows]
    before, after = start_ns < gpu.host.first_ns[index][step], start_ns >= gpu.host.last_ns[index][step]
    batch = (source.role[rows] == Role.H2D) & (before | after | brings_batch(source, rows))
    if where == "middle":
        keep = ~batch & ~after & (start_ns >= _prepared_ns(gpu)[step])
    else:
        keep = batch if where == "outside" else ~before & after
    return rows[keep], step[keep]


def _prepared_ns(gpu: GpuView) -> Ints:
    """For each step the start of the kernel in which ``_PREPARED_RATIO`` of their work is done."""
    source, first_ns = gpu.source, gpu.host.first_ns[gpu.ledger.index]
    rows = np.flatnonzero((source.role == Role.KERNEL) & (gpu.step >= 0))
    rows = rows[np.argsort(gpu.step[rows], kind="stable")]  # within a step they stay sorted by start
    step, length = gpu.step[rows], source.end_ns[rows] - source.start_ns[rows]
    total = np.zeros(len(first_ns), np.int64)
    np.add.at(total, step, length)
    worked = np.cumsum(length) - (np.cumsum(total) - total)[step]
    rows = rows[worked >= _PREPARED_RATIO * total[step]]
    begin_ns = smallest_of(gpu.step[rows], source.start_ns[rows], len(first_ns))
    return np.asarray(np.where(total > 0, begin_ns, first_ns))


def judged_rows(gpu: GpuView, wanted: Bools) -> tuple[Ints, Ints]:
    """The rows for which ``wanted`` is true that begin in judged windows, and the step of each."""
    rows = np.flatnonzero(wanted)
    inside, step = gpu.host.steps.judged_at(gpu.source.start_ns[rows])
    return rows[inside], step


@memoized
def between_gpus(source: DeviceTrace) -> Bools:
    """For each event whether it copies from this GPU to another one."""
    return map_codes(source.name, source.names, lambda name: bool(_BETWEEN_GPUS.search(name)), False)


def exposed_ns(gpu: GpuView, rows: Ints, direction: Role) -> int:
    """Time of judged steps in which nothing but these copies runs on the GPU."""
    if not len(rows):
        return 0
    return intersect(gpu.judged_time(ACCOUNT_OF[direction]), gpu.source.spans(rows)).total_ns


def _handing_ns(gpu: GpuView, events: HostEvents) -> int:
    """Time of judged steps in which the GPU is idle because a copied batch is not handed over yet."""
    pauses = handing_over(gpu.source, events)
    return subtract(intersect(gpu.judged_time("copy.h2d"), pauses), gpu.source.busy(Role.H2D)).total_ns
