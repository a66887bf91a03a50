"""The input pipelines."""

from __future__ import annotations

from tfperf_plugin.records import Record


class Iterator(Record, frozen=True):
    """One tf.data iterator of one host; iterators are in the order of a printed tree.

    ``pipeline``: number of its pipeline on the host; ``depth``: distance from the root; ``parent``: index of
    the iterator that it feeds. ``written``: as in the user's program; ``stage``: what it does (reading on
    demand, reading ahead, preprocessing, Python, batching, transfer, passing on). ``self_ns``: its own work
    on all threads; ``batch_ns``: the same per batch, where ``at_once`` concurrent calls count once.
    ``wait_ratio``: share of the steps' waiting time in which it works. ``slow_calls_count``: calls
    above 50 µs. ``buffered_elements``: mean fill of the buffer. ``filtered_ratio``: share of elements that a
    filter drops.
    """

    host: str
    pipeline: int
    depth: int
    parent: int | None
    name: str
    kind: str
    written: str
    stage: str
    calls_count: int
    slow_calls_count: int
    total_ns: int
    self_ns: int
    batch_ns: int
    at_once: int
    wait_ratio: float
    parallelism: int | None
    autotune: bool | None
    buffered_elements: int | None
    buffer_limit: int | None
    element_bytes: int | None
    filtered_ratio: float | None
    on_critical_path: bool
    is_bottleneck: bool


class Pipeline(Record, frozen=True):
    """A pipeline that steps ask for batches.

    ``iterators``: indices of its iterators and of those of the pipeline that feeds it; ``wait_ns``: time that
    an average step of the host waits for it, ``wait_ratio`` of the step; ``slowest_ns``: its longest request;
    ``bottleneck``: index of the iterator that steps wait for, ``None`` if they wait for none or it is
    unknown.
    """

    host: str
    number: int
    iterators: tuple[int, ...]
    wait_ns: int
    wait_ratio: float
    slowest_ns: int
    batch_bytes: int | None
    bottleneck: int | None


class Input(Record, frozen=True):
    """The input pipelines of at most 16 of ``hosts_total`` hosts, those whose steps wait longest.

    ``pipelines``: by the waiting time of steps, longest first; ``critical_path``: names on the path of the
    first pipeline's slowest request, from the step upstream; ``bottleneck``: name of the iterator that the
    request waits for; ``sentence``: the same in words.
    """

    iterators: tuple[Iterator, ...]
    pipelines: tuple[Pipeline, ...]
    critical_path: tuple[str, ...]
    bottleneck: str | None
    sentence: str
    hosts_total: int
    needed_ns: int | None = None  # what the slowest stage needs for the batches of a step; None: not recorded
