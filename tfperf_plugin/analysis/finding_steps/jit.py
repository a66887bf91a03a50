"""Steps of a JAX program: calls of the function whose kernels take most time."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tfperf_plugin.analysis.finding_steps.assign import launch_steps
from tfperf_plugin.analysis.finding_steps.marks import DOMINANT_RATIO, PERIOD_RATIO, Marks
from tfperf_plugin.analysis.finding_steps.programs import computing, main_program, program_runs
from tfperf_plugin.analysis.step_functions import JIT_CALL, inside_calls, jit_calls
from tfperf_plugin.arrays.intervals import Ints, searchsorted, union
from tfperf_plugin.trace.model import Codes, HostTrace

JIT_CALLS_COUNT = 2


def from_jit_calls(host: HostTrace) -> Marks | None:
    """Calls of the JAX function whose kernels take most of the GPUs' time.

    The same calls of other functions must recur between its calls; otherwise several of its calls make up a
    step.
    """
    events, rows = host.events, jit_calls(host.events)
    if len(rows) < JIT_CALLS_COUNT or not host.devices:
        return None
    begin, name = events.start_ns[rows], events.name[rows]
    every = Marks("jit_calls", np.arange(len(rows)), begin, events.end_ns[rows])
    call_of_launch = launch_steps(events, every)
    columns = [(d.launch[k], d.start_ns[k], d.end_ns[k]) for d, k in computing(host.devices)]
    launch, starts, ends = (np.concatenate(column) for column in zip(*columns, strict=True))
    call = np.where(launch >= 0, call_of_launch[launch], -1)
    spent = np.bincount(name[call[call >= 0]], (ends - starts)[call >= 0], minlength=len(events.names))
    main = int(np.argmax(spent))
    at = np.flatnonzero(name == main)
    if not spent[main] or len(at) < JIT_CALLS_COUNT or spent[main] < DOMINANT_RATIO * (ends - starts).sum():
        return None
    between = [p.tobytes() for p in np.split(name, at)[1:-1]]
    if Counter(between).most_common(1)[0][1] < PERIOD_RATIO * len(between):
        return None
    runs = _delayed_runs(host, call_of_launch, at, begin[at])
    others = (call >= 0) & (name[np.maximum(call, 0)] != main)
    found = JIT_CALL.fullmatch(events.names[main])
    return Marks(
        "jit_calls", np.arange(len(at), dtype=np.int64), begin[at], events.end_ns[rows[at]],
        found[1] if found else "", int(events.thread[rows[0]]),
        other=union(starts[others], ends[others]), body=inside_calls(events, rows), runs=runs,
    )  # fmt: skip


def _delayed_runs(host: HostTrace, call_of_launch: Codes, call: Ints, begin_ns: Ints) -> tuple[Ints, ...]:
    """For each GPU the moments at which it begins the run of each call in ``call``; empty unless calls return
    before they launch.

    A launch then lies in a later call, but the n-th run still belongs to the n-th call if there is one run
    for each call.
    """
    program, _ = main_program(host.devices)
    runs = program_runs(host, program)
    if any(r is not None and (len(r) != len(call) or (r < begin_ns).any()) for r in runs):
        return ()
    launched = [
        call_of_launch.astype(np.int64)[d.launch[searchsorted(d.start_ns, r)]]
        for d, r in zip(host.devices, runs, strict=True)
        if r is not None
    ]
    if all((searchsorted(call, of, "right") - 1 == np.arange(len(call))).all() for of in launched):
        return ()
    return tuple(begin_ns if r is None else r for r in runs)
