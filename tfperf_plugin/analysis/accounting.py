"""Makes the ledger of one host: cuts its steps on each GPU into pieces, and finds the account of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from tfperf_plugin.analysis.collectives import Collectives
from tfperf_plugin.analysis.communication import HostClock
from tfperf_plugin.analysis.host_activity import (
    already_launched,
    awaited_input,
    between_steps,
    delays_kernel,
    dispatching,
    handing_over,
    host_ops,
    input_waits,
    last_read_back,
    launching,
    running_ops,
    step_ops,
    synchronizing,
)
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import ACCOUNTS, COMPUTE_CLASSES, DeviceLedger, HostLedger
from tfperf_plugin.analysis.startup import starting, tracing_or_compiling, trials
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import EARLIEST, LATEST
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Bools,
    Intervals,
    Ints,
    Segments,
    covered_within,
    distinct,
    intersect,
    merge,
    partition_by_precedence,
    subtract,
    union,
)
from tfperf_plugin.arrays.threads import each
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostTrace, among
from tfperf_plugin.trace.roles import MIGRATIONS, KernelClass, Role

# The account of each layer of intervals, in order of precedence. Waiting of this very GPU for a batch comes
# before copies, because the copy of a late batch is late only for that reason, and before stagger, because
# the batch would be late without siblings, too. Waiting that holds up the host as a whole comes after both.
# The wait for a batch that is copied but not handed over yet counts like its copy, unless something else
# holds up the host. Copies that no kernel waits for, such as batches of later steps, come last: they idle no
# GPU.
_COPIES: Final = ACCOUNTS.index("copy.h2d")
_LAUNCH: Final = ACCOUNTS.index("idle.launch")
_LAYERS: Final = (
    *("compute" for _ in COMPUTE_CLASSES),
    *ACCOUNTS[1:_COPIES],
    "idle.input",
    *ACCOUNTS[_COPIES:_LAUNCH],
    "copy.h2d",
    *ACCOUNTS[_LAUNCH:-1],
    "copy.h2d",
    ACCOUNTS[-1],
)
_ACCOUNT_OF_LAYER: Final = np.array([ACCOUNTS.index(a) for a in _LAYERS], np.int16)


def host_ledger(
    host: HostTrace, steps: HostSteps, calls: Collectives, until_ns: Ints, clock: HostClock
) -> HostLedger | None:
    """The ledger of one host; ``None`` if it has no steps or no GPU that ran kernels.

    ``calls``: the host's collectives, joined with the collectives of other hosts; ``until_ns``: the result of
    ``awaited_until`` for each row of ``calls``.
    """
    if not len(steps) or not any(d.participates for d in host.devices):
        return None
    extents = step_extents(host.devices, steps)
    gpus, causes, stagger = host.devices, _HostCauses.of(host, steps), stagger_intervals(*extents)
    if "clocks" in host.lacks:  # nothing that the host does is then known to keep a GPU waiting
        gpus, causes = tuple(map(_alone, gpus)), _HostCauses.none(host)
    if "clocks of GPUs" in host.lacks:
        stagger = [EMPTY] * len(gpus)

    def ledger(index: int) -> DeviceLedger:
        communication = calls.of_device(index, until_ns)
        return _device_ledger(host, index, gpus[index], steps, communication, causes, stagger[index])

    taking_part = [index for index, device in enumerate(host.devices) if device.participates]
    devices = tuple(each(ledger, taking_part, host.work_bytes))
    return HostLedger(host.host, steps, devices, calls, clock, *extents)


def _device_ledger(
    host: HostTrace,
    index: int,
    device: DeviceTrace,
    steps: HostSteps,
    communication: tuple[Intervals, Intervals],
    causes: _HostCauses,
    stagger: Intervals,
) -> DeviceLedger:
    tried, trying_out = trials(device, steps.device_step[index])
    classes = [_class_busy(device, kind, tried) for kind in KernelClass]
    transfer, wait = communication
    awaited = subtract(awaited_input(device, host.events), causes.startup)
    to_gpu = np.flatnonzero(among(device.role, Role.H2D, Role.MIGRATION_H2D))
    needed = to_gpu[delays_kernel(device, host.events, to_gpu)]
    copies = [
        device.spans(needed),
        device.busy(Role.D2H, Role.MIGRATION_D2H),
        device.busy(Role.D2D, Role.MIGRATION_D2D),
    ]
    # Pages that migrate hold up the kernels that touch them.
    hidden = subtract(merge(*copies), device.busy(*MIGRATIONS))
    queued = already_launched(device, host.events)
    launched = already_launched(device, host.events, LAUNCH_BURST_NS)
    idle = [
        causes.compile,
        merge(causes.startup, trying_out),
        stagger,
        causes.input,
        subtract(causes.outside, queued),
        subtract(causes.sync, queued),
        subtract(handing_over(device, host.events), causes.host_op),
        subtract(launching(device, host.events, causes.launch_ops), launched),
        subtract(causes.host_op, launched),
        subtract(merge(causes.dispatch, running_ops(device, host.events)), launched),
    ]
    cuts = distinct(np.concatenate([steps.begin_ns, steps.end_ns]))
    pieces = partition_by_precedence(
        [*classes, transfer, wait, awaited, *copies, *idle, device.spans(to_gpu)], cuts
    )
    length = pieces.end_ns - pieces.begin_ns
    step = steps.at(pieces.begin_ns)
    owner = _ACCOUNT_OF_LAYER[pieces.owner]
    computes = pieces.owner < len(COMPUTE_CLASSES)
    accounts = _sums(step, owner, length, (len(steps), len(ACCOUNTS)))
    class_sums = _sums(
        step[computes], pieces.owner[computes], length[computes], (len(steps), len(COMPUTE_CLASSES))
    )
    compute = merge(*classes)
    return DeviceLedger(
        host=host.host,
        device=device.device,
        index=index,
        sums_ns=accounts,
        class_sums_ns=class_sums,
        segments=Segments(pieces.begin_ns, pieces.end_ns, owner),
        segment_step=step.astype(np.int32),
        hidden_communication_ns=covered_within(
            intersect(merge(transfer, wait), compute), steps.begin_ns, steps.end_ns
        ),
        hidden_copy_ns=covered_within(intersect(hidden, compute), steps.begin_ns, steps.end_ns),
        kernels=_judged_kernels(device, steps, steps.device_step[index], tried),
    )


def _alone(device: DeviceTrace) -> DeviceTrace:
    """The GPU as if no launch had been recorded."""
    return replace(device, launch=np.broadcast_to(np.int32(-1), len(device.launch)))


def _judged_kernels(device: DeviceTrace, steps: HostSteps, step: Codes, tried: Bools) -> Codes:
    rows = np.flatnonzero((device.role == Role.KERNEL) & (step >= 0) & ~tried).astype(np.int32)
    return rows[steps.judged[step[rows]]]


def _sums(row: Ints, column: npt.NDArray[np.int16], values: Ints, shape: tuple[int, int]) -> Ints:
    """int64[shape]: the sum of the values of each row and column."""
    table = np.zeros(shape[0] * shape[1], np.int64)
    np.add.at(table, row * shape[1] + column, values)  # one index is five times as fast as two
    return table.reshape(shape)


def _class_busy(device: DeviceTrace, kind: KernelClass, tried: Bools) -> Intervals:
    keep = (device.role == Role.KERNEL) & (device.kernel_class == kind)
    if kind is KernelClass.OTHER:
        keep |= device.role == Role.MEMSET
    return device.spans(keep & ~tried)


class _HostCauses(Record, frozen=True):
    """The causes on the host that keep all of its GPUs waiting."""

    compile: Intervals
    startup: Intervals
    input: Intervals
    outside: Intervals
    sync: Intervals
    host_op: Intervals
    dispatch: Intervals
    launch_ops: Bools

    @staticmethod
    def none(host: HostTrace) -> _HostCauses:
        """No cause."""
        return _HostCauses(*(EMPTY,) * 7, launch_ops=np.zeros(len(host.events.start_ns), np.bool_))

    @staticmethod
    def of(host: HostTrace, steps: HostSteps) -> _HostCauses:
        events = host.events
        return _HostCauses(
            compile=tracing_or_compiling(events),
            startup=starting(host),
            input=input_waits(events),
            outside=between_steps(steps),
            sync=merge(synchronizing(events), last_read_back(steps)),
            host_op=events.spans(host_ops(events)),
            dispatch=dispatching(events),
            launch_ops=step_ops(events) & events.above_launches,
        )


def step_extents(devices: Sequence[DeviceTrace], steps: HostSteps) -> tuple[Ints, Ints]:
    """First kernel start and last kernel end of each GPU and step: int64[devices, steps], with int64's
    maximum and minimum if there is no kernel."""
    first = np.full((len(devices), len(steps)), LATEST)
    last = np.full((len(devices), len(steps)), EARLIEST)
    for index, device in enumerate(devices):
        rows = np.flatnonzero(device.is_kernel() & (steps.device_step[index] >= 0))
        np.minimum.at(first[index], steps.device_step[index][rows], device.start_ns[rows])
        np.maximum.at(last[index], steps.device_step[index][rows], device.end_ns[rows])
    return first, last


def stagger_intervals(first: Ints, last: Ints) -> list[Intervals]:
    """For each GPU the time in which it may be idle because GPUs start the step at different times.

    That is before its first kernel while a sibling has begun the step, and after its last kernel for at most
    as long as the last sibling started later than itself. ``first``, ``last``: results of ``step_extents``.
    """
    took_part = last > first
    begin, end = first.min(axis=0), last.max(axis=0)
    late = np.where(took_part, first, EARLIEST).max(axis=0)
    result = []
    for index in range(len(first)):
        mine = took_part[index] & (took_part.sum(axis=0) > 1)
        own_first, own_last = first[index][mine], last[index][mine]
        tail = np.maximum(own_last, end[mine] - (late[mine] - own_first))
        result.append(union(np.concatenate([begin[mine], tail]), np.concatenate([own_first, end[mine]])))
    return result
