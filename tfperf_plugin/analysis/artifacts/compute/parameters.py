"""Estimates the number of the model's parameters from the profile, and says how.

The ways, best first:

1. Gradients are reduced once per step: bytes of the collectives / bytes of one gradient.
2. Kernels of the optimizer with recorded shapes (host tracer level 3): each updates one variable.
3. Mixed precision reads each weight and casts it from float32 to 16 bit: the shapes of these casts. They do
   not include weights that a layer keeps in float32, such as those of a normalization.
4. Memory that stays allocated / bytes that the optimizer keeps per parameter. It includes everything else
   that stays, so that it only confirms another way, or replaces it if the optimizer is known.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.communication.allreduce import FLOAT_BYTES, AllReduceTimes
from tfperf_plugin.analysis.artifacts.compute.shapes import tensors
from tfperf_plugin.analysis.artifacts.memory.memory import of_host
from tfperf_plugin.analysis.evidence import Confidence, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import Groups, agreed
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, HostTrace

AGREEMENT_RATIO: Final = 0.01
"""Two ways agree if they differ by no more than this share."""

LEAST_BYTES: Final = 64_000
"""Collectives that move fewer bytes in a step carry no gradients."""

# One update of one variable: TensorFlow's fused kernels; Keras 3 subtracts the step from the variable.
_UPDATE = re.compile(
    r":ResourceApply\w+$|(^|/)(adamw?|sgd|rmsprop)(_\d+)?/AssignSubVariableOp(_\d+)?:AssignSubVariableOp$"
)
# Only the rows of an embedding that occur in the batch: the shape is not that of the variable.
_UPDATE_OF_ROWS = re.compile(r":Resource(SparseApply|Scatter)\w+$")
# Bytes that stay allocated per parameter: the weight and the optimizer's slots, 4 bytes each.
_OPTIMIZERS: Final = (
    ("Adam", 12, re.compile(r":ResourceApplyAdam$|(^|/)adamw?(_\d+)?/AssignSubVariableOp(_\d+)?:")),
    ("SGD with momentum", 8, re.compile(r":ResourceApply(Keras)?Momentum$")),
    ("SGD", 4, re.compile(r":ResourceApplyGradientDescent$|(^|/)sgd(_\d+)?/AssignSubVariableOp(_\d+)?:")),
)
_CAST = re.compile(r"(?P<scope>(?:.*/)?)Cast(?P<number>(?:_\d+)?):Cast", re.DOTALL)
_READ = re.compile(
    r"(?P<scope>(?:.*?/)??)(?:Identity/)?ReadVariableOp(?P<number>(?:_\d+)?):ReadVariableOp", re.DOTALL
)


class ParametersEstimate(Record, frozen=True):
    """The estimated number of parameters of the model, and how it was estimated."""

    count: int  #: Number of parameters.
    basis: str  #: How it was estimated, in plain words.
    #: High if two ways agree or collectives show it; low if only the memory shows it, or if only a part of a
    #: step was recorded.
    confidence: Confidence
    at_most: bool = False  #: Whether ``count`` includes all that stays in memory.


class _Way(Record, frozen=True):
    """The result of one way to estimate the number of parameters."""

    count: int
    basis: str  #: Where the number comes from.
    certain: bool = False  #: Whether it needs no second way.

    def off_by(self, other: _Way) -> float:
        return abs(self.count - other.count) / max(1, other.count)


def _most(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return max(one, other, key=sum)


Variables = Annotated[tuple[int, ...], _most]
"""Elements of each variable that a GPU shows; of several GPUs, those of the one that shows the most."""


class Part(Record, frozen=True):
    """Evidence of some hosts."""

    updates: Variables  #: Variables that the optimizer updates, by their shapes.
    casts: Variables  #: Weights that are cast to 16 bit, by their shapes.
    lasting_bytes: Annotated[int | None, min]  #: Least memory that stays allocated on a GPU at work.
    optimizers: frozenset[str]  #: Optimizers whose ops occur.


def part(view: View) -> Part:
    """The evidence of one host, with or without steps."""
    host = view.trace
    shaped = [d for d in host.devices if len(d.shapes)]
    updates = max((_updates(d) for d in shaped), key=sum, default=())
    casts = max((_casts(host, d) for d in shaped), key=sum, default=())
    working = {d.device for d in host.devices if d.participates}
    devices = of_host(host).devices if working else ()
    lasting = [d.lasting_bytes for d in devices if d.device in working]
    return Part(tuple(updates), tuple(casts), min(lasting, default=None), _optimizers(_names(host)))


def finish(
    found: Part, ledger: Ledger | None, times: AllReduceTimes | None, facts: TrainingFacts | None
) -> ParametersEstimate | NotApplicable:
    """The estimate from all hosts. GPUs exchange gradients once per training step; a step may hold
    several."""
    per_call = (facts and facts.steps_per_execution) or 1
    size, element = (times.gradient_bytes, times.element_bytes) if times else (None, FLOAT_BYTES)
    estimate = estimated(found, ledger, size and size // per_call, element)
    return estimate or NotApplicable("The profile does not tell how many parameters the model has.")


def estimated(
    part: Part, ledger: Ledger | None, collective_bytes: int | None, element_bytes: int
) -> ParametersEstimate | None:
    """The estimate; ``None`` if the profile has no evidence.

    Args:
        part: of all hosts. Replicas are equal: the GPU that shows most variables stands for all.
        ledger: tells whether a whole step was recorded; if not, some variables may be missing.
        collective_bytes: gradients that are reduced per step and GPU, ``None`` if not recorded.
        element_bytes: bytes of one gradient.
    """
    found = [*_of_collectives(collective_bytes, element_bytes), *_of_shapes(part)]
    memory = list(_of_memory(part, found[0] if found else None))
    if not found:
        return ParametersEstimate(memory[0].count, memory[0].basis, "low", True) if memory else None
    found = _once_per_step(found)
    best = found[0]
    # More than the weights may stay allocated, which does not contradict a certain result.
    most = (1 + AGREEMENT_RATIO) * best.count if best.certain else math.inf
    others = [*found[1:], *(way for way in memory if way.count <= most)]
    nearest = min(others, key=best.off_by, default=best)
    off = nearest.off_by(best)
    basis = best.basis
    confidence: Confidence = "high" if others or best.certain else "medium"
    if others and off <= AGREEMENT_RATIO:
        basis += f"; {nearest.basis} agrees to {100 * off:.1f} %"
    elif others:
        basis += f"; {nearest.basis} disagrees: {_rounded(nearest.count)}"
        confidence = "medium"
    whole = ledger is not None and any(host.steps.whole_count for host in ledger.hosts)
    if not best.certain and (not others or off > AGREEMENT_RATIO) and not whole:
        basis += "; only a part of a step was recorded, so that some may be missing"
        confidence = "low"
    return ParametersEstimate(best.count, basis, confidence)


def _rounded(number: int) -> str:
    """ "26.1 million", "2.78 billion"."""
    if number >= 1e9:
        return f"{number / 1e9:.3g} billion"
    return f"{number / 1e6:.3g} million" if number >= 1e6 else f"{number:,}"


def _once_per_step(found: list[_Way]) -> list[_Way]:
    """Puts shapes first if collectives move a whole multiple of them: a marked step then holds several
    training steps."""
    shapes = [way for way in found if not way.certain]
    if not found[0].certain or not shapes:
        return found
    times = found[0].count / max(1, shapes[0].count)
    if round(times) < 2 or abs(times / round(times) - 1) > AGREEMENT_RATIO:
        return found
    basis = f"{shapes[0].basis}; the collectives of a marked step move {round(times)} times as much"
    return [_Way(shapes[0].count, basis), *found[1:]]


def _of_collectives(collective_bytes: int | None, element_bytes: int) -> Iterator[_Way]:
    # Fewer bytes are metrics or flags, not a model's gradients.
    if collective_bytes and collective_bytes >= LEAST_BYTES:
        basis = f"gradients reduced per step, {element_bytes} bytes each"
        yield _Way(collective_bytes // element_bytes, basis, certain=True)


def _of_shapes(part: Part) -> Iterator[_Way]:
    """The ways by shape: of the optimizer's updates and of the casts of weights."""
    for found, words in (
        (part.updates, "sum of the shapes of {} variables that the optimizer updates"),
        (part.casts, "sum of the shapes of {} weights that are cast to 16 bit"),
    ):
        if sum(found):
            yield _Way(sum(found), words.format(len(found)))


def _updates(device: DeviceTrace) -> list[int]:
    """Elements of each variable that this GPU updates; empty if some are updated row by row."""
    if any(_UPDATE_OF_ROWS.search(op) for op in device.ops):
        return []
    # Beside the gradient, which is as large as the variable, the inputs are scalars and handles.
    return [max((t.elements for t in tensors(s)), default=0) for o, s in _ops(device) if _UPDATE.search(o)]


def _casts(host: HostTrace, device: DeviceTrace) -> list[int]:
    """Elements of each weight that this GPU casts from float32.

    Activations and gradients are cast as well; only what comes from a read of a variable is a weight. The
    read stands in the scope of the cast ("…/Cast/ReadVariableOp") or beside it, with the same number.
    """
    # There may be hundreds of thousands of other names.
    named = (name for name in host.events.names if name.endswith(":ReadVariableOp"))
    reads = {(m["scope"], m["number"]) for name in named if (m := _READ.fullmatch(name))}
    beside = Counter(scope for scope, _ in reads)
    casts = [(m, tensors(shape)) for op, shape in _ops(device) if (m := _CAST.fullmatch(op))]
    rivals = Counter(m["scope"] for m, _ in casts)
    weights = []
    for match, inputs in casts:
        scope, number = match["scope"], match["number"]
        own = (f"{scope}Cast{number}/", "") in reads
        next_to_it = (scope, number) in reads and rivals[scope] <= beside[scope]
        if (own or next_to_it) and len(inputs) == 1 and inputs[0].dtype == "float":
            weights.append(inputs[0].elements)
    return weights


def _ops(device: DeviceTrace) -> Iterator[tuple[str, str]]:
    """Yields each op of this GPU once, with the shapes of its inputs, unless they change: variables keep
    theirs."""
    rows = np.flatnonzero((device.op >= 0) & (device.shape >= 0))
    ops = Groups(device.op[rows])
    steady = rows[ops.first[ops.distinct(device.shape[rows]) == 1]]
    for op, shape in zip(device.op[steady].tolist(), device.shape[steady].tolist(), strict=True):
        yield device.ops[op], device.shapes[shape]


def _of_memory(part: Part, best: _Way | None) -> Iterator[_Way]:
    """The way by memory, with the optimizer that was seen; with an unknown optimizer, if it fits ``best``."""
    size = part.lasting_bytes
    if not size:
        return
    # Several optimizers say as little as none.
    seen = agreed(part.optimizers)
    for name, per_parameter, _ in _OPTIMIZERS:
        each = f"{per_parameter} bytes per parameter as with {name}"
        basis = f"the memory that stays allocated ({size / 1e9:.3g} GB, {each})"
        way = _Way(round(size / per_parameter), basis)
        if name == seen or (seen is None and best is not None and way.off_by(best) <= AGREEMENT_RATIO):
            yield way


def _names(host: HostTrace) -> Iterator[str]:
    yield from host.events.names
    for device in host.devices:
        yield from device.ops


def _optimizers(names: Iterable[str]) -> frozenset[str]:
    """The optimizers whose ops occur."""
    updates = (n for n in names if "ResourceApply" in n or "AssignSub" in n)
    return frozenset(name for text in updates for name, _, pattern in _OPTIMIZERS if pattern.search(text))
