"""Finds where the model ran if no kernel was recorded, and the time of its ops on threads of the host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np
from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import (
    Largest,
    PerStep,
    PerStepByName,
    Rate,
    View,
    averaged,
    longest_first,
)
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, phase_of, plain_op
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.finding_steps.periods import has_ends_of_steps, recurring_ops
from tfperf_plugin.analysis.host_activity import compiled_on_cpu, dispatching, eager_rows, self_ns, step_ops
from tfperf_plugin.analysis.launches import LAUNCH_CALL, launching_ops
from tfperf_plugin.analysis.startup import (
    HELD_FACTOR,
    LATER_CALLS_COUNT,
    compile_spans,
    tracing_or_compiling,
)
from tfperf_plugin.analysis.step_functions import (
    EAGER_OP,
    in_close_calls,
    one_by_one,
    step_function_runs,
    step_ids,
)
from tfperf_plugin.arrays.columns import first_places, unique
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, contains, intersect, merge, subtract, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import OPTIMIZER_STEP, HostRole

# Launching an op for a GPU takes a host thread less.
LONG_NS: Final = 50_000
# Allocators of a GPU's memory. Old versions of TensorFlow on Windows lose the first letter.
_GPU_MEMORY: Final = re.compile(r"^.PU_\d{1,4}_(bfc|torch)$", re.DOTALL)
_RUNTIME_CALL: Final = re.compile(r"(cu(da)?|hip)[A-Z]\w+$")
_SENDS: Final = re.compile(r":_(Send|Recv)$")
_LOOP_BODY: Final = re.compile(r"(^|/)while(_\d{1,4})?(_grad)?/.{0,300}body/")
_PRODUCT: Final = re.compile(r"Conv[123]D|MatMul|Einsum")
# On a GPU these only hand tensors on: no kernel runs.
_LIST_OP: Final = re.compile(r":TensorList(PushBack|PopBack|SetItem|GetItem|Reserve|Length)$")
_ONEDNN: Final = re.compile(r"^_Mkl")
_XLA_CPU: Final = re.compile(r"Executable::Execute|^ThunkExecutor::Execute")
_CPU_CLIENT: Final = re.compile(r"^(TfrtCpu|PjRtCpu)Client::|^CpuCompiler::")
XLA_PROGRAMS: Final = "programs of XLA"
OPTIMIZER: Final = "the optimizer"
_ADDED: Final = re.compile(r"^_(Mkl)?(Native)?(Fused)?|WithBias$")
# XLA's ops of one kind: dot.3, dot.12.
_NUMBER: Final = re.compile(r"\.\d{1,9}$")
_OF_CPU: Final = re.compile(r"^(mkldnn|mkl|onednn)::|^aten::(_?(mkldnn|nnpack)_|\w{1,80}_for_cpu$)")
_OF_GPU: Final = re.compile(
    r"^aten::(_?(cudnn|miopen|mps)_(?!is_acceptable)|_efficient_attention|_scaled_dot_product_(efficient|cudnn))"
)
# With dense tensors, ``linear`` has a backward pass of its own on a Mac's GPU only.
_OF_MPS: Final = re.compile(r"^aten::(_?mps_|_?\w{1,80}_mps(_backward)?$|linear_backward$)")
# On a CPU these touch no memory, so none takes long; the first one on a GPU waits until that is set up.
_ALLOCATES: Final = re.compile(r"^aten::empty(_strided|_like)?$")
_SETS_UP_NS: Final = 1_000_000_000
_TORCH_PRODUCT: Final = re.compile(
    r"^aten::(_?addmm(_activation)?|mm|bmm|baddbmm|addbmm|\w{0,40}conv\w{0,40})$"
)
# Ops that only describe or allocate a tensor.
_NO_WORK: Final = frozenset(
    (
        "_reshape_alias", "_unsafe_view", "alias", "as_strided", "chunk", "detach", "empty", "empty_like",
        "empty_strided", "expand", "expand_as", "flatten", "lift_fresh", "narrow", "permute", "resize",
        "resolve_conj", "resolve_neg", "result_type", "select", "slice", "split", "split_with_sizes",
        "squeeze", "t", "transpose", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as",
    )
)  # fmt: skip
_BACKWARD: Final = "autograd::engine::evaluate_function"
# Launching takes the host about as long for each op; of what a CPU computes, products take most.
_MOST_RATIO: Final = 0.5
# Names that macOS gives to a machine.
_MAC: Final = re.compile(r"(?i)\bmac(book|mini|studio|pro)?\b|macbook|\.local$|imac")


class Recurring(Record, frozen=True):
    """A sequence of ops that recurs on a thread: an iteration, or a layer of a model."""

    name: str  #: The op with which it begins.
    ops_count: int  #: Number of ops in it.
    times_count: int
    period_ns: int  #: Median time from one start to the next.


class HostCompute(Record, frozen=True):
    """Ops of the model on threads of the hosts: per judged step, or in the whole recording without one."""

    gpu_memory: bool  #: Whether memory of a GPU was allocated or freed.
    gpu_ops: bool  #: Whether ops ran that only GPUs have.
    timed_ns: dict[str, int]  #: ``HostTrace.timed_ns``.
    launched_count: int  #: Number of kernels that the program launched.
    calls_count: int  #: Number of calls of the runtime or driver of GPUs.
    awaited: bool  #: Whether the program waited for a GPU after the last of these launches.
    sends: bool  #: Whether tensors went from one device to another, or the driver of a GPU was called.
    computes: bool  #: Whether threads computed what a GPU would.
    steps_count: int
    step_ns: PerStep  #: Mean length of a step.
    ops_ns: PerStep  #: Time while at least one op runs.
    sum_ns: PerStep  #: Time of all ops, summed.
    #: Time while TensorFlow's executor or XLA's program runs, which includes ops too short to be recorded.
    running_ns: PerStep
    compiling_ns: PerStep  #: Time while a thread compiles.
    ops_per_step: Rate  #: Number of ops for which a GPU would run kernels.
    #: Number of calls on the step's thread: of what JAX compiled, or of PyTorch's outermost ops.
    calls_per_step: Rate
    #: Part of ``calls_per_step`` that PyTorch's optimizers make.
    updating_per_step: Rate
    #: Time in these calls and between two close ones in which nothing computes or compiles.
    calling_ns: PerStep
    fusible_per_step: Rate  #: Part of ``ops_per_step`` in loops of layers that cuDNN would run as one op.
    ns_by_kind: PerStepByName  #: Kind of op → time while one runs.
    threads_count: Largest  #: Number of threads that run ops.
    #: The longest op, if it takes many times as long as each of the others of its kind; else 0.
    stalled_ns: Largest
    torch: bool  #: Whether some ops are PyTorch's.
    compiled: bool  #: Whether some ops are of a program that XLA compiled for the CPU.
    onednn: bool  #: Whether some ops are oneDNN's.
    mac: bool  #: Whether a host's name is one that macOS gives, or ops ran that only a Mac's GPU has.
    where: Places
    #: Kind of op → time while one runs that makes no call of the runtime or driver of GPUs, where calls were
    #: recorded.
    alone_ns: PerStepByName = field(default_factory=dict)
    #: Call of the runtime or driver of GPUs, but none that waits → time in it, where no event of a GPU was
    #: recorded.
    ns_by_call: PerStepByName = field(default_factory=dict)
    ends_steps: bool = False  #: Whether weights are assigned, a backward pass runs or a result is read.
    recurring: tuple[Recurring, ...] = ()  #: What recurs on each host on which no step was told.
    #: Whether the model ran on the CPU: no kernel and no sign of a GPU's work was recorded, and products of
    #: the model ran on threads.
    on_cpu: bool = False

    @property
    def used_gpu(self) -> bool:
        """Whether a GPU worked, recorded or not."""
        return self.gpu_memory or self.gpu_ops or bool(self.timed_ns or self.launched_count)

    @property
    def kinds(self) -> tuple[tuple[str, int], ...]:
        """(Kind of op, ns while one runs), longest first."""
        return longest_first(self.ns_by_kind)

    def divided(self, waiting_ns: int) -> tuple[int, int, int, int]:
        """The average step in ns: ops run; an executor or program runs without them; the step waits for
        input, ``waiting_ns`` if there is room; the rest."""
        parts: list[int] = []
        for ns in (self.ops_ns, self.running_ns - self.ops_ns - waiting_ns, waiting_ns):
            parts.append(min(max(0, ns), self.step_ns - sum(parts)))
        ops, between, waiting = parts
        return ops, between, waiting, self.step_ns - ops - between - waiting


def part(view: View) -> HostCompute:
    """The time of the ops of one host."""
    host, steps = view.trace, view.steps
    events = host.events
    compiled = compiled_on_cpu(events)
    eager = events.marked(eager_rows(events, steps))
    launches = np.flatnonzero(events.named(LAUNCH_CALL.match))
    calls_runtime = events.named(_RUNTIME_CALL.match)
    silent = not any(len(device.start_ns) for device in host.devices)
    torch = torch_ops(events) if silent else np.empty(0, np.int64)
    every = np.flatnonzero(step_ops(events) | compiled | eager | events.marked(torch))
    count = int(steps.judged.sum())
    judged = union(*steps.judged_ranges(events))
    waits, begun = events.start_ns[events.role == HostRole.SYNC], events.start_ns[launches]
    rows = every[contains(judged, events.start_ns[every])]
    marked = steps.marker_thread if len(steps) else None
    calls = one_by_one(events, marked) if silent else np.empty(0, np.int64)
    calls = calls[contains(judged, events.start_ns[calls])]
    calling = subtract(
        in_close_calls(events, calls), merge(events.spans(every), tracing_or_compiling(events))
    )
    kinds = _by_kind(events, rows)
    # A thread that only waits for the GPU costs nothing by that.
    lasting_calls = np.flatnonzero(calls_runtime & (events.role != HostRole.SYNC)) if silent else rows[:0]
    alone = rows[~events.above(calls_runtime)[rows]] if silent and calls_runtime.any() else rows[:0]
    launched = rows[~events.named(_LIST_OP.search)[rows]]
    return HostCompute(
        gpu_memory=any(map(_GPU_MEMORY.match, host.memory.allocators)),
        gpu_ops=silent and _ops_of_a_gpu(events),
        timed_ns={**host.timed_ns},
        launched_count=len(launches),
        calls_count=int(calls_runtime.sum()),
        awaited=bool(len(waits) and len(begun) and waits.max() >= begun.max()),
        sends=any(map(_SENDS.search, events.names)) or bool(events.launches.any()),
        computes=_computes(events, every, compiled)
        or any(map(_CPU_CLIENT.match, events.names))
        or _torch_computes(events, torch)
        or (host.without_gpu and bool(len(torch))),
        steps_count=count,
        step_ns=judged.total_ns,
        ops_ns=intersect(events.spans(rows), judged).total_ns,
        sum_ns=int((events.end_ns - events.start_ns)[rows].sum()),
        running_ns=intersect(dispatching(events), judged).total_ns,
        compiling_ns=intersect(compile_spans(events), judged).total_ns,
        ops_per_step=len(launched),
        calls_per_step=len(calls),
        updating_per_step=int((events.enclosing(calls, events.named(OPTIMIZER_STEP.match)) >= 0).sum()),
        calling_ns=intersect(calling, judged).total_ns,
        fusible_per_step=int(_fusible(events, launched).sum()),
        ns_by_kind=_ns_by_name(events, kinds, judged),
        ns_by_call=_ns_by_name(events, _by_kind(events, lasting_calls), judged),
        alone_ns=_ns_by_name(events, _by_kind(events, alone), judged),
        threads_count=len(unique(events.thread[rows])),
        stalled_ns=max((_stalled_ns(events, mine) for mine in kinds.values()), default=0),
        torch=bool(len(torch)),
        compiled=bool(compiled.any()),
        onednn=any(_ONEDNN.match(_type(events.names[code])) for code in unique(events.name[rows]).tolist()),
        mac=bool(_MAC.search(host.host)) or any(map(_OF_MPS.match, events.names)),
        ends_steps=has_ends_of_steps(events),
        recurring=() if len(steps) else _recurring(host),
        where=steps.places(
            lambda at: _kind(events.names[events.name[rows[at]]]), events.start_ns[rows], events.end_ns[rows]
        ),
    )


def _recurring(host: HostTrace) -> tuple[Recurring, ...]:
    events, (rows, first) = host.events, recurring_ops(host)
    if not len(first):
        return ()
    begin = events.start_ns[rows[first]]
    name, count = events.names[events.name[rows[first[0]]]], int(np.median(np.diff(first)))
    return (Recurring(name, count, len(first), int(np.median(np.diff(begin)))),)


def finish(found: HostCompute, devices: Devices) -> HostCompute:
    """The time of ops in an average step."""
    kernels = any(d.events_count for d in devices.all)
    on_cpu = found.computes and not (kernels or found.used_gpu or found.sends or devices.accelerators)
    return replace(averaged(found, found.steps_count), on_cpu=on_cpu)


def _computes(events: HostEvents, rows: Ints, compiled: Bools) -> bool:
    """Whether threads compute products, or programs of XLA.

    TensorFlow's executor records an op of a graph only on devices whose ops it calls expensive, which GPUs'
    ops are not, however long they take. An op that Python calls is recorded on any device: it must take long,
    or be one that only processors have.
    """
    if compiled.any():
        return True
    products = rows[events.named(lambda name: _PRODUCT.search(_type(name)))[rows]]
    onednn = events.named(lambda name: _ONEDNN.match(_type(name)))[products]
    length = (events.end_ns - events.start_ns)[products]
    return bool((onednn | events.named(_of_graph)[products] | (length > LONG_NS)).any())


def _of_graph(name: str) -> bool:
    """Whether the op has a name of its own, as in a graph; an op that Python calls has its type's."""
    node, _, kind = name.removeprefix(EAGER_OP).rpartition(":")
    return node not in ("", kind)


def _fusible(events: HostEvents, rows: Ints) -> Bools:
    """Ops in a loop of a function that an op of the step calls.

    So Keras runs an LSTM or GRU that cuDNN can take.
    """
    with_id = events.step_id != 0
    carrier = events.enclosing(rows, with_id)
    id = events.step_id[carrier]
    called = (carrier >= 0) & (first_places(step_ids(events), id) >= 0)
    called &= first_places(events.step_id[step_function_runs(events)], id) < 0
    return np.asarray(called & events.named(_LOOP_BODY.search)[rows])


def _by_kind(events: HostEvents, rows: Ints) -> dict[str, Ints]:
    """Rows by kind of op: fused and oneDNN's count as what they compute, the optimizer's together."""
    found: dict[str, list[int]] = {}
    for code in unique(events.name[rows]).tolist():
        found.setdefault(_kind(events.names[code]), []).append(code)
    return {kind: rows[np.isin(events.name[rows], codes)] for kind, codes in found.items()}


def _ns_by_name(events: HostEvents, rows_by_name: Mapping[str, Ints], judged: Intervals) -> dict[str, int]:
    return {name: intersect(events.spans(rows), judged).total_ns for name, rows in rows_by_name.items()}


def _stalled_ns(events: HostEvents, rows: Ints) -> int:
    """The longest of ``rows``, ops of one kind, if it takes many times as long as the next one; else 0."""
    length = np.sort(events.end_ns[rows] - events.start_ns[rows])
    alone = len(rows) > LATER_CALLS_COUNT and length[-1] >= HELD_FACTOR * length[-2]
    return int(length[-1]) if alone else 0


def _type(name: str) -> str:
    return name.removeprefix(EAGER_OP).rpartition(":")[2]


def _kind(name: str) -> str:
    if _XLA_CPU.search(name):
        return XLA_PROGRAMS
    if phase_of(plain_op(name)) is Phase.OPTIMIZER:
        return OPTIMIZER
    return _NUMBER.sub("", _ADDED.sub("", _type(name)))


def torch_ops(events: HostEvents) -> Ints:
    """Rows of ops that work for at least half of their time themselves; none lies inside another, nor in a
    request for a batch, which Python then makes."""
    rows = np.flatnonzero(launching_ops(events) & ~events.named(_describes))
    rows = rows[events.enclosing(rows, events.role == HostRole.INPUT_WAIT) < 0]
    rows = rows[2 * self_ns(events, rows) >= (events.end_ns - events.start_ns)[rows]]
    return rows[events.enclosing(rows, events.marked(rows)) < 0]


def _ops_of_a_gpu(events: HostEvents) -> bool:
    """Whether ops ran that only GPUs have, or as for GPUs only: a backward pass on a thread of its own, or an
    allocation that waited until a GPU was set up."""
    if any(map(_OF_GPU.match, events.names)):
        return True
    if (events.named(_ALLOCATES.match) & (events.end_ns - events.start_ns > _SETS_UP_NS)).any():
        return True
    backward, ops = _backward(events), np.flatnonzero(launching_ops(events))
    others = ops[events.enclosing(ops, events.marked(backward)) < 0]
    return bool(len(backward)) and not np.isin(events.thread[backward], events.thread[others]).any()


def _torch_computes(events: HostEvents, rows: Ints) -> bool:
    """Whether some of ``rows``, from ``torch_ops``, are products that threads compute."""
    if events.named(_OF_CPU.match)[rows].any():
        return True
    length = (events.end_ns - events.start_ns)[rows]
    products = length[events.named(_TORCH_PRODUCT.match)[rows]]
    if not len(products) or np.median(products) <= LONG_NS:
        return False
    return bool(len(_backward(events)) or products.sum() >= _MOST_RATIO * length.sum())


def _describes(name: str) -> bool:
    return name.removeprefix("aten::").removesuffix("_") in _NO_WORK


def _backward(events: HostEvents) -> Ints:
    return np.flatnonzero(events.named(lambda name: name.startswith(_BACKWARD)))
