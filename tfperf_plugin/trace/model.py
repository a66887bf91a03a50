"""The trace: one ``HostTrace`` per host file, including its GPUs. All data is stored in columns.

Each row of a table is one event. Times are int64 nanoseconds on the timeline of that host. Text is
interned: a column of codes (int32, −1 if absent) refers to a tuple of distinct strings. Other integers are
int32 where all fit; row numbers always are. A column of equal values stores one value and is read-only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from tfperf_plugin.arrays.columns import Numbers, unique
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import HasMemo, memoized
from tfperf_plugin.trace.roles import HostRole, Role

# To climb a level costs what this number of rows costs, and a part for each row. To point every event to what
# encloses it costs what this number of levels does.
_LEVEL_ROWS: Final = 1000
_ALL_LEVELS: Final = 16

Codes = npt.NDArray[np.int32]
Small = npt.NDArray[np.int8]
Value = int | float | str | bytes
Aspect = Literal[
    "input",
    "host ops",
    "framework ops",
    "compilation",
    "dropped events",
    "kernels of graphs",
    "memory",
    "shapes",
    "clocks",
    "clocks of GPUs",
    "kernels",
    "launches",
    "other GPUs",
]
"""What a recording may hold nothing about: waiting for input, ops that the CPU computes, ops that the
framework runs to launch kernels, compilation, whether events were dropped, the kernels that CUDA graphs run,
allocations, shapes of tensors, what host and GPU do at the same time, what
several GPUs do at the same time, some kernels of judged steps,
which calls launch kernels, GPUs that this one communicates with."""


def among(codes: npt.NDArray[Any], *wanted: int) -> Bools:
    """Whether each code is one of the wanted ones. Ten times as fast as ``np.isin`` for a few of them."""
    found = codes == wanted[0] if wanted else np.zeros(len(codes), np.bool_)
    for code in wanted[1:]:
        found |= codes == code
    return found


class _Timed(HasMemo, frozen=True):
    """Events with their times."""

    start_ns: Ints
    end_ns: Ints

    def spans(self, rows: Ints | Bools | slice) -> Intervals:
        """The time in which at least one of the events ``rows`` goes on."""
        return union(self.start_ns[rows], self.end_ns[rows])


class DeviceTrace(_Timed, frozen=True):
    """The work of one GPU, sorted by start."""

    #: Number of the GPU on its host.
    ordinal: int
    #: Name of the GPU in the report, such as "GPU:0".
    device: str
    #: Name of the GPU as the profile states it.
    name_text: str
    vendor: str
    #: Figures of the GPU that the profile records, by their names there.
    stats: Mapping[str, Value]
    #: Code into ``streams``.
    stream: Codes
    #: Code into ``names``.
    name: Codes
    #: Code into ``ops``, −1 if not recorded.
    op: Codes
    #: Code into ``shapes``, −1 if not recorded.
    shape: Codes
    #: ``Role`` of the event.
    role: Small
    #: ``KernelClass`` of the event.
    kernel_class: Small
    #: ``Precision`` of the event.
    precision: Small
    #: Row of the launch in the host's ``events``, −1 if not recorded.
    launch: Numbers
    #: Size of a copy, −1 if not recorded.
    copy_bytes: Numbers
    #: Host memory of a copy: 1 pageable, 0 pinned, −1 not recorded.
    copy_pageable: Small
    #: Number of the GPU that a copy goes to, −1 if not recorded. Reliable for CUPTI's ``MemcpyP2P`` only.
    copy_destination: Codes
    #: Size of a collective, −1 if not recorded.
    collective_bytes: Numbers
    #: Whether ``collective_bytes`` is what one GPU gets out of the call (TensorFlow's ``buffer_size``) and
    #: not the whole array (XLA's program).
    collective_output: Bools
    #: Code into ``collective_types``, the names under which collectives are recorded; −1 if not recorded.
    collective_type: Codes
    #: Code into ``scopes``, the name scopes that XLA keeps of an instruction's origin; −1 if none.
    scope: Codes
    streams: tuple[str, ...]
    names: tuple[str, ...]
    ops: tuple[str, ...]
    shapes: tuple[str, ...]
    collective_types: tuple[str, ...]
    scopes: tuple[str, ...]
    #: Steps that the profile itself stores for this GPU: begin and end in ns, and name.
    step_line: tuple[tuple[int, int, str], ...]
    #: Code into ``details``, the collector's texts of a kernel's registers, memory, grid and block.
    detail: Codes
    details: tuple[str, ...]
    #: Code into ``modules``, the programs of XLA, such as "jit_step(7)" (name and number); −1 if the event
    #: belongs to none.
    module: Codes
    modules: tuple[str, ...]
    #: How far its times were moved onto the host's clock.
    moved_ns: int = 0

    @memoized
    def busy(self, *roles: Role) -> Intervals:
        """Returns the intervals during which events with any of these roles run."""
        keep = among(self.role, *roles)
        return self.spans(slice(None) if keep.all() else keep)

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
        """The version that the profile calls compute capability; of AMD GPUs, the architecture (gfx942:
        9.4)."""
        major, minor = self.stats.get("compute_cap_major"), self.stats.get("compute_cap_minor", 0)
        return (major, minor) if isinstance(major, int) and isinstance(minor, int) else None

    @property
    def memory_bytes(self) -> int | None:
        """The size of the GPU's memory."""
        size = self.stats.get("memory_size")
        return size if isinstance(size, int) and size > 0 else None


class HostEvents(_Timed, frozen=True):
    """All events of a host's threads, sorted by (thread, start, −end)."""

    #: Code into ``threads``.
    thread: Codes
    #: Code into ``names``.
    name: Codes
    #: ``HostRole`` of each row.
    role: Small
    #: Row of the innermost event on the same thread that encloses this one, −1 if none.
    parent: Numbers
    #: Whether the event has an id by which events of GPUs name their launch.
    launches: Bools
    #: Number of the step that the event marks, −1 if it marks none.
    step_num: Numbers
    #: TensorFlow's id of the step: stat ``id`` of executor and FunctionRun events, 0 if none.
    step_id: Numbers
    #: Row of the event, mostly on another thread, that handed over this event's work: stats ``_pt``/``_p``
    #: and ``_ct``/``_c``; −1 if none.
    producer: Numbers
    #: Whether the stat ``tf_function_call`` is present.
    function_call: Bools
    #: Whether that call traced the function anew.
    traced: Bools
    #: How often the called function has been traced so far, −1 if not recorded.
    tracing_count: Numbers
    threads: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def above_launches(self) -> Bools:
        """Whether each event encloses a launch."""
        return self.above(self.role == HostRole.LAUNCH)

    def above(self, wanted: Bools) -> Bools:
        """Whether each event encloses one of the wanted events."""
        above = np.zeros(len(self.start_ns), np.bool_)
        current = self.parent[wanted]
        while len(current := unique(current[current >= 0])):
            current = current[~above[current]]
            above[current] = True
            current = self.parent[current]
        return above

    @memoized
    def on_threads(self, prefix: str) -> Bools:
        """Whether the name of each event's thread starts with the prefix."""
        return _spread(self.threads_named(prefix), self.thread)

    def threads_named(self, prefix: str) -> Bools:
        """For each thread whether its name starts with the prefix."""
        return np.array([thread.startswith(prefix) for thread in self.threads], np.bool_)

    @memoized
    def launching_threads(self) -> Bools:
        """For each thread whether it launches work of GPUs."""
        found = np.zeros(len(self.threads), np.bool_)
        found[unique(self.thread[self.role == HostRole.LAUNCH])] = True
        return found

    def named(self, is_meant: Callable[[str], object]) -> Bools:
        """Whether ``is_meant`` accepts the name of each event."""
        return _spread(np.array([bool(is_meant(name)) for name in self.names], np.bool_), self.name)

    def marked(self, rows: Ints) -> Bools:
        """bool[n]: true for the events ``rows``."""
        found = np.zeros(len(self.start_ns), np.bool_)
        found[rows] = True
        return found

    def enclosing(self, rows: Ints, wanted: Bools) -> Ints:
        """For each row the innermost wanted event that encloses it on its thread, −1 if none."""
        found = self.parent[rows]
        for _ in range(_ALL_LEVELS * len(wanted) // (_LEVEL_ROWS + len(rows))):
            up = (found >= 0) & ~wanted[np.maximum(found, 0)]
            if not up.any():
                return found
            found = np.where(up, self.parent[np.maximum(found, 0)], found)
        # Nested deep: each event points to the wanted one above it, in strides that double. −1 stays −1.
        above = np.append(np.where(wanted, np.arange(len(wanted)), self.parent), -1)
        while (further := above[above] != above).any():
            above[further] = above[above[further]]
        return above[found]


def _spread(of_code: Bools, codes: Codes) -> Bools:
    """For each row the value of its code; read-only if all are false."""
    if not of_code.any():
        return np.broadcast_to(np.False_, len(codes))
    return np.asarray(of_code[codes])


class PipelineFlow(Record, frozen=True):
    """Events that join tf.data's iterator calls across threads: rows of ``HostEvents``, each column
    ascending."""

    #: Rows in which an asynchronous stage puts an element into its buffer, such as ``ParallelMapProduce``.
    produced: Ints
    #: Id of the element that each row of ``produced`` puts in, −1 if not recorded.
    produced_element: Ints
    #: Code of the name of each row of ``produced`` without the word for producing or consuming.
    produced_kind: Ints
    #: Rows in which an asynchronous stage takes an element out, such as ``ParallelMapConsume``.
    consumed: Ints
    #: Id of the element that each row of ``consumed`` takes out, −1 if not recorded.
    consumed_element: Ints
    #: As ``produced_kind``, with the same codes.
    consumed_kind: Ints
    #: Rows in which a stage runs the user's function.
    function: Ints
    #: TensorFlow's id of each run in ``function``.
    function_id: Ints
    #: Whether the call returns only when the function has ended, so that its time is the calling thread's.
    function_waits: Bools
    #: Rows in which a thread works for the run of a function, of whatever kind.
    run: Ints
    #: TensorFlow's id of the function that each row of ``run`` works for.
    run_id: Ints
    #: When the work of each row of ``run`` ends; the row's begin where it only hands a result back.
    run_until_ns: Ints
    #: Rows of ops that call Python.
    python: Ints
    #: Rows in which a step, or tf.data itself, asks for a batch.
    request: Ints
    #: Size of the batch that each row of ``request`` got, −1 if not recorded.
    request_bytes: Ints


class IteratorEvents(Record, frozen=True):
    """tf.data iterator calls: rows of ``HostEvents`` with the stats of each. Integers are −1 where not
    recorded."""

    #: int64[n]: row in the host's events.
    row: Ints
    #: int64[n]: tf.data's id of the iterator, 0 if none.
    iterator_id: Ints
    #: int64[n]: id of the iterator that called this one, 0 if none.
    parent_id: Ints
    parallelism: Ints
    autotune: Ints
    buffered_elements: Ints
    buffer_limit: Ints
    batch_size: Ints
    #: Elements that a filter has kept since its iterator was made.
    passed: Ints
    #: Elements that a filter has dropped since its iterator was made.
    filtered: Ints
    #: Size of one element, if shape and type are recorded.
    element_bytes: Ints
    #: Code of shape and type of an element.
    shape: Codes
    #: Code into ``datasets``, the ops of the user's program that the iterator was made from:
    #: ``MapDataset:3``, or several that TensorFlow fused; −1 if not recorded.
    dataset: Codes
    datasets: tuple[str, ...]
    flow: PipelineFlow


class MemoryEvents(Record, frozen=True):
    """Allocator events of a host, sorted by time; sizes in bytes. Integers are −1 where not recorded."""

    time_ns: Ints
    #: Code into ``allocators``.
    allocator: Codes
    #: Bytes in use in the allocator after the event.
    allocated_bytes: Ints
    #: Free bytes of the allocator after the event.
    available_bytes: Ints
    #: Most bytes in use in the allocator since the program began, after the event.
    peak_bytes: Ints
    #: Whether a block was allocated; otherwise one was freed.
    is_allocation: Bools
    #: Size of the block.
    size_bytes: Ints
    #: Address of the block.
    address: Ints
    #: Code into ``ops``, the op that asked for the block.
    op: Codes
    #: Share of the free memory that is outside the largest free block; NaN where not recorded.
    fragmentation: npt.NDArray[np.float64]
    #: Code into ``shapes``, the shape of the tensor in the block, such as "[64,10]".
    shape: Codes
    #: Number of the tensor's type in TensorFlow's ``DataType``.
    data_type: Codes
    #: Code into ``regions``, the use of the block: "output" of the op, or "temp".
    region: Codes
    allocators: tuple[str, ...]
    ops: tuple[str, ...]
    shapes: tuple[str, ...]
    regions: tuple[str, ...]


class Product(Record, frozen=True):
    """A matrix product: ``batch`` times [m, k] · [k, n], with operands of one ``format``.

    A convolution is a product whose n is the channels out, k the channels in of a group, and m the places of
    outputs of all examples; it is summed over the places of the ``window``.
    """

    batch: int
    m: int
    n: int
    k: int
    #: Format of the operands, as ``OpWork.matrix_format``.
    format: str
    #: Places over which a convolution sums; 1 for a matrix product.
    window: int = 1
    #: "input" or "filter": the product computes that gradient of a convolution, which takes the same number
    #: of operations; or it is a matrix product that sums over the rows of both operands, as the gradient of
    #: weights does. "" otherwise.
    gradient: Literal["", "input", "filter"] = ""
    #: Places of a convolution's outputs of one example, by dimension; empty where not known.
    places: tuple[int, ...] = ()


OpKind = Literal["product", "convolution", "attention", "gather", "scatter", "other"]


class OpWork(Record, frozen=True):
    """The least that one execution of an op computes and moves; an op of XLA is an instruction."""

    #: Operations; a multiply-add counts as two.
    flops: int
    #: Operations of matrix products and convolutions.
    matrix_flops: int
    #: Format of the operands of ``matrix_flops``: fp64, fp32, fp16, bf16, fp8, int8, "mixed" if there are
    #: several, "" if there are none.
    matrix_format: str
    #: Bytes that must cross memory once.
    bytes: int
    #: Whether it is executed once in each run of its program.
    per_run: bool = False
    kind: OpKind = "other"
    #: Its largest matrix products, at most four.
    products: tuple[Product, ...] = ()
    #: Whether it repeats a part of the forward pass for the backward pass, and does nothing else.
    recomputed: bool = False
    #: Name of the attention that several ops compute with the scores in memory and that this op is part of,
    #: else "".
    attention: str = ""
    #: Part of ``matrix_flops`` that repeats the forward pass; also known of an op that does more.
    recomputed_flops: int = 0


class HostTrace(HasMemo, frozen=True):
    """One host of the run."""

    host: str
    events: HostEvents
    iterators: IteratorEvents
    memory: MemoryEvents
    devices: tuple[DeviceTrace, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    #: Wall-clock time at time 0 of the profile, ``None`` if not recorded.
    profile_start_ns: int | None
    #: Full device names mentioned by ops (``/job:worker/replica:0/task:1/…``).
    device_texts: tuple[str, ...]
    #: Largest number of participants that a collective states, else of ranks that the profiler states of the
    #: job; 0 if neither does.
    collective_ranks: int
    #: Kinds of accelerators whose events are not read, such as "TPU" or "MTIA".
    accelerators: frozenset[str] = frozenset()
    #: Whether the profiler states that the machine has no GPU.
    without_gpu: bool = False
    #: (program, instruction), as ``modules`` and ``ops`` of a GPU name them → work of one execution, of XLA's
    #: instructions that ran and are understood.
    op_work: Mapping[tuple[str, str], OpWork] = {}
    #: What the format or this recording does not hold; its absence proves nothing.
    lacks: frozenset[Aspect] = frozenset()
    #: The machine that a process runs on, where each process is a host of its own; "": not recorded.
    machine: str = ""
    #: Number of ops that the framework numbered at least while it recorded; 0: it numbers none.
    numbered_count: int = 0
    #: Part of ``numbered_count`` that the file holds.
    kept_count: int = 0
    #: Op → time that it took on GPUs, where that was measured around the op and no work of GPUs was recorded.
    timed_ns: Mapping[str, int] = {}

    @property
    def work_bytes(self) -> int:
        """The approximate number of bytes that a pass over all events reads."""
        return 8 * (self.events.start_ns.nbytes + sum(d.start_ns.nbytes for d in self.devices))
