"""Finds when each step begins and ends, and which steps the recording holds as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import Marks
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import Role

# The host runs ahead if it begins this share of the steps before the GPU has finished the previous step.
RUN_AHEAD_RATIO = 0.5


def step_windows(
    devices: Sequence[DeviceTrace], device_step: Sequence[Codes], marks: Marks
) -> tuple[Ints, Ints, Bools]:
    """Begin and end of each step's window, and whether the recording holds it as a whole."""
    count = len(marks.begin_ns)
    last_kernel = np.full(count, np.iinfo(np.int64).min)
    for device, step in zip(devices, device_step, strict=True):
        rows = np.flatnonzero(device.is_kernel() & (step >= 0))
        np.maximum.at(last_kernel, step[rows], device.end_ns[rows])
    busy_until = np.maximum.accumulate(last_kernel)
    begin = np.maximum(marks.begin_ns, marks.earlier_ns)
    # Until when the GPUs ran recorded kernels that were launched before the first step.
    old = [d.end_ns[d.is_kernel() & (step == -1)] for d, step in zip(devices, device_step, strict=True)]
    earlier = max((int(end.max()) for end in old if len(end)), default=int(marks.begin_ns[0]))
    # Where the device marks the steps, no host can run ahead.
    if marks.by_host:
        begin[1:] = np.maximum(begin[1:], busy_until[:-1])
        if count > 1:
            begin[0] = max(int(begin[0]), earlier)
        begin = np.maximum.accumulate(begin)
    tail = max(
        int(marks.end_ns[-1]), int(last_kernel[-1]), int(begin[-1]), _read_back(devices, device_step, count)
    )
    end = np.append(begin[1:], tail)
    complete = np.ones(count, np.bool_)
    # The GPU's recording may stop before the host's: capacity, or a GPU that lags behind at the end.
    with_kernels = np.flatnonzero(last_kernel > np.iinfo(np.int64).min)
    complete[int(with_kernels[-1]) if len(with_kernels) else count - 1 :] = False
    complete[-1] = False
    # A host that runs ahead launched before the recording what the GPU ran at the begin of the first step. If
    # those kernels are not in the recording, the GPU only seems idle.
    known = marks.by_host and earlier > marks.begin_ns[0]
    if count > 1 and not known and np.mean(begin[1:] > marks.begin_ns[1:]) >= RUN_AHEAD_RATIO:
        complete[0] = False
        begin[0] = max(begin[0], min(_first_kernel(devices, device_step), begin[1]))
    return begin, end, complete & (end > begin)


def _read_back(devices: Sequence[DeviceTrace], device_step: Sequence[Codes], count: int) -> int:
    """The end of the last step's last copy to the host: it brings the loss."""
    ends = [
        d.end_ns[(d.role == Role.D2H) & (step == count - 1)]
        for d, step in zip(devices, device_step, strict=True)
    ]
    return int(np.concatenate(ends or [np.empty(0, np.int64)]).max(initial=np.iinfo(np.int64).min))


def _first_kernel(devices: Sequence[DeviceTrace], device_step: Sequence[Codes]) -> int:
    """Start of the first kernel of the first step on any GPU."""
    starts = [
        d.start_ns[rows[0]]
        for d, step in zip(devices, device_step, strict=True)
        if len(rows := np.flatnonzero(d.is_kernel() & (step == 0)))
    ]
    return int(min(starts, default=np.iinfo(np.int64).min))


def interrupted_steps(marks: Marks) -> Bools:
    """Steps after which the host does other work for at least a step's length before the next step begins.

    Work that lies between most steps belongs to them: it is a second function of the same training loop.
    """
    interrupted = np.zeros(len(marks.begin_ns), np.bool_)
    if len(marks.begin_ns) > 1:
        between = covered_within(
            marks.other, marks.end_ns[:-1], np.maximum(marks.begin_ns[1:], marks.end_ns[:-1])
        )
        interrupted[:-1] = between >= np.median(np.diff(marks.begin_ns))
    return interrupted if interrupted.mean() < 0.5 else np.zeros_like(interrupted)
