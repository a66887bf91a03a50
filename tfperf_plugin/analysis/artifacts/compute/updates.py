"""The optimizer's kernels: how many, how long, and how long one pass over all variables would take.

An update reads the gradient, the weight and what the optimizer keeps of it, and writes the last two. Per
parameter in float32: 12 bytes without anything kept (SGD), 20 with one value (momentum, Adagrad, Lion), 28
with two (Adam). Where the optimizer is not known, 28. PyTorch's loop over parameters passes over each of them
with several ops, of which some run once: their sizes tell how many numbers there are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.op_names import is_optimizer
from tfperf_plugin.analysis.artifacts.compute.parameters import ParametersEstimate
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, phase_of
from tfperf_plugin.arrays.columns import median
from tfperf_plugin.hardware.speeds import MEMORY_REACHED
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import KernelClass, op_type

MANY_COUNT: Final = 100
"""Kernels of a step, from which they are worth a fused update."""

_BYTES: Final = (
    (12, re.compile(r"ResourceApply(Proximal)?GradientDescent$")),
    (20, re.compile(r"(?i)momentum$|(^|/)(sgd|adagrad|lion)(_\d{1,4})?/|ApplyAdagrad(V2)?$")),
)
MOST_BYTES: Final = 28
# Its checks and divisions are dynamic-loss-scaling's.
_LOSS_SCALE = re.compile(r"(?i)loss_?scale")
_OF_MANY = re.compile(r"_foreach_|_fused_")
# With less of the optimizer's time known, its bytes are not known.
_KNOWN_RATIO: Final = 0.95


class Updates(Record, frozen=True):
    """The optimizer's kernels in an average step on one GPU."""

    ops: frozenset[str]  #: Names of the ops that update, as in ``Bounds``.
    kernels_count: int
    spent_ns: int  #: Part of the account ``compute``.
    several_count: int = 0  #: Kernels of ops that update one variable with several kernels.
    needed_ns: int | None = None  #: Time that the kernels need, ``None`` if not known.
    needed_bytes: int = 0  #: Bytes that the kernels need to move.
    #: Source of ``needed_bytes``: the number of "parameters", or the bytes of each op ("ops").
    by: Literal["parameters", "ops", "nothing"] = "nothing"
    parameters: int = 0  #: Number of parameters.
    parameter_bytes: int = 0  #: Bytes to move for each parameter.
    basis: str = ""  #: Where ``parameters`` comes from.

    @property
    def many(self) -> bool:
        """Whether the kernels are judged together, and not as single kernels."""
        return self.kernels_count >= MANY_COUNT

    @property
    def saving_ns(self) -> int:
        """The time that one pass saves at most; 0 if that is not known."""
        return 0 if self.needed_ns is None else max(0, self.spent_ns - self.needed_ns)


def finish(
    bounds: Bounds,
    devices: Devices,
    stated: Stated,
    estimate: ParametersEstimate | None,
    facts: TrainingFacts | None,
) -> Updates:
    """The updates of all hosts."""
    found = {name: op for (program, name), op in bounds.ops.items() if not program and _is_update(name, op)}
    ops = list(found.values())
    updates = Updates(
        frozenset(found),
        bounds.per_step(sum(op.launches_count for op in ops)),
        bounds.per_step(sum(op.compute_ns for op in ops)),
        bounds.per_step(sum(op.launches_count for name, op in found.items() if _is_one_of_several(name, op))),
    )
    rates = [d.memory_bandwidth for d in devices.participating]
    known = [rate for rate in rates if rate]
    if not ops or not known or len(known) < len(rates):
        return updates
    per_ns = min(known) * MEMORY_REACHED / 1e9
    count, basis = _parameters(stated, estimate, facts)
    by_parameters = updates
    # A marked step may hold several training steps.
    times = max(1, round(median([op.executions_count for op in ops]) / max(1, bounds.windows_count)))
    if not count and (passed := bounds.per_step(_passed_once(found))):
        count, basis, times = passed, "by the sizes of the optimizer's ops", 1
    if count:
        each = parameter_bytes(found)
        size = times * count * each
        by_parameters = replace(
            updates,
            needed_ns=round(size / per_ns),
            needed_bytes=size,
            by="parameters",
            parameters=count,
            parameter_bytes=each,
            basis=basis,
        )
        if not (estimate and basis == estimate.basis and estimate.at_most):
            return by_parameters
    judged = [op for op in ops if not op.not_judged]
    if sum(op.total_ns for op in judged) >= _KNOWN_RATIO * sum(op.total_ns for op in ops):
        needed = sum(op.needed_ns for op in judged) + sum(op.compute_ns for op in ops if op.not_judged)
        size = bounds.per_step(sum(op.bytes for op in judged))
        return replace(updates, needed_ns=bounds.per_step(needed), needed_bytes=size, by="ops")
    # If all that stays in memory would need longer than the kernels take, it is more than parameters.
    return by_parameters if by_parameters.saving_ns else updates


def _passed_once(ops: Mapping[str, OpBound]) -> int:
    """Numbers that a type of PyTorch's ops passes over which passes over each once, in all judged steps."""
    totals: Counter[str] = Counter()
    for name, op in ops.items():
        if op.work and "aten::" in name:
            totals[op_type(name)] += op.work.flops * op.executions_count
    most = max(totals.values(), default=0)
    # Some ops run twice for each parameter, others for few.
    return min((total for total in totals.values() if 2 * total >= most), default=0)


def _is_one_of_several(name: str, op: OpBound) -> bool:
    """Whether the op updates neither a whole variable nor many parameters of PyTorch."""
    return op.kernel_class is KernelClass.ELEMENTWISE and not _OF_MANY.search(name)


def _is_update(name: str, op: OpBound) -> bool:
    # Older Keras computes gradients in the optimizer's scope: "Adam/gradients/AddN".
    if _LOSS_SCALE.search(name) or phase_of(name) is Phase.BACKWARD:
        return False
    of_optimizer = op.kernel_class is KernelClass.ELEMENTWISE and is_optimizer(name)
    return op.kernel_class is KernelClass.OPTIMIZER or of_optimizer


def parameter_bytes(ops: Iterable[str]) -> int:
    """Bytes that the update of a parameter moves: the most that any of these ops shows."""
    found = {next((size for size, name in _BYTES if name.search(op)), MOST_BYTES) for op in ops}
    return max(found, default=MOST_BYTES)


def _parameters(
    stated: Stated, estimate: ParametersEstimate | None, facts: TrainingFacts | None
) -> tuple[int, str]:
    """Parameters that the optimizer updates, and who says so; 0 if they may be more than estimated."""
    if stated.parameters:
        return stated.parameters, "as given"
    if facts and facts.parameters:
        return facts.parameters, "recorded by the training"
    if estimate and (estimate.confidence != "low" or estimate.at_most):
        return estimate.count, estimate.basis
    return 0, ""
