"""Steps of a compiled program: runs of the XLA program that computes most, or calls of the JAX function whose
kernels take most time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.finding_steps.assign import launch_steps
from tfperf_plugin.analysis.finding_steps.marks import DOMINANT_RATIO, PERIOD_RATIO, PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.analysis.step_functions import JIT_CALL, inside_calls, jit_calls
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Bools, Ints, searchsorted, union
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import Role

# XLA's own event around the launches of one run of a program on one GPU: its name follows the program's.
_EXECUTION = ":XLA GPU module"
JIT_CALLS_COUNT = 2


def from_modules(host: HostTrace) -> Marks | None:
    """Runs of the XLA program that computes most: each GPU's n-th run is the n-th step."""
    program, share = main_program(host.devices)
    if share < DOMINANT_RATIO:
        return None
    runs = _aligned(program_runs(host, program))
    counts = [len(r) for r in runs if r is not None]
    if not counts or min(counts) < PERIOD_STEPS_COUNT:
        return None
    begin = np.min(np.stack([r for r in runs if r is not None]), axis=0)
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in host.devices if d.participates)
    return Marks(
        "modules", np.arange(len(begin), dtype=np.int64), begin, np.append(begin[1:], last),
        program.rpartition("(")[0], runs=tuple(begin if r is None else r for r in runs),
    )  # fmt: skip


def _aligned(runs: Sequence[Ints | None]) -> list[Ints | None]:
    """The runs that all GPUs have; none if their numbers differ by more than one.

    The recording may begin or end while some GPUs are in a run that others have not begun. A GPU with one
    more run leaves out its first or its last, whichever brings the rest closer to a GPU with fewer.
    """
    known = [r for r in runs if r is not None]
    base = min(known, key=len, default=np.empty(0, np.int64))
    if any(len(r) > len(base) + 1 for r in known):
        return []
    return [
        r
        if r is None or len(r) == len(base)
        else min((r[:-1], r[1:]), key=lambda kept: int(np.abs(kept - base).sum()))
        for r in runs
    ]


def main_program(devices: Sequence[DeviceTrace]) -> tuple[str, float]:
    """The recurring XLA program that computes most, and its share of all compute since its first run.

    Work before that run, such as making the weights, is no training. Neither is waiting: when processes
    start, a collective may take a minute.
    """
    spent: dict[str, int] = {}
    for device, mine in computing(devices):
        length, module = device.end_ns[mine] - device.start_ns[mine], device.module[mine]
        known = np.flatnonzero(_recurring(device, mine))
        time = np.bincount(module[known], length[known])
        for code in np.flatnonzero(time).tolist():
            spent[device.modules[code]] = spent.get(device.modules[code], 0) + int(time[code])
    program = max(spent, key=lambda n: spent[n], default="")
    total = 0
    for device, mine in computing(devices):
        own = [m == program for m in device.modules]
        first = int(np.argmax(np.array([*own, False])[device.module[mine]])) if len(mine) else 0
        total += int((device.end_ns[mine] - device.start_ns[mine])[first:].sum())
    return program, spent.get(program, 0) / max(1, total)


def computing(devices: Sequence[DeviceTrace]) -> list[tuple[DeviceTrace, Ints]]:
    """The GPUs and rows of their compute kernels; of collectives, which wait, only if no GPU computes."""
    computes = any((d.role == Role.KERNEL).any() for d in devices)
    return [(d, np.flatnonzero(d.role == Role.KERNEL if computes else d.is_kernel())) for d in devices]


def _recurring(device: DeviceTrace, rows: Ints) -> Bools:
    """Whether each kernel is of a program whose every instruction recurs.

    The recording may cut the first run and the last.
    """
    module = device.module[rows]
    programs, instructions = Groups(module), Groups(module, _instructions(device, rows))
    rarest = programs.min(instructions.count[instructions.of_row])[programs.of_row]
    return np.asarray((module >= 0) & (rarest >= PERIOD_STEPS_COUNT - 1))


def _instructions(device: DeviceTrace, rows: Ints) -> Ints:
    """A number for each kernel's name and op."""
    return device.name[rows].astype(np.int64) * (len(device.ops) + 1) + device.op[rows] + 1


def program_runs(host: HostTrace, program: str) -> list[Ints | None]:
    """For each GPU when runs of the program begin: ``None`` without a run, empty if that is not known."""
    return _executed_runs(host, program) or _repeated_runs(host.devices, program)


def _executed_runs(host: HostTrace, program: str) -> list[Ints | None]:
    """The runs as the host recorded them: each execution of a program launches its kernels."""
    name = program.rpartition("(")[0] + _EXECUTION
    executes = host.events.named(lambda event: event == name)
    found: list[Ints | None] = []
    for device in host.devices if executes.any() else ():
        rows = _kernels_of(device, program)
        launched = rows[device.launch[rows] >= 0]
        by = host.events.enclosing(device.launch[launched].astype(np.int64), executes)
        if (by >= 0).sum() < PERIOD_RATIO * len(rows):
            return []
        # A GPU runs its kernels in the order of their launches, so the first one of a run begins it.
        first = launched[by >= 0][Groups(by[by >= 0]).first]
        found.append(np.sort(device.start_ns[first]) if len(rows) else None)
    return found


def _kernels_of(device: DeviceTrace, program: str) -> Ints:
    if program not in device.modules:
        return np.empty(0, np.int64)
    return np.flatnonzero(device.is_kernel() & (device.module == device.modules.index(program)))


def _rests(device: DeviceTrace, rows: Ints) -> dict[tuple[str, str], int]:
    """Name and op of each instruction outside of loops → how long the program usually pauses before it.

    Such an instruction runs once in a run, except perhaps at the recording's ends.
    """
    start, end = device.start_ns[rows], device.end_ns[rows]
    instructions = Groups(_instructions(device, rows))
    rest = instructions.median(start - np.concatenate([start[:1], np.maximum.accumulate(end)[:-1]]))
    single = np.flatnonzero(instructions.count <= instructions.count.min() + 1)
    single = single[np.argsort(instructions.first[single])]
    at = rows[instructions.first[single]]
    names = (device.names[name] for name in device.name[at].tolist())
    ops = (device.ops[op] if op >= 0 else "" for op in device.op[at].tolist())
    return dict(zip(zip(names, ops, strict=True), rest[single].tolist(), strict=True))


def _repeated_runs(devices: Sequence[DeviceTrace], program: str) -> list[Ints | None]:
    """The runs, told from the kernels alone.

    An instruction outside of loops runs once in each run of its program. The runs of all GPUs begin with the
    one of these instructions before which the program pauses longest on all GPUs together: a GPU that waits
    elsewhere for other GPUs does not begin its runs there. From one run to the next a GPU must run the same
    kernels.
    """
    rows = [_kernels_of(d, program) for d in devices]
    of_gpu = [_rests(d, mine) for d, mine in zip(devices, rows, strict=True) if len(mine)]
    common = [key for key in of_gpu[0] if all(key in rests for rests in of_gpu)] if of_gpu else []
    # The first instruction of several that rest as long.
    begins = max(common, key=lambda key: sum(rests[key] for rests in of_gpu), default=None)
    return [
        (_begun_by(d, program, mine, begins) if begins else mine[:0]) if len(mine) else None
        for d, mine in zip(devices, rows, strict=True)
    ]


def _begun_by(device: DeviceTrace, program: str, mine: Ints, begins: tuple[str, str]) -> Ints:
    """When a GPU begins runs with the instruction ``begins``; empty if they differ, or the first is cut."""
    rows = np.flatnonzero(device.is_kernel())
    kinds = _instructions(device, rows)
    name, op = begins
    wanted = (device.name[mine] == device.names.index(name)) & (
        device.op[mine] == (device.ops.index(op) if op else -1)
    )
    at = searchsorted(rows, mine[wanted])
    runs = [np.sort(run).tobytes() for run in np.split(kinds, at)]
    whole = runs[1:-1]
    if not whole or Counter(whole).most_common(1)[0][1] < PERIOD_RATIO * len(whole):
        return np.empty(0, np.int64)
    # Before the first run, this program and those that are not known ran at most the rest of an earlier one.
    before = device.module[rows[: at[0]]]
    earlier = (before < 0) | (before == device.modules.index(program))
    longest = max(len(run) for run in whole) // kinds.itemsize
    return np.asarray(device.start_ns[rows[at if earlier.sum() <= longest else at[:0]]])


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
    """For each GPU when it begins the run of each call; empty unless calls return before they launch.

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
