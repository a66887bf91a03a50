"""The input pipelines."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorFacts
from tfperf_plugin.records import Record


class Iterator(IteratorFacts, frozen=True):
    """One tf.data iterator of one host; iterators are in the order of a printed tree."""

    filtered_ratio: float | None  # of elements that a filter drops
    on_critical_path: bool
    is_bottleneck: bool


class Pipeline(Record, frozen=True):
    """A pipeline that steps ask for batches."""

    host: str
    number: int
    iterators: tuple[int, ...]  # indices of its iterators and of those of the pipeline that feeds it
    wait_ns: int  # time that an average step of the host waits for it
    wait_ratio: float  # of the step
    slowest_ns: int  # its longest request
    batch_bytes: int | None
    bottleneck: int | None  # index of the iterator that steps wait for, if they wait for a known one


class Input(Record, frozen=True):
    """The input pipelines of at most 16 hosts, those whose steps wait longest."""

    iterators: tuple[Iterator, ...]
    pipelines: tuple[Pipeline, ...]  # by the waiting time of steps, longest first
    critical_path: tuple[str, ...]  # names, from the step upstream, for the first pipeline's slowest request
    bottleneck: str | None  # name of the iterator that this request waits for
    sentence: str  # the same in words
    hosts_total: int
    needed_ns: int | None = None  # what the slowest stage needs for the batches of a step; None: not recorded
