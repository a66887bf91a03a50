"""Steps of PyTorch without a schedule of its profiler: from one batch or one update to the next, or all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.finding_steps.assign import launched_before
from tfperf_plugin.analysis.finding_steps.marks import PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS, LAUNCH_CALL, has_pytorch_kernels, launching_ops
from tfperf_plugin.analysis.startup import starting
from tfperf_plugin.analysis.step_functions import on_busiest_thread
from tfperf_plugin.arrays.columns import EARLIEST, LATEST, Groups
from tfperf_plugin.arrays.intervals import Ints, covered_within, searchsorted
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import OPTIMIZER_STEP, HostRole, Role

_BATCH: Final = re.compile(r"enumerate\(DataLoader\)#")
# TensorFlow's op, which has a name of its own for each variable.
_UPDATES_VARIABLE: Final = re.compile(r":Resource\w{0,60}Apply\w{1,60}$")
# What one step calls once, or a few times: its model, its passes, and its optimizer.
_CALLED: Final = re.compile(rf"^\$nn\.Module: |\b(forward|backward)\b|^{OPTIMIZER_STEP.pattern}")
# Kernels of a loss, which each step of a training computes.
_LOSS: Final = re.compile(r"(?i)(nll|ctc|mse|l1)_(loss|kernel)|cross_?entropy")
_CAPTURE: Final = re.compile(r"^(cu(da)?|hip)StreamBeginCapture")
# Share of launches whose kernels must be recorded. (A recording may end before the GPU has run them.)
_RECORDED_RATIO: Final = 0.5
_MOST_RATIO: Final = 0.5
# A step has one update, or a few: one for each of several optimizers.
EPOCH_UPDATES_COUNT: Final = 8


def from_batches(events: HostEvents) -> Marks | None:
    """Steps begin where a batch is asked for, or where the optimizer has returned, whichever is rarer.

    Several batches may make one update, and several optimizers may use one batch. What lies before the first
    mark is no step. What is launched after the last one belongs to a step whose end is not recorded, unless
    its last update has returned, of as many as others have, and nothing is launched after it.
    """
    batches, updates = _marks(events, _BATCH.match), _marks(events, OPTIMIZER_STEP.match)
    found = [(events.start_ns[batches], batches), (events.end_ns[updates], updates)]
    cuts, rows = min(
        (one for one in found if len(one[0]) > PERIOD_STEPS_COUNT),
        key=lambda one: len(one[0]),
        default=found[0],
    )
    if len(cuts) <= PERIOD_STEPS_COUNT:
        return None
    name, thread = events.names[events.name[rows[0]]], int(events.thread[rows[0]])
    launched, updated = events.start_ns[events.launches].max(initial=EARLIEST), events.end_ns[updates]
    held = np.diff(np.append(searchsorted(updated, cuts, "right"), len(updated)))
    is_done = launched <= updated.max(initial=EARLIEST) and 0 < held[-1] == held[:-1].max()
    goes_on = launched > cuts[-1]
    ends = np.append(cuts[1:], updated[-1] if is_done else events.end_ns.max()) if goes_on else cuts[1:]
    number = np.arange(len(ends), dtype=np.int64)
    known = bool(is_done or not goes_on)
    return Marks("markers", number, cuts[: len(ends)], ends, name, thread, ends_known=known)


def without_epochs(events: HostEvents, marked: Marks | None) -> Marks | None:
    """The marked steps; None if most of them hold updates of an optimizer for ``EPOCH_UPDATES_COUNT`` steps.

    Then the program marks its epochs. A function of TensorFlow may loop over steps: as many runs of functions
    must lie in a mark as updates of a variable.
    """
    if marked is None:
        return None
    held = _held(marked, events.end_ns[_marks(events, OPTIMIZER_STEP.match)])
    ops = np.flatnonzero(events.named(_UPDATES_VARIABLE.search))
    if not len(held) and len(ops):
        ops = ops[events.name[ops] == np.bincount(events.name[ops]).argmax()]
        runs = np.bincount(marked.step_ids[1], minlength=len(marked.begin_ns))
        held = np.minimum(_held(marked, events.end_ns[ops]), runs)
    return None if len(held) and np.median(held) >= EPOCH_UPDATES_COUNT else marked


def _held(marked: Marks, at_ns: Ints) -> Ints:
    """How many of these instants lie in each mark; empty if there are none."""
    number = searchsorted(marked.begin_ns, at_ns, "right") - 1
    inside = number[(number >= 0) & (at_ns <= marked.end_ns[number])]
    return np.bincount(inside, minlength=len(marked.begin_ns)) if len(at_ns) else inside


def whole_recording(host: HostTrace) -> Marks | None:
    """The whole recording as one step: many record a single pass of a model and mark nothing.

    None if TensorFlow or JAX may have run, whose functions and programs are recorded with them; if a CUDA
    graph is captured; or if kernels of most launches are missing.
    """
    events, working = host.events, [device for device in host.devices if device.participates]
    rows = np.flatnonzero(launching_ops(events))
    calls_only = not len(rows) and not has_pytorch_kernels(host)
    if not len(rows) and (not calls_only or "compilation" in host.lacks):
        rows = np.flatnonzero(events.launches)
    if not len(rows) or not working or _captures(events):
        return None
    recorded = events.launches[events.named(LAUNCH_CALL.match)]
    if recorded.sum() < _RECORDED_RATIO * len(recorded):
        return None
    last = max(int(device.end_ns[device.is_kernel()].max()) for device in working)
    begin, end = int(events.start_ns[rows].min()), max(int(events.end_ns[rows].max()), last)
    older = max(int(d.end_ns[launched_before(d)].max(initial=EARLIEST)) for d in working)
    if older > EARLIEST:  # then what the host did until its first launch is a part of the training
        begin = min(begin, older)
    begin = max(begin, _fetched_before(events, working))
    thread = int(np.bincount(events.thread[rows]).argmax())
    earlier = max(_earlier_work(events, device) for device in working)
    if calls_only:  # a program's first launch loads its code, which no other does
        earlier = max(earlier, _begun(host, begin, working))
    span = np.array([begin]), np.array([end])
    return Marks("recording", np.array([0]), *span, thread=thread, earlier_ns=earlier)


def _fetched_before(events: HostEvents, working: Sequence[DeviceTrace]) -> int:
    """The moment at which the first batch is there, if the last one is for a step after the recording.

    Then steps fetch the batch of the next one, or an epoch has ended: one more is fetched than steps use.
    """
    fetches = _marks(events, _BATCH.match)
    if len(fetches) < 2:
        return EARLIEST
    first = int(events.end_ns[fetches[0]])
    launched = np.concatenate([events.start_ns[d.launch[d.launch >= 0]] for d in working])
    copied = [events.start_ns[d.launch[(d.role == Role.H2D) & (d.launch >= 0)]] for d in working]
    fetch = searchsorted(events.start_ns[fetches], np.concatenate(copied), "right") - 1
    is_ahead = launched.min(initial=LATEST) >= first and (fetch == 0).any() and fetch.max() < len(fetches) - 1
    return first if is_ahead else EARLIEST


def _begun(host: HostTrace, begin: int, working: Sequence[DeviceTrace]) -> int:
    """The moment until which start-up lasts that goes on at ``begin``, at most until a GPU works."""
    startup = starting(host)
    ends = startup.end_ns[(startup.begin_ns <= begin) & (begin < startup.end_ns)]
    first = min(int(device.start_ns[device.launch >= 0].min(initial=LATEST)) for device in working)
    return min(first, int(ends.max(initial=begin)))


def _earlier_work(events: HostEvents, device: DeviceTrace) -> int:
    """The moment until which a GPU runs work that was launched before the recording.

    Until then the first work of a stream is held up although it is launched, and no other work is seen. What
    is launched after the kernel of the recording that runs first waits for something else.
    """
    first, launched = Groups(device.stream).first, device.launch >= 0
    kernels = np.flatnonzero(device.is_kernel() & launched)
    begun = (
        events.start_ns[device.launch[kernels[np.argmin(device.start_ns[kernels])]]]
        if len(kernels)
        else LATEST
    )
    first = first[launched[first] & (events.start_ns[device.launch[first]] <= begun)]
    launch, until = device.launch[first], device.start_ns[first]
    waits = events.role[launch] == HostRole.SYNC  # and ends only with the work
    since = np.where(waits, events.start_ns[launch], events.end_ns[launch]) + LAUNCH_BURST_NS
    since, until = since[until > since], until[until > since]
    busy = covered_within(device.spans(slice(None)), since, until)
    return int(until[busy <= _MOST_RATIO * (until - since)].max(initial=EARLIEST))


def without_layers(host: HostTrace, found: Marks | None) -> Marks | None:
    """The steps that ``from_period`` found; None if they are the layers of one pass of a model in PyTorch.

    They are if one call of a module, one pass or one CUDA graph launched several, if kernels that do not
    recur come before them and after them, as an embedding and a loss do, or if the loss is computed outside.
    Captures of CUDA graphs are no steps, nor are parameters that one call of an optimizer updates one by one.
    """
    events = host.events
    if found is None or not (launching_ops(events).any() or has_pytorch_kernels(host)):
        return found
    working = [device for device in host.devices if device.participates]
    layers = (_launched_together(events, device, found) or _framed(device, found) for device in working)
    return None if any(layers) or _captures(events) else found


def _captures(events: HostEvents) -> bool:
    """Whether a CUDA graph is captured, by calls that launch nothing."""
    return any(map(_CAPTURE.match, events.names))


def _launched_together(events: HostEvents, device: DeviceTrace, found: Marks) -> bool:
    """Whether most begin in the call in which the one before began: an outermost call of a module, a pass, a
    step of an optimizer, or a launch."""
    rows = np.flatnonzero(device.is_kernel())
    launch = device.launch[rows[np.searchsorted(device.start_ns[rows], found.begin_ns)]]
    called = events.named(_CALLED.search)
    calls = np.flatnonzero(called)
    outermost = events.marked(calls[events.enclosing(calls, called) < 0])
    call = events.enclosing(launch, outermost)
    call = np.where(call >= 0, call, launch)
    return bool((launch[1:] >= 0).all() and (call[1:] == call[:-1]).mean() >= _MOST_RATIO)


def _framed(device: DeviceTrace, found: Marks) -> bool:
    rows = np.flatnonzero(device.is_kernel())
    name, first, last = device.name[rows], *np.searchsorted(device.start_ns[rows], found.begin_ns[[0, -1]])
    recurs = np.isin(name, name[first:last])
    loss = np.array([_LOSS.search(text) is not None for text in device.names], np.bool_)[name]
    framed = (~recurs[:first]).any() and (~recurs[last:]).any()
    return bool(framed or (loss & ~recurs).any())


def _marks(events: HostEvents, is_mark: Callable[[str], object]) -> Ints:
    """Rows of marks in the order of time, on the thread with most of them; none lies inside another."""
    rows = on_busiest_thread(events, np.flatnonzero(events.named(is_mark)))
    reach = np.maximum.accumulate(events.end_ns[rows])
    return np.asarray(rows[events.start_ns[rows] >= np.append(EARLIEST, reach)[: len(rows)]])
