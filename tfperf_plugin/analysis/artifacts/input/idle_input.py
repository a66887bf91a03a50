"""The time that steps lose by waiting for input, and the pipeline stage that they wait for.

Batches that lay ready before the recording hide whether a pipeline keeps up with the steps: if a buffer holds
as many as the recording has steps, no step waits, however slow the pipeline is. What it makes meanwhile
tells: a stage that makes no more calls at the same time needs as long for each batch.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import PerStep, PerStepByName, View, averaged
from tfperf_plugin.analysis.artifacts.communication.hosts import Hosts
from tfperf_plugin.analysis.artifacts.input.pipelines import (
    BUSY_RATIO,
    NAMED_RATIO,
    IteratorRow,
    PipelineRow,
    Pipelines,
)
from tfperf_plugin.analysis.artifacts.input.stages import PASSING_ON, has_parallel_calls, is_prefetch
from tfperf_plugin.analysis.evidence import Evidence, Place, Places
from tfperf_plugin.analysis.host_activity import input_wait_rows, input_waits
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import sums_by_name
from tfperf_plugin.arrays.intervals import Intervals, covered_within, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents

# A shorter wait, as a share of a step, is no finding.
LEAST_RATIO = 0.01
# Kinds of requests that are told apart; a program has one or two.
REQUESTS_COUNT = 4
# Iterators that Keras puts around the prefetch(1) of a generator or Sequence: options, and a map for class
# weights.
_AROUND_GENERATOR = frozenset(("Model", "Root", "MaxIntraOpParallelism", "Map", "Prefetch"))
_TENSOR = frozenset(("FromTensor", "Tensor"))


class LateInput(Record, frozen=True):
    """The cost of late batches."""

    pipelines: Pipelines
    #: Length of an average step: of the GPUs or, where none was recorded, of the host; of the whole recording
    #: where no step was told.
    step_ns: int
    lost_ns: int  #: How much longer the step is because batches are late.
    idle_ns: int  #: Part of ``lost_ns`` in which the GPU itself is idle.
    on_gpu: bool  #: Whether GPUs were recorded.
    steps_count: int  #: Judged steps of the hosts.
    where: tuple[Place, ...]  #: The longest waits of the host.
    request: str = ""  #: Name of the requests that the host waits for most, "" if it waits for none.

    @property
    def ratio(self) -> float:
        """The loss as a share of the step."""
        return self.lost_ns / max(1, self.step_ns)

    @property
    def pipeline(self) -> PipelineRow | None:
        """The pipeline that steps wait for."""
        return self.pipelines.late if self.ratio >= LEAST_RATIO else None

    @property
    def stage(self) -> IteratorRow | None:
        """The bottleneck of the pipeline that steps wait for, ``None`` if it is not known."""
        return self.pipelines.bottleneck if self.pipeline else None

    @property
    def described(self) -> str:
        """The bottleneck as the user wrote it."""
        return self.pipelines.described(self.stage) if self.stage else ""

    @property
    def without_workers(self) -> bool:
        """Whether steps wait for a DataLoader of PyTorch that makes each batch itself: its iterator tells."""
        return "_SingleProcess" in self.request

    @property
    def one_at_a_time(self) -> bool:
        """Whether what steps wait for makes one call at a time, and so keeps about one processor busy."""
        row = self.stage
        if row is None:
            return self.without_workers or self.of_generator
        return row.at_once == 1 and not has_parallel_calls(row.kind, row.parallelism)

    @property
    def fills_cache(self) -> bool:
        """Whether the stage that works most while steps wait makes what a cache keeps for later epochs."""
        if self.pipeline is None:
            return False
        rows, last = self.pipelines.rows, self.pipeline.bottleneck
        works = [i for i in self.pipeline.rows if rows[i].stage != PASSING_ON]
        most = max(works, key=lambda i: (i == last, rows[i].wait_ratio), default=None)
        return most is not None and rows[most].wait_ratio >= BUSY_RATIO and self.pipelines.fills_cache(most)

    @property
    def handed_over_ns(self) -> int | None:
        """The time in which the only recorded step takes a batch that lies ready, if that is less than half
        of its wait and no stage works in half of it; else ``None``."""
        pipeline, prefetch = self.pipeline, self.prefetch
        if pipeline is None or prefetch is None or self.steps_count != 1:
            return None
        works = any(r.wait_ratio >= BUSY_RATIO for r in self.pipelines.asked if r.stage != PASSING_ON)
        return None if works or prefetch.total_ns >= BUSY_RATIO * pipeline.wait_ns else prefetch.total_ns

    @property
    def comes_once(self) -> bool:
        """Whether the wait is there once, and so no saving in each step."""
        return self.fills_cache or (not self.on_gpu and self.handed_over_ns is not None)

    @property
    def claims(self) -> dict[str, int]:
        """Account → ns of the average step that late batches cost: of the GPU, and of those that wait for it.

        Empty if no GPU was recorded."""
        if not self.on_gpu:
            return {}
        siblings = self.lost_ns - self.idle_ns
        return {"idle.input": self.idle_ns} | ({"communication.wait": siblings} if siblings else {})

    @property
    def in_request_ns(self) -> int:
        """Work per step inside the requests for batches, because nothing prepares batches ahead."""
        pipeline = self.pipeline
        if pipeline is None or self.prefetch is not None:
            return 0
        return round(pipeline.in_request_ns * pipeline.requests)

    @property
    def prefetch(self) -> IteratorRow | None:
        """The prefetch of finished batches of the pipeline that steps wait for."""
        return self.pipelines.prefetch_of(self.pipeline) if self.pipeline else None

    @property
    def of_arrays(self) -> bool:
        """Whether Keras made the pipeline of arrays: then it zips row numbers with one repeated tensor."""
        rows = self.pipelines.rows
        below: dict[int, set[str]] = {}
        for row in self.pipelines.asked:
            above = None if row.parent is None else rows[row.parent]
            if above and above.kind == "ForeverRepeat" and above.parent is not None and row.kind in _TENSOR:
                below.setdefault(above.parent, set()).add(row.kind)
            elif row.parent is not None and row.kind == "FlatMap":
                below.setdefault(row.parent, set()).add(row.kind)
        return any(
            rows[i].kind == "Zip" and "FlatMap" in kinds and kinds & _TENSOR for i, kinds in below.items()
        )

    @property
    def unseen(self) -> IteratorRow | None:
        """The prefetch whose upstream was not recorded, if steps wait for no recorded stage."""
        if self.pipeline is None or self.stage is not None:
            return None
        rows, feeding = self.pipelines.rows, {row.parent for row in self.pipelines.rows}
        leaves = (rows[i] for i in self.pipeline.rows if i not in feeding)
        return next((row for row in leaves if is_prefetch(row.kind)), None)

    @property
    def of_generator(self) -> bool:
        """Whether Keras made the pipeline of a generator or Sequence that was passed to fit().

        Then it is prefetch(1), and nothing is recorded behind it, because Python began before the recording.
        """
        unseen = self.unseen
        if self.pipeline is None or unseen is None or unseen.buffer_limit != 1:
            return False
        kinds = {self.pipelines.rows[i].kind for i in self.pipeline.rows}
        return "MaxIntraOpParallelism" in kinds and kinds <= _AROUND_GENERATOR

    @property
    def is_hidden_by_prefetch(self) -> bool:
        """Whether the work inside requests would fit beside the rest of the step if it were done ahead."""
        return 0 < self.in_request_ns <= self.step_ns - self.lost_ns

    def evidence(self) -> tuple[Evidence, ...]:
        """The bottleneck in numbers."""
        row = self.stage
        if row is None:
            return ()
        works = "iterator events and those of its functions, calls at the same time counted once"
        during, most = "iterator events during requests for a batch", ""
        if row.parallelism is not None:
            most = f", of {row.parallelism}"
        least = NAMED_RATIO if row.wait_ratio >= NAMED_RATIO else BUSY_RATIO
        found = (
            Evidence(f"{self.described} works per batch", row.batch_ns, "ns", None, works),
            Evidence("share of the wait in which it works", row.wait_ratio, "ratio", least, during),
            Evidence(f"calls of it at the same time{most}", row.at_once, "count", None, "iterator events"),
        )
        return found if row.at_once > 1 or most else found[:2]


class Waits(Record, frozen=True):
    """Waiting for a batch in judged steps of hosts, or in the whole recording without one."""

    steps_count: int
    step_ns: PerStep  #: Length of the step.
    wait_ns: PerStep  #: Waiting for input in the step.
    where: Places  #: The longest waits.
    ns_by_request: PerStepByName  #: Name of a request → ns in it.


def part(view: View) -> Waits:
    """Waiting for input on one host."""
    steps = view.steps
    begin, end = steps.judged_ranges(view.trace.events)
    waits = input_waits(view.trace.events)
    step = np.searchsorted(begin, waits.begin_ns, "right") - 1
    rows = np.argsort(waits.begin_ns - waits.end_ns, kind="stable")[:20] if len(begin) else step[:0]
    rows = rows[(step[rows] >= 0) & (waits.end_ns[rows] <= end[step[rows]])]
    where = steps.places("the step waits for its batch", waits.begin_ns[rows], waits.end_ns[rows])
    waiting = int(covered_within(waits, begin, end).sum())
    requests = _by_name(view.trace.events, union(begin, end))
    return Waits(int(steps.judged.sum()), int((end - begin).sum()), waiting, where, requests)


def _by_name(events: HostEvents, judged: Intervals) -> dict[str, int]:
    """Name → time in judged steps, of the ``REQUESTS_COUNT`` requests for batches with most."""
    rows = input_wait_rows(events)
    spent = covered_within(judged, events.start_ns[rows], events.end_ns[rows])
    return dict(Counter(sums_by_name(events.names, events.name[rows], spent)).most_common(REQUESTS_COUNT))


def finish(found: Waits, pipelines: Pipelines, ledger: Ledger | None, hosts: Hosts | None) -> LateInput:
    """The loss on the GPUs, where the ledger knows it, else on the host."""
    mean, where = averaged(found, found.steps_count), found.where.all()
    request = max(mean.ns_by_request, key=mean.ns_by_request.__getitem__, default="")
    if ledger is None:
        return LateInput(pipelines, mean.step_ns, mean.wait_ns, 0, False, mean.steps_count, where, request)
    idle = ledger.average()["idle.input"]
    own, siblings = (idle, 0) if hosts is None or hosts.input_ns is None else hosts.input_ns
    return LateInput(pipelines, ledger.step_ns, own + siblings, own, True, mean.steps_count, where, request)


class _ReadyBatches(Record, frozen=True):
    """A pipeline from which recorded steps took batches that lay ready, and what it needs for more."""

    prefetch: IteratorRow  #: The buffer in which they lay.
    #: The time in which the pipeline makes the batches of a step, ``None`` if it cannot be told.
    making_ns: int | None
    #: The slowest stage whose number of calls at the same time does not change, ``None`` if there is none.
    stage: IteratorRow | None
    stage_ns: int  #: What ``stage`` alone needs for the batches of a step.
    requests: float  #: Batches of a step.
    batch_size: int | None  #: Examples of a batch, ``None`` if not recorded.


def ready_batches(pipelines: Pipelines) -> _ReadyBatches | None:
    """The pipeline that needs longest of those from which steps took only batches that lay ready.

    ``None`` if there is none, or if what was recorded behind their buffers makes no batches of elements.
    """
    found = [ready for p in pipelines.pipelines if (ready := _of(pipelines, p))]
    return max(found, key=lambda ready: (ready.stage_ns, ready.making_ns or 0), default=None)


def _of(pipelines: Pipelines, pipeline: PipelineRow) -> _ReadyBatches | None:
    prefetch, rows = pipelines.prefetch_of(pipeline), pipelines.rows
    if prefetch is None or prefetch.calls_count > (prefetch.buffer_limit or 0):
        return None
    mine = [rows[i] for i in pipeline.rows]
    is_fed = any(row.name.startswith(f"{prefetch.name}::") for row in mine)
    if is_fed and not any("Batch" in row.name for row in mine):
        return None
    fixed = (i for i in pipeline.rows if _is_fixed(rows[i]) and not pipelines.fills_cache(i))
    stage = max(fixed, key=lambda i: pipelines.stage_needs_ns(pipeline, i), default=None)
    return _ReadyBatches(
        prefetch=prefetch,
        making_ns=pipelines.making_needs_ns(pipeline),
        stage=None if stage is None else rows[stage],
        stage_ns=0 if stage is None else pipelines.stage_needs_ns(pipeline, stage),
        requests=pipeline.requests,
        batch_size=next((row.batch_size for row in mine if "Batch" in row.kind), None),
    )


def _is_fixed(row: IteratorRow) -> bool:
    """Whether a stage works, and its number of calls at the same time does not change."""
    parallel = has_parallel_calls(row.kind, row.parallelism)
    return row.stage != PASSING_ON and (row.autotune is False or (row.autotune is None and not parallel))
