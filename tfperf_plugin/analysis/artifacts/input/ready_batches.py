"""Batches that lay ready before the recording, which hide whether a pipeline keeps up with the steps.

If a buffer holds as many batches as the recording has steps, no step waits, however slow the pipeline is.
What it makes meanwhile tells: a stage that makes no more calls at the same time needs as long for each batch.
"""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow, PipelineRow, Pipelines
from tfperf_plugin.analysis.artifacts.input.stages import PASSING_ON, has_parallel_calls
from tfperf_plugin.records import Record


class ReadyBatches(Record, frozen=True):
    """A pipeline from which recorded steps took batches that lay ready, and what it needs for more."""

    prefetch: IteratorRow  #: The buffer in which they lay.
    #: The time in which the pipeline makes the batches of a step, ``None`` if it cannot be told.
    making_ns: int | None
    #: The slowest stage whose number of calls at the same time does not change, ``None`` if there is none.
    stage: IteratorRow | None
    stage_ns: int  #: What ``stage`` alone needs for the batches of a step.
    requests: float  #: Batches of a step.
    batch_size: int | None  #: Examples of a batch, ``None`` if not recorded.


def ready_batches(pipelines: Pipelines) -> ReadyBatches | None:
    """The pipeline that needs longest of those from which steps took only batches that lay ready.

    ``None`` if there is none, or if what was recorded behind their buffers makes no batches of elements.
    """
    found = [ready for p in pipelines.pipelines if (ready := _of(pipelines, p))]
    return max(found, key=lambda ready: (ready.stage_ns, ready.making_ns or 0), default=None)


def _of(pipelines: Pipelines, pipeline: PipelineRow) -> ReadyBatches | None:
    prefetch, rows = pipelines.prefetch_of(pipeline), pipelines.rows
    if prefetch is None or prefetch.calls_count > (prefetch.buffer_limit or 0):
        return None
    mine = [rows[i] for i in pipeline.rows]
    is_fed = any(row.name.startswith(f"{prefetch.name}::") for row in mine)
    if is_fed and not any("Batch" in row.name for row in mine):
        return None
    fixed = (i for i in pipeline.rows if _is_fixed(rows[i]) and not pipelines.fills_cache(i))
    stage = max(fixed, key=lambda i: pipelines.stage_needs_ns(pipeline, i), default=None)
    return ReadyBatches(
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
