"""Steps of PyTorch without a schedule of its profiler: from one batch or one update to the next, or all."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.analysis.launches import LAUNCH_CALL, has_pytorch_kernels, launching_ops
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.trace.model import HostEvents, HostTrace

_BATCH: Final = re.compile(r"enumerate\(DataLoader\)#")
_UPDATE: Final = re.compile(r"Optimizer\.step#")
# While a CUDA graph is captured, calls launch nothing; a recording may also end before the GPU's.
_CAPTURE: Final = re.compile(r"^(cu(da)?|hip)StreamBeginCapture")
_RECORDED_RATIO: Final = 0.5


def from_batches(events: HostEvents) -> Marks | None:
    """Steps begin where a batch is asked for, or where the optimizer has returned, whichever is rarer.

    Several batches may make one update, and several optimizers may use one batch. What lies before the first
    mark and after the last one is no whole step.
    """
    batches, updates = _marks(events, _BATCH.match), _marks(events, _UPDATE.match)
    found = [(events.start_ns[batches], batches), (events.end_ns[updates], updates)]
    cuts, rows = min((one for one in found if len(one[0]) > PERIOD_STEPS_COUNT), key=_count, default=found[0])
    if len(cuts) <= PERIOD_STEPS_COUNT:
        return None
    name, thread = events.names[events.name[rows[0]]], int(events.thread[rows[0]])
    number = np.arange(len(cuts) - 1, dtype=np.int64)
    return Marks("markers", number, cuts[:-1], cuts[1:], name, thread)


def whole_recording(host: HostTrace) -> Marks | None:
    """The whole recording as one step: many record a single pass of a model and mark nothing.

    None if it is not one of PyTorch, if a CUDA graph is captured, or if kernels of most launches are missing.
    """
    events, working = host.events, [device for device in host.devices if device.participates]
    rows = np.flatnonzero(launching_ops(events))
    if not len(rows) and has_pytorch_kernels(host):
        rows = np.flatnonzero(events.launches)
    if not len(rows) or not working or any(map(_CAPTURE.match, events.names)):
        return None
    recorded = events.launches[events.named(LAUNCH_CALL.match)]
    if recorded.sum() < _RECORDED_RATIO * len(recorded):
        return None
    last = max(int(device.end_ns[device.is_kernel()].max()) for device in working)
    begin, end = int(events.start_ns[rows].min()), max(int(events.end_ns[rows].max()), last)
    thread = int(np.bincount(events.thread[rows]).argmax())
    return Marks("recording", np.array([0]), np.array([begin]), np.array([end]), thread=thread)


def _marks(events: HostEvents, is_mark: Callable[[str], object]) -> Ints:
    """Rows of such events on the thread with most of them, in the order of time; none inside another."""
    rows = np.flatnonzero(events.named(is_mark))
    if not len(rows):
        return rows
    rows = rows[events.thread[rows] == np.bincount(events.thread[rows]).argmax()]
    reach = np.maximum.accumulate(events.end_ns[rows])
    apart = np.concatenate([[True], events.start_ns[rows][1:] >= reach[:-1]])
    return np.asarray(rows[apart])


def _count(found: tuple[Ints, Ints]) -> int:
    return len(found[0])
