"""What is trained in a step, as far as the profile tells: what two runs must share to be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from tfperf_plugin.analysis.artifacts.host_ops import HostOps
from tfperf_plugin.analysis.artifacts.ops import Ops
from tfperf_plugin.analysis.artifacts.phases import Phase, phase_of
from tfperf_plugin.analysis.artifacts.pipelines import IteratorRow, Pipelines
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.report.model import Layers, Workload

# Ops that hold a layer's weights or multiply tensors. However the model is run (precision, layout, replicas,
# fused by Grappler), each layer keeps its own; ops around them come and go.
_PRODUCT: Final = re.compile(
    r"_?(?:Fused)?(Conv[123]D(?:Backprop(?:Input|Filter))?|DepthwiseConv2dNative|(?:Batch)?MatMul|Einsum|CudnnRNN)"
    r"(?:V\d)?"
)
# Of XLA's instructions the names of types tell nothing.
_COMPILED: Final = re.compile(r"_?Xla\w*")
# A pipeline that is asked less often than this per step does not feed the step: evaluation.
_LEAST_REQUESTS: Final = 0.5


def workload(
    pipelines: Pipelines, steps: Steps, host: HostOps, ops: Ops | None, facts: TrainingFacts | None
) -> Workload:
    """The layers from names of ops, the batch from the training's record and from tf.data."""
    per_call = facts.steps_per_execution if facts and steps.source != "period" else None
    feeding = [p for p in pipelines.pipelines if p.requests >= _LEAST_REQUESTS]
    return Workload(
        layers=_layers(ops, host),
        parameters=facts.parameters if facts else None,
        batch_size=facts.batch_size if facts else None,
        steps_per_call=per_call,
        pipeline_batch_size=_agreed(_batch_size([pipelines.rows[i] for i in p.rows]) for p in feeding),
        pipeline_batch_bytes=_agreed(p.batch_bytes for p in feeding),
    )


def _layers(ops: Ops | None, host: HostOps) -> Layers | None:
    """Products of the forward pass; ``None`` where ops have no names of layers."""
    if ops:
        return _count((row.name, row.phase, row.times.total_ns) for row in ops.ops)
    return _count((row.name, phase_of(row.name), row.self_ns) for row in host.rows)


def _count(ops: Iterable[tuple[str, Phase, int]]) -> Layers | None:
    """From (op "scope/name:Type", phase, ns). What runs eagerly is all called by its type alone."""
    counts: Counter[str] = Counter()
    told = total = 0
    for op, phase, ns in ops:
        name, _, kind = op.rpartition(":")
        total += ns
        if "/" not in name or not kind or _COMPILED.fullmatch(kind):
            continue
        told += ns
        product = _PRODUCT.fullmatch(kind)
        if product and phase not in (Phase.BACKWARD, Phase.OPTIMIZER):
            counts[product[1]] += 1
    if not counts:
        return None
    return Layers(dict(sorted(counts.items())), told / total if total else 0.0)


def _batch_size(rows: Iterable[IteratorRow]) -> int | None:
    """Elements of a batch, as the last ``batch`` before the step was told."""
    for row in sorted(rows, key=lambda row: row.depth):
        if "Rebatch" in row.kind or "Unbatch" in row.kind:
            return None
        if row.batch_size:
            return row.batch_size
    return None


def _agreed(values: Iterable[int | None]) -> int | None:
    """The value that all have; ``None`` if they contradict each other or any is unknown."""
    every = set(values)
    return every.pop() if len(every) == 1 else None
