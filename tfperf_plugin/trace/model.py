"""The trace: one ``HostTrace`` per host file, including its GPUs. All data is stored in columns.

Each row of a table is one event. Times are int64 nanoseconds on the timeline of that host. Text is
interned: a column of codes (int32, −1 if absent) refers to a tuple of distinct strings. Other integers are
int32 where all fit; row numbers always are. A column of equal values stores one value and is read-only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, union
from tfperf_plugin.arrays.unique import Numbers, unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import HasMemo, memoized
from tfperf_plugin.trace.roles import HostRole, Role

Codes = npt.NDArray[np.int32]
Small = npt.NDArray[np.int8]
Value = int | float | str | bytes
Aspect = Literal["input", "host ops", "framework ops", "compilation", "dropped events", "memory", "shapes"]
"""What a recording may hold nothing about: waiting for input, ops that the CPU computes, ops that the
framework runs to launch kernels, compilation, whether events were dropped, allocations, shapes of tensors."""


def among(codes: npt.NDArray[Any], *wanted: int) -> Bools:
    """Whether each code is one of the wanted ones. Ten times as fast as ``np.isin`` for a few of them."""
    found = codes == wanted[0] if wanted else np.zeros(len(codes), np.bool_)
    for code in wanted[1:]:
        found |= codes == code
    return found


class DeviceTrace(HasMemo, frozen=True):
    """The work of one GPU, sorted by start.

    ``stream``: code into ``streams``; ``name``/``op``/``shape``: codes into ``names``/``ops``/``shapes``
    (op and shape −1 where not recorded); ``role``/``kernel_class``/``precision``: values of the enums
    in roles; ``launch``: row of the launch in the host's ``events``, −1 if not recorded; ``copy_bytes``: size
    of a copy, −1 if not recorded; ``copy_pageable``: whether a copy's host memory is pageable (1), pinned (0)
    or not recorded (−1); ``copy_destination``: number of the GPU that a copy goes to, −1 if not recorded
    (reliable for CUPTI's ``MemcpyP2P`` only); ``collective_bytes``: −1 if not recorded;
    ``collective_output``: that is what one GPU gets out of the call (TensorFlow's ``buffer_size``), else the
    whole array (XLA's program);
    ``collective_type``: code into ``collective_types``, the collective as it was recorded, −1 if it was not;
    ``detail``: code into ``details``, the collector's text of a kernel's registers, memory, grid and block;
    ``scope``: code into ``scopes``, the name scope that XLA keeps of an instruction's origin, −1 if none;
    ``module``: code into ``modules``, the program of XLA that the event belongs to ("jit_step(7)": its name
    and its number), −1 if none.
    """

    ordinal: int
    device: str
    name_text: str
    vendor: str
    stats: Mapping[str, Value]
    start_ns: Ints
    end_ns: Ints
    stream: Codes
    name: Codes
    op: Codes
    shape: Codes
    role: Small
    kernel_class: Small
    precision: Small
    launch: Numbers
    copy_bytes: Numbers
    copy_pageable: Small
    copy_destination: Codes
    collective_bytes: Numbers
    collective_output: Bools
    collective_type: Codes
    scope: Codes
    streams: tuple[str, ...]
    names: tuple[str, ...]
    ops: tuple[str, ...]
    shapes: tuple[str, ...]
    collective_types: tuple[str, ...]
    scopes: tuple[str, ...]
    step_line: tuple[tuple[int, int, str], ...]
    detail: Codes
    details: tuple[str, ...]
    module: Codes
    modules: tuple[str, ...]

    @memoized
    def busy(self, *roles: Role) -> Intervals:
        """Returns the intervals during which events with any of these roles run."""
        keep = among(self.role, *roles)
        return self.spans(slice(None) if keep.all() else keep)

    def spans(self, rows: Ints | Bools | slice) -> Intervals:
        """When at least one of these events goes on."""
        return union(self.start_ns[rows], self.end_ns[rows])

    @memoized
    def is_kernel(self) -> Bools:
        """Marks the rows that compute or communicate: the work by which a GPU takes part in a step."""
        return among(self.role, Role.KERNEL, Role.COLLECTIVE)

    @property
    def participates(self) -> bool:
        """Whether any kernel ran on this GPU."""
        return bool(self.is_kernel().any())

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """NVIDIA's compute capability; None for other vendors, whose numbers mean something else."""
        return self.recorded_version if self.vendor == "NVIDIA" else None

    @property
    def recorded_version(self) -> tuple[int, int] | None:
        """What the profile calls compute capability. For AMD GPUs, the architecture (gfx942: 9.4)."""
        major, minor = self.stats.get("compute_cap_major"), self.stats.get("compute_cap_minor", 0)
        return (major, minor) if isinstance(major, int) and isinstance(minor, int) else None

    @property
    def memory_bytes(self) -> int | None:
        """The size of the GPU's memory."""
        size = self.stats.get("memory_size")
        return size if isinstance(size, int) and size > 0 else None


class HostEvents(HasMemo, frozen=True):
    """All events of a host's threads, sorted by (thread, start, −end).

    ``thread``: code into ``threads``; ``name``: code into ``names``; ``role``: ``HostRole`` of each row;
    ``parent``: row of the innermost event on the same thread that encloses this one, −1 if none;
    ``launches``: has an id, by which events of GPUs name their launch; ``step_num``: −1 if none;
    ``step_id``: TensorFlow's id of the step (stat ``id`` of executor and FunctionRun events, 0 if none);
    ``producer``: row of the event, mostly on another thread, that handed over this event's work, −1 if none
    (stats ``_pt``/``_p`` and ``_ct``/``_c``);
    ``function_call``: stat ``tf_function_call`` present; ``traced``: that call traced the function anew;
    ``tracing_count``: how often the called function has been traced so far, −1 if not recorded.
    """

    start_ns: Ints
    end_ns: Ints
    thread: Codes
    name: Codes
    role: Small
    parent: Numbers
    launches: Bools
    step_num: Numbers
    step_id: Numbers
    producer: Numbers
    function_call: Bools
    traced: Bools
    tracing_count: Numbers
    threads: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def above_launches(self) -> Bools:
        """Whether each event encloses a launch."""
        above = np.zeros(len(self.start_ns), np.bool_)
        current = self.parent[self.role == HostRole.LAUNCH]
        while len(current := unique(current[current >= 0])):
            current = current[~above[current]]
            above[current] = True
            current = self.parent[current]
        return above

    @memoized
    def on_threads(self, prefix: str) -> Bools:
        """Whether the name of each event's thread starts with the prefix."""
        return _spread([thread.startswith(prefix) for thread in self.threads], self.thread)

    @memoized
    def launching_threads(self) -> Bools:
        """For each thread whether it launches work of GPUs."""
        found = np.zeros(len(self.threads), np.bool_)
        found[unique(self.thread[self.role == HostRole.LAUNCH])] = True
        return found

    def named(self, is_meant: Callable[[str], object]) -> Bools:
        """Whether ``is_meant`` accepts the name of each event."""
        return _spread([bool(is_meant(name)) for name in self.names], self.name)

    def spans(self, rows: Ints | Bools | slice) -> Intervals:
        """When at least one of these events goes on."""
        return union(self.start_ns[rows], self.end_ns[rows])

    def marked(self, rows: Ints) -> Bools:
        """For each event whether it is one of these rows."""
        found = np.zeros(len(self.start_ns), np.bool_)
        found[rows] = True
        return found

    def enclosing(self, rows: Ints, wanted: Bools) -> Ints:
        """For each row the innermost wanted event that encloses it on its thread, −1 if none."""
        found = self.parent[rows]
        while (found >= 0).any():
            up = (found >= 0) & ~wanted[np.maximum(found, 0)]
            if not up.any():
                break
            found = np.where(up, self.parent[np.maximum(found, 0)], found)
        return found


def _spread(of_code: Sequence[bool], codes: Codes) -> Bools:
    """What holds of each code, for each row; read-only where no code is meant."""
    if not any(of_code):
        return np.broadcast_to(np.False_, len(codes))
    return np.asarray(np.array(of_code, np.bool_)[codes])


class PipelineFlow(Record, frozen=True):
    """What joins tf.data's iterator calls across threads: rows of ``HostEvents`` in ascending order.

    ``produced``/``consumed``: an asynchronous stage puts an element into its buffer (``ParallelMapProduce``)
    and takes it out (``ParallelMapConsume``); ``*_element``: the element's id, −1 if not recorded, and
    ``*_kind``: code of what the two names have in common. ``function``: a stage runs the user's function;
    ``function_id``: TensorFlow's id of that run; ``function_waits``: the call returns when the function has
    ended, so its time is the calling thread's. ``run``: a thread works for a run, of whatever function,
    until ``run_until_ns``, or (no time) begins to hand back what it made; ``run_id``: its id. ``python``: ops
    that call Python. ``request``: a step, or tf.data itself, asks for a batch; ``request_bytes``: size of
    what it got, −1 if not recorded.
    """

    produced: Ints
    produced_element: Ints
    produced_kind: Ints
    consumed: Ints
    consumed_element: Ints
    consumed_kind: Ints
    function: Ints
    function_id: Ints
    function_waits: Bools
    run: Ints
    run_id: Ints
    run_until_ns: Ints
    python: Ints
    request: Ints
    request_bytes: Ints


class IteratorEvents(Record, frozen=True):
    """tf.data iterator calls: rows of ``HostEvents`` with the stats of each.

    ``row``: int64[n] into the host's events; ``iterator_id``/``parent_id``: int64[n], 0 if none; ints are
    −1 where not recorded. ``dataset``: code into ``datasets``, the ops of the user's program that the
    iterator was made from (``MapDataset:3``, or several that TensorFlow fused), −1 if not recorded;
    ``element_bytes``: size of one element where shape and type tell; ``shape``: code of shape and type;
    ``passed``/``filtered``: what a filter has kept and dropped since its iterator was made.
    """

    row: Ints
    iterator_id: Ints
    parent_id: Ints
    parallelism: Ints
    autotune: Ints
    buffered_elements: Ints
    buffer_limit: Ints
    batch_size: Ints
    passed: Ints
    filtered: Ints
    element_bytes: Ints
    shape: Codes
    dataset: Codes
    datasets: tuple[str, ...]
    flow: PipelineFlow


class MemoryEvents(Record, frozen=True):
    """Allocator events of a host, sorted by time: ``allocator`` code into ``allocators``; sizes in bytes.

    ``allocated_bytes``/``available_bytes``/``peak_bytes``: the allocator's state after the event;
    ``is_allocation``: else something was freed; ``size_bytes``: of the block; ``address``: of the block;
    ``op``: code into ``ops``, who asked for it; ``fragmentation``: share of the free memory that is not in
    the largest free block; ``shape``: code into ``shapes``, of the tensor that the block is for ("[64,10]");
    ``data_type``: number of its type in TensorFlow's ``DataType``; ``region``: code into ``regions``, what
    the block is for ("output" of the op, "temp"). Integers are −1 and ``fragmentation`` is NaN where not
    recorded.
    """

    time_ns: Ints
    allocator: Codes
    allocated_bytes: Ints
    available_bytes: Ints
    peak_bytes: Ints
    is_allocation: Bools
    size_bytes: Ints
    address: Ints
    op: Codes
    fragmentation: npt.NDArray[np.float64]
    shape: Codes
    data_type: Codes
    region: Codes
    allocators: tuple[str, ...]
    ops: tuple[str, ...]
    shapes: tuple[str, ...]
    regions: tuple[str, ...]


class Product(Record, frozen=True):
    """A matrix product: ``batch`` times [m, k] · [k, n], with operands of this ``format``.

    A convolution is one whose n is the channels out, k the channels in of a group, m the places of outputs
    of all examples, and which is summed over the ``window``'s places. ``format``: see ``OpWork``.
    ``gradient``: the op computes that of a convolution's input or filter, which takes as much, or a matrix
    product sums over the rows of both operands, as for a gradient of weights; ``places``: of a convolution's
    outputs of one example, by dimension. Both are empty where not known.
    """

    batch: int
    m: int
    n: int
    k: int
    format: str
    window: int = 1
    gradient: Literal["", "input", "filter"] = ""
    places: tuple[int, ...] = ()


OpKind = Literal["product", "convolution", "attention", "gather", "scatter", "other"]


class OpWork(Record, frozen=True):
    """What one execution of an op computes and moves at least; an op of XLA is an instruction.

    ``flops``: operations, a multiply-add being two; ``matrix_flops``: those of matrix products and
    convolutions, whose operands have the ``matrix_format`` (fp64, fp32, fp16, bf16, fp8, int8, "" without
    such operations, "mixed" if no single one); ``bytes``: that must cross memory once; ``per_run``: it is
    executed once in each run of its program.
    ``products``: its largest matrix products, at most four; ``recomputed``: it repeats a part of the forward
    pass for the backward pass, ``recomputed_flops``: those of its ``matrix_flops`` that do, also if it does
    more; ``attention``: it is part of an attention that several ops compute, with the
    scores in memory: its name, else "".
    """

    flops: int
    matrix_flops: int
    matrix_format: str
    bytes: int
    per_run: bool = False
    kind: OpKind = "other"
    products: tuple[Product, ...] = ()
    recomputed: bool = False
    attention: str = ""
    recomputed_flops: int = 0


class HostTrace(HasMemo, frozen=True):
    """One host of the run.

    ``profile_start_ns``: the wall-clock time at time 0, if recorded. ``device_texts``: full device names
    mentioned by ops (``/job:worker/replica:0/task:1/…``). ``collective_ranks``: the largest number of
    participants stated by a collective, 0 if none does. ``tpus_count``: TPUs; their events are not read.
    ``op_work``: (program, instruction), as ``modules`` and ``ops`` of a GPU name them → what one execution
    takes, of XLA's instructions that ran and are understood. ``lacks``: what the format or this recording
    holds nothing about; that nothing of it is seen does not mean that it did not happen.
    """

    host: str
    events: HostEvents
    iterators: IteratorEvents
    memory: MemoryEvents
    devices: tuple[DeviceTrace, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    profile_start_ns: int | None
    device_texts: tuple[str, ...]
    collective_ranks: int
    tpus_count: int = 0
    op_work: Mapping[tuple[str, str], OpWork] = {}
    lacks: frozenset[Aspect] = frozenset()

    @property
    def work_bytes(self) -> int:
        """The approximate number of bytes that a pass over all events reads."""
        return 8 * (self.events.start_ns.nbytes + sum(d.start_ns.nbytes for d in self.devices))
