"""What the program is and does in a step, as far as the profile shows it; comparable runs share the work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.compute.ops import Ops
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, phase_of
from tfperf_plugin.analysis.artifacts.host.host_ops import HostOps
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow, Pipelines
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.arrays.columns import agreed
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.report.model import Layers, Workload
from tfperf_plugin.trace.roles import split_op

# Ops that hold a layer's weights or multiply tensors. Each layer keeps these ops, whatever the precision,
# layout, replicas or fusion by Grappler; other ops vary.
_PRODUCT: Final = re.compile(
    r"_?(?:Fused)?(Conv[123]D(?:Backprop(?:Input|Filter))?|DepthwiseConv2dNative|(?:Batch)?MatMul|Einsum|CudnnRNN)"
    r"(?:V\d)?"
)
# The type names of XLA's instructions do not identify layers.
_COMPILED: Final = re.compile(r"_?Xla\w*")
_FRAMEWORKS: Final = {"Keras": "TensorFlow with Keras", "custom loop": "TensorFlow with a loop of its own"}
# A pipeline with fewer requests per step does not feed the training step; it may feed evaluation.
_LEAST_REQUESTS: Final = 0.5


def about(program: Program, times: AllReduceTimes | None) -> str:
    """The program in words: "PyTorch, training, DDP, compiled by Inductor"."""
    shards = times and times.of_gradients and times.exchange == "sharded_weights"
    compiler = "Inductor" if program.framework == "PyTorch" else "XLA"
    compiles = f"{'' if program.compiled else 'not '}compiled by {compiler}"
    said = (
        _FRAMEWORKS.get(program.framework, program.framework)
        or ("" if program.server else "no framework seen"),
        program.server,
        "training" if program.training else "inference" if program.inference else "",
        program.strategy or ("FSDP" if shards and program.framework == "PyTorch" else ""),
        compiles if program.framework and program.gpus_count else "",
        "launched by CUDA graphs" if program.graphs else "",
    )
    return ", ".join(filter(None, said))


def workload(
    pipelines: Pipelines,
    steps: Steps,
    host: HostOps,
    ops: Ops | None,
    facts: TrainingFacts | None,
    program: Program,
) -> Workload:
    """Layers come from names of ops, the batch from the training's record and from tf.data."""
    per_call = facts.steps_per_execution if facts and steps.source != "period" else None
    feeding = [p for p in pipelines.pipelines if p.requests >= _LEAST_REQUESTS]
    return Workload(
        layers=_layers(ops, host),
        parameters=facts.parameters if facts else None,
        batch_size=facts.batch_size if facts else None,
        steps_per_call=per_call,
        pipeline_batch_size=agreed(_batch_size([pipelines.rows[i] for i in p.rows]) for p in feeding),
        pipeline_batch_bytes=agreed(p.batch_bytes for p in feeding),
        framework="TensorFlow" if program.uses_tensorflow else program.framework,
        keras=program.keras,
        policy=facts.policy if facts else None,
    )


def _layers(ops: Ops | None, host: HostOps) -> Layers | None:
    """Products of the forward pass; ``None`` if no op names a layer."""
    if ops:
        return _count((row.name, row.phase, row.times.total_ns) for row in ops.ops)
    return _count((row.name, phase_of(row.name), row.self_ns) for row in host.rows)


def _count(ops: Iterable[tuple[str, Phase, int]]) -> Layers | None:
    """Layers from (op "scope/name:Type", phase, ns). Eager ops have no scope and are not counted."""
    counts: Counter[str] = Counter()
    told = total = 0
    for op, phase, ns in ops:
        name, kind = split_op(op)
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
    """Elements of a batch, from the ``batch`` stage nearest to the step."""
    for row in sorted(rows, key=lambda row: row.depth):
        if "Rebatch" in row.kind or "Unbatch" in row.kind:
            return None
        if row.batch_size:
            return row.batch_size
    return None
