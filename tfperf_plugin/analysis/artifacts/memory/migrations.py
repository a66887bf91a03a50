"""Pages of managed memory that migrate between host and GPUs, and the kernels that they hold up.

The driver moves a page when a GPU or the host touches it on the other side, when the program asks for that
ahead, or when the GPU's memory is full. A kernel that touches a page waits until it has come.
"""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import (
    AVERAGED,
    GpuView,
    PerStep,
    PerStepByName,
    Rate,
    View,
    averaged,
    merged_all,
)
from tfperf_plugin.analysis.artifacts.memory.copies import exposed_ns, judged_rows
from tfperf_plugin.analysis.evidence import NotApplicable, Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import map_codes, sums_by_name
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within, intersect
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, among
from tfperf_plugin.trace.roles import AGAIN, EVICTION, MIGRATIONS, PREFETCH, Role

# A step counts if its migrations take this share of those of the average step.
USUAL_RATIO: Final = 0.5
_DIRECTION: Final = dict(zip(MIGRATIONS, (Role.H2D, Role.D2H, Role.D2D), strict=True))
_NONE: Final = "No migration of managed memory was recorded in judged steps."


class Moved(Record, frozen=True):
    """Migrations in one direction, per average step and GPU."""

    count: Rate
    size_bytes: PerStep  #: Bytes, 0 where not recorded.
    #: The part of ``size_bytes`` that the program prefetched before, and that went back.
    again_bytes: PerStep
    busy_ns: PerStep
    exposed_ns: PerStep  #: Time in which the GPU does nothing else.


class Migrations(Record, frozen=True):
    """Migrations in judged steps, per average step and GPU."""

    #: Migrations by the direction of a copy that moves the same bytes.
    moved: Annotated[dict[Role, Moved], AVERAGED]
    #: Time in which kernels or memsets run while pages are evicted, or come that the program did not ask
    #: for.
    held_ns: PerStep
    held_by_kernel: PerStepByName  #: The part of ``held_ns`` in each of them.
    #: Time of migrations by the end of their name, which is their cause, "" where not recorded.
    busy_by_cause: PerStepByName
    steps_ratio: Rate  #: Share of judged steps with ``USUAL_RATIO`` of the average step's migrations.
    places: Places  #: Kernels that are held up longest.

    @property
    def busy_ns(self) -> int:
        """Time of all migrations."""
        return sum(moved.busy_ns for moved in self.moved.values())


def part(view: View) -> Migrations | None:
    """Migrations on the participating GPUs of one host."""
    return merged_all(_of_gpu(gpu) for gpu in view.gpus)


def finish(found: Migrations | None, ledger: Ledger) -> Migrations | NotApplicable:
    """Migrations of an average step and GPU."""
    return averaged(found, ledger.windows) if found else NotApplicable(_NONE)


def _of_gpu(gpu: GpuView) -> Migrations | None:
    source = gpu.source
    rows, step = judged_rows(gpu, among(source.role, *MIGRATIONS))
    if not len(rows):
        return None
    spent = source.end_ns[rows] - source.start_ns[rows]
    of_step = np.bincount(step, spent, len(gpu.host.steps))[gpu.host.steps.judged]
    cause = [name.rpartition(", ")[2] if ", " in name else "" for name in source.names]
    working, _ = judged_rows(gpu, among(source.role, Role.KERNEL, Role.MEMSET))
    coming = source.spans(rows[_hold_up(source)[rows]])
    held = covered_within(coming, source.start_ns[working], source.end_ns[working])
    longest = working[held > 0]
    return Migrations(
        moved={way: _moved(gpu, rows, way, role) for role, way in _DIRECTION.items()},
        held_ns=intersect(gpu.judged_time("compute"), coming).total_ns,
        held_by_kernel=dict(sums_by_name(source.names, source.name[working], held)),
        busy_by_cause=dict(sums_by_name(cause, source.name[rows], spent)),
        steps_ratio=int((of_step >= USUAL_RATIO * of_step.mean()).sum()),
        places=gpu.host.steps.places(
            "", source.start_ns[longest], source.end_ns[longest], source.device, gpu.step[longest],
            held[held > 0],
        ),
    )  # fmt: skip


def _moved(gpu: GpuView, rows: Ints, way: Role, role: Role) -> Moved:
    source = gpu.source
    rows = rows[source.role[rows] == role]
    return Moved(
        count=len(rows),
        size_bytes=int(np.maximum(source.copy_bytes[rows], 0).sum()),
        again_bytes=int(np.maximum(source.copy_bytes[rows[_ends(source, AGAIN)[rows]]], 0).sum()),
        busy_ns=int((source.end_ns[rows] - source.start_ns[rows]).sum()),
        exposed_ns=exposed_ns(gpu, rows, way),
    )


def _hold_up(source: DeviceTrace) -> Bools:
    """Whether each event moves a page that a kernel touches, as far as its cause is recorded: not what the
    program asks for, nor what the host takes back."""
    comes = among(source.role, Role.MIGRATION_H2D, Role.MIGRATION_D2D) & ~_ends(source, PREFETCH)
    return np.asarray(comes | (source.role == Role.MIGRATION_D2H) & _ends(source, EVICTION))


def _ends(source: DeviceTrace, cause: str) -> Bools:
    """Whether each event migrates pages for this cause."""
    return map_codes(source.name, source.names, lambda name: name.endswith(f", {cause}"), False)
