"""Tells the phases of a training step (forward, loss, backward, optimizer) from the name scopes of ops.

TensorFlow names the gradient of an op ``gradient_tape/SCOPE OF THE OP``; an optimizer puts its updates under
its own name, and Keras puts the loss under ``compile_loss`` or the loss function's name. JAX wraps scopes:
``jvp(…)`` is the forward pass under differentiation, ``transpose(jvp(…))`` the backward pass. If no name
tells the phase, it is "other", never a guess.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, RunFacts, View
from tfperf_plugin.analysis.ledger import Ledger, share_out
from tfperf_plugin.analysis.startup import trials
from tfperf_plugin.arrays.columns import Numbers, map_codes, unique
from tfperf_plugin.arrays.intervals import Intervals, Ints, covered_within
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, HostTrace, Small, among
from tfperf_plugin.trace.roles import HostRole, Role, split_op


class Phase(enum.IntEnum):
    """A part of a training step."""

    FORWARD = 0
    LOSS = 1
    BACKWARD = 2
    OPTIMIZER = 3
    OTHER = 4  # the name does not tell the phase


PHASES: Final = tuple(p.name.lower() for p in Phase)
# If the names tell the phase of less than this share of compute, no phase is stated.
TOLD_RATIO: Final = 0.8

# Replicas of a model on several GPUs and calls of functions: they say who runs an op, not what for.
_REPLICA = re.compile(r"(?<![^/])(?:replica|(?:Stateful)?PartitionedCall)(?:_\d+)?/")


class _Part(enum.IntEnum):
    """The meaning of one part of a scope. If several parts have a meaning, the first in this order counts."""

    BACKWARD = 0
    OPTIMIZER = 1
    METRIC = 2
    LOSS = 3
    FORWARD = 4  # JAX's own mark
    COMPILED = 5  # JAX marks only what it differentiates
    LAYER = 6  # any other name
    AROUND = 7  # branches, loops and functions around the op


_PARTS: Final = tuple(
    (part, re.compile(pattern, re.DOTALL))
    for part, pattern in (
        (_Part.BACKWARD, r"gradient_tape|gradients(_\d+)?|backward|transpose\(jvp\(.*"),
        (_Part.FORWARD, r".*jvp\(.*"),
        (_Part.COMPILED, r"p?jit\(.*"),
        (
            _Part.AROUND,
            r"(while|cond|Func|replica|(Stateful)?PartitionedCall)?(_\d+)?|then|else|body|(pmap|vmap|shard_map)\(.*",
        ),
        (
            _Part.OPTIMIZER,
            r"(?i)(adam|adamw|adamax|nadam|adamweightdecay|sgd|momentum|rmsprop|adagrad|adadelta|adafactor|ftrl|lion|"
            r"lamb|lars|muon|\w*optimizer|apply_gradients|clip_?by_?global_?norm|global_?norm)(_\d+)?",
        ),
        (_Part.METRIC, r"(?i)(compile_metrics|metrics|\w*accuracy|\w+_metric|precision|recall|auc)(_\d+)?"),
        (
            _Part.LOSS,
            r"(?i)(compile_loss|compute_loss|loss(es)?|loss_fn|loss_function|\w+_loss(es)?|(?=\w*cross_?entropy)\w*|"
            r"mean_(squared|absolute)(_\w+)?_error|kl_?divergence|kullback_leibler_divergence|huber|log_?cosh|"
            r"\w*hinge)(_\d+)?",
        ),
        (_Part.LAYER, r".*"),
    )
)
# Types of ops that occur in one phase only. (The input gradient of a convolution is no such type: it is also
# the forward pass of a transposed convolution.)
_GRADIENT_TYPE = re.compile(r"(?!\w*BackpropInput)((?=\w*Backprop)\w*|\w*Grad(V\d+)?)")
_OPTIMIZER_TYPE = re.compile(r"(Resource)?(Sparse)?Apply(?!Function)[A-Z]\w*")
_LOSS_TYPE = re.compile(r"\w*CrossEntropyWithLogits")
# Outside all scopes, TensorFlow adds up the gradients of what is used more than once.
_SUM_OF_GRADIENTS = re.compile(r"AddN(_\d+)?:AddN")
_UPDATE = re.compile(r"update_\d+")


@lru_cache(1 << 14)
def _part(text: str) -> _Part:
    return next(part for part, pattern in _PARTS if pattern.fullmatch(text))


@lru_cache(1 << 12)
def _type_phase(op_type: str) -> Phase | None:
    if _GRADIENT_TYPE.fullmatch(op_type):
        return Phase.BACKWARD
    if _OPTIMIZER_TYPE.fullmatch(op_type):
        return Phase.OPTIMIZER
    return Phase.LOSS if _LOSS_TYPE.fullmatch(op_type) else None


def plain_op(op: str) -> str:
    """An op's name without its replica and the functions around it, so that it is the same on every GPU."""
    return _REPLICA.sub("", op)


def phase_of(op: str) -> Phase:
    """The phase of an op "scope/name:Type", if it is part of a training step."""
    path, op_type = split_op(op)
    *scope, _ = (path or op).split("/")
    parts = [_part(part) for part in scope]
    meaning = min(parts, default=_Part.AROUND)
    by_type = _type_phase(op_type)
    if meaning is _Part.BACKWARD or by_type is Phase.BACKWARD:
        return Phase.BACKWARD
    if meaning is _Part.OPTIMIZER or by_type is Phase.OPTIMIZER:
        return Phase.OPTIMIZER
    if meaning in (_Part.METRIC, _Part.COMPILED):
        return Phase.OTHER
    if meaning is _Part.LOSS or by_type is Phase.LOSS:
        return Phase.LOSS
    if meaning is _Part.AROUND:
        return Phase.BACKWARD if not scope and _SUM_OF_GRADIENTS.fullmatch(op) else Phase.OTHER
    layers = [text for text, part in zip(scope, parts, strict=True) if part is not _Part.AROUND]
    return Phase.OPTIMIZER if _UPDATE.fullmatch(layers[0]) else Phase.FORWARD


class Phases(Record, frozen=True):
    """Compute of the average step by phase."""

    #: Phase → ns of the average step; adds up to the average's ``compute`` exactly.
    average_ns: dict[str, int]
    told_ratio: float  #: Share of compute whose phase the names of ops tell.
    reason: str  #: Why phases cannot be stated, or "".


def part(view: View) -> dict[tuple[str, str], Ints]:
    """Sums compute by host and participating GPU: int64[steps, phases]; each row adds up to the account
    ``compute`` of the step exactly."""
    return {(gpu.host.host, gpu.source.device): _of_gpu(gpu, view.run.training) for gpu in view.gpus}


def finish(sums: dict[tuple[str, str], Ints], ledger: Ledger, run: RunFacts) -> Phases:
    """Phases of the average step."""
    total = np.zeros(len(Phase), np.int64)
    for host in ledger.hosts:
        for device in host.devices:
            total += sums[host.host, device.device][host.steps.judged].sum(axis=0)
    shares = share_out(total, ledger.windows)
    # Rounding may make the two averages differ by one nanosecond a phase; the largest phase absorbs it.
    shares[int(np.argmax(total))] += ledger.average()["compute"] - sum(shares)
    compute = int(total.sum())
    known_ratio = 1 - int(total[Phase.OTHER]) / compute if compute else 0.0
    return Phases(
        dict(zip(PHASES, shares, strict=True)), known_ratio, _reason(run.training, compute, known_ratio)
    )


def is_training(host: HostTrace) -> bool:
    """Whether any op is named after the backward pass. If none is, scopes do not show the phase."""
    return any(phase_of(op) is Phase.BACKWARD for op in _op_names(host))


def row_phases(device: DeviceTrace, rows: Numbers, training: bool) -> Small:
    """The phase of each row: from its op, else from the scope that XLA recorded for its instruction."""
    other = np.int8(Phase.OTHER)
    if not training:
        return np.full(len(rows), other)
    phase = map_codes(device.op[rows], device.ops, phase_of, other)
    if device.scopes:
        phase = np.where(phase == other, map_codes(device.scope[rows], device.scopes, phase_of, other), phase)
    return phase


def _op_names(host: HostTrace) -> Iterable[str]:
    for device in host.devices:
        yield from device.ops
        yield from device.scopes
    ops = unique(host.events.name[host.events.role == HostRole.OP])
    yield from (host.events.names[code] for code in ops.tolist())


def _of_gpu(gpu: GpuView, training: bool) -> Ints:
    """Compute by step and phase. Where kernels overlap, the time belongs to the kernel that began first."""
    device, steps = gpu.source, gpu.host.steps
    tried, _ = trials(device, gpu.step)
    rows = np.flatnonzero(among(device.role, Role.KERNEL, Role.MEMSET) & ~tried)
    begin, end, phase = device.start_ns[rows], device.end_ns[rows], row_phases(device, rows, training)
    if len(rows):
        reach = np.maximum.accumulate(end)
        begin = np.concatenate([begin[:1], np.maximum(begin[1:], reach[:-1])])
    sums = np.zeros((len(steps), len(Phase)), np.int64)
    for kind in Phase:
        keep = (phase == kind) & (end > begin)
        sums[:, kind] = covered_within(Intervals(begin[keep], end[keep]), steps.begin_ns, steps.end_ns)
    return sums


def _reason(training: bool, compute_ns: int, told_ratio: float) -> str:
    if not compute_ns:
        return "No kernel computes in the judged steps."
    if not training:
        return (
            "No op of this profile is named after a backward pass: either nothing is trained, or kernels are "
            "recorded without the name scopes of their ops."
        )
    if told_ratio < TOLD_RATIO:
        told = f"{100 * told_ratio:.0f} % of the compute time only, less than {100 * TOLD_RATIO:.0f} %"
        return (
            f"The names of ops tell the phase of {told}. "
            "Ops that run eagerly, or that XLA fuses, have no name scope of a phase."
        )
    return ""
